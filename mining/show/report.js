// The page of a mining run: its graph is coloured by the copies of the motif set. A motif, a pattern,
// a node or a graph of a collection can be selected.

class MiningRun extends DrawnGraph {
  constructor(record) {
    super(record);
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

  // those that a place has of its structure, and those that it has beside; relation -1 is any
  edgesOf(structure, place) {
    const nodes = structure.places[place];
    const missing = new Set(structure.editsOf?.[place].missing.map(String));
    return structure.edges.flatMap(([u, v, relation]) => missing.has(String(u < v ? [u, v] : [v, u])) ? []
      : this.between(nodes[u], nodes[v]).filter((edge) => (relation < 0 || this.relation[edge] === relation) &&
        (!this.relations[this.relation[edge]].directed || this.from[edge] === nodes[u])))
      .concat(this.addedTo(structure, place));
  }

  addedTo(structure, place) {
    const nodes = structure.places[place];
    return (structure.editsOf?.[place].added ?? []).flatMap(([u, v]) => this.between(nodes[u], nodes[v]));
  }

  structureOf(selection) {
    return { motif: this.motifs, pattern: this.patterns }[selection?.kind]?.[selection.id];
  }

  lightOf(selection) {
    const light = makeLight();
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
      light.letters = LETTERS;
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

  isMarked(node, selection, light) { return selection ? light.nodes.has(node) : this.motifOf[node] >= 0; }

  letterLook(node, colors) {
    const motif = this.motifs[this.motifOf[node]];
    return { fill: colors.paper, text: motif ? colors[motif.color] : colors.ink, alpha: 1 };
  }

  // below the atoms and bonds of what is selected, or of all copies
  haloOf(node, colors, light, isSelected) {
    if (light.nodes.has(node)) return [colorBelow(colors, light.color), light.one.includes(node) ? STRONG : FAINT];
    const motif = this.motifs[this.motifOf[node]];
    return isSelected || !motif ? null : [colors[motif.color], FAINT];
  }

  haloOfEdge(edge, colors, light, isSelected) {
    if (light.edges.has(edge)) return [colorBelow(colors, light.color), light.oneEdges.has(edge) ? STRONG : FAINT];
    const motif = this.motifs[this.motifOfEdge[edge]];
    return isSelected || !motif ? null : [colors[motif.color], FAINT];
  }

  // those of copies and those that are lit on top
  paint(painter, nodes, edges, place, radius) {
    const { colors, light, isSelected } = painter;
    const plain = isSelected ? 0.45 : 1;
    const rank = (edge) => light.added.has(edge) ? 4 : light.oneEdges.has(edge) ? 3
      : light.edges.has(edge) ? 2 : this.motifOfEdge[edge] < 0 ? 0 : 1;
    const colorOf = (edge) => light.edges.has(edge) ? light.color : this.motifs[this.motifOfEdge[edge]]?.color ?? "edge";
    const groups = grouped(edges, (edge) => `${rank(edge)} ${colorOf(edge)}`);
    for (const key of [...groups.keys()].sort()) {
      const [rank, color] = key.split(" ");
      painter.edges(groups.get(key), place, radius, colors[color], [1, 2, 2, 3.5, 1.2][rank], rank < 2 ? plain : 1);
    }
    painter.missing(light.missing.filter((pair) => pair.every((node) => nodes.includes(node))), place);
    const rankOf = (node) => (light.nodes.has(node) ? 2 : this.motifOf[node] >= 0 ? 1 : 0);
    for (const node of [...nodes].sort((u, v) => rankOf(u) - rankOf(v))) {
      const lit = light.nodes.has(node);
      const motif = this.motifs[this.motifOf[node]];
      let color = motif ? colors[motif.color] : colors.node;
      if (lit && light.color !== "mx") color = colors[light.color];
      const hollow = motif?.hollow && !(lit && light.color === "hit");
      const shown = light.one.includes(node);
      painter.node(node, place, radius, hollow ? colors.paper : color,
        shown ? colors.ink : hollow ? color : colors.paper, shown ? 2 : hollow ? 1.6 : 0.6,
        isSelected && !lit ? 0.38 : 1);
    }
  }
}

class MotifExplorer extends Explorer {
  get start() { return this.run.start === null ? null : { kind: "pattern", id: this.run.start }; }

  // the panel: what is selected, in words
  parts() {
    const { run, selection } = this;
    return !selection ? this.overview()
      : selection.kind === "node" ? this.aboutNode(selection.node)
      : selection.kind === "graph" ? this.aboutGraph(selection.graph)
      : this.aboutStructure(run.structureOf(selection));
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
      make("p", { class: "sub" }, `${digits(free)} of ${plural(run.size, "node")} drawn are in no copy, and ${run.molecules ? "without a colour" : "grey"}. Select a motif, a structure of a table or ${what}.`))];
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
      make("h3", {}, run.graphNames[graph] ? run.fullTitleOf(graph) : `Graph ${graph}`),
      make("p", { class: "sub" }, [plural(nodes.length, "node"), plural(edges.length, "edge"),
        run.classes.length ? (run.className(graph) ? `class ${run.className(graph)}` : "no class") : ""].filter(Boolean).join(", ")),
      ...this.mainFinding(graph),
      ...held.filter(([, number]) => number).map(([at, number]) => make("p", {},
        this.link(`motif ${run.motifs[at].label}: ${run.motifs[at].name} × ${number}`, { kind: "motif", id: at }))))];
  }

  // the pattern that is selected at first, where the graph has it
  mainFinding(graph) {
    const { run } = this;
    const pattern = run.patterns[run.start];
    const number = pattern ? pattern.places.filter((own) => run.graphs[own[0]] === graph).length : 0;
    return number ? [make("p", {}, this.link(`${pattern.name} × ${number}`, { kind: "pattern", id: run.start }))] : [];
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
    const said = structure.said ? [make("p", { class: "sub" }, structure.said)] : [];
    const parts = [picture, title, ...said, pager];
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
      this.link(this.run.fullTitleOf(this.run.graphs[nodes[0]]), { kind: "graph", graph: this.run.graphs[nodes[0]] })))] : [];
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

  // the occurrences of what is selected, or all copies
  rows() {
    const { run, selection } = this;
    const one = run.structureOf(selection);
    const chosen = one ? [one] : run.motifs;
    const hasNames = Object.keys(run.graphNames).length > 0;
    const head = ["structure", "number", ...(run.collection ? ["graph"] : []), ...(hasNames ? ["graph name"] : []), ...LETTERS];
    const rows = chosen.flatMap((one) => one.places.map((nodes, at) => [
      one.name, at + 1, ...(run.collection ? [run.graphs[nodes[0]]] : []),
      ...(hasNames ? [run.graphNames[run.graphs[nodes[0]]] ?? ""] : []), ...nodes.map((node) => run.nameOf(node))]));
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    return [head.slice(0, width), ...rows];
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
}

