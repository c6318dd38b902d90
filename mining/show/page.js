// What pages with a graph share: tables that open and are saved, and a graph or a collection that is
// moved, zoomed, selected from and saved. A script of its own says what a page colours and tells.
"use strict";

// what the nodes of a structure are called, as in the tables: from the 27th on by their number
const LETTERS = Array.from({ length: 62 }, (_, node) => node < 26 ? String.fromCharCode(65 + node) : String(node + 1));
// pixels of the picture of a graph, of a molecule, and between them; of a line of the text below
const CARD = { width: 118, height: 92 };
const MOLECULE_CARD = { width: 168, height: 124 };
const CARD_GAP = 6;
const CARD_TEXT = 20;
// rows of a page of graphs, also in a box that is lower and is scrolled
const LEAST_ROWS = 2;
const $ = (query, root = document) => root.querySelector(query);
const $$ = (query, root = document) => [...root.querySelectorAll(query)];
const digits = (number) => number.toLocaleString("en-US");
const plural = (number, one, many = one + "s") => `${digits(number)} ${number === 1 ? one : many}`;
const isNarrow = () => window.innerWidth < 1060;

// an element with attributes; children are elements or text, which is never read as HTML
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function save(content, type, name) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function saveCsv(rows, name) {
  const cell = (value) => {
    let text = String(value ?? "");
    // a text that a spreadsheet would run, as in the tables of a run
    if (typeof value === "string" && /^[=+\-@\t\r]./s.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  save(rows.map((row) => row.map(cell).join(",") + "\r\n").join(""), "text/csv", name);
}

// ---- tables ----

function openRows(button, open) {
  button.dataset.more ??= button.textContent;
  button.setAttribute("aria-expanded", open);
  button.textContent = open ? button.dataset.less : button.dataset.more;
  for (const row of $$("tr[data-more]", button.closest("tbody"))) row.hidden = !open;
}

function startTables() {
  for (const button of $$("tr.more button")) {
    openRows(button, false);
    button.addEventListener("click", () =>
      openRows(button, button.getAttribute("aria-expanded") !== "true"));
  }
  for (const button of $$("button[data-table]"))
    button.addEventListener("click", () => {
      const rows = $$(`${button.dataset.table} tr[data-csv]`).map((row) => JSON.parse(row.dataset.csv));
      saveCsv([button.dataset.head.split("|"), ...rows], button.dataset.name);
    });
}

// a link to a row that is not open yet opens it
function showTarget() {
  const row = location.hash && document.getElementById(location.hash.slice(1));
  if (!row || !row.matches("tr")) return;
  if (row.hidden) openRows($("tr.more button", row.closest("tbody")), true);
  row.scrollIntoView({ block: "nearest" });
}

// ---- data ----

// what the script works on; null where there is no graph to show
async function readRecord() {
  const block = document.getElementById("run-data");
  if (!block) return null;
  const bytes = Uint8Array.from(atob(block.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// The graph that is drawn. A page says in a class of its own what a selection lights (`lightOf`),
// which nodes are `isMarked`, and how nodes and edges are painted (`paint`).
class DrawnGraph {
  constructor(record) {
    Object.assign(this, record);
    // nodes and edges that are drawn; others may be named
    this.size = this.x.length;
    this.numbers = new Map();
    this.from.forEach((from, edge) => this.between(from, this.to[edge], true).push(edge));
  }

  // numbers of the drawn edges between two nodes
  between(u, v, grows = false) {
    const key = Math.min(u, v) * this.names.length + Math.max(u, v);
    const own = this.numbers.get(key) ?? [];
    if (grows && !own.length) this.numbers.set(key, own);
    return own;
  }

  edgesAt(node) {
    return [...this.from.keys()].filter((edge) => this.from[edge] === node || this.to[edge] === node);
  }

  nameOf(node) { return String(this.names[node]); }

  kindName(node) { return node < this.size ? this.kinds[this.kindOf[node]] : ""; }

  // what is said of the node under the pointer
  tipOf(node) { return [this.nameOf(node), this.kindName(node), `degree ${digits(this.degrees[node])}`]; }

  className(graph) { return this.classes[this.classOf[graph]] ?? ""; }

  // of the graphs of a collection those that are shown, in their order, and what is said below each
  graphsFor(graphs, selection, light) {
    if (!selection || selection.kind === "graph") return graphs;
    const held = new Set([...light.nodes].map((node) => this.graphs[node]));
    return graphs.filter((graph) => held.has(graph));
  }

  // what the input calls a graph, or else its number
  titleOf(graph) { return this.graphNames[graph] || `graph ${graph}`; }

  // both, where it has a name
  fullTitleOf(graph) {
    const name = this.graphNames[graph];
    return name ? `${name} (graph ${graph})` : `graph ${graph}`;
  }

  captionOf(graph) { return this.className(graph); }

  // colour and opacity below an atom, and below a bond; null for none
  haloOf() { return null; }

  haloOfEdge() { return null; }
}

// What a selection lights: nodes, edges, and the nodes and edges of the one place that is shown, with
// the letters of its nodes; some of its edges are added, and of some pairs of nodes the edge is missing.
function makeLight(color = "hit") {
  return {
    nodes: new Set(), edges: new Set(), one: [], oneEdges: new Set(), letters: [], added: new Set(), missing: [], color,
  };
}

// ---- drawing ----

// draws as a canvas does, into the text of an SVG file
class SvgWriter {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], path: "" });
    Object.assign(this, { globalAlpha: 1, lineWidth: 1, strokeStyle: "", fillStyle: "", font: "" });
    this.dashes = "";
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${x.toFixed(1)} ${y.toFixed(1)}`; }
  lineTo(x, y) { this.path += `L${x.toFixed(1)} ${y.toFixed(1)}`; }
  closePath() { this.path += "z"; }
  arc(x, y, r) {
    this.path += circle(x, y, r).map(([letter, ...points]) => letter + places(...points)).join("");
  }
  setLineDash(dashes) { this.dashes = dashes.length ? ` stroke-dasharray="${dashes.join(" ")}"` : ""; }
  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" opacity="${this.globalAlpha}"${this.dashes}/>`);
  }
  fill() { this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}" opacity="${this.globalAlpha}"/>`); }
  strokeText() {}
  fillText(text, x, y) {
    const safe = text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
    this.parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${this.fillStyle}" font-size="11" font-family="sans-serif" opacity="${this.globalAlpha}">${safe}</text>`);
  }
  measureText(text) { return { width: 6.2 * text.length }; }
  clearRect() {}
  toString() {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}">${this.parts.join("")}</svg>`;
  }
}

