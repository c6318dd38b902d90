"""Figures for a paper that a page saves: each is an SVG and a PDF of what is seen."""

import re
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest

pytest.importorskip("playwright")
from browsing import opened

from gomkcn.mining.patterns.run_comparison import compare, mine_structures
from gomkcn.mining.show.comparison_page import render_comparison

pytestmark = pytest.mark.browser


def saved(page, button):
    """Name and bytes of what a button saves."""
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def both(page, what):
    """The SVG and the PDF of the first figure that is named so."""
    files = []
    for ending in ("SVG", "PDF"):
        button = page.get_by_role("button", name=f"Save the {what} as {ending}").first
        name, content = saved(page, button)
        assert name.endswith(f".{ending.lower()}")
        files.append(content)
    return ElementTree.fromstring(files[0]), files[1]


def select_first(page):
    """Select the first structure of the tables, which a page with a finding has selected."""
    first = page.locator("tr.row:visible button.name").first
    if first.get_attribute("aria-pressed") != "true":
        first.click()


def words_of_pdf(pdf):
    """The texts of a PDF, whose letters are octal codes."""
    texts = re.findall(rb"\(((?:\\\d{3})+)\) Tj", pdf)
    return [bytes(int(one, 8) for one in text.split(b"\\")[1:]).decode("cp1252") for text in texts]


def check_pdf(pdf, svg):
    """Every object is where the table says, and lines and areas are those of the SVG."""
    assert pdf.startswith(b"%PDF-1.4")
    offsets = [int(one) for one in re.findall(rb"(\d{10}) 00000 n", pdf)]
    assert len(offsets) == 6
    for number, offset in enumerate(offsets, 1):
        assert pdf[offset:].startswith(b"%d 0 obj" % number)
    start = int(re.search(rb"startxref\n(\d+)", pdf)[1])
    assert pdf[start:].startswith(b"xref")
    length, stream = re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", pdf, re.S).groups()
    assert int(length) == len(stream)
    paths = [one for one in svg.iter() if one.tag.endswith("path")]
    painted = sum((one.get("fill") != "none") + (one.get("stroke") != "none") for one in paths)
    assert len(re.findall(rb" [fS]$", stream, re.M)) == painted > 0
    box = re.search(rb"MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert [float(one) for one in box.groups()] == pytest.approx(
        [0.75 * float(svg.get(side)) for side in ("width", "height")], abs=0.02
    )


@pytest.mark.parametrize("name", ["directed", "molecules"])
def test_tables_and_drawings_are_saved_as_svg_and_pdf(started, page_files, name):
    with opened(started, page_files(name)) as page:
        svg, pdf = both(page, "table")
        check_pdf(pdf, svg)
        texts = [one.text for one in svg.iter() if one.tag.endswith("text")]
        shown = " ".join(page.locator("table[id]").first.inner_text().split())
        for text in texts:
            # words of a line stand in the page as they are
            assert text in shown, text
        heads = [text for text in words_of_pdf(pdf) if text == "Structure"]
        assert heads == ["Structure"]
        select_first(page)
        svg, pdf = both(page, "structure")
        check_pdf(pdf, svg)
        shapes = page.locator(".pic-l svg").locator("path, circle, rect")
        assert len([one for one in svg.iter() if one.tag.endswith("path")]) == shapes.count()
        _, graph = saved(page, page.locator("#pdf"))
        assert graph.startswith(b"%PDF") and graph.rstrip().endswith(b"%%EOF")


def test_a_figure_has_the_colours_of_a_light_page(started, page_files):
    colours = []
    for scheme in ("light", "dark"):
        with opened(started, page_files("directed"), color_scheme=scheme) as page:
            select_first(page)
            svg, _ = both(page, "structure")
            graph = saved(page, page.locator("#pdf"))[1]
            colours.append(
                ([(one.get("fill"), one.get("stroke")) for one in svg.iter()],
                 sorted(set(re.findall(rb"[\d.]+ [\d.]+ [\d.]+ r?[gG]", graph))))
            )  # fmt: skip
            # and the page has its own again
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 21, 25)")
    assert colours[0] == colours[1]


def test_the_profiles_of_two_graphs_are_saved(started, tmp_path):
    runs = [
        mine_structures(graph)
        for graph in (
            nx.watts_strogatz_graph(40, 6, 0.1, seed=0),
            nx.gnm_random_graph(50, 110, seed=1),
        )
    ]
    file = tmp_path / "comparison.html"
    file.write_text(render_comparison(compare(*runs)), encoding="utf-8")
    with opened(started, file, ready="figure .figure-button") as page:
        svg, pdf = both(page, "profile")
        check_pdf(pdf, svg)
        name = page.locator("svg.profiles").first.locator("text").last.text_content()
        assert name in words_of_pdf(pdf)


def test_letters_of_any_script_are_in_a_pdf(started, page_files):
    with opened(started, page_files("directed")) as page:
        page.evaluate("document.querySelector('button.name').textContent = '図形 of ∆'")
        _, pdf = both(page, "table")
        # a stencil, since fonts of a reader have no such letters
        assert b"/IM true" in pdf
        bits = re.search(rb"ID ([0-9a-f]+)> EI", pdf[pdf.index(b"/IM true") :])[1]
        assert 0 < bits.count(b"f") < len(bits)


def test_methods_and_bibtex_are_copied(started, page_files):
    with opened(started, page_files("directed")) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for label, begin in (
            ("Copy methods", "The graph "),
            ("Copy BibTeX", "@software{gomkcn_dgl,"),
        ):
            page.get_by_role("button", name=label).click()
            page.get_by_role("button", name="Copied").wait_for()
            assert page.evaluate("navigator.clipboard.readText()").startswith(begin)
            page.get_by_role("button", name=label).wait_for()


def test_hostile_names_are_text_of_a_figure(started, page_files):
    with opened(started, page_files("molecules")) as page:
        svg, _ = both(page, "table")
        texts = "".join(one.text for one in svg.iter() if one.tag.endswith("text"))
        assert "</script>" in texts and not [one for one in svg.iter() if one.tag.endswith("img")]
