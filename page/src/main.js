// The page comes alive: gallery, graph, places and exports know of each other only here.

import { readRun } from "./data.js";
import { addExports, saveSvg, savePng } from "./exports.js";
import { Gallery } from "./gallery.js";
import { GraphView } from "./graph.js";
import { Places } from "./places.js";

async function start() {
  const data = document.getElementById("run-data");
  addExports(document);
  if (!data) return;
  const explorer = document.getElementById("explorer");
  const part = (role) => explorer.querySelector(`[data-role=${role}]`);
  explorer.hidden = false;
  document.body.classList.add("live");
  const run = await readRun(data);

  const tip = part("tip");
  let view = null;
  const places = new Places(run, part("places"), {
    onPlace: (pattern, place, move) => view?.showPlace(pattern, place, move),
    onNode: showNode,
  });
  places.onPlaceOfNode = (pattern, place) => {
    select(pattern.at);
    places.go(place);
  };
  const gallery = new Gallery(document.getElementById("gallery"), { onSelect: select });

  function select(at) {
    const pattern = run.patterns[at];
    gallery.mark(at);
    view?.showPattern(pattern);
    places.showPattern(pattern);
    view?.showWhole();
  }

  function clear() {
    gallery.mark(-1);
    view?.showPattern(null);
    places.clear();
  }

  function showNode(node) {
    places.showNode(node);
    view?.showNode(node);
  }

  function showTip(node) {
    tip.hidden = node < 0;
    if (node < 0) return;
    const features = run.featuresOf(node);
    tip.textContent = run.nameOf(node) + (features ? `: ${features}` : "");
  }

  function find(name) {
    const node = run.names.findIndex((own) => String(own).toLowerCase() === name.trim().toLowerCase());
    part("found").textContent = node < 0 ? "No node has this name." : "";
    if (node >= 0) showNode(node);
  }

  try {
    view = new GraphView(run, part("graph"), { onNode: showNode, onHover: showTip });
  } catch (error) {
    part("graph").textContent = "This browser cannot draw the graph, since it has no WebGL.";
    console.warn(error.message);
  }
  part("find").addEventListener("change", (event) => find(event.target.value));
  const actions = {
    in: () => view?.zoom(1 / 1.5),
    out: () => view?.zoom(1.5),
    whole: () => view?.showWhole(),
    clear,
    svg: () => view && saveSvg(view.toSvg(), "graph"),
    png: () => view && savePng(view.toSvg(), "graph"),
  };
  for (const element of explorer.querySelectorAll("button[data-action]"))
    element.addEventListener("click", actions[element.dataset.action]);
  places.clear();
  // the first pattern is what stands out most
  select(0);
  // milliseconds from the request to an answer
  explorer.dataset.ready = Math.round(performance.now());
  // for the benchmark of the page
  window.gomkcnView = view;
}

start();
