"""Pictures of the pages of runs, in the light and in the dark, for the site.

    python docs/site/take_pictures.py [DATA]

mines the planted graph of the paper, and takes ``report.png`` and ``filters.png`` of its pages;
then ``many_graphs.png`` of random graphs and ``molecule_classes.png`` of the drugs of the docs.
With a folder DATA of real graphs it also takes ``compare.png`` and ``temporal.png``.

Needs Playwright, Chromium and RDKit. The site shows ``NAME.png`` on a light page and
``NAME_dark.png`` on a dark one: ``transforms.py`` puts the second beside the first.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import networkx as nx
import pandas as pd
from PIL import Image

STATIC = Path(__file__).parents[1] / "static"
DRUGS = STATIC.with_name("data") / "drugs.smi"
# a carboxyl group, or an ester of one
_ACID = "[CX3](=O)[OX2;!$(O[CX3](=O)[#7])]"
# of each family of random graphs
_OF_FAMILY = 10
# what the how-to compares
_NETWORKS = ("ecoli_regulation.csv", "celegansneural.gml")
# of a page in two columns, so that its letters can be read at the width of the site
WIDTH, HEIGHT = 1280, 800
# pixels above what is shown
_MARGIN = 14
# until the graph has come to rest
_MILLISECONDS = 1000


def dark_path(path: Path) -> Path:
    """The picture for a dark page beside that for a light one.

    >>> dark_path(Path("static/report.png")).name
    'report_dark.png'
    """
    return path.with_stem(f"{path.stem}_dark")


def take_picture(
    page: Path,
    target: Path,
    *,
    start: str = ".grid",
    width: int = WIDTH,
    height: int = HEIGHT,
    margin: int = _MARGIN,
    ready: str = "#explorer[data-ready]",
) -> None:
    """Write what a page shows from the element ``start`` on, in the light and in the dark."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("pictures need chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, path in (("light", target), ("dark", dark_path(target))):
            window = {"width": width, "height": height}
            opened = browser.new_page(viewport=window, color_scheme=scheme)
            opened.goto(page.resolve().as_uri())
            opened.wait_for_selector(ready)
            opened.wait_for_timeout(_MILLISECONDS)
            box = opened.locator(start).first.bounding_box()
            top = max(0, box["y"] - margin)
            least = min(height, opened.evaluate("document.body.scrollHeight") - top)
            clip = {"x": 0, "y": top, "width": width, "height": least}
            shot = Image.open(io.BytesIO(opened.screenshot(full_page=True, clip=clip)))
            few = shot.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE)
            few.save(path, optimize=True)
            opened.close()
        browser.close()


def main() -> None:
    """Take the pictures of what is made here, and of the graphs that are in DATA."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "run")
        _gomkcn(folder, "generate planted --out planted.bin")
        _gomkcn(folder, "mine planted.bin --quiet --out run")
        take_picture(run / "report.html", STATIC / "report.png")
        filters = run / "filters" / "filters.html"
        take_picture(filters, STATIC / "filters.png", start="h1", height=1000)
    with tempfile.TemporaryDirectory() as folder:
        _write_families(Path(folder))
        files = " ".join(sorted(path.name for path in Path(folder).iterdir()))
        _gomkcn(folder, f"compare {files} --quiet --out families")
        page = Path(folder, "families", "comparison.html")
        picture = STATIC / "many_graphs.png"
        take_picture(page, picture, start=".heat", width=900, height=840, margin=0, ready="h1")
    with tempfile.TemporaryDirectory() as folder:
        _write_drugs(Path(folder, "drugs.csv"))
        _gomkcn(folder, "train drugs.csv --quiet --out run")
        _gomkcn(folder, f"predict run {DRUGS} --page classes.html")
        page, picture = Path(folder, "classes.html"), STATIC / "molecule_classes.png"
        take_picture(page, picture, start="h1", width=1200, height=690, ready=".mol")
    if len(sys.argv) < 2:
        return
    data = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        genes, neurons = (data / "directed" / name for name in _NETWORKS)
        _gomkcn(folder, f"compare {genes} {neurons} --relation none --out compared")
        page = Path(folder, "compared", "comparison.html")
        take_picture(page, STATIC / "compare.png", start="h1", height=690, ready="h1")
        messages = data / "temporal" / "CollegeMsg.txt.gz"
        _gomkcn(folder, f"temporal {messages} --window 1h --out messages")
        page = Path(folder, "messages", "temporal.html")
        take_picture(page, STATIC / "temporal.png", start="h1", width=960, height=1450, ready="h1")


def _write_families(folder: Path) -> None:
    """Random graphs of about as many edges, of four families, as GraphML."""
    for seed in range(_OF_FAMILY):
        drawn = {
            "er": nx.gnm_random_graph(500, 2000, seed=seed),
            "ba": nx.barabasi_albert_graph(500, 4, seed=seed),
            "ws": nx.watts_strogatz_graph(500, 8, 0.1, seed=seed),
            "geo": nx.random_geometric_graph(500, 0.074, seed=seed),
        }
        for family, graph in drawn.items():
            # places of nodes are no part of what is compared
            bare = nx.Graph(graph.edges)
            bare.add_nodes_from(graph)
            nx.write_graphml(bare, folder / f"{family}_{seed}.graphml")


def _write_drugs(path: Path) -> None:
    """The drugs of the docs with their class, "acid" or "other", as a table."""
    from rdkit import Chem

    drugs = pd.read_csv(DRUGS, sep=" ")
    pattern = Chem.MolFromSmarts(_ACID)
    is_acid = [Chem.MolFromSmiles(text).HasSubstructMatch(pattern) for text in drugs["smiles"]]
    drugs["class"] = ["acid" if one else "other" for one in is_acid]
    drugs[["smiles", "name", "class"]].to_csv(path, index=False)


def _gomkcn(folder: str, command: str) -> None:
    """Run a command, whose paths have no blanks, in a folder."""
    subprocess.run([sys.executable, "-m", "gomkcn", *command.split()], cwd=folder, check=True)


if __name__ == "__main__":
    main()
