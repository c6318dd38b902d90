// The block of data in the page, unpacked, and what follows from it.

export async function readRun(element) {
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Run(JSON.parse(await new Response(stream).text()));
}

class Run {
  constructor(record) {
    Object.assign(this, record);
    this.numNodes = this.x.length;
    this.numEdges = this.from.length;
    // kinds of edges from one node to another, by the numbers of both
    this.kindsOf = new Map();
    for (let edge = 0; edge < this.numEdges; edge++) {
      const key = this.key(this.from[edge], this.to[edge], this.kind[edge]);
      const known = this.kindsOf.get(key);
      if (known) known.push(this.kind[edge]);
      else this.kindsOf.set(key, [this.kind[edge]]);
    }
    for (const [at, pattern] of this.patterns.entries()) {
      pattern.at = at;
      pattern.count = pattern.similarity.length;
    }
  }

  // one number for a pair of nodes; the smaller one first where the edge has no direction
  key(from, to, kind) {
    const swap = from > to && !this.relations[kind]?.directed;
    return swap ? to * this.names.length + from : from * this.names.length + to;
  }

  isOnMap(node) {
    return node >= 0 && node < this.numNodes;
  }

  nodesOf(pattern, place) {
    return pattern.places.slice(place * pattern.size, (place + 1) * pattern.size);
  }

  nameOf(node) {
    if (node < 0) return "none";
    const name = String(this.names[node]);
    return this.collection ? `${name} of graph ${this.graphs[node]}` : name;
  }

  featuresOf(node) {
    return this.isOnMap(node) ? this.texts[this.textOf[node]] : "";
  }

  // places that each node takes part in: a list of [pattern, place] by node, made at first use
  get placesOf() {
    const found = new Map();
    for (const pattern of this.patterns)
      pattern.places.forEach((node, at) => {
        if (node < 0) return;
        if (!found.has(node)) found.set(node, []);
        found.get(node).push([pattern, Math.floor(at / pattern.size)]);
      });
    Object.defineProperty(this, "placesOf", { value: found });
    return found;
  }

  // what a place has beyond its pattern, and what it lacks
  difference(pattern, place) {
    const nodes = this.nodesOf(pattern, place);
    const without = nodes.flatMap((node, at) => (node < 0 ? [at] : []));
    const hidden = nodes.some((node) => node >= this.numNodes);
    const expected = new Set(pattern.edges.map(([u, v, kind]) => this.edgeName(u, v, kind)));
    const there = new Set();
    for (const [u, from] of nodes.entries())
      for (const [v, to] of nodes.entries()) {
        if (u === v || !this.isOnMap(from) || !this.isOnMap(to)) continue;
        for (const kind of this.kindsOf.get(from * this.names.length + to) ?? []) {
          if (this.relations[kind].directed || from < to) there.add(this.edgeName(u, v, kind));
        }
      }
    return {
      hidden,
      without,
      more: [...there].filter((edge) => !expected.has(edge)),
      less: [...expected].filter((edge) => !there.has(edge)),
    };
  }

  // such as "0–1", or "0→1 activates"
  edgeName(u, v, kind) {
    const { name, directed } = this.relations[kind];
    const [first, second] = directed || u < v ? [u, v] : [v, u];
    const said = this.relations.length > 1 ? ` ${name}` : "";
    return `${first}${directed ? "→" : "–"}${second}${said}`;
  }

  describeDifference(pattern, place) {
    const { hidden, without, more, less } = this.difference(pattern, place);
    if (hidden) return "Not in the part of the graph that is drawn: its edges are not in this file.";
    const parts = [];
    if (without.length) parts.push(`no node stands for pattern node ${without.join(", ")}`);
    if (less.length) parts.push(`it lacks ${less.join(", ")}`);
    if (more.length) parts.push(`it also has ${more.join(", ")}`);
    if (!parts.length) return "It has exactly the edges of the pattern.";
    return `It differs from the pattern: ${parts.join("; ")}.`;
  }
}
