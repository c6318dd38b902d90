"""The page of filters in a browser: what a reader does with it, and what the drawing then says."""

import csv
import io
import os
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("playwright")
from browsing import GRAPHS, HOSTILE, HOUSE, opened

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.show.filters_page import render_filters
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.graph_classes import GraphClasses

pytestmark = pytest.mark.browser
WIDTHS = (1400, 390)
# the filters of the last one have several sizes, and are beside random graphs
NAMES = ("coloured", "molecules", "typed", "nothing", "sizes")
FREQUENT = FilterMiner(4, filter_size=5, contrast=False, learning=FilterLearning(num_epochs=3))
MINERS = {"sizes": FilterMiner(3)}
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))


def coloured():
    """Houses on a ring, whose nodes have three features."""
    graph = GRAPHS["planted"]()
    source, target, _ = graph.edges()
    features = np.random.default_rng(0).random((graph.num_nodes, 3))
    return csr_from_edges(
        source,
        target,
        graph.num_nodes,
        features=features,
        feature_names=["a", "b", "c"],
        undirected=True,
    )


def sizes():
    """Houses and wheels on a ring."""
    copies = [nx.Graph(HOUSE)] * 6 + [nx.wheel_graph(7)] * 6
    graph = nx.disjoint_union_all([nx.cycle_graph(120), *copies])
    ends = [120 + sum(map(len, copies[:number])) for number in range(len(copies))]
    graph.add_edges_from((10 * number, end) for number, end in enumerate(ends))
    return graph


OWN = {"coloured": coloured, "sizes": sizes}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """The miner, the run and the file of a page, by the name of its graph."""
    folder, made = tmp_path_factory.mktemp("filters"), {}

    def make(name):
        if name not in made:
            graph = OWN[name]() if name in OWN else GRAPHS[name]()
            classes = None
            if isinstance(graph, tuple):
                graph, labels = graph
                names, numbers = np.unique(labels, return_inverse=True)
                classes = GraphClasses(numbers, tuple(names.tolist()))
            graph = as_csr(graph)
            miner = MINERS.get(name, FREQUENT).unfitted().fit(graph)
            run = FiltersRun.of(miner, graph, classes=classes)
            file = folder / f"{name}.html"
            file.write_text(render_filters(run), encoding="utf-8")
            made[name] = miner, run, file
        return made[name]

    return make


def ask(page, what):
    return page.evaluate(f"gomkcnExplorer.{what}")


def saved(page, button):
    """The bytes of what a button saves."""
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_reader_selects_a_filter_and_steps_through_its_nodes(started, runs, name, width):
    miner, run, file = runs(name)
    with opened(started, file, width) as page:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"filters_{name}_{width}.png", full_page=True)
        # nothing is wider than the window
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#h-c").inner_text() == "The filter that a node is nearest to"
        assert page.locator("#scale").is_hidden()
        button = page.locator("#t-a tr.row button.name").first
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        # where a filter responds, from blue to yellow, with the ends of the scale
        assert page.locator("#h-c").inner_text() == "Response to filter 0"
        known = miner.responses_[:, 0]
        ends = [page.locator(end).inner_text() for end in ("#low", "#high")]
        assert ends == [f"{value:.2f}" for value in np.round([known.min(), known.max()], 3)]
        lowest, highest = int(known.argmin()), int(known.argmax())
        colors = [ask(page, f"run.colorOf({row}, {{}})") for row in (lowest, highest)]
        assert colors == ["rgb(68,1,84)", "rgb(253,231,37)"]
        assert page.locator("#detail h3").inner_text().startswith("Filter 0: ")
        # its nodes, the most similar first
        page.get_by_label("Next node").click()
        own = np.flatnonzero(miner.labels_ == 0)
        first = own[np.argsort(-np.round(miner.similarities_[own], 3), kind="stable")[0]]
        title = page.locator("#detail h3").inner_text()
        assert title.startswith(f"Node {run.map.names[first]}")
        assert title.endswith(f"similarity {miner.similarities_[first]:.2f}")
        # its subgraph stands beside the filter, with the same letters
        drawn = page.locator("#detail .pair figure")
        assert drawn.count() == 2
        letters = page.locator("#detail dl.map dt").all_inner_texts()
        matched = {"ABCDEFGH"[one] for one in miner.matching_[first] if one >= 0}
        assert {one for one in letters if one not in ("in", "–")} == matched
        assert set("".join(drawn.nth(1).locator("text").all_text_contents())) == matched
        page.locator("#detail dl.map button").last.click()
        assert page.locator("#detail h3").inner_text().startswith("Node ")
        page.keyboard.press("Escape")
        assert button.get_attribute("aria-pressed") == "false"
        assert page.locator("#h-c").inner_text() == "The filter that a node is nearest to"


