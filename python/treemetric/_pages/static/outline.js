// Draws outlines of one tree or of two aligned trees. Only rows in view are in the document.
(function () {
  "use strict";
  const HEIGHT = 20;
  const SIGNS = { k: "", r: "→", d: "−", i: "+" };
  const NAMES = { k: "kept", r: "replaced", d: "deleted", i: "inserted" };

  function make(tag, name, text) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text; // labels are never markup
    return element;
  }

  function plural(count, what) {
    return count + " " + what + (count === 1 ? "" : "s");
  }

  class Side {
    constructor(data, widest) {
      this.name = data.name;
      this.texts = data.texts;
      this.codes = data.codes;
      this.parents = data.parents;
      this.lines = data.lines; // of source code
      const count = this.parents.length;
      this.below = new Int32Array(count);
      this.depths = new Int32Array(count);
      let deepest = 1;
      for (let node = 0; node < count; node++) {
        const parent = this.parents[node];
        if (parent >= 0) this.depths[node] = this.depths[parent] + 1;
        deepest = Math.max(deepest, this.depths[node]);
      }
      for (let node = count - 1; node >= 0; node--) {
        const parent = this.parents[node];
        if (parent >= 0) this.below[parent] += this.below[node] + 1;
      }
      this.step = Math.min(16, widest / deepest);
    }
    text(node) { return this.texts[this.codes[node]]; }
    path(node) {
      const names = [];
      for (let at = node; at >= 0 && names.length < 12; at = this.parents[at]) names.push(this.text(at));
      return (names.length === 12 ? "… › " : "") + names.reverse().join(" › ");
    }
  }

  class Outline {
    constructor(root, data) {
      this.root = root;
      this.two = data.sides.length === 2;
      this.sides = data.sides.map((side) => new Side(side, this.two ? 220 : 480));
      const count = this.sides[0].parents.length;
      this.nodes = data.nodes || [Array.from({ length: count }, (_, node) => node)];
      this.kinds = data.kinds || "k".repeat(count);
      this.costs = data.costs || {};
      this.gaps = data.gaps || [];
      this.size = this.kinds.length;
      this.folded = new Uint8Array(this.size);
      this.opened = new Set(); // gaps that the reader opened
      this.full = false;
      this.hits = [];
      this.isHit = new Uint8Array(this.size);
      this.current = -1;
      this.rowOf = this.sides.map((side, at) => {
        const places = new Int32Array(side.parents.length).fill(-1);
        this.nodes[at].forEach((node, row) => { if (node >= 0) places[node] = row; });
        return places;
      });
      this.changes = [];
      for (let row = 0; row < this.size; row++) if (this.kinds[row] !== "k") this.changes.push(row);
      this.build(data.title);
      this.refresh();
    }

    build(title) {
      const root = this.root;
      root.classList.toggle("tm-two", this.two);
      const bar = make("div", "tm-bar");
      bar.append(make(document.body.classList.contains("tm-full") ? "h1" : "strong", "", title));
      if (this.two) {
        for (const kind of "krdi") {
          const count = this.kinds.split(kind).length - 1;
          bar.append(make("span", "tm-count tm-" + kind, count + " " + NAMES[kind]));
        }
      }
      bar.append(make("span", "tm-space"));
      const button = (text, hint, action) => {
        const made = make("button", "", text);
        made.type = "button";
        made.title = hint;
        made.addEventListener("click", action);
        bar.append(made);
        return made;
      };
      if (this.two) {
        this.earlier = button("↑ change", "previous change (p)", () => this.stepChange(-1));
        this.later = button("↓ change", "next change (n)", () => this.stepChange(1));
        this.earlier.disabled = this.later.disabled = !this.changes.length;
      }
      if (this.gaps.length) {
        this.all = button("all rows", "show or hide unchanged parts", () => {
          this.full = !this.full;
          this.opened.clear();
          this.refresh();
        });
      }
      button("fold", "close all nodes below the root", () => this.foldAll(true));
      button("unfold", "open all nodes", () => this.foldAll(false));
      this.input = make("input");
      this.input.type = "search";
      this.input.placeholder = "search labels (/)";
      this.input.setAttribute("aria-label", "search labels");
      this.input.addEventListener("input", () => this.search());
      this.input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.stepHit(event.shiftKey ? -1 : 1);
      });
      this.found = make("span", "tm-found");
      this.found.setAttribute("role", "status");
      bar.append(this.input, this.found);
      const heads = make("div", "tm-heads");
      for (const side of this.sides) {
        heads.append(make("span", "", side.name + ", " + plural(side.parents.length, "node")));
      }
      this.view = make("div", "tm-view");
      this.view.tabIndex = 0;
      this.view.setAttribute("aria-label", title);
      this.spacer = make("div");
      this.view.append(this.spacer);
      this.status = make("div", "tm-status", "Hover over a node for details. Keys: arrows" + (this.two ? ", n and p for changes" : "") + ", / to search.");
      root.append(bar, heads, this.view, this.status);
      let waiting = false;
      const later = () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; this.draw(); });
      };
      this.view.addEventListener("scroll", later);
      new ResizeObserver(later).observe(this.view);
      this.view.addEventListener("mouseover", (event) => {
        const row = event.target.closest("[data-row]");
        if (row) this.describe(Number(row.dataset.row));
      });
      this.view.addEventListener("click", (event) => {
        const gap = event.target.closest("[data-gap]");
        if (gap) {
          this.opened.add(Number(gap.dataset.gap));
          this.refresh();
          return;
        }
        const row = event.target.closest("[data-row]");
        if (!row) return;
        const at = Number(row.dataset.row);
        if (event.target.closest(".tm-fold")) this.fold(at);
        else this.select(at, false);
      });
      // A page of its own takes keys from the start, a part of a page once it is clicked.
      const whole = document.body.classList.contains("tm-full");
      (whole ? document : root).addEventListener("keydown", (event) => this.press(event));
    }

    // --- what is visible -----------------------------------------------------------

    refresh() {
      const hidden = this.sides.map((side) => new Uint8Array(side.parents.length));
      const gapOf = new Int32Array(this.size).fill(-1);
      if (!this.full) {
        this.gaps.forEach(([first, last], at) => { if (!this.opened.has(at)) gapOf.fill(at, first, last + 1); });
      }
      this.items = [];
      this.placeOf = new Int32Array(this.size).fill(-1);
      for (let row = 0; row < this.size; row++) {
        let covered = false;
        this.sides.forEach((side, at) => {
          const node = this.nodes[at][row];
          if (node < 0) return;
          const parent = side.parents[node];
          if (parent >= 0 && hidden[at][parent]) { hidden[at][node] = 1; covered = true; }
        });
        if (covered || this.folded[row]) {
          this.sides.forEach((side, at) => { if (this.nodes[at][row] >= 0) hidden[at][this.nodes[at][row]] = 1; });
        }
        if (covered) continue;
        if (gapOf[row] >= 0) {
          const before = this.items[this.items.length - 1];
          if (before && before.gap === gapOf[row]) before.count += 1;
          else this.items.push({ gap: gapOf[row], count: 1 });
          continue;
        }
        this.placeOf[row] = this.items.length;
        this.items.push({ row });
      }
      this.spacer.style.height = this.items.length * HEIGHT + "px";
      if (this.all) this.all.setAttribute("aria-pressed", String(this.full));
      this.draw();
    }

    draw() {
      // After folding, the view may still be scrolled to where there is nothing any more.
      const lowest = Math.max(0, this.items.length * HEIGHT - this.view.clientHeight);
      const first = Math.max(0, Math.floor(Math.min(this.view.scrollTop, lowest) / HEIGHT) - 10);
      const end = Math.min(this.items.length, first + Math.ceil(this.view.clientHeight / HEIGHT) + 20);
      const shown = document.createDocumentFragment();
      for (let place = first; place < end; place++) {
        const element = this.drawItem(this.items[place]);
        element.style.top = place * HEIGHT + "px";
        shown.append(element);
      }
      this.spacer.replaceChildren(shown);
    }

    drawItem(item) {
      if (item.row === undefined) {
        const gap = make("div", "tm-row tm-gap", "⋯ " + plural(item.count, "unchanged node"));
        gap.dataset.gap = item.gap;
        gap.title = "click to show";
        return gap;
      }
      const row = item.row, kind = this.kinds[row];
      const element = make("div", "tm-row tm-" + kind);
      element.dataset.row = row;
      if (row === this.current) element.classList.add("tm-current");
      if (this.isHit[row]) element.classList.add("tm-hit");
      this.sides.forEach((side, at) => {
        if (at === 1) element.append(make("span", "tm-sign", SIGNS[kind]));
        element.append(this.drawCell(side, this.nodes[at][row], row));
      });
      return element;
    }

    drawCell(side, node, row) {
      const cell = make("span", "tm-cell");
      if (node < 0) return cell;
      if (side.lines) cell.append(make("span", "tm-line", side.lines[node]));
      cell.style.paddingLeft = side.depths[node] * side.step + "px";
      if (side.below[node]) {
        const fold = make("button", "tm-fold", this.folded[row] ? "▸" : "▾");
        fold.type = "button";
        fold.tabIndex = -1;
        fold.setAttribute("aria-expanded", String(!this.folded[row]));
        fold.setAttribute("aria-label", this.folded[row] ? "open" : "close");
        cell.append(fold);
      } else {
        cell.append(make("span", "tm-leaf"));
      }
      cell.append(make("span", "tm-label", side.text(node)));
      if (this.folded[row] && side.below[node]) cell.append(make("span", "tm-below", "  … " + side.below[node] + " below"));
      return cell;
    }

    // --- what readers do ------------------------------------------------------------

    describe(row) {
      const parts = [];
      this.sides.forEach((side, at) => {
        const node = this.nodes[at][row];
        if (node < 0) return;
        const where = this.two ? " of " + side.name : "";
        const line = side.lines ? "line " + side.lines[node] + ", " : "";
        parts.push(line + "node " + node + where + ", depth " + side.depths[node] + ", " + side.below[node] + " below: " + side.path(node));
      });
      const cost = this.costs[row] === undefined ? "" : ", cost " + this.costs[row];
      this.status.textContent = (this.two ? NAMES[this.kinds[row]] + cost + "  |  " : "") + parts.join("  |  ");
      this.status.title = this.status.textContent;
    }

    fold(row) {
      this.folded[row] = this.folded[row] ? 0 : 1;
      this.refresh();
    }

    foldAll(close) {
      for (let row = 0; row < this.size; row++) {
        const inner = this.sides.some((side, at) => {
          const node = this.nodes[at][row];
          return node >= 0 && side.below[node] > 0 && side.parents[node] >= 0;
        });
        this.folded[row] = close && inner ? 1 : 0;
      }
      this.refresh();
    }

    reveal(row) {
      this.gaps.forEach(([first, last], at) => { if (first <= row && row <= last) this.opened.add(at); });
      this.sides.forEach((side, at) => {
        let node = this.nodes[at][row];
        if (node < 0) return;
        for (node = side.parents[node]; node >= 0; node = side.parents[node]) this.folded[this.rowOf[at][node]] = 0;
      });
      this.refresh();
    }

    select(row, move) {
      if (move && this.placeOf[row] < 0) this.reveal(row);
      this.current = row;
      if (move && this.placeOf[row] >= 0) {
        const top = this.placeOf[row] * HEIGHT, view = this.view;
        if (top < view.scrollTop + HEIGHT || top > view.scrollTop + view.clientHeight - 2 * HEIGHT) {
          view.scrollTop = Math.max(0, top - view.clientHeight / 2);
        }
      }
      this.describe(row);
      this.draw();
    }

    step(rows, by) {
      if (!rows.length) return -1;
      let place = rows.findIndex((row) => row >= this.current);
      if (place < 0) place = rows.length;
      const exact = rows[place] === this.current;
      if (by > 0) place = exact ? place + 1 : place;
      else place = place - 1;
      place = (place + rows.length) % rows.length;
      this.select(rows[place], true);
      return place;
    }

    stepChange(by) { this.step(this.changes, by); }

    stepHit(by) {
      const place = this.step(this.hits, by);
      if (place >= 0) this.found.textContent = place + 1 + " of " + this.hits.length;
    }

    search() {
      const text = this.input.value.toLowerCase();
      this.hits = [];
      this.isHit.fill(0);
      if (text) {
        const match = this.sides.map((side) => side.texts.map((label) => label.toLowerCase().includes(text)));
        for (let row = 0; row < this.size; row++) {
          if (this.sides.some((side, at) => this.nodes[at][row] >= 0 && match[at][side.codes[this.nodes[at][row]]])) {
            this.hits.push(row);
            this.isHit[row] = 1;
          }
        }
      }
      this.found.textContent = text ? this.hits.length + " found" : "";
      if (this.hits.length) { this.current = -1; this.stepHit(1); } else this.draw();
    }

    press(event) {
      if (event.target === this.input) {
        if (event.key === "Escape") { this.input.value = ""; this.search(); this.view.focus(); }
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const place = this.current >= 0 ? this.placeOf[this.current] : -1;
      const near = (by) => {
        for (let at = place + by; at >= 0 && at < this.items.length; at += by) {
          if (this.items[at].row !== undefined) return this.select(this.items[at].row, true);
        }
      };
      const keys = {
        ArrowDown: () => near(1),
        ArrowUp: () => near(-1),
        ArrowLeft: () => { if (this.current >= 0 && !this.folded[this.current]) this.fold(this.current); },
        ArrowRight: () => { if (this.current >= 0 && this.folded[this.current]) this.fold(this.current); },
        n: () => this.stepChange(1),
        p: () => this.stepChange(-1),
        "/": () => this.input.focus(),
      };
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    }
  }

  function mount(root) {
    if (root.dataset.mounted) return;
    root.dataset.mounted = "1";
    root.outline = new Outline(root, JSON.parse(root.querySelector("script").textContent));
  }

  for (const root of document.querySelectorAll(".tm-outline")) {
    const details = root.closest("details");
    if (details && !details.open) details.addEventListener("toggle", () => mount(root));
    else mount(root);
  }
})();
