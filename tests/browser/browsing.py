"""Reports of seven kinds of graph, small ones where the real data are not there, and a browser."""

import contextlib
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
from playwright.sync_api import sync_playwright

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.show.report import render_report
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr

# text that a page without care would run
HOSTILE = "</script><img src=x onerror=alert(1)>"
HOUSE = [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4)]


def planted():
    """Houses on a ring."""
    graph = nx.cycle_graph(60)
    for copy in range(6):
        first = len(graph)
        graph.add_edges_from((first + u, first + v) for u, v in HOUSE)
        graph.add_edge(first, 10 * copy)
    return as_csr(graph)


def damaged():
    """Cliques on a ring, every third without an edge."""
    graph = nx.cycle_graph(60)
    for first in range(60, 120, 5):
        graph.update(nx.relabel_nodes(nx.complete_graph(5), lambda node, to=first: to + node))
        graph.add_edge(first, first - 60)
    graph.remove_edges_from((first + 1, first + 2) for first in range(60, 120, 15))
    return as_csr(graph)


def molecules():
    """Labelled rings with a typed bond in three classes; a label and a class are hostile."""
    count = 24
    first = 7 * np.repeat(np.arange(count), 7)
    source = first + np.tile([0, 1, 2, 3, 4, 5, 0], count)
    target = first + np.tile([1, 2, 3, 4, 5, 0, 6], count)
    graph = csr_from_edges(
        source,
        target,
        7 * count,
        features=np.eye(2)[[0, 0, 0, 0, 0, 0, 1] * count],
        feature_names=["label=C", f"label={HOSTILE}"],
        relation=np.array([0, 0, 0, 0, 0, 0, 1] * count),
        relation_names=["aromatic", HOSTILE],
        graph_ptr=np.arange(0, 7 * count + 1, 7),
        directed=[False, False],
    )
    return graph, ["toxic", "harmless", HOSTILE] * (count // 3)


def directed():
    """Feed-forward loops in a ring of arcs."""
    first = 3 * np.arange(20)
    source = np.concatenate([first, first, first + 1, first + 2])
    target = np.concatenate([first + 1, first + 2, first + 2, (first + 3) % 60])
    return csr_from_edges(source, target, 60, features=np.ones(60), directed=True)


def typed():
    """The same with kinds of edges, and nodes with names, one of them hostile."""
    graph = directed()
    source, target, _ = graph.edges()
    names = [HOSTILE, *(f"gene{number}" for number in range(1, 60))]
    return csr_from_edges(
        source,
        target,
        60,
        features=np.ones(60),
        node_ids=np.array(names),
        relation=(source + target) % 3,
        relation_names=["activates", "represses", "both"],
        directed=[True, True, True],
    )


def categories():
    """Squares of two kinds of nodes."""
    squares = nx.disjoint_union_all([nx.cycle_graph(4)] * 15)
    source, target = np.array(squares.edges).T
    features = np.eye(2)[[0, 1, 0, 1] * 15]
    names = ["kind=person", "kind=place"]
    return csr_from_edges(
        source, target, 60, features=features, feature_names=names, undirected=True
    )


def nothing():
    """A graph in which no motif saves bits."""
    return as_csr(nx.gnm_random_graph(150, 200, seed=0))


GRAPHS = {
    make.__name__: make
    for make in (planted, damaged, molecules, directed, typed, categories, nothing)
}


def page_of(graph):
    """The page of a quick run, with few random graphs; of a pair, with classes of the graphs."""
    graph, y = graph if isinstance(graph, tuple) else (graph, None)
    miner = PatternMiner(pattern_size=(3, 5), null_samples=99, random_state=0).fit(graph, y)
    return render_report(MiningRun.of(miner, graph))


@contextlib.contextmanager
def browser():
    """Debian's chromium, which draws with the processor."""
    path = shutil.which("chromium")
    assert path, "tox -e browser needs chromium: apt-get install chromium"
    flags = ["--no-sandbox"]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=flags)
        try:
            yield started
        finally:
            started.close()


@contextlib.contextmanager
def opened(started, file: Path, width=1280, *, ready="#explorer[data-ready]", **options):
    """A page at a width, once an element is there; no error, warning or request may come of it."""
    size = {"width": width, "height": 900}
    page = started.new_page(viewport=size, accept_downloads=True, **options)
    said = []
    page.on(
        "console",
        lambda message: said.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    page.on(
        "request",
        lambda request: said.append(request.url) if request.url.startswith("http") else None,
    )
    page.goto(file.as_uri())
    page.wait_for_selector(ready)
    yield page
    page.close()
    assert not said, said
