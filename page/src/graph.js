// The graph on a canvas: pan, zoom, hover, and places that light up.

import EdgeCurveProgram, { EdgeCurvedArrowProgram, indexParallelEdgesIndex } from "@sigma/edge-curve";
import { MultiDirectedGraph } from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeLineProgram, EdgeRectangleProgram } from "sigma/rendering";

// edges of more are lines of one pixel, which are drawn many times faster
const MOST_WIDE_EDGES = 15000;
// of this many places the edges light up one by one
const MOST_LIT = 20000;
// milliseconds between frames that are felt, and of rest before a picture is drawn anew
const SLOW_FRAME = 60;
const REST = 150;

export class GraphView {
  constructor(run, container, { onNode, onHover }) {
    this.run = run;
    this.container = container;
    this.many = run.numEdges > MOST_WIDE_EDGES;
    this.lit = new Set();
    this.litPairs = new Set();
    this.current = new Map();
    this.found = -1;
    // whether the view has moved to a place or a node, where names have room
    this.near = false;
    this.readColors();
    this.renderer = new Sigma(this.makeGraph(), container, {
      allowInvalidContainer: true,
      defaultDrawNodeHover: () => {},
      edgeProgramClasses: {
        thin: EdgeLineProgram,
        line: EdgeRectangleProgram,
        arrow: EdgeArrowProgram,
        curve: EdgeCurveProgram,
        curvedArrow: EdgeCurvedArrowProgram,
      },
      edgeReducer: (edge, data) => this.reduceEdge(Number(edge), data),
      nodeReducer: (node, data) => this.reduceNode(Number(node), data),
      hideLabelsOnMove: true,
      labelDensity: 0.5,
      labelFont: getComputedStyle(container).fontFamily,
      labelColor: { attribute: "labelColor" },
      labelRenderedSizeThreshold: this.run.numNodes > 200 ? 12 : 5,
      minCameraRatio: 0.002,
      maxCameraRatio: 3,
      stagePadding: 20,
      zIndex: true,
    });
    // where each node lies in units of the view, which a refresh that is under way does not know
    this.points = run.x.map((_, node) => {
      const { x, y } = this.renderer.getNodeDisplayData(String(node));
      return { x, y };
    });
    this.slideWhileMoving();
    this.renderer.on("enterNode", ({ node }) => onHover(Number(node)));
    this.renderer.on("leaveNode", () => onHover(-1));
    this.renderer.on("clickNode", ({ node }) => onNode(Number(node)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readColors();
      this.renderer.scheduleRefresh();
    });
    container.addEventListener("keydown", (event) => this.onKey(event));
  }

  // Where a frame takes long to draw, a picture of what was drawn slides and scales with the view,
  // in the place of the layers; they are drawn anew when the view rests.
  slideWhileMoving() {
    const { renderer } = this;
    const camera = renderer.getCamera();
    const canvases = renderer.getCanvases();
    const layers = Object.keys(canvases).filter((name) => name !== "mouse").map((name) => canvases[name]);
    const picture = document.createElement("canvas");
    picture.className = "picture";
    canvases.mouse.before(picture);
    const draw = renderer.render.bind(renderer);
    let [slow, drawn, last, rest] = [this.many, camera.getState(), 0, 0];
    const show = (isSliding) => {
      picture.style.visibility = isSliding ? "visible" : "hidden";
      for (const layer of layers) layer.style.visibility = isSliding ? "hidden" : "visible";
    };
    const drawNow = () => {
      draw();
      drawn = camera.getState();
      rest = 0;
      // what WebGL has drawn can be copied until the browser shows it
      if (slow) takePicture(picture, layers);
      show(false);
      return renderer;
    };
    renderer.render = () => {
      const now = performance.now();
      // frames of one movement that are far apart
      if (now - last > SLOW_FRAME && now - last < 1000) slow = true;
      last = now;
      const state = camera.getState();
      const moved = ["x", "y", "ratio"].some((name) => state[name] !== drawn[name]);
      if (!slow || !moved || !picture.width) return drawNow();
      const scale = drawn.ratio / state.ratio;
      const [before, after] = [drawn, state].map((cameraState) => renderer.framedGraphToViewport({ x: 0.5, y: 0.5 }, { cameraState }));
      const shift = `${after.x - scale * before.x}px, ${after.y - scale * before.y}px`;
      picture.style.transform = `translate(${shift}) scale(${scale})`;
      show(true);
      // drawing would have told the renderer that the frame it asked for is done
      renderer.renderFrame = null;
      clearTimeout(rest);
      rest = setTimeout(drawNow, REST);
      return renderer;
    };
  }

