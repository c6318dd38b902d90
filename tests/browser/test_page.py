"""The page in a browser: what a reader does with it, on six kinds of graph and at two widths."""

import csv
import io
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("playwright")
from browsing import GRAPHS, HOSTILE, browser, opened, page_of

pytestmark = pytest.mark.browser
WIDTHS = (1280, 420)
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))


@pytest.fixture(scope="session")
def started():
    with browser() as one:
        yield one


@pytest.fixture(scope="session")
def page_files(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            made[name].write_text(page_of(GRAPHS[name]()), encoding="utf-8")
        return made[name]

    return make


def saved(page, button):
    """The bytes of what a button saves."""
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_bytes()


def wait_for_view(page, rule):
    """Wait until the part of the graph that is seen satisfies a rule, and has come to rest."""
    camera = "gomkcnView.renderer.getCamera()"
    # the page's policy does not let the driver wait by itself
    for _ in range(100):
        if page.evaluate(f"!{camera}.isAnimated() && {camera}.getState().{rule}"):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never {rule}: {page.evaluate(f'{camera}.getState()')}")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_reader_explores_the_page(started, page_files, name, width):
    with opened(started, page_files(name), width) as page:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}_{width}.png")
        # nothing is wider than the window
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        tiles = page.locator("#gallery li")
        # the second pattern: its places are listed, and the view moves to one
        second = tiles.nth(1)
        second.get_by_role("button").click()
        assert second.get_by_role("button").get_attribute("aria-pressed") == "true"
        assert page.locator("#explorer h3").inner_text() == "Places of pattern 1"
        wait_for_view(page, "ratio === 1")
        page.get_by_label("Next place").click()
        wait_for_view(page, "ratio < 1")
        assert page.get_by_label("Number of the place").input_value() == "2"
        assert "exactly the edges" in page.locator("#explorer [role=status]").last.inner_text()
        page.screenshot(path=SCREENSHOTS / f"{name}_{width}_place.png")
        # from a node of the place to all patterns that it takes part in, and back to one
        page.locator(".places table").first.get_by_role("button").first.click()
        assert page.locator("#explorer h3").inner_text().startswith("Node ")
        page.locator(".places li").get_by_role("button").first.click()
        assert page.locator("#explorer h3").inner_text().startswith("Places of pattern")


@pytest.mark.parametrize("name", ["categories", "typed"])
def test_patterns_are_searched_and_sorted(started, page_files, name):
    with opened(started, page_files(name)) as page:
        tiles = page.locator("#gallery li")
        total = tiles.count()
        search = page.get_by_label("Search")
        search.fill("no such words")
        assert page.locator("#gallery li:visible").count() == 0
        search.fill("pattern 1")
        assert page.locator("#gallery li:visible").count() >= 1
        search.fill("")
        assert page.locator("#gallery li:visible").count() == total
        for by in ("count", "size"):
            page.get_by_label("Sort by").select_option(by)
            keys = tiles.evaluate_all(f"all => all.map(one => Number(one.dataset.{by}))")
            assert keys == sorted(keys, reverse=True)


def test_figures_and_tables_are_saved(started, page_files):
    with opened(started, page_files("typed")) as page:
        explorer = page.locator("#explorer")
        svg = ElementTree.fromstring(saved(page, explorer.get_by_label("Save the graph as SVG")))
        assert sum(part.tag.endswith("circle") for part in svg.iter()) == 60
        png = saved(page, explorer.get_by_label("Save the graph as PNG"))
        assert png.startswith(b"\x89PNG")
        rows = saved(page, page.get_by_label("Save all listed places as CSV")).decode("utf-8")
        lines = list(csv.reader(io.StringIO(rows)))
        listed = page.get_by_label("Number of the place").get_attribute("max")
        assert len(lines) == 1 + int(listed)
        table = saved(page, page.get_by_label("Save patterns as CSV")).decode("utf-8")
        assert len(list(csv.reader(io.StringIO(table)))) == 1 + page.locator("#gallery li").count()
        drawing = page.get_by_label("Save pattern 0 as SVG")
        ElementTree.fromstring(saved(page, drawing))
        assert saved(page, page.get_by_label("Save pattern 0 as PNG")).startswith(b"\x89PNG")


def test_keys_move_the_graph_and_open_patterns(started, page_files):
    with opened(started, page_files("planted")) as page:
        page.locator("[data-role=graph]").focus()
        page.keyboard.press("+")
        wait_for_view(page, "ratio < 0.7")
        page.keyboard.press("ArrowRight")
        wait_for_view(page, "x > 0.55")
        page.keyboard.press("0")
        wait_for_view(page, "ratio === 1")
        page.locator("#gallery button").nth(1).focus()
        page.keyboard.press("Enter")
        assert page.locator("#explorer h3").inner_text() == "Places of pattern 1"


def test_names_from_files_stay_text(started, page_files):
    """No dialog opens and no image loads, see ``opened``, and the names are there to read."""
    with opened(started, page_files("typed")) as page:
        page.get_by_label("Find a node").fill(HOSTILE)
        page.keyboard.press("Enter")
        assert HOSTILE in page.locator("#explorer h3").inner_text()
        assert page.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(started, page_files, scheme):
    with opened(started, page_files("molecules"), color_scheme=scheme) as page:
        page.screenshot(path=SCREENSHOTS / f"molecules_{scheme}.png")
        ink = page.evaluate("gomkcnView.ink[0]")
        assert (ink > 128) == (scheme == "dark")


def test_without_script_the_page_is_read(started, page_files):
    page = started.new_page(java_script_enabled=False)
    page.goto(page_files("planted").as_uri())
    assert page.locator("#gallery li").count() > 1
    assert page.locator("#explorer").is_hidden()
    assert page.locator("article svg").first.is_visible()
    page.locator("#gallery a").nth(1).click()
    assert page.url.endswith("#pattern-1")
    page.close()


def test_on_paper_there_are_the_patterns(started, page_files):
    with opened(started, page_files("planted")) as page:
        page.emulate_media(media="print")
        assert page.locator("#explorer").is_hidden()
        assert page.locator("#gallery li").last.is_visible()
