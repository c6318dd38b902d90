"""The reports of the gallery: mined while the site is built, or unpacked where data are not here.

    python docs/site/make_gallery.py [DATA]

makes all of them, and their pictures in ``docs/static/gallery``, for which Playwright and Chromium
must be installed. With a folder DATA it also mines the graphs that are not in this repository, and
packs their pages into ``docs/data/gallery``, from where the site takes them.

``docs/gallery/NAME`` holds the run and its pages. It is made anew when the data, the command or
the package have changed.
"""

from __future__ import annotations

import functools
import hashlib
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
from take_pictures import take_picture

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GALLERY = DOCS / "gallery"
PICTURES = DOCS / "static" / "gallery"
# pages of graphs that are not in the repository
PACKED = DOCS / "data" / "gallery"
PACKAGES = ("gomkcn", "gomkcn_dgl", "mining", "synthetic")
GOMKCN = [sys.executable, "-m", "gomkcn"]
# what a run leaves where it is complete
_KEY = "made_of.txt"


class ReportError(Exception):
    """A report that cannot be made here, and why."""


@dataclass(frozen=True)
class Exhibit:
    """A graph of the gallery.

    ``data`` is its file: in ``folder``, which is of this repository, or drawn by ``draws``, or else
    a pattern of paths in a folder of data.
    """

    name: str
    what: str
    data: str
    options: str = ""
    folder: Path | None = None
    draws: Callable[[], nx.Graph] | None = None

    @property
    def command(self) -> str:
        """What a user types in the folder of the data."""
        return f"gomkcn mine {Path(self.data).name} {self.options}".strip()

    @property
    def run(self) -> Path:
        return GALLERY / self.name / "run"

    @property
    def packed(self) -> Path:
        return PACKED / f"{self.name}.zip"

    def pages(self) -> list[Path]:
        """The pages of the run, which lead to each other, relative to its folder."""
        return sorted(path.relative_to(self.run) for path in self.run.rglob("*.html"))


EXHIBITS = (
    Exhibit(
        "molecules",
        "188 nitroaromatic compounds, with atoms and bonds, mutagenic or not",
        "MUTAG*/MUTAG",
        "--features labels",
    ),
    Exhibit("drugs", "300 well-known drugs as SMILES", "drugs.smi", folder=DOCS / "data"),
    Exhibit(
        "genes",
        "424 operons; a directed edge leads from a regulator to what it regulates",
        "ecoli_regulation.csv",
        "--relation none",
        folder=ROOT / "notebooks",
    ),
    Exhibit(
        "genes_typed",
        "the same operons; edges activate, repress, or do both",
        "ecoli_regulation.csv",
        folder=ROOT / "notebooks",
    ),
    Exhibit(
        "circuit",
        "252 gates and flip-flops of a counter, and the directed edges of its signals",
        "directed/s420.tsv",
        "--directed",
    ),
    Exhibit(
        "novel",
        "77 characters; two are joined who appear in one chapter",
        "novel.txt",
        draws=nx.les_miserables_graph,
    ),
    Exhibit(
        "club", "34 members and their friendships", "club.txt", draws=nx.karate_club_graph
    ),
    Exhibit(
        "blocks",
        "160 nodes in four groups, drawn at random",
        "blocks.txt",
        draws=lambda: nx.planted_partition_graph(4, 40, 0.3, 0.01, seed=0),
    ),
    Exhibit(
        "random",
        "300 nodes and 600 edges, drawn at random",
        "random.txt",
        draws=lambda: nx.gnm_random_graph(300, 600, seed=0),
    ),
)  # fmt: skip


def make_report(exhibit: Exhibit, data: Path | None = None) -> None:
    """Mine a graph, or unpack its pages; a run of the same data, command and package stays."""
    folder = GALLERY / exhibit.name
    folder.mkdir(parents=True, exist_ok=True)
    path = _path(exhibit, data)
    source = path or exhibit.packed
    if not source.exists():
        raise ReportError(f"its data, {exhibit.data}, are not in the repository")
    key = _key_of(exhibit, source)
    kept = folder / _KEY
    if kept.exists() and kept.read_text("utf-8") == key and exhibit.pages():
        return
    kept.unlink(missing_ok=True)
    shutil.rmtree(exhibit.run, ignore_errors=True)
    if path is None:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(exhibit.run)
    else:
        options = shlex.split(exhibit.options)
        command = [*GOMKCN, "mine", path, "--out", exhibit.run, *options, "--quiet"]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode:
            raise ReportError(f"`{exhibit.command}` failed: {answer.stderr.strip()}")
    kept.write_text(key, "utf-8")


def _path(exhibit: Exhibit, data: Path | None) -> Path | None:
    """The file or folder to mine; None where it is not here. Graphs of NetworkX are written."""
    if exhibit.draws is not None:
        path = GALLERY / exhibit.name / exhibit.data
        nx.write_edgelist(exhibit.draws(), path, delimiter="\t", data=False)
        return path
    if exhibit.folder is not None:
        return exhibit.folder / exhibit.data
    return next(iter(sorted(data.glob(exhibit.data))), None) if data else None


def _key_of(exhibit: Exhibit, source: Path) -> str:
    """What a report is made of; packed pages do not depend on the package that is here."""
    files = [source] if source.is_file() else sorted(source.iterdir())
    made_by = "" if source == exhibit.packed else _package()
    return f"{exhibit.command}\n{_digest(files)}\n{made_by}\n"


@functools.cache
def _package() -> str:
    return _digest(
        path
        for name in PACKAGES
        for path in sorted((ROOT / name).rglob("*"))
        if path.suffix in (".py", ".pyi", ".js", ".css", ".jinja")
    )


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in files:
        found.update(path.read_bytes())
    return found.hexdigest()


def _pack(exhibit: Exhibit) -> None:
    PACKED.mkdir(exist_ok=True)
    with zipfile.ZipFile(exhibit.packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for page in exhibit.pages():
            archive.write(exhibit.run / page, page)


def main() -> None:
    """Make every report, pack those of other data, and take their pictures."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if data is not None and not data.is_dir():
        sys.exit(f"DATA must be a folder, and {data} is none")
    PICTURES.mkdir(exist_ok=True)
    for exhibit in EXHIBITS:
        try:
            make_report(exhibit, data)
        except ReportError as error:
            print(f"{exhibit.name}: no report, {error}")
            continue
        if exhibit.folder is None and exhibit.draws is None and data is not None:
            _pack(exhibit)
        take_picture(exhibit.run / "report.html", PICTURES / f"{exhibit.name}.png")
        print(f"{exhibit.name}: {exhibit.run / 'report.html'}")


if __name__ == "__main__":
    main()