  makeGraph() {
    const { run } = this;
    const graph = new MultiDirectedGraph();
    const size = Math.min(5, Math.max(1.5, 90 / Math.sqrt(run.numNodes)));
    for (let node = 0; node < run.numNodes; node++)
      graph.addNode(String(node), { x: run.x[node], y: run.y[node], size });
    for (let edge = 0; edge < run.numEdges; edge++)
      graph.addEdgeWithKey(String(edge), String(run.from[edge]), String(run.to[edge]));
    if (!this.many) this.bendParallelEdges(graph);
    return graph;
  }

  bendParallelEdges(graph) {
    const index = { edgeIndexAttribute: "at", edgeMinIndexAttribute: "least", edgeMaxIndexAttribute: "most" };
    indexParallelEdgesIndex(graph, index);
    graph.forEachEdge((edge, { at, least, most }) => {
      if (typeof at !== "number") return;
      const curvature = typeof least === "number" ? (0.3 * at) / most : 0.2 + 0.1 * at;
      graph.setEdgeAttribute(edge, "curvature", curvature);
    });
  }

  readColors() {
    const style = getComputedStyle(this.container);
    this.ink = toRgb(style.getPropertyValue("--ink"));
    this.paper = toRgb(style.getPropertyValue("--paper"));
    this.faces = this.run.colors.map(toRgb);
    this.kinds = this.run.relations.map(({ color }) => (color.startsWith("#") ? toRgb(color) : this.ink));
  }

  // share 1 is the colour, 0 the paper
  shade(color, share) {
    return `rgb(${color.map((part, i) => Math.round(share * part + (1 - share) * this.paper[i])).join()})`;
  }

  reduceNode(node, data) {
    const { run } = this;
    const face = this.faces[run.colorOf[node]];
    const place = this.current.get(node);
    const focused = this.lit.size > 0 || this.current.size > 0;
    const shown = { ...data, label: run.nameOf(node), labelColor: this.shade(this.ink, 1), zIndex: 0 };
    if (place !== undefined || node === this.found) {
      const label = place === undefined ? shown.label : `${place}: ${shown.label}`;
      const size = Math.max(1.5 * data.size, 3);
      return { ...shown, size, color: this.shade(face, 1), label, forceLabel: this.near, zIndex: 3 };
    }
    if (this.lit.has(node)) return { ...shown, size: 1.25 * data.size, color: this.shade(face, 1), zIndex: 2 };
    return { ...shown, color: this.shade(face, focused ? 0.22 : 0.9) };
  }

  reduceEdge(edge, data) {
    const { run } = this;
    const { directed } = run.relations[run.kind[edge]];
    const [from, to] = [run.from[edge], run.to[edge]];
    const color = this.kinds[run.kind[edge]];
    const bent = data.curvature !== undefined;
    const wide = directed ? (bent ? "curvedArrow" : "arrow") : bent ? "curve" : "line";
    const inPlace = this.current.has(from) && this.current.has(to);
    const isLit = inPlace || this.litPairs.has(run.key(from, to, run.kind[edge]));
    if (isLit) return { ...data, type: wide, size: inPlace ? 4 : 2, color: this.shade(color, inPlace ? 1 : 0.8), zIndex: inPlace ? 3 : 2 };
    const focused = this.lit.size > 0 || this.current.size > 0;
    const faint = this.many ? 0.12 : 0.3;
    return { ...data, type: this.many ? "thin" : wide, size: 0.8, color: this.shade(color, focused ? 0.5 * faint : faint), zIndex: 0 };
  }

  // light up the places of a pattern
  showPattern(pattern) {
    const { run } = this;
    this.lit = new Set(pattern ? pattern.places.filter((node) => run.isOnMap(node)) : []);
    this.litPairs = new Set();
    for (let place = 0; pattern && place < Math.min(pattern.count, MOST_LIT); place++) {
      const nodes = run.nodesOf(pattern, place);
      for (const [u, v, kind] of pattern.edges)
        if (run.isOnMap(nodes[u]) && run.isOnMap(nodes[v])) this.litPairs.add(run.key(nodes[u], nodes[v], kind));
    }
    this.found = -1;
    this.showPlace(null, 0, false);
    if (!pattern) this.showWhole();
  }

  // light up one place more than the others, and move to it
  showPlace(pattern, place, move = true) {
    const { run } = this;
    this.current = new Map();
    if (pattern)
      run.nodesOf(pattern, place).forEach((node, at) => run.isOnMap(node) && this.current.set(node, at));
    this.near = move;
    this.renderer.scheduleRefresh();
    if (move && this.current.size) this.moveTo([...this.current.keys()]);
  }

