// Molecules as chemists draw them: bonds as lines, letters of atoms but carbon, and what is lit as
// colours below. Coordinates, bonds, charges and hydrogens are those of the record.

// how a bond is drawn, as `molecule_drawing.py` numbers it
const BOND = { single: 1, double: 2, triple: 3, aromatic: 4, left: 5, right: 6 };
// length of a bond in the units of a map, and the most pixels that it has
const BOND_LENGTH = 0.6;
const MOST_PIXELS = 26;
// elements that have a colour of the page; chlorine has that of fluorine
const COLORED = { N: "at-n", O: "at-o", S: "at-s", P: "at-p", F: "at-f", Cl: "at-f", Br: "at-br", I: "at-i" };
// of the colours below atoms and bonds: of all places, and of the one that is shown
const FAINT = 0.34;
const STRONG = 0.62;

// the colour below what is selected: ink would hide bonds and letters
const colorBelow = (colors, name) => colors[name === "hit" || name === "mx" ? "match" : name];

// an SVG of one molecule in a box, its atoms and bonds by their numbers
class MoleculePicture {
  constructor(run, nodes, edges, width, height, colors) {
    Object.assign(this, { run, nodes, edges, width, height, colors });
    const [left, right] = ends(nodes.map((node) => run.x[node]));
    const [top, bottom] = ends(nodes.map((node) => run.y[node]));
    // room for letters at the sides
    const [across, down] = [(width - 34) / (right - left || 1e-9), (height - 26) / (bottom - top || 1e-9)];
    this.scale = Math.min(MOST_PIXELS / BOND_LENGTH, across, down);
    this.shift = [width / 2 - this.scale * (left + right) / 2, height / 2 - this.scale * (top + bottom) / 2];
    this.bond = this.scale * BOND_LENGTH;
    this.size = Math.max(6.5, Math.min(13, 0.62 * this.bond));
    this.near = new Map(nodes.map((node) => [node, []]));
    for (const edge of edges) {
      this.near.get(run.from[edge]).push(run.to[edge]);
      this.near.get(run.to[edge]).push(run.from[edge]);
    }
  }

  place(node) { return [this.scale * this.run.x[node] + this.shift[0], this.scale * this.run.y[node] + this.shift[1]]; }

  // carbon has letters where it is charged or alone
  hasLetters(node) {
    const { run } = this;
    return run.kindName(node) !== "C" || run.molecules.charges[node] !== 0 || !this.near.get(node).length;
  }

  color(node) { return this.colors[COLORED[this.run.kindName(node)] ?? "ink"]; }

