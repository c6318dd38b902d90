"""The page of a classifier in a browser: a row a class, all filters by the keyboard, on paper."""

import os
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from browsing import opened

from gomkcn.mining.runs.train import TRAIN, TrainingInputs
from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.graph_classes import write_class_names
from gomkcn_dgl.runtime.run import Work, prepare_folder, write_run
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.training_run import read_training_data

pytestmark = pytest.mark.browser
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A network of a moment's training on graphs with motifs, and its page."""
    place = tmp_path_factory.mktemp("classifier")
    dataset = MotifClassificationDataset(80, 12, settings=PlantingSettings("per_node"))
    path = place / "motifs.bin"
    write_dgl_graphs(path, dataset.to_typed(), {"labels": dataset.labels.numpy()})
    write_class_names(path, dataset.motif_names)
    options = {"path": str(path), "num_filters": 4, "num_epochs": 5, "split": (0.5, 0.1, 0.4)}
    settings = ClassifierSettings().override(options)
    data = read_training_data(settings.data)
    run = TRAIN.make(settings, TrainingInputs(data), Work())
    write_run(TRAIN, prepare_folder(TRAIN, place / "run").parent, run)
    return (place / "run" / TRAIN.page).resolve()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reader_opens_all_filters_by_the_keyboard(started, page_file, width, scheme):
    with opened(started, page_file, width, ready="#speakers", color_scheme=scheme) as page:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"classifier_{scheme}_{width}.png", full_page=True)
        names = page.locator(".figure h3").all_inner_texts()
        assert names == ["book", "diamond6", "circle", "email"]
        # in each row a sample, and where a filter speaks that filter and its responses
        for row in page.locator(".figure article").all():
            assert row.locator(".sample svg, .learnt svg, .response svg").count() in (1, 3)
            assert row.locator(".sample .ring").count() == 6
        closed = page.locator(".maps").first
        assert closed.is_hidden()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        assert closed.is_visible() and closed.locator("li").count() == 4
        # nothing is wider than the window
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(started, page_file, width, scheme):
    axe = pytest.importorskip("axe_playwright_python")
    script = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    options = {"color_scheme": scheme, "bypass_csp": True, "ready": "#speakers"}
    with opened(started, page_file, width, **options) as page:
        page.evaluate(script)
        for summary in page.locator(".figure summary").all():
            summary.click()
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_on_paper_rows_stand_on_white_with_their_colours(started, page_file):
    with opened(started, page_file, ready="#speakers", color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        look = "getComputedStyle(document.body)"
        assert page.evaluate(f"{look}.backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate(f"{look}.printColorAdjust") == "exact"
        row = page.locator(".figure article").first
        assert row.evaluate("row => getComputedStyle(row).breakInside") == "avoid"