// the colours of the page, light or dark
function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["hit", "match", "paper", "ink", "soft", "node", "edge", ...Object.values(COLORED), ...Array.from({ length: 12 }, (_, at) => `m${at}`)];
  const colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...colors, mx: colors.soft };
}

function whenSchemeChanges(call) {
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", call);
  window.addEventListener("scheme", call);
}

const DARK_RULE = [...document.styleSheets[0].cssRules].find((rule) => rule.media?.mediaText.includes("dark"));

// dark or light, whatever the system prefers
function setDark(dark) {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  DARK_RULE.media.mediaText = dark ? "all" : "not all";
  window.dispatchEvent(new Event("scheme"));
}

// lists of items by a key
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const ends = (values) => [Math.min(...values), Math.max(...values)];

const DASHES = { dashed: [5, 3], dotted: [1.5, 2.5], "dash-dot": [6, 2, 1.5, 2], aromatic: [2, 2] };
const BONDS = { double: 2, triple: 3, aromatic: 2 };

// how some nodes and edges are drawn: places, sizes, and what of them is lit
class Painter {
  constructor(run, context, colors, light, isSelected) {
    Object.assign(this, { run, context, colors, light, isSelected });
  }

  // an edge of a relation as one path of its colour; many edges of one look are one path
  edges(list, place, radius, color, width, alpha) {
    const { run, context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = width;
    for (const [line, own] of grouped(list, (edge) => run.relations[run.relation[edge]]?.line ?? "solid")) {
      const count = BONDS[line] ?? 1;
      for (let strand = 0; strand < count; strand++) {
        context.setLineDash(line in DASHES && (count === 1 || strand) ? DASHES[line] : []);
        const side = (strand - (count - 1) / 2) * (width + 1.2);
        context.beginPath();
        for (const edge of own) {
          const [[x1, y1], [x2, y2]] = [place(run.from[edge]), place(run.to[edge])];
          const length = Math.hypot(x2 - x1, y2 - y1) || 1;
          const [nx, ny] = [(-(y2 - y1) / length) * side, ((x2 - x1) / length) * side];
          context.moveTo(x1 + nx, y1 + ny);
          context.lineTo(x2 + nx, y2 + ny);
        }
        context.stroke();
      }
    }
    context.setLineDash([]);
    const directed = list.filter((edge) => run.relations[run.relation[edge]]?.directed);
    if (!directed.length) return;
    context.beginPath();
    for (const edge of directed) {
      const isBlunt = run.relations[run.relation[edge]].blunt;
      this.head(place(run.from[edge]), place(run.to[edge]), radius(run.to[edge]), width, isBlunt);
    }
    context.fill();
  }

  // dotted lines where the place that is shown lacks an edge
  missing(pairs, place) {
    const { context, colors, light } = this;
    [context.globalAlpha, context.lineWidth, context.strokeStyle] = [1, 2.4, colors[light.color]];
    context.setLineDash([2, 4]);
    context.beginPath();
    for (const [u, v] of pairs) {
      context.moveTo(...place(u));
      context.lineTo(...place(v));
    }
    if (pairs.length) context.stroke();
    context.setLineDash([]);
  }

  // the head of an arrow that touches its node, or a bar before it
  head([x1, y1], [x2, y2], radius, width, isBlunt) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ax, ay] = [(x2 - x1) / length, (y2 - y1) / length];
    const size = Math.min(3 + 2 * width, 0.45 * length);
    const [tx, ty] = [x2 - ax * radius, y2 - ay * radius];
    if (isBlunt) {
      const [near, far] = [0.1 * size, 0.1 * size + width];
      for (const [back, aside] of [[near, 0.5], [near, -0.5], [far, -0.5], [far, 0.5]]) {
        const corner = [tx - ax * back - ay * size * aside, ty - ay * back + ax * size * aside];
        back === near && aside > 0 ? this.context.moveTo(...corner) : this.context.lineTo(...corner);
      }
      this.context.closePath();
      return;
    }
    const [bx, by] = [tx - ax * size, ty - ay * size];
    this.context.moveTo(tx, ty);
    this.context.lineTo(bx - ay * size * 0.42, by + ax * size * 0.42);
    this.context.lineTo(bx + ay * size * 0.42, by - ax * size * 0.42);
    this.context.closePath();
  }

  // a node as a disc with a rim, which is hollow where `fill` is the paper; a square on the second
  // side of a bipartite graph
  node(node, place, radius, fill, rim, width, alpha = 1) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.beginPath();
    if (this.run.sides[node]) {
      const [[x, y], half] = [place(node), 0.9 * radius(node)];
      context.moveTo(x - half, y - half);
      for (const [right, down] of [[1, -1], [1, 1], [-1, 1]]) context.lineTo(x + right * half, y + down * half);
      context.closePath();
    } else context.arc(...place(node), radius(node), 0, 2 * Math.PI);
    context.fillStyle = fill;
    context.fill();
    context.lineWidth = width;
    context.strokeStyle = rim;
    context.stroke();
    context.globalAlpha = 1;
  }

  text(said, x, y, strong) {
    const { context, colors } = this;
    context.font = `${strong ? "650 12px" : "11px"} system-ui, sans-serif`;
    context.lineWidth = 3;
    context.strokeStyle = colors.paper;
    context.fillStyle = colors.ink;
    context.strokeText(said, x, y);
    context.fillText(said, x, y);
  }
}

