"""The page of a run in a browser: its size, how soon it is ready, and how smoothly it pans.

    python benchmarks/page.py

needs chromium and `pip install playwright`. Chromium draws with the processor, without a graphics
card. The runs are made by hand from random graphs with communities, so that nothing is mined. Pages
of real graphs are those that docs/site/make_gallery.py has made.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from measure import Timing
from record import Bench, bench_command

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining.html.report import render_report
from mining.mining_run import GraphSummary, MiningRun
from mining.motif_sets.motif_set import MotifSet
from mining.occurrences import Occurrences
from mining.pattern import Frequency, OccurrenceCount, Pattern
from mining.plots.graph_map import GraphMap

REPEATS = 5
# nodes, edges, and listed places of all patterns together
SIZES = ((1000, 2000, 1000), (5000, 20_000, 10_000), (5000, 100_000, 10_000))
GALLERY = Path(__file__).parents[1] / "docs/gallery"
QUICK_SIZES = ((200, 400, 100),)
NUM_PATTERNS, PATTERN_SIZE = 10, 5
FLAGS = ("--no-sandbox",)
# moves the view for two seconds, and returns frames a second
PAN = """
async () => {
  let frames = 0;
  const view = gomkcnExplorer.view;
  // a gallery of small graphs does not pan
  if (!view.draw) return null;
  const start = performance.now();
  while (performance.now() - start < 2000) {
    view.left += 2;
    view.draw();
    await new Promise(requestAnimationFrame);
    frames += 1;
  }
  return (1000 * frames) / (performance.now() - start);
}
"""


@bench_command("page", REPEATS, "loads of each page: median (range)")
def main(bench: Bench) -> None:
    """Write pages, open them, and pan the graph."""
    if shutil.which("chromium") is None:
        raise click.UsageError("the benchmark needs chromium: apt-get install chromium.")
    table = bench.table(
        "",
        {
            "nodes": ",",
            "edges": ",",
            "listed places": ",",
            "written in": "",
            "MB": ".2f",
            "ready after": "",
            "frames/s": ".0f",
        },
    )
    real = bench.table(
        "Pages of the gallery",
        {"page": "", "nodes": ",", "edges": ",", "MB": ".2f", "ready after": "", "frames/s": ".0f"},
    )
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        for sizes in QUICK_SIZES if bench.quick else SIZES:
            run = run_of(graph_of(*sizes[:2]), sizes[2])
            file = Path(folder) / "report.html"
            written = timed(lambda run=run, file=file: file.write_text(render_report(run)), 2)
            ready, frames = open_page(browser, file, bench.repeats)
            table.add(*sizes, written, file.stat().st_size / 1e6, ready, frames)
        for file in [] if bench.quick else sorted(GALLERY.glob("*/report.html")):
            graph = json.loads((file.parent / "run/run.json").read_text("utf-8"))["graph"]
            measured = open_page(browser, file, bench.repeats)
            size = file.stat().st_size / 1e6
            real.add(file.parent.name, graph["num_nodes"], graph["num_edges"], size, *measured)
    bench.note(
        "Ready: from the request to the file until tables and graph answer. Frames: while the view "
        "moves for two seconds, median of the loads; 60 is the most that the browser draws. The "
        "positions are computed while mining, and are not in these times."
    )


def timed(call: Any, repeats: int) -> Timing:
    """Seconds of each of some calls."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return Timing(tuple(seconds))


@contextlib.contextmanager
def started() -> Iterator[Any]:
    """A browser that has opened a page before."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def open_page(browser: Any, file: Path, repeats: int) -> tuple[Timing, float | None]:
    """Seconds until a page is ready, and frames a second while it pans, if it does."""
    ready, frames = [], []
    for _ in range(repeats):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        page.wait_for_selector("#explorer[data-ready]")
        ready.append(int(page.get_attribute("#explorer", "data-ready")) / 1000)
        # the graph is drawn after that
        page.wait_for_timeout(3000)
        frames.append(page.evaluate(PAN))
        page.close()
    return Timing(tuple(ready)), None if None in frames else statistics.median(frames)


def graph_of(num_nodes: int, num_edges: int) -> CSRGraph:
    """A graph of which four in five edges stay within a community of 100 nodes."""
    rng = np.random.default_rng(0)
    keys = np.empty(0, np.int64)
    while len(keys) < num_edges:
        source = rng.integers(0, num_nodes, 2 * num_edges)
        target = source // 100 * 100 + rng.integers(0, 100, len(source))
        away = rng.random(len(source)) < 0.2
        target[away] = rng.integers(0, num_nodes, away.sum())
        low, high = np.minimum(source, target), np.maximum(source, target)
        keys = np.unique(np.concatenate([keys, (low * num_nodes + high)[low < high]]))
    keys = rng.permutation(keys)[:num_edges]
    ends = keys // num_nodes, keys % num_nodes
    return csr_from_edges(*ends, num_nodes, features=np.ones(num_nodes), undirected=True)


def run_of(graph: CSRGraph, num_places: int) -> MiningRun:
    """A run of ten patterns, paths of five nodes, whose places are random walks."""
    rng = np.random.default_rng(0)
    walks = rng.integers(0, graph.num_nodes, (num_places, 1))
    for _ in range(PATTERN_SIZE - 1):
        last = walks[:, -1]
        step = (rng.random(num_places) * graph.degrees[last]).astype(np.int64)
        walks = np.column_stack([walks, graph.indices[graph.indptr[last] + step]])
    patterns = [
        pattern_of(number, part) for number, part in enumerate(np.array_split(walks, NUM_PATTERNS))
    ]
    summary = GraphSummary("graph.txt", 1, graph.num_nodes, graph.num_edges, graph.feature_names)
    found = MotifSet((), 0.0, 0.0)
    shown = GraphMap.of(graph, found, patterns)
    return MiningRun(summary, patterns, found, [], {}, {}, map=shown)


def pattern_of(number: int, places: np.ndarray) -> Pattern:
    size = len(places)
    exact = OccurrenceCount.exact(size)
    return Pattern(
        Structure.parse(f"path-{PATTERN_SIZE}"),
        id=number,
        feature_names=("x0",),
        frequency=Frequency(exact, graphs=1, roots=size, assigned=size, listed=size, disjoint=1),
        occurrences=Occurrences(places, np.ones(size), np.zeros(size, np.int64)),
    )


if __name__ == "__main__":
    main()
