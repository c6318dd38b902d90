// The page of predicted classes: each graph with its class and probability, the atoms of molecules in
// the colours of what they contribute.

// opacity of the strongest contribution: letters are read on it
const STRONGEST = 0.55;

class PredictedGraphs extends DrawnGraph {
  lightOf() { return makeLight(); }

  isMarked() { return false; }

  letterLook(node, colors) { return { fill: colors.paper, text: colors.ink, alpha: 1 }; }

  // the probability of a class, by default of the predicted one
  share(graph, at = this.predicted[graph]) { return this.probabilities[graph][at].toFixed(2); }

  captionOf(graph) { return `${this.classNames[this.predicted[graph]]} ${this.share(graph)}${this.learnt[graph] ? ", learnt" : ""}`; }

  // in whole steps of a thousandth; undefined where it was not computed
  haloOf(node, colors) {
    const value = this.contributions[node];
    if (!value) return null;
    const strength = Math.min(1, Math.abs(value) / this.strongest);
    return [value > 0 ? colors.match : colors.m0, (STRONGEST * strength).toFixed(2)];
  }

  paint(painter, nodes, edges, place, radius) {
    const { colors } = painter;
    painter.edges(edges, place, radius, colors.edge, 1, 1);
    for (const node of nodes) painter.node(node, place, radius, colors.node, colors.paper, 0.6);
  }
}

class PredictionExplorer extends Explorer {
  parts() {
    const { run, selection } = this;
    if (!selection)
      return [make("div", {}, make("h3", {}, plural(run.numGraphs, "graph")),
        make("p", { class: "sub" }, "Below each graph are its predicted class and the probability. Select a graph to see that of each class."))];
    const { graph } = selection;
    const classes = run.classNames.map((name, at) => make("div", {}, make("dt", {}, name), make("dd", {}, run.share(graph, at))));
    return [this.view.picture(graph, 300, 220), make("div", {},
      make("h3", {}, `${run.fullTitleOf(graph)}: ${run.classNames[run.predicted[graph]]}`),
      ...(run.learnt[graph] ? [make("p", { class: "sub" }, "The classifier learnt from it.")] : []),
      make("p", { class: "sub" }, "Probability of each class"),
      make("dl", { class: "map" }, ...classes))];
  }

  rows() {
    const { run } = this;
    const rows = run.predicted.map((at, graph) => [
      run.numbers[graph], run.graphNames[graph] ?? "", run.classNames[at], run.learnt[graph] ? "yes" : "no", ...run.probabilities[graph]]);
    return [["graph", "name", "predicted", "learnt", ...run.classNames.map((name) => `probability ${name}`)], ...rows];
  }

  get address() { return this.selection ? `graph-${this.selection.graph}` : ""; }

  selectionAt(address) {
    const [, number] = address.match(/^graph-(\d+)$/) ?? [];
    return this.view.members.has(Number(number)) ? { kind: "graph", graph: Number(number) } : null;
  }
}

start((record) => new PredictionExplorer(new PredictedGraphs(record), ["prediction"]));