// one graph on a canvas that is moved and zoomed
class GraphView {
  constructor(run, box, onNode) {
    Object.assign(this, { run, box, onNode, selection: null, light: run.lightOf(null) });
    this.canvas = make("canvas", {
      tabindex: 0, role: "application",
      "aria-label": `Graph with ${digits(run.size)} nodes and ${digits(run.from.length)} edges. ` +
        "Arrow keys move it, plus and minus zoom, 0 shows all of it, Escape clears the selection.",
    });
    box.prepend(this.canvas);
    this.nodes = [...Array(run.size).keys()];
    this.edges = [...run.from.keys()];
    this.colors = palette();
    // nodes that are named first
    this.ranked = [...this.nodes].sort((u, v) =>
      (run.size < 200 && run.isMarked(v) - run.isMarked(u)) || run.degrees[v] - run.degrees[u]);
    [this.width, this.height] = [box.clientWidth, box.clientHeight];
    this.listen();
    this.fit();
  }

  // move and zoom so that some nodes, or all, fill the box
  fit(nodes) {
    const { run } = this;
    const some = (nodes ?? []).filter((node) => node < run.size);
    const list = some.length ? some : this.nodes;
    const [left, right] = ends(list.map((node) => run.x[node]));
    const [top, bottom] = ends(list.map((node) => run.y[node]));
    const pad = some.length ? 0.3 * Math.min(this.width, this.height) : run.size < 200 ? 26 : 14;
    this.scale = Math.min((this.width - 2 * pad) / (right - left || 1e-9), (this.height - 2 * pad) / (bottom - top || 1e-9));
    if (!some.length) this.whole = Math.min(this.scale, 120);
    this.scale = Math.min(this.scale, 8 * this.whole);
    this.left = this.width / 2 - (this.scale * (left + right)) / 2;
    this.top = this.height / 2 - (this.scale * (top + bottom)) / 2;
    this.draw();
  }

