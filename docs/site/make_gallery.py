"""Mine real graphs and put their report pages into the gallery of the site.

    python docs/site/make_gallery.py DATA

mines those of the graphs below that it finds in the folder DATA, with one ``gomkcn mine`` each, and
those that it writes. A run that is already there is not mined again where its page can be rendered
anew. ``docs/gallery/NAME`` then holds ``report.html`` and ``command.txt``, which the site shows
where they are. Where Playwright and Chromium are installed, ``docs/static/gallery`` gets two
pictures of each page: its top, and how it looks in the dark, on a telephone and on paper.
"""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
from PIL import Image

GALLERY = Path(__file__).parents[1] / "gallery"
PICTURES = GALLERY.parent / "static/gallery"
# what is in the repository
OWN_DATA = GALLERY.parent / "data"
GOMKCN = [sys.executable, "-m", "gomkcn"]
# width, height and scheme of the small pictures; what is printed is as wide as an A4 page
LOOKS = ((1280, 960, "dark"), (390, 844, "light"), (390, 844, "dark"), (690, 1000, "print"))
_HEIGHT = 480


@dataclass(frozen=True)
class Exhibit:
    """A graph of the gallery: its folder, where its data lie, and how it is mined."""

    name: str
    title: str
    what: str
    data: str
    options: str = ""


EXHIBITS = (
    Exhibit(
        "molecules",
        "Molecules: MUTAG",
        "188 nitroaromatic compounds, with atoms and bonds, mutagenic or not",
        "MUTAG*/MUTAG",
        "--features labels",
    ),
    Exhibit(
        "drugs",
        "Molecules: 300 drugs",
        "well-known drugs as SMILES, read by RDKit: atoms by element, bonds by type",
        "drugs.smi",
    ),
    Exhibit(
        "genes",
        "Genes: regulation in E. coli",
        "424 operons; a directed edge leads from a regulator to what it regulates",
        "directed/ecoli_regulation.csv",
        "--relation none",
    ),
    Exhibit(
        "genes_typed",
        "Genes, with edge types",
        "the same 424 operons; edges activate, repress, or do both",
        "directed/ecoli_regulation.csv",
    ),
    Exhibit(
        "circuit",
        "A circuit: s420",
        "252 gates and flip-flops of a counter, and the directed edges of its signals",
        "directed/s420.tsv",
        "--directed",
    ),
    Exhibit(
        "novel",
        "A novel: Les Misérables",
        "77 characters; two are joined who appear in one chapter",
        "novel.txt",
    ),
    Exhibit("club", "A karate club", "34 members and their friendships", "club.txt"),
    Exhibit("blocks", "Four blocks", "160 nodes in four groups, drawn at random", "blocks.txt"),
    Exhibit("random", "A random graph", "300 nodes and 600 edges, drawn at random", "random.txt"),
)

NETWORKX = {
    "novel": nx.les_miserables_graph,
    "club": nx.karate_club_graph,
    "blocks": lambda: nx.planted_partition_graph(4, 40, 0.3, 0.01, seed=0),
    "random": lambda: nx.gnm_random_graph(300, 600, seed=0),
}


def main() -> None:
    """Make every page whose data are there, and say which are not."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("DATA must be a folder: python docs/site/make_gallery.py DATA")
    for exhibit in EXHIBITS:
        folder = GALLERY / exhibit.name
        path = _prepare(exhibit, Path(sys.argv[1]), folder)
        if path is None:
            print(f"{exhibit.name}: no {exhibit.data} in {sys.argv[1]}, left out")
        else:
            _make(exhibit, path, folder)


def _prepare(exhibit: Exhibit, data: Path, folder: Path) -> Path | None:
    """Return the path to mine; graphs of NetworkX are written first."""
    folder.mkdir(parents=True, exist_ok=True)
    if exhibit.name in NETWORKX:
        path = folder / exhibit.data
        nx.write_edgelist(NETWORKX[exhibit.name](), path, delimiter="\t", data=False)
        return path
    return next(iter(sorted([*data.glob(exhibit.data), *OWN_DATA.glob(exhibit.data)])), None)


def _make(exhibit: Exhibit, path: Path, folder: Path) -> None:
    """Mine the graph, or render its run anew, and copy the page, with pictures of it."""
    run, options = folder / "run", shlex.split(exhibit.options)
    again = subprocess.run([*GOMKCN, "report", run], capture_output=True)
    if again.returncode != 0:
        command = [*GOMKCN, "mine", path, "--out", run, *options, "--force", "--quiet"]
        subprocess.run(command, check=True)
    page = Path(shutil.copy(run / "report.html", folder / "report.html"))
    command = f"gomkcn mine {path.name} {exhibit.options}".strip()
    (folder / "command.txt").write_text(command + "\n", "utf-8")
    if chromium := shutil.which("chromium"):
        _picture(chromium, page.as_uri(), exhibit.name)


def _picture(chromium: str, address: str, name: str) -> None:
    """The top of a page, and beside each other the same in the dark, narrow and printed."""
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shots = [_shot(browser, address, *look) for look in ((1280, 960, "light"), *LOOKS)]
        browser.close()
    top, *others = shots
    small = [one.resize((one.width * _HEIGHT // one.height, _HEIGHT)) for one in others]
    sheet = Image.new("RGB", (sum(one.width + 8 for one in small) - 8, _HEIGHT), "#8a949e")
    left = 0
    for one in small:
        sheet.paste(one, (left, 0))
        left += one.width + 8
    for picture, file in ((top, f"{name}.png"), (sheet, f"{name}_looks.png")):
        few = picture.quantize(256, method=Image.Quantize.MAXCOVERAGE)
        few.save(PICTURES / file, optimize=True)


def _shot(browser: Any, address: str, width: int, height: int, look: str) -> Image.Image:
    """A page in a window, once the graph is drawn."""
    scheme = "dark" if look == "dark" else "light"
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("#explorer[data-ready]")
    if look == "print":
        page.emulate_media(media="print")
    page.wait_for_timeout(1000)
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    return shot


if __name__ == "__main__":
    main()