  // a line between two places, shortened where letters stand
  line([x1, y1], [x2, y2], from, to) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ax, ay] = [(x2 - x1) / length, (y2 - y1) / length];
    const [start, stop] = [from, to].map((node) => this.hasLetters(node) ? Math.min(0.64 * this.size, 0.38 * length) : 0);
    const at = (value) => value.toFixed(1);
    return `M${at(x1 + ax * start)} ${at(y1 + ay * start)}L${at(x2 - ax * stop)} ${at(y2 - ay * stop)}`;
  }

  // the lines of a bond; the second ones of aromatic bonds without a Kekulé structure are dashed
  bondLines(edge) {
    const { run } = this;
    const [u, v] = [run.from[edge], run.to[edge]];
    const [[x1, y1], [x2, y2]] = [this.place(u), this.place(v)];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [nx, ny] = [-(y2 - y1) / length, (x2 - x1) / length];
    const gap = Math.max(2, 0.15 * this.bond);
    const beside = (aside, inset = 0) => {
      const [dx, dy] = [inset * (x2 - x1), inset * (y2 - y1)];
      return this.line([x1 + nx * aside + dx, y1 + ny * aside + dy], [x2 + nx * aside - dx, y2 + ny * aside - dy], u, v);
    };
    const kind = run.molecules.bonds[edge];
    if (kind === BOND.double) return [beside(gap / 2) + beside(-gap / 2), ""];
    if (kind === BOND.triple) return [beside(0) + beside(gap) + beside(-gap), ""];
    if (kind === BOND.aromatic) return [beside(0), beside(gap, 0.12)];
    // y is down: the left of the way has a negative normal
    if (kind === BOND.left) return [beside(0) + beside(-gap, 0.12), ""];
    if (kind === BOND.right) return [beside(0) + beside(gap, 0.12), ""];
    return [beside(0), ""];
  }

  // colours below atoms and bonds, those of one colour and opacity in one group
  halos(light, isSelected) {
    const { run } = this;
    const shapes = new Map();
    const add = ([color, opacity], shape) => {
      const key = `${color}|${opacity}`;
      shapes.set(key, (shapes.get(key) ?? "") + shape);
    };
    const wide = 0.5 * this.bond;
    for (const edge of this.edges) {
      const look = run.haloOfEdge(edge, this.colors, light, isSelected);
      const [[x1, y1], [x2, y2]] = [this.place(run.from[edge]), this.place(run.to[edge])];
      if (look) add(look, `<path d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}" stroke-width="${wide.toFixed(1)}"/>`);
    }
    for (const node of this.nodes) {
      const look = run.haloOf(node, this.colors, light, isSelected);
      const [x, y] = this.place(node);
      if (look) add(look, `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(0.4 * this.bond).toFixed(1)}"/>`);
    }
    return [...shapes].map(([key, shape]) => {
      const [color, opacity] = key.split("|");
      return `<g class="halo" fill="${color}" stroke="${color}" stroke-width="0" stroke-linecap="round" opacity="${opacity}">${shape}</g>`;
    }).join("");
  }

  // the letters of an atom: its hydrogens stand where no bond is, its charge behind
  letters(node) {
    const { run, size } = this;
    const [x, y] = this.place(node);
    const symbol = run.kindName(node);
    const [charge, hydrogens] = [run.molecules.charges[node], run.molecules.hydrogens[node]];
    const small = (text, up) => text && `<tspan font-size="${(0.72 * size).toFixed(1)}" dy="${(up * 0.3 * size).toFixed(1)}">${text}</tspan>`;
    // what follows a raised or lowered sign is back on the line
    const back = (text, up) => text && `<tspan dy="${(-up * 0.3 * size).toFixed(1)}">${text}</tspan>`;
    const sign = charge ? (Math.abs(charge) > 1 ? Math.abs(charge) : "") + (charge > 0 ? "+" : "−") : "";
    const count = hydrogens > 1 ? String(hydrogens) : "";
    const away = this.near.get(node).map((other) => [run.x[other] - run.x[node], run.y[other] - run.y[node]]);
    const [dx, dy] = [0, 1].map((axis) => away.reduce((sum, step) => sum + step[axis], 0));
    const half = 0.36 * size * symbol.length;
    const text = (anchor, at, own, line = y) =>
      `<text x="${at.toFixed(1)}" y="${(line + 0.36 * size).toFixed(1)}" text-anchor="${anchor}" fill="${this.color(node)}">${own}</text>`;
    if (!hydrogens) return text("start", x - half, symbol + small(sign, -1));
    const own = "H" + small(count, 1);
    // amid bonds at both sides they stand above or below
    if (away.length > 1 && Math.abs(dx) < 0.5 * BOND_LENGTH)
      return text("start", x - half, symbol + small(sign, -1)) + text("middle", x, own, y + (dy > 0 ? -1 : 1) * 0.95 * size);
    if (dx > 0.1 * BOND_LENGTH) return text("end", x + half, own + (count ? back(symbol, 1) : symbol)) + (sign && text("start", x + half, small(sign, -1)));
    return text("start", x - half, symbol + own + small(sign, count ? -2 : -1));
  }

  svg(light, isSelected) {
    const bonds = this.edges.map((edge) => this.bondLines(edge));
    const [plain, dashed] = [0, 1].map((at) => bonds.map((lines) => lines[at]).join(""));
    const { ink } = this.colors;
    const look = `fill="none" stroke="${ink}" stroke-width="1.3" stroke-linecap="round"`;
    const held = new Set(this.nodes);
    const missing = light.missing.filter((pair) => pair.every((node) => held.has(node)))
      .map(([u, v]) => this.line(this.place(u), this.place(v), u, v)).join("");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}">` +
      this.halos(light, isSelected) + (plain && `<path class="bonds" d="${plain}" ${look}/>`) +
      (dashed && `<path d="${dashed}" ${look} stroke-dasharray="2 2"/>`) +
      (missing && `<path class="missing" d="${missing}" ${look} stroke-dasharray="2 4"/>`) +
      `<g font-family="sans-serif" font-weight="600" font-size="${this.size.toFixed(1)}">` +
      this.nodes.filter((node) => this.hasLetters(node)).map((node) => this.letters(node)).join("") + "</g></svg>";
  }
}