  place(node) {
    return [this.left + this.scale * this.run.x[node], this.top + this.scale * this.run.y[node]];
  }

  radius(node) {
    const base = this.run.size > 600 ? 2.2 : this.run.size > 200 ? 2.8 : 5;
    const zoomed = Math.min(3, Math.sqrt(Math.max(1, this.scale / this.whole)));
    return base * zoomed * (this.run.isMarked(node, this.selection, this.light) ? 1.45 : 1);
  }

  // at the next frame, however often it is asked for
  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
      if (this.canvas.width !== width || this.canvas.height !== height)
        Object.assign(this.canvas, { width, height });
      const context = this.canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      this.paint(context);
    });
  }

  paint(context) {
    const painter = new Painter(this.run, context, this.colors, this.light, Boolean(this.selection));
    this.run.paint(painter, this.nodes, this.edges, (node) => this.place(node), (node) => this.radius(node));
    this.names(painter);
  }

  // names of the selected nodes first, then of others; none that overlap
  names(painter) {
    const { run, light } = this;
    const zoom = this.scale / this.whole;
    const most = run.size > 600 ? (zoom > 3 ? 60 : 0) : run.size > 200 ? Math.round(9 * zoom ** 1.6) : 90;
    const taken = run.size > 200 ? [] : this.nodes.map((node) => {
      const [[x, y], r] = [this.place(node), this.radius(node)];
      return [x - r, y - r, x + r, y + r, node];
    });
    let number = 0;
    const rest = this.selection && run.size <= 600 ? [...light.nodes] : this.ranked.slice(0, 400);
    for (const node of new Set([...light.one, ...rest])) {
      if (node >= run.size) continue;
      const strong = light.one.includes(node);
      if (!strong && number >= most) break;
      const said = `${light.letters[light.one.indexOf(node)] ?? ""} ${run.nameOf(node)}`.trim();
      const [[x, y], r] = [this.place(node), this.radius(node) + 3];
      const wide = said.length * (strong ? 6.9 : 6) + 4;
      const spots = [[x + r, y], [x - r - wide, y], [x - wide / 2, y - r - 6], [x - wide / 2, y + r + 7]];
      for (const [left, middle] of spots) {
        const [right, top, bottom] = [left + wide, middle - 6.5, middle + 6.5];
        if (left < 2 || right > this.width - 2 || top < 2 || bottom > this.height - 2) continue;
        if (taken.some(([a, b, c, d, own]) => own !== node && left < c && a < right && top < d && b < bottom)) continue;
        taken.push([left, top, right, bottom, -1]);
        painter.text(said, left + 2, middle + 4, strong);
        number += 1;
        break;
      }
    }
  }

  show(selection, light) {
    Object.assign(this, { selection, light });
    this.draw();
  }

  moveTo(left, top) {
    Object.assign(this, { left, top });
    this.draw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.max(0.6 * this.whole, Math.min(30 * this.whole, this.scale * factor));
    const grows = scale / this.scale;
    this.scale = scale;
    this.moveTo(x - (x - this.left) * grows, y - (y - this.top) * grows);
  }

  nearest(x, y) {
    let [best, least] = [-1, 144];
    for (const node of this.nodes) {
      const [u, v] = this.place(node);
      const far = (u - x) ** 2 + (v - y) ** 2 - (this.run.isMarked(node) ? 3 : 0);
      if (far < least) [best, least] = [node, far];
    }
    return best;
  }

  listen() {
    const { canvas, run } = this;
    const tip = $("#tip");
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, left: this.left, top: this.top, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag && event.buttons) {
        const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
        if (Math.hypot(dx, dy) < 5) return;
        drag.moved = true;
        canvas.setPointerCapture(event.pointerId);
        this.moveTo(drag.left + dx, drag.top + dy);
        return;
      }
      const node = this.nearest(...at(event));
      tip.hidden = node < 0;
      if (node < 0) return;
      tip.textContent = run.tipOf(node).filter(Boolean).join(" · ");
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("click", (event) => {
      if (!drag?.moved) this.onNode(this.nearest(...at(event)));
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), ...at(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (move) this.moveTo(this.left + move[0], this.top + move[1]);
      else if (event.key === "+" || event.key === "=") this.zoom(1.4);
      else if (event.key === "-") this.zoom(1 / 1.4);
      else if (event.key === "0") this.fit();
      else return;
      event.preventDefault();
    });
    $("#in").addEventListener("click", () => this.zoom(1.5));
    $("#out").addEventListener("click", () => this.zoom(1 / 1.5));
    $("#fit").addEventListener("click", () => this.fit());
    new ResizeObserver(() => {
      const [width, height] = [this.box.clientWidth, this.box.clientHeight];
      if (!width || (width === this.width && height === this.height)) return;
      [this.width, this.height] = [width, height];
      this.fit(this.selection?.at === undefined ? undefined : this.light.one);
    }).observe(this.box);
    whenSchemeChanges(() => { this.colors = palette(); this.draw(); });
  }

  toSvg() {
    const writer = new SvgWriter(this.width, this.height);
    this.paint(writer);
    return String(writer);
  }
}

