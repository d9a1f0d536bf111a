// The results of the search: names of several words, one line for each page, and its first sentences.
if (typeof Search !== "undefined") {
  const find = Search._performSearch;
  Search._performSearch = (query, ...terms) => {
    // Results are taken from the end. "plot tree" also finds plot_tree.
    const found = find(query, ...terms);
    const words = query.trim().split(/\s+/);
    if (words.length > 1) {
      const joined = find(...Search._parseQuery(words.join("_")));
      found.push(...joined.filter(([page]) => !page.includes("treemetric.compat")));
      Search._parseQuery(query); // which words are marked on the page
    }
    // A name is a result, and so is its page, which shows more.
    const whole = new Map(found.filter(([, , anchor]) => !anchor).map((result) => [result[0], result]));
    const seen = new Set();
    const results = [];
    for (let at = found.length - 1; at >= 0; at--) {
      const [page, , anchor] = found[at];
      const isPage = !anchor || page.endsWith("/" + anchor.slice(1));
      const key = isPage ? page : page + anchor;
      if (!seen.has(key)) results.unshift((isPage && whole.get(page)) || found[at]);
      seen.add(key);
    }
    return results;
  };

  // The text of a page is its article, without the links above it and the line of parameters.
  const textOf = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    if (anchor) return textOf(html, anchor);
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".bd-header-article, h1, dt.sig").forEach((part) => part.remove());
    return textOf(page.documentElement.outerHTML, anchor);
  };
}