def test_a_node_is_matched_node_by_node(started, runs):
    """What is said of a subgraph is what its edges say."""
    miner, run, file = runs("coloured")
    graph = coloured()
    joined = {frozenset(pair) for pair in zip(*graph.edges()[:2], strict=True)}
    with opened(started, file) as page:
        seen = set()
        for node in range(graph.num_nodes):
            page.evaluate(f"gomkcnExplorer.select({{ kind: 'node', node: {node} }})")
            one = run.filters[miner.labels_[node]]
            rows = [row for row in miner.subgraph_nodes_[node] if row >= 0]
            at = dict(zip(miner.matching_[node].tolist(), rows, strict=False))
            at = {place: row for place, row in at.items() if place >= 0}
            wanted = [frozenset((at[u], at[v])) for u, v in one.structure.edges
                      if u in at and v in at]  # fmt: skip
            within = {pair for pair in joined if pair <= set(rows)}
            missing = sum(pair not in joined for pair in wanted)
            added = len(within - set(wanted))
            light = page.evaluate(
                "(({ missing, added }) => [missing.length, added.size])(gomkcnExplorer.view.light)"
            )
            assert light == [missing, added]
            said = page.locator("#detail p.sub").first.inner_text()
            seen.add(bool(missing))
            assert ("(dotted)" in said) == bool(missing) and ("(thin)" in said) == bool(added)
            exact = bool(miner.is_exact_[node])
            assert ("Its subgraph is the structure of the filter" in said) == exact
        assert seen == {True, False}