// small drawings of the graphs of a collection, those that hold what is selected
class Gallery {
  constructor(run, box, onGraph) {
    Object.assign(this, { run, box, onGraph, first: 0, selection: null, light: run.lightOf(null) });
    this.card = run.molecules ? MOLECULE_CARD : CARD;
    box.style.setProperty("--card", `${this.card.width}px`);
    this.pager = make("div", { class: "bar-top pages" });
    box.after(this.pager);
    const nodes = grouped(Array(run.size).keys(), (node) => run.graphs[node]);
    const edges = grouped(run.from.keys(), (edge) => run.graphs[run.from[edge]]);
    this.members = new Map([...nodes].map(([graph, own]) => [graph, { nodes: own, edges: edges.get(graph) ?? [] }]));
    // the most frequent category has no letter
    const count = run.kinds.map((_, kind) => run.kindOf.filter((own) => own === kind).length);
    this.common = count.indexOf(Math.max(...count));
    this.show(null, this.light);
    const again = () => this.show(this.selection, this.light);
    whenSchemeChanges(again);
    $("#class")?.addEventListener("change", () => { this.first = 0; again(); });
    new ResizeObserver(() => { if (this.fitting !== this.fits) again(); }).observe(box);
  }

  // as many as fit into the box
  get fits() {
    // the box of a narrow window is as high as its content, up to a share of the window
    const high = isNarrow() ? 0.72 * window.innerHeight : this.box.clientHeight;
    const columns = getComputedStyle(this.box).gridTemplateColumns.split(" ").length;
    // a picture is as wide as its column
    const wide = (this.box.clientWidth + CARD_GAP) / columns - CARD_GAP;
    const card = wide * this.card.height / this.card.width + CARD_TEXT;
    return columns * Math.max(LEAST_ROWS, Math.floor((high + CARD_GAP) / (card + CARD_GAP)));
  }

