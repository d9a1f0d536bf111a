// How results of the search are ordered: as usual, but records, results and changes come last,
// and names of other packages after ours.
var Scorer = {
  score: (result) => {
    const [docname, , , , score] = result;
    const later = /^_generated\/(record|results|changelog|benches|design|contributing|release)/;
    if (docname.startsWith("_generated/api/treemetric.compat")) return score - 4;
    return later.test(docname) ? score - 20 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
