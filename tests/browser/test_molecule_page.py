"""The page of many molecules in a browser: page by page, each whole, the match below its atoms."""

import os
from pathlib import Path

import pytest

pytest.importorskip("playwright")
pytest.importorskip("rdkit")
from browsing import opened
from molecule_runs import many_like, run_of_molecules
from rdkit import Chem

from gomkcn.mining.show.report import render_report

pytestmark = pytest.mark.browser
WIDTHS = (1280, 390)
NUMBER = 1_513
SMILES = ("CC(=O)Oc1ccccc1C(=O)O", "Cn1c(=O)c2c(ncn2C)n(C)c1=O", "C[N+](C)(C)CC(=O)[O-]")
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", "runs/screenshots"))


@pytest.fixture(scope="module")
def mols():
    return many_like([Chem.MolFromSmiles(one) for one in SMILES], NUMBER)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory, mols):
    file = tmp_path_factory.mktemp("molecules") / "report.html"
    file.write_text(render_report(run_of_molecules(mols)), encoding="utf-8")
    return file


def titles(page):
    return page.locator(".mol .title").all_inner_texts()


def status(page):
    return page.locator(".pages [role=status]").inner_text()


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_have_every_molecule_once_in_their_order(started, page_file, width):
    with opened(started, page_file, width) as page:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"many_molecules_{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.get_by_label("Previous page").is_disabled()
        seen = titles(page)
        size = len(seen)
        assert size > 1 and status(page) == f"1 to {size} of 1,513"
        page.get_by_label("Next page").click()
        assert status(page) == f"{size + 1} to {2 * size} of 1,513"
        # the others in the browser itself, which takes no time
        every = page.evaluate("""() => {
            const seen = [];
            const { view } = gomkcnExplorer;
            for (view.turn(-1); ; view.turn(1)) {
                for (const title of document.querySelectorAll(".mol .title"))
                    seen.push(title.textContent);
                if (document.querySelector('.pages [data-by="1"]').disabled) return seen;
            }
        }""")
        assert every == [f"molecule-{number:04d}" for number in range(NUMBER)]
        page.get_by_label("Previous page").click()
        assert page.get_by_label("Next page").is_enabled()


def test_names_are_whole_and_a_page_fits_into_its_box(started, page_file):
    with opened(started, page_file) as page:
        box = page.locator("#canvas")
        assert box.evaluate("(own) => own.scrollHeight <= own.clientHeight")
        for title in page.locator(".mol .title").all():
            assert title.evaluate("(own) => own.scrollWidth <= own.clientWidth + 1")


def test_a_molecule_that_is_found_is_on_the_page_that_is_shown(started, page_file):
    with opened(started, page_file) as page:
        page.get_by_label("Find graph").fill("molecule-1300")
        page.keyboard.press("Enter")
        assert "molecule-1300" in titles(page)
        pressed = page.locator(".mol[aria-pressed=true]")
        assert pressed.locator(".title").inner_text() == "molecule-1300"
        assert "13" in status(page)
        # a selected one is not taken from the page when another is clicked
        page.locator(".mol").last.click()
        assert "molecule-1300" in titles(page)


def test_the_atoms_with_a_colour_are_those_of_the_match(started, page_file, mols):
    with opened(started, page_file) as page:
        page.evaluate("location.hash = 'motif-0'")
        page.wait_for_selector(".mol .halo circle")
        query = Chem.MolFromSmarts("c1ccccc1")
        for title, drawing in zip(titles(page), page.locator(".mol").all(), strict=True):
            mol = mols[int(title[-4:])]
            atoms = {at for match in mol.GetSubstructMatches(query) for at in match}
            assert drawing.locator(".halo circle").count() == len(atoms) > 0
        # betaine and caffeine have no such ring
        assert status(page).endswith(f"of {-(-NUMBER // 3)}")


def test_letters_are_elements_with_hydrogens_and_charges(started, page_file):
    with opened(started, page_file) as page:
        texts = [
            "".join(one.all_text_contents())
            for one in (page.locator(".mol").nth(at).locator("svg text") for at in range(3))
        ]
        assert texts[0].count("O") == 4 and texts[0].count("H") == 1 and "C" not in texts[0]
        assert texts[1].count("N") == 4 and texts[1].count("O") == 2
        assert "N+" in texts[2] and "O−" in texts[2]