  showNode(node) {
    this.found = node;
    this.current = new Map();
    this.near = true;
    this.renderer.scheduleRefresh();
    if (this.run.isOnMap(node)) this.moveTo([node]);
  }

  showWhole() {
    this.animate({ x: 0.5, y: 0.5, ratio: 1 });
  }

  moveTo(nodes) {
    const points = nodes.map((node) => this.points[node]);
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const least = Math.min(0.5, 0.7 / Math.sqrt(this.run.numNodes));
    const ratio = Math.min(1, Math.max(1.8 * Math.max(right - left, high - low), least));
    this.animate({ x: (left + right) / 2, y: (low + high) / 2, ratio });
  }

  animate(state) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.renderer.getCamera().animate(state, { duration: still ? 0 : 250 });
  }

  zoom(factor) {
    const camera = this.renderer.getCamera();
    this.animate({ ratio: camera.getBoundedRatio(camera.getState().ratio * factor) });
  }

  onKey(event) {
    const { x, y, ratio } = this.renderer.getCamera().getState();
    const step = 0.12 * ratio;
    const moves = {
      ArrowLeft: { x: x - step },
      ArrowRight: { x: x + step },
      ArrowUp: { y: y + step },
      ArrowDown: { y: y - step },
    };
    if (moves[event.key]) this.animate(moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(1 / 1.5);
    else if (event.key === "-") this.zoom(1.5);
    else if (event.key === "0") this.showWhole();
    else return;
    event.preventDefault();
  }

  // what is seen, as SVG; only what lies within the canvas
  toSvg() {
    const { renderer, run } = this;
    const { width, height } = renderer.getDimensions();
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const add = (name, attributes, text = "") => {
      const element = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      element.textContent = text;
      svg.append(element);
    };
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      svg.setAttribute(key, value);
    add("rect", { width, height, fill: this.shade(this.paper, 1) });
    const scale = renderer.scaleSize(1);
    const drawn = run.x.map((x, node) => {
      const data = renderer.getNodeDisplayData(String(node));
      return { ...data, ...renderer.framedGraphToViewport(this.points[node]) };
    });
    const inside = ({ x, y }) => x > -50 && y > -50 && x < width + 50 && y < height + 50;
    const edges = run.from.map((from, edge) => [renderer.getEdgeDisplayData(String(edge)), drawn[from], drawn[run.to[edge]], edge]);
    for (const [look, a, b, edge] of edges.sort((one, other) => one[0].zIndex - other[0].zIndex)) {
      if (!inside(a) && !inside(b)) continue;
      add("line", { x1: a.x.toFixed(1), y1: a.y.toFixed(1), x2: b.x.toFixed(1), y2: b.y.toFixed(1), stroke: look.color, "stroke-width": look.size });
      if (!run.relations[run.kind[edge]].directed) continue;
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
      const tip = [b.x - dx * b.size * scale, b.y - dy * b.size * scale];
      const head = 4 + 1.5 * look.size;
      const base = [tip[0] - dx * head, tip[1] - dy * head];
      const points = [tip, [base[0] - 0.4 * dy * head, base[1] + 0.4 * dx * head], [base[0] + 0.4 * dy * head, base[1] - 0.4 * dx * head]];
      add("polygon", { points: points.map((point) => point.map((part) => part.toFixed(1)).join()).join(" "), fill: look.color });
    }
    for (const node of drawn.filter(inside).sort((one, other) => one.zIndex - other.zIndex)) {
      const r = node.size * scale;
      add("circle", { cx: node.x.toFixed(1), cy: node.y.toFixed(1), r: r.toFixed(1), fill: node.color });
      if (!node.forceLabel) continue;
      const place = { x: (node.x + r + 3).toFixed(1), y: (node.y + 4).toFixed(1) };
      add("text", { ...place, "font-size": 12, "font-family": "sans-serif", fill: this.shade(this.ink, 1) }, node.label);
    }
    return svg;
  }
}

function toRgb(color) {
  const hex = color.trim().slice(1);
  return [0, 2, 4].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

// Copy what layers of canvases show to one canvas of the same size.
function takePicture(picture, layers) {
  const [{ width, height, style }] = layers;
  Object.assign(picture, { width, height });
  Object.assign(picture.style, { width: style.width, height: style.height });
  const context = picture.getContext("2d");
  for (const layer of layers) if (layer.width && layer.height) context.drawImage(layer, 0, 0, width, height);
}