  // from page to page
  turn(by) {
    this.first = Math.max(0, this.first + by * this.fitting);
    this.show(this.selection, this.light);
    $(`button[data-by="${by}"]`, this.pager)?.focus();
  }

  tellPage(all, shown) {
    const step = (text, label, by, can) => make("button", {
      type: "button", class: "sq", "aria-label": label, "data-by": by, ...(can ? {} : { disabled: "" }), click: () => this.turn(by),
    }, text);
    const last = this.first + shown;
    this.pager.replaceChildren(...(all > shown ? [
      step("‹", "Previous page", -1, this.first > 0),
      make("span", { role: "status" }, `${digits(this.first + 1)} to ${digits(last)} of ${digits(all)}`),
      step("›", "Next page", 1, last < all)] : []));
  }

  // the graphs of the chosen class that hold what is lit, all where nothing is
  get shown() {
    const only = $("#class")?.value || "";
    const graphs = [...this.members.keys()].filter((graph) => !only || this.run.classOf[graph] === Number(only));
    return this.run.graphsFor(graphs, this.selection, this.light);
  }

  show(selection, light) {
    const isNew = JSON.stringify(selection) !== JSON.stringify(this.selection);
    Object.assign(this, { selection, light });
    const graphs = this.shown;
    this.fitting = this.fits;
    const one = selection?.kind === "graph" ? selection.graph : light.one.length ? this.run.graphs[light.one[0]] : -1;
    const colors = palette();
    // the page of the graph that is selected, or the first of what is
    if (isNew && selection) this.first = Math.max(0, graphs.indexOf(one));
    this.first = Math.min(this.first, graphs.length - 1);
    this.first -= this.first % this.fitting;
    const here = graphs.slice(this.first, this.first + this.fitting);
    this.tellPage(graphs.length, here.length);
    this.box.replaceChildren(...here.map((graph) => {
      const button = make("button", {
        type: "button", class: "mol", "data-graph": graph, "aria-pressed": graph === one,
        title: this.run.fullTitleOf(graph), click: () => this.onGraph(graph),
      }, make("span", {}, make("span", { class: "title" }, this.run.titleOf(graph)), make("span", {}, this.run.captionOf(graph))));
      button.prepend(this.picture(graph, this.card.width, this.card.height, colors));
      return make("li", {}, button);
    }));
    const only = $("#class")?.value || "";
    const all = only ? this.run.classOf.filter((own) => own === Number(only)).length : this.run.numGraphs;
    $("#found").textContent = graphs.length < all || only
      ? `${digits(graphs.length)} of ${plural(all, "graph")}${only ? " of the class" : ""}` : "";
  }

  // an SVG of one graph
  picture(graph, width, height, colors = palette()) {
    const { run } = this;
    const { nodes, edges } = this.members.get(graph);
    const isSelected = Boolean(this.selection) && this.selection.kind !== "graph";
    const svg = new DOMParser().parseFromString(run.molecules
      ? new MoleculePicture(run, nodes, edges, width, height, colors).svg(this.light, isSelected)
      : this.plainSvg(nodes, edges, width, height, colors, isSelected), "image/svg+xml").documentElement;
    svg.setAttribute("role", "img");
    const [node, edge] = run.molecules ? ["atom", "bond"] : ["node", "edge"];
    svg.setAttribute("aria-label", `${this.run.fullTitleOf(graph)}: ${plural(nodes.length, node)}, ${plural(edges.length, edge)}`);
    return document.importNode(svg, true);
  }

