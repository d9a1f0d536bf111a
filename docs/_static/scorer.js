// How results of the search are ordered: as usual, but records, results and changes come last.
var Scorer = {
  score: (result) => {
    const [docname, , , , score] = result;
    const later = /^_generated\/(record|results|changelog|benches|design|contributing|release)/;
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
