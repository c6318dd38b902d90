// The page of filters: nodes of the graph have the colour of their filter, or of their response to
// one. A filter, a node or a graph of a collection can be selected.

// responses and similarities are whole thousandths
const share = (thousandths) => (thousandths / 1000).toFixed(2);
// light enough for dark letters (relative luminance, WCAG)
const isBright = ([red, green, blue]) => {
  const linear = [red, green, blue].map((part) => ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.2;
};
const parseHex = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const WHICH = "which";
const RESPONSE = "response";

class FiltersRun extends DrawnGraph {
  constructor(record) {
    super(record);
    // what colours say, and of which filter responses are shown
    this.mode = WHICH;
    this.shown = 0;
    // of each filter its nodes, the most similar first
    this.nodesOf = this.filters.map((_, id) => [...this.labels.keys()]
      .filter((node) => this.labels[node] === id)
      .sort((u, v) => this.similarities[v] - this.similarities[u] || u - v));
    this.stops = this.scale.map(parseHex);
  }

  // the node that a selection shows with its subgraph; undefined where it shows none
  nodeOf(selection) {
    if (selection?.kind === "node") return selection.node;
    return selection?.kind === "filter" && selection.at !== undefined ? this.nodesOf[selection.id][selection.at] : undefined;
  }

  // its subgraph: nodes, those at each node of the filter, and what tells them from the filter
  placeOf(node) {
    const filter = this.filters[this.labels[node]];
    // -1 is padding, and -2 a node that is not drawn
    const rows = this.subgraphs[node].filter((one) => one !== -1);
    if (!filter || !rows.length || rows.includes(-2)) return null;
    const at = new Array(filter.size).fill(-1);
    rows.forEach((row, place) => { if (this.matching[node][place] >= 0) at[this.matching[node][place]] = row; });
    const edges = [...new Set(rows.flatMap((u, first) => rows.slice(first + 1).flatMap((v) => this.between(u, v))))];
    const wanted = filter.edges.flatMap(([u, v, relation]) => {
      const found = at[u] < 0 || at[v] < 0 ? [] : this.between(at[u], at[v]).filter((edge) =>
        this.relation[edge] === relation && (!this.relations[relation]?.directed || this.from[edge] === at[u]));
      return [{ pair: [u, v], edge: found[0] }];
    });
    const known = new Set(wanted.map(({ edge }) => edge));
    return {
      rows, at, edges,
      missing: wanted.filter(({ edge }) => edge === undefined).map(({ pair }) => pair),
      added: edges.filter((edge) => !known.has(edge)),
      unmatched: rows.filter((row) => !at.includes(row)),
    };
  }

  lightOf(selection) {
    const node = this.nodeOf(selection);
    if (node === undefined) {
      const light = makeLight(selection?.kind === "filter" ? this.filters[selection.id].color : "mx");
      if (selection?.kind === "filter") light.nodes = new Set(this.nodesOf[selection.id]);
      return light;
    }
    const light = makeLight(this.filters[this.labels[node]]?.color ?? "mx");
    const place = this.placeOf(node);
    light.one = place ? [node, ...place.rows.filter((row) => row !== node)] : [node];
    light.nodes = new Set(light.one);
    if (!place) return light;
    light.letters = light.one.map((row) => this.letters[place.at.indexOf(row)] ?? "");
    light.edges = light.oneEdges = new Set(place.edges);
    light.added = new Set(place.added);
    light.missing = place.missing.map((pair) => pair.map((one) => place.at[one])).filter(([u, v]) => u >= 0 && v >= 0);
    return light;
  }

  isMarked(node, selection, light) {
    if (selection && selection.kind !== "filter") return light.nodes.has(node);
    if (this.mode === RESPONSE) return this.labels[node] === this.shown;
    return selection?.kind === "filter" && light.nodes.has(node);
  }

  tipOf(node) {
    const said = this.mode === RESPONSE ? `response ${share(this.responses[this.shown][node])} to filter ${this.shown}`
      : this.labels[node] < 0 ? "" : `filter ${this.labels[node]}, similarity ${share(this.similarities[node])}`;
    return [this.nameOf(node), this.kindName(node), said];
  }

  // red, green and blue of a response
  shade(thousandths) {
    const { low, high } = this.filters[this.shown];
    const at = (this.stops.length - 1) * Math.min(1, Math.max(0, (thousandths - low) / (high - low || 1)));
    const first = Math.min(Math.floor(at), this.stops.length - 2);
    return this.stops[first].map((part, color) =>
      Math.round(part + (at - first) * (this.stops[first + 1][color] - part)));
  }

  colorOf(node, colors) {
    if (this.mode === RESPONSE) return `rgb(${this.shade(this.responses[this.shown][node]).join(",")})`;
    return colors[this.filters[this.labels[node]]?.color ?? "node"];
  }

  letterLook(node, colors, light) {
    const fill = this.colorOf(node, colors);
    const parts = fill.startsWith("#") ? parseHex(fill) : fill.match(/\d+/g).map(Number);
    return { fill, text: isBright(parts) ? "#15181c" : "#ffffff", alpha: this.alphaOf(node, light) };
  }

  // what is not selected is pale; where responses are shown, only beside a node
  alphaOf(node, light) {
    const dims = light.nodes.size && (this.mode === WHICH || light.one.length);
    return dims && !light.nodes.has(node) ? 0.3 : 1;
  }

  // below an atom
  haloOf(node, colors, light) {
    if (this.mode === WHICH && this.labels[node] < 0) return null;
    return [this.colorOf(node, colors), (light.one.includes(node) ? STRONG : FAINT) * this.alphaOf(node, light)];
  }

  haloOfEdge(edge, colors, light) { return light.oneEdges.has(edge) ? [colors.match, FAINT] : null; }

  paint(painter, nodes, edges, place, radius) {
    const { colors, light } = painter;
    const one = new Set(light.one);
    const dims = light.nodes.size && (this.mode === WHICH || one.size);
    const rank = (edge) => light.added.has(edge) ? 2 : light.oneEdges.has(edge) ? 1 : 0;
    const groups = grouped(edges, rank);
    for (const at of [0, 1, 2])
      painter.edges(groups.get(at) ?? [], place, radius, at ? colors.ink : colors.edge, [1, 2.6, 1.2][at], at || !dims ? 1 : 0.5);
    const held = new Set(nodes);
    painter.missing(light.missing.filter((pair) => pair.every((node) => held.has(node))), place);
    // a high response lies on top
    const rankOf = (node) => (one.has(node) ? 2000 : light.nodes.has(node) ? 1001 : 0) +
      (this.mode === RESPONSE ? this.responses[this.shown][node] : 0);
    for (const node of [...nodes].sort((u, v) => rankOf(u) - rankOf(v)))
      painter.node(node, place, radius, this.colorOf(node, colors), one.has(node) ? colors.ink : this.mode === RESPONSE ? colors.edge : colors.paper,
        one.has(node) ? (node === light.one[0] ? 3 : 1.6) : 0.6, this.alphaOf(node, light));
  }

  // the highest response of a graph to the filter that is shown
  highest(graph) {
    this.most ??= new Map();
    if (!this.most.has(this.shown)) {
      const found = new Map();
      this.responses[this.shown].forEach((own, node) => {
        const number = this.graphs[node];
        if (own > (found.get(number) ?? -1)) found.set(number, own);
      });
      this.most.set(this.shown, found);
    }
    return this.most.get(this.shown).get(graph);
  }

  // in the order of their highest response where responses are shown
  graphsFor(graphs) {
    return this.mode === RESPONSE ? [...graphs].sort((u, v) => this.highest(v) - this.highest(u) || u - v) : graphs;
  }

  captionOf(graph) {
    return this.mode === RESPONSE ? [share(this.highest(graph)), this.className(graph)].filter(Boolean).join(" · ") : this.className(graph);
  }
}

class FilterExplorer extends Explorer {
  select(selection, jump) {
    const { run } = this;
    // where a filter responds is what a reader asks of it first
    if (selection?.kind === "filter") {
      if (this.selection?.id !== selection.id) run.mode = this.mode ?? RESPONSE;
      run.shown = selection.id;
    }
    if (!selection) run.mode = WHICH;
    super.select(selection, jump);
    this.tellMode();
  }

  isOn(element) {
    return this.selection?.kind === "filter" && element.dataset.filter === String(this.selection.id);
  }

  // heading, buttons and legend of what colours say
  tellMode() {
    const { run } = this;
    const filter = run.filters[run.shown];
    const responds = run.mode === RESPONSE;
    $("#h-c").textContent = responds ? `Response to filter ${run.shown}` : "The filter that a node is nearest to";
    for (const button of $$("[data-mode]")) button.setAttribute("aria-pressed", button.dataset.mode === run.mode);
    $("#scale").hidden = !responds;
    $("#explorer").classList.toggle("responds", responds);
    $("#low").textContent = share(filter.low);
    $("#high").textContent = share(filter.high);
  }

  show(mode) {
    // what was asked for stays when another filter is selected
    this.mode = this.run.mode = mode;
    this.view.show(this.selection, this.run.lightOf(this.selection));
    this.tellMode();
  }

  listen() {
    super.listen();
    for (const button of $$("[data-mode]")) button.addEventListener("click", () => this.show(button.dataset.mode));
  }

  parts() {
    const { run, selection } = this;
    const node = run.nodeOf(selection);
    this.detail.classList.toggle("plain", !selection || selection.kind === "graph");
    if (!selection) return this.overview();
    if (selection.kind === "graph") return this.aboutGraph(selection.graph);
    if (selection.kind === "filter" && node === undefined) return this.aboutFilter(selection.id);
    return this.aboutNode(node);
  }

  overview() {
    const { run } = this;
    const free = run.labels.filter((label) => label < 0).length;
    const what = run.collection ? "a graph" : "a node";
    return [make("div", {},
      make("h3", {}, `${plural(run.filters.length, "filter")}, ${plural(run.size, "node")}${run.size < run.numNodes ? " drawn" : ""}`),
      make("p", { class: "sub" }, (free ? `${digits(free)} of them are not in the random sample that was compared with the filters, and are grey. ` : "") +
        `Select a filter to see where it responds, or ${what} to see its ${run.collection ? "nodes" : "subgraph beside its filter"}.`))];
  }

  title(id) {
    const filter = this.run.filters[id];
    return `Filter ${id}: ${filter.name}${filter.planted ? ` (planted: ${filter.planted})` : ""}`;
  }

  picture(id) {
    const picture = make("div", { class: "pic-l plain-pic" });
    picture.append($(`#pic-filter-${id}`).content.cloneNode(true));
    return picture;
  }

  // from one node of a filter to the next, the most similar first
  pager(id) {
    const { run, selection } = this;
    const number = run.nodesOf[id].length;
    const at = selection.kind === "filter" ? selection.at : undefined;
    const step = (text, label, by) => make("button", {
      type: "button", class: "sq", "aria-label": `${label} node`, click: () => this.step(id, by),
    }, text);
    const where = at === undefined ? `${plural(number, "node")}, the most similar first` : `node ${digits(at + 1)} of ${digits(number)}, the most similar first`;
    return make("div", { class: "pager" }, ...(number
      ? [step("‹", "Previous", -1), make("span", { role: "status" }, where), step("›", "Next", 1)]
      : [run.size < run.numNodes ? "no node nearest to it is drawn" : "no node is nearest to it"]));
  }

  step(id, by) {
    const { run, selection } = this;
    const number = run.nodesOf[id].length;
    const was = selection.kind === "node" ? run.nodesOf[id].indexOf(selection.node) : selection.at;
    const at = was === undefined ? (by > 0 ? 0 : number - 1) : (was + by + number) % number;
    this.select({ kind: "filter", id, at });
    $(`.pager button:${by > 0 ? "last" : "first"}-child`, this.detail)?.focus();
  }

  aboutFilter(id) {
    const filter = this.run.filters[id];
    const features = $(`#features-${id}`);
    const graphs = filter.graphs.filter(([graph]) => this.view.members?.has(graph));
    const highest = make("p", { class: "sub" }, "Highest responses: ", ...graphs.flatMap(([graph, response], at) =>
      [at ? ", " : "", this.link(this.run.titleOf(graph), { kind: "graph", graph }), ` ${share(response)}`]));
    return [this.picture(id), make("h3", {}, this.title(id)), this.pager(id),
      make("p", { class: "sub" }, `${filter.said} Responses of the nodes ${this.run.size < this.run.numNodes ? "drawn " : ""}from ${share(filter.low)} to ${share(filter.high)}.`),
      ...(graphs.length ? [highest] : []), ...(features ? [features.content.cloneNode(true)] : [])];
  }

  aboutNode(node) {
    const { run } = this;
    const id = run.labels[node];
    const name = `Node ${run.nameOf(node)}${run.collection ? ` of ${run.fullTitleOf(run.graphs[node])}` : ""}`;
    const responses = make("p", { class: "sub responses" }, "Responses: ", ...run.filters
      .map((_, other) => [run.responses[other][node], other])
      .sort(([u], [v]) => v - u)
      .flatMap(([response, other], at) => [at ? ", " : "", this.link(`filter ${other}`, { kind: "filter", id: other }), ` ${share(response)}`]));
    if (id < 0) {
      this.detail.classList.add("plain");
      return [make("div", {}, make("h3", {}, name), make("p", { class: "sub" }, "It is not in the random sample of nodes that was compared with the filters."), responses)];
    }
    const place = run.placeOf(node);
    const title = make("h3", {}, `${name}: filter ${id}, similarity ${share(run.similarities[node])}`);
    if (!place) {
      const why = "Its subgraph has nodes that are not drawn here.";
      return [this.picture(id), title, this.pager(id), make("p", { class: "sub" }, why), responses];
    }
    const pair = make("div", { class: "pic-l pair" },
      make("figure", { class: "plain-pic" }, $(`#pic-filter-${id}`).content.cloneNode(true), make("figcaption", { class: "cap" }, `filter ${id}`)),
      make("figure", {}, this.subgraph(node, place), make("figcaption", { class: "cap" }, `subgraph of ${run.nameOf(node)}`)));
    return [pair, title, this.pager(id), make("p", { class: "sub" }, this.difference(node, place)), this.mapping(node, place), responses];
  }

  // how a subgraph differs from its filter, in words
  difference(node, { at, missing, added, unmatched }) {
    const said = [];
    const holes = at.flatMap((row, own) => row < 0 ? [this.letter(own)] : []);
    const lacking = missing.filter(([u, v]) => at[u] >= 0 && at[v] >= 0).length;
    if (holes.length) said.push(`it has no node at ${holes.join(", ")}`);
    if (lacking) said.push(`it lacks ${plural(lacking, "edge")} of the filter (dotted)`);
    if (added.length) said.push(`it has ${plural(added.length, "other edge")} (thin)`);
    if (unmatched.length) said.push(`${plural(unmatched.length, "node")} of it ${unmatched.length === 1 ? "is" : "are"} matched to none`);
    const text = said.join(", ");
    if (this.run.exact[node])
      return text ? `Its subgraph is the structure of the filter. As nodes are matched, by features and what is around them, ${text}.`
        : "Its subgraph is the structure of the filter, matched node by node.";
    return text ? `Of its subgraph: ${text}.` : "Its subgraph has the edges of the filter and no others.";
  }

  letter(node) { return this.run.letters[node] ?? ""; }

  // which node is matched to which letter
  mapping(node, { at, unmatched }) {
    const rows = at.flatMap((row, letter) => row < 0 ? [] : [[this.letter(letter), row]]).concat(unmatched.map((row) => ["–", row]));
    const graph = this.run.collection ? [make("div", {}, make("dt", {}, "in"), make("dd", {},
      this.link(this.run.fullTitleOf(this.run.graphs[node]), { kind: "graph", graph: this.run.graphs[node] })))] : [];
    return make("dl", { class: "map" }, ...graph, ...rows.map(([letter, row]) => make("div", {}, make("dt", {}, letter),
      make("dd", {}, this.link(this.named(row), { kind: "node", node: row })))));
  }

  // a node with its category
  named(node) { return [this.run.nameOf(node), this.run.kindName(node)].filter(Boolean).join(" "); }

  // the subgraph of a node in the shape of the filter
  subgraph(node, { rows, at, edges, missing, added, unmatched }) {
    const { run } = this;
    const [width, height] = run.pictureSize;
    const radius = 9;
    const filter = run.filters[run.labels[node]];
    const unit = Math.min(width / 2 - radius - 3, (height / 2 - radius - 3) / 0.85);
    const points = new Map();
    at.forEach((row, own) => { if (row >= 0) points.set(row, [width / 2 + unit * filter.points[own][0], height / 2 - unit * filter.points[own][1]]); });
    // what is matched to no node stands at the border
    unmatched.forEach((row, order) => points.set(row, [width - radius - 2, height - (radius + 2) * (1 + 2.4 * order)]));
    const colors = palette();
    const writer = new SvgWriter(width, height);
    const painter = new Painter(run, writer, colors, makeLight("soft"), false);
    const place = (row) => points.get(row);
    const extra = new Set(added);
    painter.missing(missing.filter(([u, v]) => at[u] >= 0 && at[v] >= 0).map((pair) => pair.map((one) => at[one])), place);
    painter.edges(edges.filter((edge) => !extra.has(edge)), place, () => radius, colors.ink, 2.4, 1);
    painter.edges(added, place, () => radius, colors.ink, 1, 1);
    for (const row of rows) {
      const own = parseHex(run.fills.length ? run.fills[row] : colors.node);
      painter.node(row, place, () => radius, `rgb(${own.join(",")})`, colors.ink, row === node ? 3 : 1.2);
      const [x, y] = place(row);
      const letter = this.letter(at.indexOf(row));
      writer.fillStyle = isBright(own) ? "#15181c" : "#ffffff";
      writer.fillText(letter, x - 3.8, y + 4);
    }
    const svg = new DOMParser().parseFromString(String(writer), "image/svg+xml").documentElement;
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `subgraph of node ${run.nameOf(node)}`);
    return document.importNode(svg, true);
  }

  aboutGraph(graph) {
    const { run } = this;
    const { nodes, edges } = this.view.members.get(graph);
    const rows = nodes.map((node) => make("div", {},
      make("dt", {}, this.link(this.named(node), { kind: "node", node })),
      make("dd", {}, run.labels[node] < 0 ? "–" : `filter ${run.labels[node]} ${share(run.similarities[node])}`)));
    return [make("div", {}, this.view.picture(graph, 220, 160),
      make("h3", {}, `Graph ${graph}`),
      make("p", { class: "sub" }, [plural(nodes.length, "node"), plural(edges.length, "edge"),
        run.classes.length ? (run.className(graph) ? `class ${run.className(graph)}` : "no class") : ""].filter(Boolean).join(", ")),
      make("dl", { class: "map" }, ...rows))];
  }

  // the nodes that are drawn, with their filters and responses
  rows() {
    const { run } = this;
    const head = [...(run.collection ? ["graph"] : []), "node", "filter", "similarity", ...run.filters.map((_, id) => `response_${id}`)];
    return [head, ...[...run.labels.keys()].map((node) => [
      ...(run.collection ? [run.graphs[node]] : []), run.nameOf(node),
      ...(run.labels[node] < 0 ? ["", ""] : [run.labels[node], run.similarities[node] / 1000]),
      ...run.responses.map((own) => own[node] / 1000)])];
  }

  // of the selection: filter-1, filter-1-3 for its third most similar node, node-7, graph-5; or nothing
  get address() {
    const { kind, id, at } = this.selection ?? {};
    return [kind, id ?? this.selection?.[kind], at === undefined ? at : at + 1].filter((part) => part !== undefined).join("-");
  }

  // what an address selects; null where nothing has it
  selectionAt(address) {
    const { run } = this;
    const [, kind, number, place] = address.match(/^(filter|node|graph)-(\d+)(?:-(\d+))?$/) ?? [];
    const id = Number(number);
    if (kind === "graph") return this.view.members?.has(id) ? { kind, graph: id } : null;
    if (kind === "node") return id < run.size ? { kind, node: id } : null;
    if (kind !== "filter" || !run.filters[id]) return null;
    return { kind, id, at: run.nodesOf[id][place - 1] === undefined ? undefined : place - 1 };
  }
}

meetNotebook(start((record) => new FilterExplorer(new FiltersRun(record), ["filter"])));