  // of a graph that is no molecule
  plainSvg(nodes, edges, width, height, colors, isSelected) {
    const { run } = this;
    const [left, right] = ends(nodes.map((node) => run.x[node]));
    const [top, bottom] = ends(nodes.map((node) => run.y[node]));
    const scale = Math.min(26, (width - 20) / (right - left || 1), (height - 20) / (bottom - top || 1));
    const place = (node) => [
      width / 2 + scale * (run.x[node] - (left + right) / 2),
      height / 2 + scale * (run.y[node] - (top + bottom) / 2),
    ];
    const writer = new SvgWriter(width, height);
    const radius = nodes.length > 60 ? 1.8 : 2.6;
    const painter = new Painter(run, writer, colors, this.light, isSelected);
    run.paint(painter, nodes, edges, place, () => radius);
    for (const node of nodes) {
      const name = run.kindOf[node] === this.common ? "" : run.kindName(node);
      if (!name || name.length > 2) continue;
      const [x, y] = place(node);
      writer.beginPath();
      writer.arc(x, y, 6);
      const { fill, text, alpha } = run.letterLook(node, colors, this.light);
      writer.globalAlpha = alpha;
      writer.fillStyle = fill;
      writer.fill();
      writer.fillStyle = text;
      writer.fillText(name, x - 3.6 * name.length, y + 4);
    }
    return String(writer);
  }

  fit() {}

  toSvg() {
    const graph = this.selection?.graph ?? this.shown[0];
    return new XMLSerializer().serializeToString(this.picture(graph, 480, 400));
  }
}

// ---- the graph and the panel below it ----

// What is selected, by the rows of tables, in the graph, by the address. A page says in a class of
// its own what the panel tells (`parts`), what a CSV file holds (`rows`), and what the addresses are.
class Explorer {
  constructor(run, kinds) {
    // `kinds` are those of rows and chips, which have their number as data
    Object.assign(this, { run, kinds, selection: null, detail: $("#detail") });
    const box = $("#canvas");
    this.view = run.collection
      ? new Gallery(run, box, (graph) => this.toggle({ kind: "graph", graph }))
      : new GraphView(run, box, (node) => this.select(node < 0 ? null : { kind: "node", node }));
    this.listen();
    this.select(this.start);
    this.readHash();
  }

  // what is selected at first
  get start() { return null; }

  select(selection, jump) {
    const { run } = this;
    const wasPlace = this.selection?.at !== undefined;
    this.selection = selection;
    const light = run.lightOf(selection);
    this.view.show(selection, light);
    for (const element of $$(this.kinds.map((kind) => `[data-${kind}]`).join(", "))) {
      const on = this.isOn(element);
      if (element.matches("tr")) element.classList.toggle("on", on);
      const button = element.matches("button") ? element : $("button.name", element);
      button?.setAttribute("aria-pressed", on);
    }
    this.detail.classList.toggle("plain", !selection || selection.kind === "node");
    this.detail.replaceChildren(...this.parts());
    const picture = $(".pic-l", this.detail);
    if (picture) picture.append(make("p", { class: "bar-top" }, ...figureButtons(() => $("svg", picture), this.address || "drawing", "structure")));
    this.onSelect?.(this.address);
    if (selection?.at !== undefined) this.view.fit(light.one);
    // all places of a structure, after one
    else if (wasPlace && this.kinds.includes(selection?.kind)) this.view.fit();
    if (jump && isNarrow()) $("#graph").scrollIntoView({ block: "start" });
  }

  isOn(element) {
    const { selection } = this;
    return Boolean(selection) && element.dataset[selection.kind] === String(selection.id);
  }

