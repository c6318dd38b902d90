"""Mine real graphs and put their report pages into the gallery of the site.

    python docs/site/make_gallery.py DATA

mines those of the graphs below that it finds in the folder DATA, with one ``gomkcn mine`` each, and
the planted graph, the novel and the club, which it writes. A run that is already there is not mined
again where its page can be rendered anew. ``docs/gallery/NAME`` then holds ``report.html``,
``command.txt`` and, where Chromium is installed, ``thumbnail.png``; the site shows what it finds.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from paper.data import read_planetoid

GALLERY = Path(__file__).parents[1] / "gallery"
GOMKCN = [sys.executable, "-m", "gomkcn"]
# the top of a page, as wide as a card of the gallery is sharp
WINDOW = "1280,960"


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
        "proteins",
        "Proteins: ENZYMES",
        "600 enzymes of six classes; nodes are helices, sheets and turns",
        "ENZYMES*/ENZYMES",
        "--features labels",
    ),
    Exhibit(
        "people",
        "People: ego-Facebook",
        "4,039 people and their friendships",
        "snap/facebook_combined.txt.gz",
    ),
    Exhibit(
        "authors",
        "Authors: ca-GrQc",
        "5,242 physicists of general relativity; two are joined who wrote a paper together",
        "snap/ca-GrQc.txt.gz",
    ),
    Exhibit(
        "genes",
        "Genes: regulation in E. coli",
        "424 operons; edges activate, repress, or do both",
        "directed/ecoli_regulation.csv",
    ),
    Exhibit(
        "neurons",
        "Neurons: C. elegans",
        "297 neurons of a worm and their directed connections",
        "directed/celegansneural.gml",
    ),
    Exhibit(
        "circuit",
        "A circuit: s420",
        "252 gates and flip-flops of a counter, and the arcs of its signals",
        "directed/s420.tsv",
        "--directed",
    ),
    Exhibit(
        "casts",
        "Casts: IMDB-BINARY",
        "1,000 actors, each with those they played with; edges join members of one cast",
        "IMDB-BINARY*/IMDB-BINARY",
    ),
    Exhibit(
        "novel",
        "A novel: Les Misérables",
        "77 characters; two are joined who appear in one chapter",
        "novel.txt",
    ),
    Exhibit("club", "A karate club", "34 members and their friendships", "club.txt"),
    Exhibit("papers", "Papers: Cora", "2,708 papers and their citations", "cora*/ind.*.graph"),
    Exhibit(
        "countries",
        "A knowledge graph: countries",
        "271 countries and regions; edges say neighbor or located in",
        "directed/countries.tsv",
    ),
    Exhibit(
        "planted",
        "The planted graph",
        "1,000 nodes, in which ten copies each of four motifs are hidden",
        "planted.bin",
    ),
)

NETWORKX = {"novel": nx.les_miserables_graph, "club": nx.karate_club_graph}


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
    """Return the path to mine; four of the graphs are written first."""
    folder.mkdir(parents=True, exist_ok=True)
    if exhibit.name in NETWORKX:
        path = folder / exhibit.data
        nx.write_edgelist(NETWORKX[exhibit.name](), path, delimiter="\t", data=False)
        return path
    if exhibit.name == "planted":
        path = folder / "planted.bin"
        if not path.exists():
            subprocess.run([*GOMKCN, "generate", "planted", "--out", path], check=True)
        return path
    found = sorted(data.glob(exhibit.data))
    if not found:
        return None
    if exhibit.name != "papers":
        return found[0]
    edges = folder / "cora.txt"
    np.savetxt(edges, read_planetoid(found[0].parent).edges, fmt="%d")
    return edges


def _make(exhibit: Exhibit, path: Path, folder: Path) -> None:
    """Mine the graph, or render its run anew, and copy the page with a picture of its top."""
    run, options = folder / "run", shlex.split(exhibit.options)
    again = subprocess.run([*GOMKCN, "report", run], capture_output=True)
    if again.returncode != 0:
        command = [*GOMKCN, "mine", path, "--out", run, *options, "--force", "--quiet"]
        subprocess.run(command, check=True)
    shutil.copy(run / "report.html", folder / "report.html")
    command = f"gomkcn mine {path.name} {exhibit.options}".strip()
    (folder / "command.txt").write_text(command + "\n", "utf-8")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return
    picture = f"--screenshot={folder / 'thumbnail.png'}"
    page = (folder / "report.html").as_uri()
    flags = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--window-size={WINDOW}"]
    # the page unpacks the graph before it draws it
    flags.append("--virtual-time-budget=10000")
    subprocess.run([chromium, *flags, picture, page], check=True, capture_output=True)


if __name__ == "__main__":
    main()