// The table of roles: a head sorts its rows, the largest number first, and a search shows those nodes
// whose name has the text.
function startRoles() {
  const table = $("#t-r");
  if (!table) return;
  const body = $("tbody", table);
  const rows = $$("tr[data-csv]", body);
  const more = $("tr.more button", body);
  const first = rows.filter((row) => !row.hasAttribute("data-more")).length;
  const isOpen = () => !more || more.getAttribute("aria-expanded") === "true";
  $$("button.sort", table).forEach((button, column) => button.addEventListener("click", () => {
    for (const head of $$("[aria-sort]", table)) head.setAttribute("aria-sort", "none");
    button.parentElement.setAttribute("aria-sort", "descending");
    const number = (row) => JSON.parse(row.dataset.csv)[column + 1];
    rows.sort((a, b) => number(b) - number(a));
    rows.forEach((row, at) => {
      row.toggleAttribute("data-more", at >= first);
      body.insertBefore(row, more?.closest("tr") ?? null);
    });
    find();
  }));
  function find() {
    const wanted = $("#find-role").value.trim().toLowerCase();
    const open = isOpen();
    let number = 0;
    for (const row of rows) {
      const fits = $("th", row).textContent.toLowerCase().includes(wanted);
      number += fits;
      row.hidden = wanted ? !fits : row.hasAttribute("data-more") && !open;
    }
    $("#found-role").textContent = wanted ? plural(number, "node") : "";
  }
  $("#find-role").addEventListener("input", find);
}

startRoles();
meetNotebook(start((record) => new MotifExplorer(new MiningRun(record), ["motif", "pattern"])));
