// Draws points in the plane, with their names under the mouse.
(function () {
  "use strict";
  // Okabe and Ito's colours, which colour-blind readers can distinguish; more classes get hues.
  const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c6bb1", "#b8a300"];
  const MARGIN = 24;

  function make(tag, name, text) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text; // names are never markup
    return element;
  }

  class Map2 {
    constructor(root, data) {
      this.root = root;
      this.data = data;
      this.count = data.x.length;
      this.shown = new Uint8Array(data.classes.length).fill(1);
      this.isHit = null;
      this.over = -1;
      this.fixed = -1;
      this.colors = data.classes.map((_, at) =>
        data.classes.length <= COLORS.length ? COLORS[at] : "hsl(" + Math.round((360 * at) / data.classes.length) + " 65% " + (at % 2 ? 62 : 46) + "%)");
      this.build();
      this.reset();
      new ResizeObserver(() => { this.size(); this.draw(); }).observe(this.plane);
    }

    build() {
      const bar = make("div", "tm-bar");
      bar.append(make(document.body.classList.contains("tm-full") ? "h1" : "strong", "", this.data.title));
      bar.append(make("span", "tm-note", this.data.note), make("span", "tm-space"));
      const back = make("button", "", "reset view");
      back.type = "button";
      back.addEventListener("click", () => { this.reset(); this.draw(); });
      this.input = make("input");
      this.input.type = "search";
      this.input.placeholder = "search names";
      this.input.setAttribute("aria-label", "search names");
      this.input.addEventListener("input", () => this.search());
      this.found = make("span", "tm-note tm-found");
      this.found.setAttribute("role", "status");
      bar.append(back, this.input, this.found);
      const field = make("div", "tm-field");
      this.plane = make("div", "tm-plane");
      this.canvas = make("canvas");
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", this.data.title);
      this.tip = make("div", "tm-tip");
      this.tip.hidden = true;
      this.plane.append(this.canvas, this.tip);
      field.append(this.plane);
      if (this.data.classes.length > 1) field.append(this.legend());
      this.root.append(bar, field);
      this.listen();
    }

    legend() {
      const box = make("div", "tm-legend");
      const sizes = new Array(this.data.classes.length).fill(0);
      this.data.codes.forEach((code) => { sizes[code] += 1; });
      this.data.classes.forEach((name, code) => {
        const entry = make("button");
        entry.type = "button";
        entry.setAttribute("aria-pressed", "true");
        const dot = make("span", "tm-dot");
        dot.style.background = this.colors[code];
        entry.append(dot, make("span", "tm-name", name), make("span", "tm-size", sizes[code]));
        entry.title = "show or hide";
        entry.addEventListener("click", () => {
          this.shown[code] = this.shown[code] ? 0 : 1;
          entry.setAttribute("aria-pressed", String(Boolean(this.shown[code])));
          this.draw();
        });
        box.append(entry);
      });
      return box;
    }

    listen() {
      const canvas = this.canvas;
      let drag = null;
      const at = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      canvas.addEventListener("pointerdown", (event) => { drag = [at(event), this.shift.slice(), false]; canvas.setPointerCapture(event.pointerId); });
      canvas.addEventListener("pointermove", (event) => {
        const [x, y] = at(event);
        if (drag) {
          const [dx, dy] = [x - drag[0][0], y - drag[0][1]];
          if (Math.abs(dx) + Math.abs(dy) > 3) drag[2] = true;
          if (drag[2]) { this.shift = [drag[1][0] + dx, drag[1][1] + dy]; this.draw(); }
          return;
        }
        this.hover(x, y);
      });
      canvas.addEventListener("pointerup", () => {
        if (drag && !drag[2]) { this.fixed = this.over; this.draw(); }
        drag = null;
      });
      canvas.addEventListener("pointerleave", () => { this.over = -1; this.tip.hidden = true; this.draw(); });
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        const [x, y] = at(event), by = Math.exp(-event.deltaY * 0.0015);
        const zoom = Math.min(400, Math.max(0.3, this.zoom * by)), ratio = zoom / this.zoom;
        this.shift = [x - (x - this.shift[0]) * ratio, y - (y - this.shift[1]) * ratio];
        this.zoom = zoom;
        this.draw();
      }, { passive: false });
      canvas.addEventListener("dblclick", () => { this.reset(); this.draw(); });
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    size() {
      const ratio = window.devicePixelRatio || 1;
      this.width = this.plane.clientWidth;
      this.height = this.plane.clientHeight;
      this.canvas.width = Math.max(1, Math.round(this.width * ratio));
      this.canvas.height = Math.max(1, Math.round(this.height * ratio));
      this.canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    reset() { this.zoom = 1; this.shift = [0, 0]; }

    // One scale for both axes, so that distances are true in every direction.
    place(point) {
      const data = this.data;
      const scale = Math.min((this.width - 2 * MARGIN) / data.extent[0], (this.height - 2 * MARGIN) / data.extent[1]);
      const x = this.width / 2 + data.x[point] * scale, y = this.height / 2 - data.y[point] * scale;
      return [x * this.zoom + this.shift[0], y * this.zoom + this.shift[1]];
    }

    draw() {
      if (!this.width) return;
      const pen = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
      const ground = style.getPropertyValue("--ground"), ink = style.getPropertyValue("--ink");
      pen.clearRect(0, 0, this.width, this.height);
      const radius = this.count > 3000 ? 2.5 : this.count > 500 ? 3.5 : 5;
      for (let point = 0; point < this.count; point++) {
        const code = this.data.codes[point];
        if (!this.shown[code]) continue;
        const [x, y] = this.place(point);
        if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) continue;
        const faint = this.isHit && !this.isHit[point];
        pen.globalAlpha = faint ? 0.12 : 0.85;
        pen.beginPath();
        pen.arc(x, y, this.isHit && !faint ? radius + 1.5 : radius, 0, 7);
        pen.fillStyle = this.colors[code];
        pen.fill();
        pen.lineWidth = 0.7;
        pen.strokeStyle = ground;
        pen.stroke();
      }
      pen.globalAlpha = 1;
      for (const point of [this.over, this.fixed]) {
        if (point < 0) continue;
        const [x, y] = this.place(point);
        pen.beginPath();
        pen.arc(x, y, radius + 3, 0, 7);
        pen.lineWidth = 2;
        pen.strokeStyle = ink;
        pen.stroke();
      }
    }

    hover(x, y) {
      let best = -1, nearest = 14 * 14;
      for (let point = 0; point < this.count; point++) {
        if (!this.shown[this.data.codes[point]] || (this.isHit && !this.isHit[point])) continue;
        const [px, py] = this.place(point), far = (px - x) ** 2 + (py - y) ** 2;
        if (far < nearest) { nearest = far; best = point; }
      }
      if (best !== this.over) {
        this.over = best;
        this.describe(best);
        this.draw();
      }
    }

    describe(point) {
      this.tip.hidden = point < 0;
      if (point < 0) return;
      this.tip.replaceChildren(make("b", "", this.data.names[point]));
      if (this.data.classes.length > 1) this.tip.append(make("div", "", this.data.classes[this.data.codes[point]]));
      if (this.data.notes) this.tip.append(make("pre", "", this.data.notes[point]));
      const [x, y] = this.place(point);
      const left = x + 14 + this.tip.offsetWidth > this.width ? x - 14 - this.tip.offsetWidth : x + 14;
      const top = Math.min(Math.max(4, y - 10), this.height - this.tip.offsetHeight - 4);
      this.tip.style.left = Math.max(4, left) + "px";
      this.tip.style.top = Math.max(4, top) + "px";
    }

    search() {
      const text = this.input.value.toLowerCase();
      this.isHit = text ? Uint8Array.from(this.data.names, (name) => (name.toLowerCase().includes(text) ? 1 : 0)) : null;
      this.found.textContent = text ? this.isHit.reduce((sum, hit) => sum + hit, 0) + " found" : "";
      this.draw();
    }
  }

  for (const root of document.querySelectorAll(".tm-map")) {
    root.map = new Map2(root, JSON.parse(root.querySelector("script").textContent));
  }
})();
