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
    // Pages that are about the query come first: its words are their title, or in it.
    const rank = ([page, title]) => {
      if (/^_generated\/(?!api|reference)|treemetric\.compat/.test(page)) return 0;
      const name = title.toLowerCase().replaceAll("_", " ");
      const text = words.join(" ").toLowerCase().replaceAll("_", " ");
      return name === text ? 2 : ` ${name} `.includes(` ${text} `) ? 1 : 0;
    };
    return results.sort((a, b) => rank(a) - rank(b));
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