  toggle(next, jump) {
    const { selection } = this;
    const same = selection?.kind === next.kind && selection.id === next.id && selection.graph === next.graph;
    this.select(same ? null : next, jump);
  }

  link(text, selection) {
    return make("button", { type: "button", class: "link", click: () => this.select(selection) }, text);
  }

  // the graph of a name, of a number, or of a part of its name
  graphOf(wanted) {
    const drawn = [...this.view.members.keys()];
    const nameOf = (graph) => (this.run.graphNames[graph] ?? "").toLowerCase();
    return drawn.find((graph) => nameOf(graph) === wanted)
      ?? drawn.find((graph) => String(graph) === wanted.replace(/^graph /, ""))
      ?? drawn.find((graph) => nameOf(graph).includes(wanted));
  }

  find(text) {
    const { run } = this;
    const wanted = text.trim().toLowerCase();
    $("#found").textContent = "";
    if (!wanted) return;
    if (run.collection) {
      const graph = this.graphOf(wanted);
      if (graph === undefined) $("#found").textContent = "No graph has this number or name.";
      else this.select({ kind: "graph", graph });
      return;
    }
    const node = run.names.findIndex((name) => String(name).toLowerCase() === wanted);
    if (node < 0) {
      $("#found").textContent = "No node has this name.";
      return;
    }
    this.select({ kind: "node", node });
    this.view.fit(run.edgesAt(node).flatMap((edge) => [run.from[edge], run.to[edge]]).concat(node));
  }

  listen() {
    for (const kind of this.kinds)
      for (const element of $$(`tr[data-${kind}], button.chip[data-${kind}]`))
        element.addEventListener("click", () =>
          this.toggle({ kind, id: Number(element.dataset[kind]) }, element.matches("tr")));
    $("#clear").addEventListener("click", () => { this.select(null); this.view.fit(); });
    $("#find").addEventListener("change", (event) => this.find(event.target.value));
    $("#csv").addEventListener("click", () => saveCsv(this.rows(), $("#csv").dataset.name));
    $("#svg").addEventListener("click", () => save(this.view.toSvg(), "image/svg+xml", "graph.svg"));
    $("#pdf").addEventListener("click", () => saveFigure(figureOfSvg(() => this.view.toSvg(), PdfFigure), "graph"));
    $("#png").addEventListener("click", () => this.savePng());
    window.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.selection) this.select(null); });
    window.addEventListener("hashchange", () => this.readHash());
  }

  savePng() {
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
      const context = canvas.getContext("2d");
      context.fillStyle = palette().paper;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, "image/png", "graph.png"));
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(this.view.toSvg())}`;
  }

  readHash() {
    showTarget();
    const selection = this.selectionAt(location.hash.slice(1));
    if (selection) this.select(selection);
  }
}

// A notebook around the page sends a port. Through it come whether the notebook is dark and what is
// to be selected, and what is selected goes back.
function meetNotebook(started) {
  if (window.parent === window) return;
  document.body.classList.add("framed");
  // links are relative to the address of the notebook, which would be loaded into the frame
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    location.hash = link.getAttribute("href");
  });
  window.addEventListener("message", async ({ source, ports: [port] }) => {
    if (source !== window.parent || !port) return;
    const explorer = await started;
    port.onmessage = ({ data: { dark, address } }) => {
      setDark(dark);
      if (explorer && address !== explorer.address) explorer.select(explorer.selectionAt(address));
    };
    if (explorer) explorer.onSelect = (own) => port.postMessage(own);
  });
}

// `explore` makes the explorer of what the page holds
async function start(explore) {
  document.body.classList.add("live");
  startTables();
  startFigures();
  const record = await readRecord();
  if (!record) {
    showTarget();
    window.addEventListener("hashchange", showTarget);
    return null;
  }
  // milliseconds from the request to an answer, for tests and the benchmark of the page
  window.gomkcnExplorer = explore(record);
  $("#explorer").dataset.ready = Math.round(performance.now());
  return window.gomkcnExplorer;
}
