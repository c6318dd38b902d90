"""The page as a widget in JupyterLab: what is selected there and in Python is the same."""

import ast
import json
import os
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from jupyter import ask, execute, jupyter_lab, notebook, run_cell, write_notebook

pytestmark = pytest.mark.browser
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))
# houses on a ring, whose nodes have names
MINED = """
import networkx as nx

from gomkcn import MiningRun, PatternMiner

graph = nx.cycle_graph([f"ring{number}" for number in range(60)])
for copy in range(6):
    ends = [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4)]
    graph.add_edges_from((f"{copy}{'abcde'[u]}", f"{copy}{'abcde'[v]}") for u, v in ends)
    graph.add_edge(f"{copy}a", f"ring{10 * copy}")
run = MiningRun.of(PatternMiner(null_samples=99, random_state=0).fit(graph), graph)
"""
# of the notebook around a page
FONTS = """
[...document.querySelectorAll('body, button, p, .jp-Cell')].map((one) => getComputedStyle(one).font)
"""
SHOWN = "from mined import run\nwidget = run.explore()\nwidget"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("lab")
    (made / "mined.py").write_text(MINED, "utf-8")
    return made


@pytest.fixture(scope="module")
def lab(folder):
    with jupyter_lab(folder) as address:
        yield address


def frame_of(page, number=0):
    """The page of a widget, once it can be used."""
    frame = page.frame_locator("iframe[title=Motifs]").nth(number)
    frame.locator("#explorer[data-ready]").wait_for()
    return frame


def shot(page, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"widget_{name}.png")


def test_a_click_is_known_in_python_and_python_selects(started, lab, folder):
    print_it, set_it = "print(widget.selected)", "widget.selected = {'motif': 0, 'copy': 3}"
    other, print_other = "other = run.explore()\nother", "print(other.selected)"
    write_notebook(folder / "clicks.ipynb", [SHOWN, print_it, set_it, other, print_other])
    # both widgets are in view
    with notebook(started, lab, "clicks.ipynb", height=1900) as page:
        run_cell(page, 0)
        frame = frame_of(page)
        frame.get_by_role("button", name="house").first.click()
        frame.get_by_label("Next copy").click()
        frame.get_by_label("Next copy").click()
        drawn = frame.locator("#detail dl.map dd").all_inner_texts()
        selected = ast.literal_eval(run_cell(page, 1))
        assert selected == {"motif": 0, "copy": 1, "nodes": drawn}
        assert sorted(name[1] for name in drawn) == list("abcde")

        run_cell(page, 2)
        frame.get_by_text("copy 4 of 6").wait_for()
        # another widget of the run has nothing selected, and selects for itself
        run_cell(page, 3)
        other = frame_of(page, 1)
        assert "6 copies of 1 structure" in other.locator("#detail").inner_text()
        other.locator("#find").fill("ring7")
        other.locator("#find").press("Enter")
        assert "Node ring7" in other.locator("#detail").inner_text()
        assert run_cell(page, 4).strip() == "{'node': 'ring7'}"
        assert "copy 4 of 6" in frame.locator("#detail").inner_text()
        shot(page, "two")


def test_links_of_the_page_stay_on_it(started, lab, folder):
    write_notebook(folder / "links.ipynb", [SHOWN])
    with notebook(started, lab, "links.ipynb") as page:
        run_cell(page, 0)
        frame = frame_of(page)
        frame.get_by_role("link", name="run details").click()
        assert frame.locator("#details").is_visible()
        frame.locator(".profile a").first.click()
        assert frame.locator("tr.row.on").count() == 1


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_it_has_the_colours_of_the_notebook_which_keeps_its_own(started, lab, folder, theme):
    write_notebook(folder / f"{theme}.ipynb", [SHOWN, "1"])
    # from one theme to the other, whatever the system prefers
    before = {"Light": "Dark", "Dark": "Light"}[theme]
    papers = {"Light": "rgb(255, 255, 255)", "Dark": "rgb(18, 21, 25)"}
    with notebook(started, lab, f"{theme}.ipynb") as page:
        plain = page.evaluate(FONTS)
        run_cell(page, 0)
        frame = frame_of(page)
        for now in (before, theme):
            execute(page, "apputils:change-theme", theme=f"JupyterLab {now}")
            body = frame.locator("body")
            body.evaluate(
                """async (body, paper) => {
                  while (getComputedStyle(body).backgroundColor !== paper)
                    await new Promise(requestAnimationFrame);
                }""",
                papers[now],
            )
            assert body.evaluate("() => gomkcnExplorer.view.colors.paper") == (
                "#ffffff" if now == "Light" else "#121519"
            )
        frame.get_by_role("button", name="house").first.click()
        shot(page, theme.lower())
        assert page.evaluate(FONTS) == plain


def test_it_outlives_its_kernel(started, lab, folder):
    write_notebook(folder / "kept.ipynb", [SHOWN])
    with notebook(started, lab, "kept.ipynb") as page:
        run_cell(page, 0)
        frame_of(page).get_by_role("button", name="house").first.click()
        (session,) = [one for one in ask(lab, "sessions") if one["name"] == "kept.ipynb"]
        ask(lab, f"kernels/{session['kernel']['id']}/restart", "POST")
        frame_of(page).get_by_label("Next copy").click()
        assert "copy 1 of 6" in frame_of(page).locator("#detail").inner_text()
        execute(page, "docmanager:save")
    saved = json.loads((folder / "kept.ipynb").read_text("utf-8"))
    assert "widget-state" in str(saved["metadata"])
    # where there are no widgets, the tables are shown
    assert "<svg" in "".join(saved["cells"][0]["outputs"][0]["data"]["text/html"])
    ask(lab, f"sessions/{session['id']}", "DELETE")
    with notebook(started, lab, "kept.ipynb") as page:
        frame = frame_of(page)
        assert "copy 1 of 6" in frame.locator("#detail").inner_text()
        frame.get_by_label("Next copy").click()
        assert "copy 2 of 6" in frame.locator("#detail").inner_text()
        shot(page, "reopened")