def test_colours_say_which_filter_or_one_response(started, runs):
    _, run, file = runs("coloured")
    with opened(started, file) as page:
        badges = page.locator("#t-a .id").evaluate_all(
            "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
        assert len(set(badges)) == len(run.filters)
        for id in range(len(run.filters)):
            hex = ask(page, f"view.colors[gomkcnExplorer.run.filters[{id}].color]")
            parts = [int(hex[at : at + 2], 16) for at in (1, 3, 5)]
            assert badges[id] == f"rgb({parts[0]}, {parts[1]}, {parts[2]})"
        which, response = (
            page.get_by_role("button", name="Nearest filter"),
            page.get_by_role("button", name="Response to one"),
        )
        response.click()
        assert page.locator("#h-c").inner_text() == "Response to filter 0"
        assert which.get_attribute("aria-pressed") == "false"
        page.locator("#filter-1 button.name").click()
        assert page.locator("#h-c").inner_text() == "Response to filter 1"
        # what was asked for stays when another filter is selected
        which.click()
        page.locator("#filter-2 button.name").click()
        assert page.locator("#h-c").inner_text() == "The filter that a node is nearest to"
        assert ask(page, "view.light.nodes.size") == run.filters[2].nearest_nodes.value


def test_a_node_is_clicked_found_and_has_an_address(started, runs):
    miner, _, file = runs("coloured")
    with opened(started, file) as page:
        box = page.locator("#canvas canvas").bounding_box()
        x, y = ask(page, "view.place(60)")
        page.mouse.move(box["x"] + x, box["y"] + y)
        assert page.locator("#tip").inner_text().startswith(f"60 · filter {miner.labels_[60]}, ")
        page.mouse.click(box["x"] + x, box["y"] + y)
        assert page.locator("#detail h3").inner_text().startswith("Node 60: filter ")
        assert ask(page, "address") == "node-60"
        page.get_by_label("Find node").fill("75")
        page.keyboard.press("Enter")
        assert page.locator("#detail h3").inner_text().startswith("Node 75: ")
        # responses lead to the other filters
        page.locator("#detail .responses button").last.click()
        assert page.locator("#detail h3").inner_text().startswith("Filter ")
        for one in ("filter-1", "filter-1-2", "node-7", "filter-9", "node-4000", "?"):
            page.evaluate("(one) => gomkcnExplorer.select(gomkcnExplorer.selectionAt(one))", one)
            assert ask(page, "address") == ("" if one in ("filter-9", "node-4000", "?") else one)
        page.evaluate("location.hash = '#filter-1-2'")
        page.locator("#detail .pager").get_by_text("node 2 of").wait_for()


def test_graphs_of_a_collection_are_in_the_order_of_their_response(started, runs):
    miner, run, file = runs("molecules")
    owner = np.repeat(np.arange(24), 7)
    with opened(started, file) as page:
        page.locator("#filter-1 button.name").click()
        shown = page.locator("#canvas .mol").evaluate_all(
            "all => all.map(one => [Number(one.dataset.graph), one.innerText])"
        )
        highest = [miner.responses_[owner == one, 1].max() for one in range(24)]
        found = [highest[graph] for graph, _ in shown]
        assert found == pytest.approx(sorted(found)[::-1], abs=0.001)
        assert all(f"{highest[graph]:.2f}" in text for graph, text in shown)
        page.locator("#detail").get_by_role("button", name="graph").first.click()
        graph = run.highest[1][0][0]
        assert page.locator("#detail h3").inner_text() == f"Graph {graph}"
        assert page.locator("#detail dl.map dt").count() == 7
        page.locator("#detail dl.map button").first.click()
        assert page.locator("#detail h3").inner_text().startswith(f"Node 0 of graph {graph}: ")
        # of one class alone
        page.get_by_label("Class").select_option("2")
        assert page.locator("#canvas .mol").count() == 8


def test_the_graph_nodes_and_the_table_are_saved(started, runs):
    miner, run, file = runs("coloured")
    with opened(started, file) as page:
        svg = ElementTree.fromstring(saved(page, page.get_by_label("Save the drawing as SVG")))
        dots = [one for one in svg if one.get("fill") != "none" and "C" in (one.get("d") or "")]
        assert len(dots) == len(miner.labels_)
        assert saved(page, page.get_by_label("Save the drawing as PNG")).startswith(b"\x89PNG")
        button = page.get_by_label("Save the nodes with their filters and responses as CSV")
        rows = list(csv.DictReader(io.StringIO(saved(page, button).decode())))
        assert [int(row["filter"]) for row in rows] == miner.labels_.tolist()
        found = [float(row["response_2"]) for row in rows]
        assert found == pytest.approx(miner.responses_[:, 2].tolist(), abs=0.0006)
        table = page.get_by_role("button", name="Save table as CSV")
        lines = list(csv.DictReader(io.StringIO(saved(page, table).decode())))
        for name in ("instances", "nearest_nodes"):
            assert [int(line[name]) for line in lines] == [
                getattr(one, name).value for one in run.filters
            ]
        assert [int(line["occurrences"]) for line in lines] == [
            one.value for one in run.occurrences
        ]


def test_names_from_files_stay_text(started, runs):
    """No dialog opens and no image loads, see ``opened``, and the names are there to read."""
    with opened(started, runs("typed")[2]) as page:
        page.get_by_label("Find node").fill(HOSTILE)
        page.keyboard.press("Enter")
        assert HOSTILE in page.locator("#detail h3").inner_text()
        assert page.locator("img").count() == 0


def test_without_script_the_table_is_read(started, runs):
    page = started.new_page(java_script_enabled=False)
    page.goto(runs("coloured")[2].as_uri())
    assert page.locator("#t-a tr.row").last.is_visible()
    assert page.locator("#explorer").is_hidden()
    assert page.get_by_text("The drawing of the graph needs JavaScript").is_visible()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_violation(started, runs, name, width, scheme):
    """Of the rules of Deque's axe-core: at the start, with a filter and with a node selected."""
    axe = pytest.importorskip("axe_playwright_python")
    script = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    # it runs as a script of the page, which the policy of the page forbids
    with opened(started, runs(name)[2], width, color_scheme=scheme, bypass_csp=True) as page:
        page.evaluate(script)
        for address in ("", "filter-0", "filter-0-1", "graph-3"):
            page.evaluate(
                "(one) => gomkcnExplorer.select(gomkcnExplorer.selectionAt(one))", address
            )
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_each_control_has_a_name_and_is_reached_by_tab(started, runs):
    with opened(started, runs("coloured")[2]) as page:
        controls = page.locator("#explorer :is(button, input, canvas):visible")
        wanted = controls.evaluate_all("all => all.length")
        page.locator("#explorer [data-mode]").first.focus()
        seen = outlined = 0
        while page.evaluate("Boolean(document.activeElement.closest('#explorer'))"):
            seen += 1
            outlined += page.evaluate(
                "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            )
            page.keyboard.press("Tab")
        assert seen == outlined == wanted


def test_on_paper_the_scale_stays_and_buttons_go(started, runs):
    with opened(started, runs("coloured")[2]) as page:
        page.locator("#filter-0 button.name").click()
        page.emulate_media(media="print")
        assert page.locator("#scale").is_visible()
        assert page.get_by_role("button", name="Nearest filter").is_hidden()
        assert page.get_by_label("Save the drawing as SVG").is_hidden()
        # chips have colours that say nothing of responses
        assert page.locator("#explorer .colours").is_hidden()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_without_filters_says_why_and_has_nothing_to_select(started, tmp_path, width):
    graph = nx.gnm_random_graph(150, 240, seed=3)
    miner = FilterMiner().fit(graph)
    file = tmp_path / "none.html"
    file.write_text(render_filters(FiltersRun.of(miner, graph)), encoding="utf-8")
    page = started.new_page(viewport={"width": width, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    assert "has no structure of 3 to 8 nodes" in page.locator("p.lead").inner_text()
    assert page.locator("table, canvas, #explorer").count() == 0
    assert page.locator("#details").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert problems == []
    page.close()
