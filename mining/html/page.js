// The page of a run comes alive: tables that open and are saved, and the graph, coloured by the
// copies of the motif set. A motif, a pattern, a node or a graph of a collection can be selected.
"use strict";

const LETTERS = "ABCDEFGHIJ";
// drawings of graphs that are made at first
const MOST_PICTURES = 40;
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
    const text = String(value ?? "");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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

async function readRun() {
  const block = document.getElementById("run-data");
  if (!block) return null;
  const bytes = Uint8Array.from(atob(block.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Run(JSON.parse(await new Response(stream).text()));
}

class Run {
  constructor(record) {
    Object.assign(this, record);
    // nodes and edges that are drawn; places may name other nodes
    this.size = this.x.length;
    this.numbers = new Map();
    this.from.forEach((from, edge) => this.between(from, this.to[edge], true).push(edge));
    // for each node its copies, and for each node and edge the first motif that it is in
    this.copiesOf = this.names.map(() => []);
    this.motifOf = new Int16Array(this.names.length).fill(-1);
    this.motifOfEdge = new Int16Array(this.from.length).fill(-1);
    this.motifs.forEach((motif, at) => {
      // where each copy differs: pairs of nodes of the motif that it lacks, and that it joins
      motif.editsOf = motif.places.map(() => ({ missing: [], added: [] }));
      for (const [copy, u, v, sign] of motif.edits)
        motif.editsOf[copy][sign < 0 ? "missing" : "added"].push(u < v ? [u, v] : [v, u]);
      motif.places.forEach((nodes, copy) => {
        for (const node of nodes) this.copiesOf[node].push([at, copy]);
        for (const node of nodes) if (this.motifOf[node] < 0) this.motifOf[node] = at;
        for (const edge of this.edgesOf(motif, copy))
          if (this.motifOfEdge[edge] < 0) this.motifOfEdge[edge] = at;
      });
    });
  }

  // numbers of the drawn edges between two nodes
  between(u, v, grows = false) {
    const key = Math.min(u, v) * this.names.length + Math.max(u, v);
    const own = this.numbers.get(key) ?? [];
    if (grows && !own.length) this.numbers.set(key, own);
    return own;
  }

  // those that a place has of its structure, and those that it has beside
  edgesOf(structure, place) {
    const nodes = structure.places[place];
    const missing = new Set(structure.editsOf?.[place].missing.map(String));
    return structure.edges.flatMap(([u, v, relation]) => missing.has(String(u < v ? [u, v] : [v, u])) ? []
      : this.between(nodes[u], nodes[v]).filter((edge) => this.relation[edge] === relation &&
        (!this.relations[relation]?.directed || this.from[edge] === nodes[u])))
      .concat(this.addedTo(structure, place));
  }

  addedTo(structure, place) {
    const nodes = structure.places[place];
    return (structure.editsOf?.[place].added ?? []).flatMap(([u, v]) => this.between(nodes[u], nodes[v]));
  }

  edgesAt(node) {
    return [...this.from.keys()].filter((edge) => this.from[edge] === node || this.to[edge] === node);
  }

  nameOf(node) { return String(this.names[node]); }

  kindName(node) { return node < this.size ? this.kinds[this.kindOf[node]] : ""; }

  structureOf(selection) {
    return { motif: this.motifs, pattern: this.patterns }[selection?.kind]?.[selection.id];
  }

  // what a selection lights: nodes, edges, and the nodes and edges of the one place that is shown,
  // of which some are added, and pairs of nodes whose edge is missing
  lightOf(selection) {
    const light = {
      nodes: new Set(), edges: new Set(), one: [], oneEdges: new Set(), added: new Set(), missing: [], color: "hit",
    };
    const add = (nodes, edges) => {
      nodes.forEach((node) => light.nodes.add(node));
      edges.forEach((edge) => light.edges.add(edge));
    };
    const structure = this.structureOf(selection);
    if (structure) {
      const { at, kind } = selection;
      if (kind === "motif") light.color = structure.color;
      structure.places.forEach((nodes, place) => add(nodes, this.edgesOf(structure, place)));
      if (at === undefined) return light;
      light.one = structure.places[at];
      light.oneEdges = new Set(this.edgesOf(structure, at));
      light.added = new Set(this.addedTo(structure, at));
      light.missing = (structure.editsOf?.[at].missing ?? []).map((pair) => pair.map((node) => light.one[node]));
    } else if (selection?.kind === "node") {
      const { node } = selection;
      const own = this.copiesOf[node];
      light.color = own.length ? this.motifs[own[0][0]].color : "mx";
      light.one = [node];
      for (const [at, copy] of own)
        add(this.motifs[at].places[copy], this.edgesOf(this.motifs[at], copy));
      const edges = own.length ? [] : this.edgesAt(node);
      add([node, ...edges.flatMap((edge) => [this.from[edge], this.to[edge]])], edges);
    }
    return light;
  }
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
    this.path += `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
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
  const names = ["hit", "paper", "ink", "soft", "node", "edge", "m0", "m1", "m2", "m3", "m4", "m5"];
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
    for (const edge of directed) this.head(place(run.from[edge]), place(run.to[edge]), radius(run.to[edge]), width);
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

  // the head of an arrow that touches its node
  head([x1, y1], [x2, y2], radius, width) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ax, ay] = [(x2 - x1) / length, (y2 - y1) / length];
    const size = Math.min(3 + 2 * width, 0.45 * length);
    const [tx, ty] = [x2 - ax * radius, y2 - ay * radius];
    const [bx, by] = [tx - ax * size, ty - ay * size];
    this.context.moveTo(tx, ty);
    this.context.lineTo(bx - ay * size * 0.42, by + ax * size * 0.42);
    this.context.lineTo(bx + ay * size * 0.42, by - ax * size * 0.42);
    this.context.closePath();
  }

  // all of some edges and nodes, those of copies and those that are lit on top
  graph(nodes, edges, place, radius) {
    const { run, context, colors, light, isSelected } = this;
    const plain = isSelected ? 0.45 : 1;
    const rank = (edge) => light.added.has(edge) ? 4 : light.oneEdges.has(edge) ? 3
      : light.edges.has(edge) ? 2 : run.motifOfEdge[edge] < 0 ? 0 : 1;
    const colorOf = (edge) => light.edges.has(edge) ? light.color : run.motifs[run.motifOfEdge[edge]]?.color ?? "edge";
    const groups = grouped(edges, (edge) => `${rank(edge)} ${colorOf(edge)}`);
    for (const key of [...groups.keys()].sort()) {
      const [rank, color] = key.split(" ");
      this.edges(groups.get(key), place, radius, colors[color], [1, 2, 2, 3.5, 1.2][rank], rank < 2 ? plain : 1);
    }
    this.missing(light.missing.filter((pair) => pair.every((node) => nodes.includes(node))), place);
    const rankOf = (node) => (light.nodes.has(node) ? 2 : run.motifOf[node] >= 0 ? 1 : 0);
    for (const node of [...nodes].sort((u, v) => rankOf(u) - rankOf(v))) {
      const lit = light.nodes.has(node);
      const motif = run.motifs[run.motifOf[node]];
      let color = motif ? colors[motif.color] : colors.node;
      if (lit && light.color !== "mx") color = colors[light.color];
      const [x, y] = place(node);
      const hollow = motif?.hollow && !(lit && light.color === "hit");
      context.globalAlpha = isSelected && !lit ? 0.38 : 1;
      context.beginPath();
      context.arc(x, y, radius(node), 0, 2 * Math.PI);
      context.fillStyle = hollow ? colors.paper : color;
      context.fill();
      context.lineWidth = light.one.includes(node) ? 2 : hollow ? 1.6 : 0.6;
      context.strokeStyle = light.one.includes(node) ? colors.ink : hollow ? color : colors.paper;
      context.stroke();
    }
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
      (run.size < 200 && (run.motifOf[v] >= 0) - (run.motifOf[u] >= 0)) || run.degrees[v] - run.degrees[u]);
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
    const marked = this.selection ? this.light.nodes.has(node) : this.run.motifOf[node] >= 0;
    return base * zoomed * (marked ? 1.45 : 1);
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
    painter.graph(this.nodes, this.edges, (node) => this.place(node), (node) => this.radius(node));
    this.names(painter);
  }

  // names of the selected nodes first, then of others; none that overlap
  names(painter) {
    const { run, light } = this;
    const zoom = this.scale / this.whole;
    const most = run.size > 600 ? (zoom > 3 ? 60 : 0) : run.size > 200 ? Math.round(9 * zoom ** 1.6) : 90;
    const shows = this.selection?.at !== undefined;
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
      const said = (strong && shows ? `${LETTERS[light.one.indexOf(node)]} ` : "") + run.nameOf(node);
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
      const far = (u - x) ** 2 + (v - y) ** 2 - (this.run.motifOf[node] >= 0 ? 3 : 0);
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
      const parts = [run.nameOf(node), run.kindName(node), `degree ${digits(run.degrees[node])}`];
      tip.textContent = parts.filter(Boolean).join(" · ");
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
    Object.assign(this, { run, box, onGraph, limit: MOST_PICTURES, selection: null, light: run.lightOf(null) });
    const nodes = grouped(Array(run.size).keys(), (node) => run.graphs[node]);
    const edges = grouped(run.from.keys(), (edge) => run.graphs[run.from[edge]]);
    this.members = new Map([...nodes].map(([graph, own]) => [graph, { nodes: own, edges: edges.get(graph) ?? [] }]));
    // the most frequent category has no letter
    const count = run.kinds.map((_, kind) => run.kindOf.filter((own) => own === kind).length);
    this.common = count.indexOf(Math.max(...count));
    this.show(null, this.light);
    const again = () => this.show(this.selection, this.light);
    whenSchemeChanges(again);
    $("#class")?.addEventListener("change", () => { this.limit = MOST_PICTURES; again(); });
  }

  className(graph) { return this.run.classes[this.run.classOf[graph]] ?? ""; }

  // the graphs of the chosen class that hold what is lit, all where nothing is
  get shown() {
    const only = $("#class")?.value || "";
    const graphs = [...this.members.keys()].filter((graph) => !only || this.run.classOf[graph] === Number(only));
    if (!this.selection || this.selection.kind === "graph") return graphs;
    const held = new Set([...this.light.nodes].map((node) => this.run.graphs[node]));
    return graphs.filter((graph) => held.has(graph));
  }

  show(selection, light) {
    if (JSON.stringify(selection) !== JSON.stringify(this.selection)) this.limit = MOST_PICTURES;
    Object.assign(this, { selection, light });
    const graphs = this.shown;
    const one = selection?.kind === "graph" ? selection.graph : light.one.length ? this.run.graphs[light.one[0]] : -1;
    const colors = palette();
    this.box.replaceChildren(...graphs.slice(0, this.limit).map((graph) => {
      const button = make("button", {
        type: "button", class: "mol", "data-graph": graph, "aria-pressed": graph === one,
        click: () => this.onGraph(graph),
      }, make("span", {}, `graph ${graph}`, make("span", {}, this.className(graph))));
      button.prepend(this.picture(graph, 118, 92, colors));
      return make("li", {}, button);
    }));
    if (graphs.length > this.limit)
      this.box.append(make("li", {}, make("button", {
        type: "button",
        click: () => { this.limit += 240; this.show(this.selection, this.light); },
      }, `Show more of ${digits(graphs.length)}`)));
    const only = $("#class")?.value || "";
    const all = only ? this.run.classOf.filter((own) => own === Number(only)).length : this.run.numGraphs;
    $("#found").textContent = graphs.length < all || only
      ? `${digits(graphs.length)} of ${plural(all, "graph")}${only ? " of the class" : ""}` : "";
  }

  // an SVG of one graph
  picture(graph, width, height, colors = palette()) {
    const { run } = this;
    const { nodes, edges } = this.members.get(graph);
    const [left, right] = ends(nodes.map((node) => run.x[node]));
    const [top, bottom] = ends(nodes.map((node) => run.y[node]));
    const scale = Math.min(26, (width - 20) / (right - left || 1), (height - 20) / (bottom - top || 1));
    const place = (node) => [
      width / 2 + scale * (run.x[node] - (left + right) / 2),
      height / 2 + scale * (run.y[node] - (top + bottom) / 2),
    ];
    const writer = new SvgWriter(width, height);
    const radius = nodes.length > 60 ? 1.8 : 2.6;
    const painter = new Painter(run, writer, colors, this.light, Boolean(this.selection) && this.selection.kind !== "graph");
    painter.graph(nodes, edges, place, () => radius);
    for (const node of nodes) {
      const name = run.kindOf[node] === this.common ? "" : run.kindName(node);
      if (!name || name.length > 2) continue;
      const motif = run.motifs[run.motifOf[node]];
      const [x, y] = place(node);
      writer.beginPath();
      writer.arc(x, y, 6);
      writer.fillStyle = colors.paper;
      writer.fill();
      writer.fillStyle = motif ? colors[motif.color] : colors.ink;
      writer.fillText(name, x - 3.6 * name.length, y + 4);
    }
    const svg = new DOMParser().parseFromString(String(writer), "image/svg+xml").documentElement;
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `graph ${graph}: ${plural(nodes.length, "node")}, ${plural(edges.length, "edge")}`);
    return document.importNode(svg, true);
  }

  fit() {}

  toSvg() {
    const graph = this.selection?.graph ?? this.shown[0];
    return new XMLSerializer().serializeToString(this.picture(graph, 480, 400));
  }
}

// ---- the panel below the graph ----

class Explorer {
  constructor(run) {
    Object.assign(this, { run, selection: null, detail: $("#detail") });
    const box = $("#canvas");
    this.view = run.collection
      ? new Gallery(run, box, (graph) => this.toggle({ kind: "graph", graph }))
      : new GraphView(run, box, (node) => this.select(node < 0 ? null : { kind: "node", node }));
    this.listen();
    this.select(run.start === null ? null : { kind: "pattern", id: run.start });
    this.readHash();
  }

  select(selection, jump) {
    const { run } = this;
    const wasPlace = this.selection?.at !== undefined;
    this.selection = selection;
    const light = run.lightOf(selection);
    this.view.show(selection, light);
    for (const element of $$("[data-motif], [data-pattern]")) {
      const on = Boolean(selection) && element.dataset[selection.kind] === String(selection.id);
      if (element.matches("tr")) element.classList.toggle("on", on);
      const button = element.matches("button") ? element : $("button.name", element);
      button?.setAttribute("aria-pressed", on);
    }
    this.tell();
    this.onSelect?.(this.address);
    if (selection?.at !== undefined) this.view.fit(light.one);
    // all places of a structure, after one
    else if (wasPlace && run.structureOf(selection)) this.view.fit();
    if (jump && isNarrow()) $("#graph").scrollIntoView({ block: "start" });
  }

  toggle(next, jump) {
    const { selection } = this;
    const same = selection?.kind === next.kind && selection.id === next.id && selection.graph === next.graph;
    this.select(same ? null : next, jump);
  }

  // the panel: what is selected, in words
  tell() {
    const { run, selection } = this;
    this.detail.classList.toggle("plain", !selection || selection.kind === "node");
    const parts = !selection ? this.overview()
      : selection.kind === "node" ? this.aboutNode(selection.node)
      : selection.kind === "graph" ? this.aboutGraph(selection.graph)
      : this.aboutStructure(run.structureOf(selection));
    this.detail.replaceChildren(...parts);
  }

  overview() {
    const { run } = this;
    const total = run.motifs.reduce((sum, motif) => sum + motif.places.length, 0);
    const free = run.motifOf.slice(0, run.size).filter((motif) => motif < 0).length;
    const what = run.collection ? "a graph" : "a node";
    if (!run.motifs.length)
      return [make("div", {}, make("h3", {}, "No copies to colour"),
        make("p", { class: "sub" }, `Select a structure of a table to show its occurrences, or ${what}.`))];
    return [make("div", {},
      make("h3", {}, `${plural(total, "copy", "copies")} of ${plural(run.motifs.length, "structure")}`),
      make("p", { class: "sub" }, `${digits(free)} of ${plural(run.size, "node")} drawn are in no copy, and grey. Select a motif, a structure of a table or ${what}.`))];
  }

  link(text, selection) {
    return make("button", { type: "button", class: "link", click: () => this.select(selection) }, text);
  }

  aboutNode(node) {
    const { run } = this;
    const own = run.copiesOf[node];
    const degree = node < run.size ? `degree ${digits(run.degrees[node])}` : "not drawn";
    const said = [run.kindName(node), degree];
    if (run.motifs.length) said.push(own.length ? `in ${plural(own.length, "copy", "copies")}` : "in no copy");
    const list = own.map(([at, copy]) => {
      const motif = run.motifs[at];
      const letter = LETTERS[motif.places[copy].indexOf(node)];
      return this.link(`motif ${motif.label}: ${motif.name}, copy ${copy + 1}, as ${letter}`, { kind: "motif", id: at, at: copy });
    });
    return [make("div", {},
      make("h3", {}, `Node ${run.nameOf(node)}`),
      make("p", { class: "sub" }, said.filter(Boolean).join(" · ")),
      ...list.map((one) => make("p", {}, one)))];
  }

  aboutGraph(graph) {
    const { run } = this;
    const { nodes, edges } = this.view.members.get(graph);
    const held = run.motifs.map((motif, at) => [at, motif.places.filter((own) => run.graphs[own[0]] === graph).length]);
    return [this.view.picture(graph, 220, 160), make("div", {},
      make("h3", {}, `Graph ${graph}`),
      make("p", { class: "sub" }, [plural(nodes.length, "node"), plural(edges.length, "edge"),
        run.classes.length ? `class ${this.view.className(graph)}` : ""].filter(Boolean).join(", ")),
      ...held.filter(([, number]) => number).map(([at, number]) => make("p", {},
        this.link(`motif ${run.motifs[at].label}: ${run.motifs[at].name} × ${number}`, { kind: "motif", id: at }))))];
  }

  aboutStructure(structure) {
    const { run, selection } = this;
    const isMotif = selection.kind === "motif";
    const [one, many] = isMotif ? ["copy", "copies"] : ["occurrence", "occurrences"];
    const picture = make("div", { class: `pic-l ${isMotif ? structure.color : "plain-pic"}` });
    picture.append($(`#pic-${selection.kind}-${selection.id}`).content.cloneNode(true));
    const places = structure.places;
    const title = make("h3", {}, isMotif ? `Motif ${structure.label}: ${structure.name}` : structure.name);
    const count = isMotif ? plural(places.length, one, many) : `${structure.count} ${structure.count === "1" ? one : many}`;
    let where = selection.at === undefined ? count : `${one} ${digits(selection.at + 1)} of ${digits(places.length)}`;
    if (!isMotif && places.length && !(structure.exact && structure.count === String(places.length)))
      where += selection.at === undefined ? `, ${digits(places.length)} drawn` : ` drawn`;
    const pager = make("div", { class: "pager" });
    const step = (text, label, by) => make("button", {
      type: "button", class: "sq", "aria-label": `${label} ${one}`, click: () => this.step(by),
    }, text);
    pager.append(...(places.length ? [step("‹", "Previous", -1), make("span", { role: "status" }, where), step("›", "Next", 1)] : [where]));
    const parts = [picture, title, pager];
    if (selection.at !== undefined) parts.push(this.mapping(places[selection.at]), ...this.edits(structure, selection.at));
    else {
      const held = (structure.inside ?? []).flatMap((number, at) =>
        number ? [`${digits(number)} inside copies of motif ${at}`] : []);
      const listed = `Of ${digits(structure.listed ?? 0)} listed: ${held.join(", ")}. `;
      parts.push(make("p", { class: "sub" }, (held.length ? listed : "") +
        (places.length ? `Step through the ${many} to see their nodes.` : "")));
      const features = $(`#features-${selection.kind}-${selection.id}`);
      if (features) parts.push(features.content.cloneNode(true));
    }
    return parts;
  }

  // which node stands for which letter
  mapping(nodes) {
    const rows = nodes.map((node, at) => make("div", {},
      make("dt", {}, LETTERS[at]),
      make("dd", {}, this.link(this.run.nameOf(node), { kind: "node", node }))));
    const graph = this.run.collection ? [make("div", {}, make("dt", {}, "in"), make("dd", {},
      this.link(`graph ${this.run.graphs[nodes[0]]}`, { kind: "graph", graph: this.run.graphs[nodes[0]] })))] : [];
    return make("dl", { class: "map" }, ...graph, ...rows);
  }

  // which edges a copy lacks and has beside, by its letters
  edits(structure, copy) {
    const own = structure.editsOf?.[copy];
    const said = ["missing", "added"].filter((what) => own?.[what].length).map((what) =>
      `${what}: ${own[what].map(([u, v]) => `${LETTERS[u]}–${LETTERS[v]}`).join(", ")}`);
    const text = said.join("; ") || "exact: all edges of the motif and no others";
    return structure.edits?.length ? [make("p", { class: "sub" }, text)] : [];
  }

  step(by) {
    const { selection, run } = this;
    const number = run.structureOf(selection).places.length;
    const at = selection.at === undefined ? (by > 0 ? 0 : number - 1) : (selection.at + by + number) % number;
    this.select({ ...selection, at });
    $(`.pager button:${by > 0 ? "last" : "first"}-child`, this.detail)?.focus();
  }

  find(text) {
    const { run } = this;
    const wanted = text.trim().toLowerCase();
    $("#found").textContent = "";
    if (!wanted) return;
    if (run.collection) {
      const graph = Number(wanted.replace(/^graph /, ""));
      if (this.view.members.has(graph)) this.select({ kind: "graph", graph });
      else $("#found").textContent = "No graph has this number.";
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

  // the occurrences of what is selected, or all copies
  rows() {
    const { run, selection } = this;
    const one = run.structureOf(selection);
    const chosen = one ? [one] : run.motifs;
    const head = ["structure", "number", ...(run.collection ? ["graph"] : []), ...LETTERS];
    const rows = chosen.flatMap((one) => one.places.map((nodes, at) => [
      one.name, at + 1, ...(run.collection ? [run.graphs[nodes[0]]] : []), ...nodes.map((node) => run.nameOf(node))]));
    return [head, ...rows];
  }

  listen() {
    for (const row of $$("tr[data-motif], tr[data-pattern]"))
      row.addEventListener("click", () => {
        const kind = row.dataset.motif === undefined ? "pattern" : "motif";
        this.toggle({ kind, id: Number(row.dataset[kind]) }, true);
      });
    for (const chip of $$("button.chip"))
      chip.addEventListener("click", () => this.toggle({ kind: "motif", id: Number(chip.dataset.motif) }));
    $("#clear").addEventListener("click", () => { this.select(null); this.view.fit(); });
    $("#find").addEventListener("change", (event) => this.find(event.target.value));
    $("#csv").addEventListener("click", () => saveCsv(this.rows(), "occurrences.csv"));
    $("#svg").addEventListener("click", () => save(this.view.toSvg(), "image/svg+xml", "graph.svg"));
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

  // of the selection: motif-1, motif-1-3 for its third copy, pattern-0, node-7, graph-5; or nothing
  get address() {
    const { kind, id, at } = this.selection ?? {};
    const number = kind === "motif" ? this.run.motifs[id].label : id ?? this.selection?.[kind];
    return [kind, number, at === undefined ? at : at + 1].filter((part) => part !== undefined).join("-");
  }

  // what an address selects; null where nothing has it
  selectionAt(address) {
    const { run } = this;
    const [, kind, number, place] = address.match(/^(motif|pattern|node|graph)-(\d+)(?:-(\d+))?$/) ?? [];
    if (kind === "graph") return this.view.members?.has(Number(number)) ? { kind, graph: Number(number) } : null;
    if (kind === "node") return number < run.names.length ? { kind, node: Number(number) } : null;
    const id = kind === "motif" ? run.motifs.findIndex((one) => one.label === number) : Number(number);
    const structure = run.structureOf({ kind, id });
    return structure ? { kind, id, at: structure.places[place - 1] ? place - 1 : undefined } : null;
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

async function start() {
  document.body.classList.add("live");
  startTables();
  const run = await readRun();
  if (!run) {
    showTarget();
    window.addEventListener("hashchange", showTarget);
    return null;
  }
  // milliseconds from the request to an answer, for tests and the benchmark of the page
  window.gomkcnExplorer = new Explorer(run);
  $("#explorer").dataset.ready = Math.round(performance.now());
  return window.gomkcnExplorer;
}

meetNotebook(start());
