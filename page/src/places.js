// The panel below the graph: the places of a pattern page by page, or the patterns of a node.

import { button, saveCsv } from "./exports.js";

const ROWS = 8;

export class Places {
  constructor(run, element, { onPlace, onNode }) {
    Object.assign(this, { run, element, onPlace, onNode });
  }

  clear() {
    this.element.replaceChildren(
      text("p", "Select a pattern to see its places, or a node to see the patterns that it takes part in."),
    );
  }

  showPattern(pattern) {
    this.pattern = pattern;
    if (!pattern.count) {
      this.element.replaceChildren(text("h3", `Pattern ${pattern.id}`), text("p", "None of its places is listed."));
      return;
    }
    const title = text("h3", `Places of pattern ${pattern.id}`);
    this.input = document.createElement("input");
    Object.assign(this.input, { type: "number", min: 1, max: pattern.count });
    this.input.setAttribute("aria-label", "Number of the place");
    this.input.addEventListener("change", () => this.go(Number(this.input.value) - 1));
    const pager = document.createElement("p");
    pager.className = "pager";
    pager.append(
      button("‹", "Previous place", () => this.go(this.place - 1)),
      " place ",
      this.input,
      ` of ${pattern.count.toLocaleString("en")} listed `,
      button("›", "Next place", () => this.go(this.place + 1)),
      button("CSV", "Save all listed places as CSV", () => this.save()),
    );
    this.sentence = text("p", "");
    this.sentence.setAttribute("role", "status");
    const described = this.run.texts.some(Boolean);
    this.mapping = makeTable(["pattern node", "node", ...(described ? ["features"] : [])]);
    this.list = makeTable(["place", "similarity", ...(this.run.collection ? ["graph"] : []), ...Array.from({ length: pattern.size }, (_, at) => at)]);
    this.list.classList.add("list");
    this.element.replaceChildren(title, pager, this.sentence, wide(this.mapping), wide(this.list));
    this.go(0, false);
  }

  // move to a place; the first one of a pattern is shown without moving the camera
  go(place, move = true) {
    const { pattern, run } = this;
    this.place = Math.min(Math.max(place || 0, 0), pattern.count - 1);
    this.input.value = this.place + 1;
    const nodes = run.nodesOf(pattern, this.place);
    this.sentence.textContent = run.describeDifference(pattern, this.place);
    const features = (node) => (run.texts.some(Boolean) ? [run.featuresOf(node)] : []);
    fill(this.mapping, nodes.map((node, at) => [at, this.nodeCell(node), ...features(node)]));
    const first = ROWS * Math.floor(this.place / ROWS);
    const shown = Array.from({ length: Math.min(ROWS, pattern.count - first) }, (_, at) => first + at);
    fill(this.list, shown.map((at) => this.row(at)));
    this.list.tBodies[0].rows[this.place - first].setAttribute("aria-current", "true");
    this.onPlace(pattern, this.place, move);
  }

  row(place) {
    const { pattern, run } = this;
    const nodes = run.nodesOf(pattern, place);
    const some = nodes.find((node) => node >= 0);
    const names = nodes.map((node) => (node < 0 ? "–" : String(run.names[node])));
    const number = button(String(place + 1), `Show place ${place + 1}`, () => this.go(place));
    return [number, pattern.similarity[place], ...(run.collection ? [run.graphs[some]] : []), ...names];
  }

  nodeCell(node) {
    if (node < 0) return "none";
    const name = this.run.nameOf(node);
    return button(name, `Patterns of node ${name}`, () => this.onNode(node));
  }

  showNode(node) {
    const { run } = this;
    const entries = run.placesOf.get(node) ?? [];
    const features = run.featuresOf(node);
    const list = document.createElement("ul");
    for (const pattern of new Set(entries.map(([one]) => one))) {
      const places = entries.filter(([one]) => one === pattern).map(([, place]) => place);
      const item = document.createElement("li");
      const count = places.length === 1 ? "1 listed place" : `${places.length.toLocaleString("en")} listed places`;
      item.append(button(`Pattern ${pattern.id}`, `Show pattern ${pattern.id} here`, () => this.onPlaceOfNode(pattern, places[0])), `: ${count}`);
      list.append(item);
    }
    const said = entries.length ? "It takes part in" : "It takes part in none of the listed places.";
    this.element.replaceChildren(
      text("h3", `Node ${run.nameOf(node)}`),
      ...(features ? [text("p", features)] : []),
      text("p", said),
      list,
    );
  }

  save() {
    const { pattern, run } = this;
    const head = ["place", "similarity", "graph", ...Array.from({ length: pattern.size }, (_, at) => `node ${at}`), "difference"];
    const rows = pattern.similarity.map((similarity, place) => {
      const nodes = run.nodesOf(pattern, place);
      const graph = run.graphs[nodes.find((node) => node >= 0)];
      const names = nodes.map((node) => (node < 0 ? "" : run.names[node]));
      return [place + 1, similarity, graph, ...names, run.describeDifference(pattern, place)];
    });
    saveCsv([head, ...rows], `pattern_${pattern.id}_places`);
  }
}

function text(tag, content) {
  const element = document.createElement(tag);
  element.textContent = content;
  return element;
}

function makeTable(titles) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of titles) {
    const cell = text("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  table.createTBody();
  return table;
}

function fill(table, rows) {
  const made = rows.map((row) => {
    const line = document.createElement("tr");
    for (const value of row) line.insertCell().append(value instanceof Node ? value : String(value));
    return line;
  });
  table.tBodies[0].replaceChildren(...made);
}

function wide(table) {
  const box = document.createElement("div");
  box.className = "gomkcn-wide";
  box.append(table);
  return box;
}
