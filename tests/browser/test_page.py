"""The page in a browser: what a reader does with it, on seven kinds of graph and at two widths."""

import csv
import io
import os
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest

pytest.importorskip("playwright")
from browsing import GRAPHS, HOSTILE, opened, page_of
from tiny_runs import run_with_variant

from gomkcn.mining.show.report import render_report
from gomkcn_dgl import as_csr

pytestmark = pytest.mark.browser
WIDTHS = (1280, 390)
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))


def saved(page, button):
    """The bytes of what a button saves."""
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_bytes()


def view(page, what):
    """What the drawing of one graph is at, in numbers."""
    return page.evaluate(f"gomkcnExplorer.view.{what}")


def rows_with_places(page):
    """Rows that select something: motifs, then patterns."""
    return page.locator("tr.row:visible button.name")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_reader_selects_a_row_and_steps_through_its_places(started, page_files, name, width):
    with opened(started, page_files(name), width) as page:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}_{width}.png", full_page=True)
        # nothing is wider than the window
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if not rows_with_places(page).count():
            assert (
                name == "nothing" and "No motif saves bits" in page.locator("h1 + p").inner_text()
            )
            return
        button = rows_with_places(page).first
        # where there is no motif, one may be selected from the start
        if button.get_attribute("aria-pressed") == "false":
            button.click()
        assert button.get_attribute("aria-pressed") == "true"
        title = button.inner_text()
        assert title in page.locator("#detail h3").inner_text()
        page.locator("#detail").get_by_label("Next", exact=False).first.click()
        assert " 1 of " in page.locator("#detail .pager").inner_text()
        letters = page.locator("#detail dl.map dt").all_inner_texts()
        # in a collection the graph is named first
        letters = [letter for letter in letters if letter != "in"]
        assert letters == list("ABCDEFGHIJ")[: len(letters)] != []
        # from a node of the place to the node, and the selection is cleared by Escape
        page.locator("#detail dl.map button").last.click()
        assert page.locator("#detail h3").inner_text().startswith("Node ")
        page.keyboard.press("Escape")
        assert button.get_attribute("aria-pressed") == "false"


def test_a_copy_shows_the_edge_that_it_lacks(started, page_files):
    graph = GRAPHS["damaged"]()
    edges = {frozenset(pair) for pair in zip(*graph.edges()[:2], strict=True)}
    with opened(started, page_files("damaged")) as page:
        page.locator("tr.row button.name").first.click()
        lacking = 0
        for _ in range(12):
            page.get_by_label("Next copy").click()
            nodes = [int(one) for one in page.locator("#detail dl.map dd").all_inner_texts()]
            truth = {frozenset(pair) for pair in combinations(nodes, 2)} - edges
            drawn = view(
                page,
                "light.missing.map(([u, v]) => [u, v].map((at) => gomkcnExplorer.run.names[at]))",
            )
            assert {frozenset(pair) for pair in drawn} == truth
            said = page.locator("#detail p.sub").last.inner_text()
            letters = [
                "–".join(sorted("ABCDE"[nodes.index(node)] for node in pair)) for pair in truth
            ]
            assert said == (
                f"missing: {letters[0]}" if truth else "exact: all edges of the motif and no others"
            )
            lacking += len(truth)
        assert lacking == 4


def test_a_node_is_clicked_found_and_leads_to_its_copy(started, page_files):
    with opened(started, page_files("planted")) as page:
        # the filters stand above the graph, whose nodes may be below the window
        canvas = page.locator("#canvas canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        x, y = view(page, "place(60)")
        page.mouse.click(box["x"] + x, box["y"] + y)
        assert page.locator("#detail h3").inner_text() == "Node 60"
        page.locator("#detail button.link").first.click()
        assert page.locator("#detail h3").inner_text().startswith("Motif 0")
        page.locator("#find").fill("75")
        page.keyboard.press("Enter")
        assert page.locator("#detail h3").inner_text() == "Node 75"
        page.locator("#find").fill("no such node")
        page.keyboard.press("Enter")
        assert "No node has this name." in page.locator("#found").inner_text()


def test_rows_open_and_bars_lead_to_them(started, page_files):
    with opened(started, page_files("planted")) as page:
        hidden = page.locator("tr[data-more]:not(:visible)").count()
        assert hidden
        for button in page.locator("tr.more button").all():
            button.click()
        assert page.locator("tr[data-more]:not(:visible)").count() == 0
        bar = page.locator(".profile a").first
        target = bar.get_attribute("href")
        bar.focus()
        page.keyboard.press("Enter")
        assert page.url.endswith(target)
        assert page.locator(target).is_visible()


def test_the_graph_copies_and_tables_are_saved(started, page_files):
    with opened(started, page_files("planted")) as page:
        svg = ElementTree.fromstring(saved(page, page.get_by_label("Save the drawing as SVG")))
        dots = [one for one in svg if one.get("fill") != "none" and "C" in (one.get("d") or "")]
        assert len(dots) == 60 + 6 * 5
        png = saved(page, page.get_by_label("Save the drawing as PNG"))
        assert png.startswith(b"\x89PNG")
        rows = saved(page, page.get_by_label("Save the listed occurrences as CSV")).decode("utf-8")
        copies = page.evaluate("gomkcnExplorer.run.motifs.map((one) => one.places.length)")
        assert len(list(csv.reader(io.StringIO(rows)))) == 1 + sum(copies)
        table = page.get_by_role("button", name="Save table as CSV").first
        lines = list(csv.reader(io.StringIO(saved(page, table).decode("utf-8"))))
        assert len(lines) == 1 + page.locator("#t-a tr.row").count()


def test_keys_move_the_graph(started, page_files):
    with opened(started, page_files("planted")) as page:
        page.locator("#canvas canvas").focus()
        whole = view(page, "scale")
        page.keyboard.press("+")
        assert view(page, "scale") > whole
        left = view(page, "left")
        page.keyboard.press("ArrowRight")
        assert view(page, "left") == left - 40
        page.keyboard.press("0")
        assert view(page, "scale") == pytest.approx(whole)


def test_each_selection_has_an_address(started, tmp_path):
    """Numbers are those of the motif set, in which a near variant comes later than on the page."""
    file = tmp_path / "run.html"
    file.write_text(render_report(run_with_variant()), "utf-8")
    with opened(started, file) as page:

        def address():
            return page.evaluate("gomkcnExplorer.address")

        assert address() == ""
        page.locator("#motif-1 button.name").click()
        assert address() == "motif-1"
        page.get_by_label("Next copy").click()
        assert address() == "motif-1-1"
        page.locator("#detail dl.map button").first.click()
        assert address() == "node-8"
        page.get_by_role("button", name="Show 1 structure").click()
        page.locator("#pattern-0 button.name").click()
        page.get_by_label("Previous occurrence").click()
        assert address() == "pattern-0-250"
        # and back, but for what is not there
        page.keyboard.press("Escape")
        for one in ("motif-1", "motif-1-1", "node-8", "pattern-0-250", "motif-7", "node-400", "?"):
            page.evaluate("(one) => gomkcnExplorer.select(gomkcnExplorer.selectionAt(one))", one)
            assert address() == ("" if one in ("motif-7", "node-400", "?") else one)
        # also from the end of a link
        page.evaluate("location.hash = '#motif-1-1'")
        page.locator("#detail .pager").get_by_text("copy 1 of").wait_for()


def test_names_from_files_stay_text(started, page_files):
    """No dialog opens and no image loads, see ``opened``, and the names are there to read."""
    with opened(started, page_files("typed")) as page:
        page.locator("#find").fill(HOSTILE)
        page.keyboard.press("Enter")
        assert HOSTILE in page.locator("#detail h3").inner_text()
        assert page.locator("img").count() == 0


def test_a_structure_alone_shows_its_edges_of_any_relation(started, page_files):
    with opened(started, page_files("typed")) as page:
        sizes = page.evaluate(
            "gomkcnExplorer.run.patterns"
            ".filter((one) => one.places.length && one.edges[0][2] < 0).map((one) =>"
            "[one.edges.length, gomkcnExplorer.run.edgesOf(one, 0).length])"
        )
        assert sizes and all(edges == shown for edges, shown in sizes)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawing_has_the_colours_of_the_page(started, page_files, scheme):
    with opened(started, page_files("planted"), color_scheme=scheme) as page:
        page.screenshot(path=SCREENSHOTS / f"planted_{scheme}.png")
        paper, badge, drawn = (page.evaluate(text) for text in (
            "getComputedStyle(document.body).backgroundColor",
            "getComputedStyle(document.querySelector('#t-a .id')).backgroundColor",
            "gomkcnExplorer.view.colors.m0",
        ))  # fmt: skip
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
        parts = [int(drawn[start : start + 2], 16) for start in (1, 3, 5)]
        assert badge == f"rgb({parts[0]}, {parts[1]}, {parts[2]})"


def test_without_script_all_tables_are_read(started, page_files):
    page = started.new_page(java_script_enabled=False)
    page.goto(page_files("planted").as_uri())
    assert page.locator("tr.row").first.is_visible()
    assert page.locator("tr[data-more]").last.is_visible()
    assert page.locator("#explorer").is_hidden()
    assert page.get_by_text("The drawing of the graph needs JavaScript").is_visible()
    page.close()


def test_what_follows_is_selected_and_the_card_of_a_graph_has_the_main_finding(started, tmp_path):
    # all have a triangle with a tail, from which the longer tail of some follows
    rings = [nx.lollipop_graph(3, 1 + (at < 12)) for at in range(15)]
    graphs = as_csr([*rings, *(nx.path_graph(5) for _ in range(15))])
    file = tmp_path / "classes.html"
    file.write_text(page_of((graphs, ["ring"] * 15 + ["chain"] * 15)), encoding="utf-8")
    with opened(started, file) as page:
        # rows that follow have places of their own
        following = page.locator("#t-c tr.variant button.name")
        assert following.count() > 0
        following.first.click()
        assert following.first.get_attribute("aria-pressed") == "true"
        leader = page.locator("#t-c tr.row button.name").first.inner_text()
        # a graph that has the main finding leads to it, one that has not says nothing of it
        link = page.locator("#detail button.link", has_text=f"{leader} × ")
        for graph, number in (("20", 0), ("3", 1)):
            page.get_by_label("Find graph").fill(graph)
            page.keyboard.press("Enter")
            assert page.locator("#detail h3").inner_text() == f"Graph {graph}"
            assert link.count() == number
        link.click()
        assert page.locator("#t-c tr.row button.name").first.get_attribute("aria-pressed") == "true"


def test_only_graphs_of_the_chosen_class_are_shown(started, page_files):
    with opened(started, page_files("molecules")) as page:
        names = page.locator("#class option").all_inner_texts()
        # classes are in the order of their names
        assert names == ["all", HOSTILE, "harmless", "toxic"]
        page.locator("#class").select_option("2")
        shown = page.locator("#canvas .mol").evaluate_all(
            "all => all.map(one => one.dataset.graph)"
        )
        assert [int(graph) for graph in shown] == [*range(0, 24, 3)]
        assert page.locator("#found").inner_text() == "8 of 8 graphs of the class"
        page.locator("#canvas .mol").first.click()
        assert page.locator("#detail .sub").first.inner_text() == "7 nodes, 7 edges, class toxic"
        page.locator("#class").select_option("")
        assert page.get_by_text("1 to 8 of 24", exact=True).is_visible()


@pytest.mark.parametrize("name", ["molecules", "categories"])
def test_letters_of_the_text_stand_in_the_drawing(started, page_files, name):
    with opened(started, page_files(name)) as page:
        rows_with_places(page).first.click()
        page.locator("#detail").get_by_label("Next", exact=False).first.click()
        drawn = page.locator("#detail .pic-l text").all_text_contents()
        letters = page.locator("#detail dl.map dt").all_inner_texts()
        assert {one for one in letters if one != "in"} <= {*drawn}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", GRAPHS)
def test_axe_finds_no_violation(started, page_files, name, width, scheme):
    """Of the rules of Deque's axe-core, also with all rows open and something selected."""
    axe = pytest.importorskip("axe_playwright_python")
    script = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    # it runs as a script of the page, which the policy of the page forbids
    with opened(started, page_files(name), width, color_scheme=scheme, bypass_csp=True) as page:
        page.evaluate(script)
        for button in page.locator("tr.more button").all():
            button.click()
        if rows_with_places(page).count():
            rows_with_places(page).first.click()
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_each_control_has_a_name_and_is_reached_by_tab(started, page_files):
    with opened(started, page_files("planted")) as page:
        controls = page.locator("#explorer :is(button, input, canvas):visible")
        wanted = controls.evaluate_all("all => all.length")
        page.locator("#explorer #find").focus()
        seen, outlined = 0, 0
        while page.evaluate("Boolean(document.activeElement.closest('#explorer'))"):
            seen += 1
            outlined += page.evaluate(
                "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            )
            page.keyboard.press("Tab")
        assert seen == outlined == wanted


def test_on_paper_all_rows_are_printed(started, page_files):
    with opened(started, page_files("planted")) as page:
        page.emulate_media(media="print")
        assert page.locator("tr[data-more]").last.is_visible()
        assert page.get_by_label("Save the drawing as SVG").is_hidden()
