"""What the site shows of other files: the gallery, the results of the benchmarks, the pictures.

Tables of columns are made from the lists of the library by ``column_tables.py``.

The page on the paper is made by ``make_paper_page.py``, and committed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from column_tables import fill_columns
from draw_pictures import draw_pictures
from make_gallery import EXHIBITS, GALLERY

DOCS = Path(__file__).parents[1]
BENCHMARKS = DOCS.parent / "benchmarks"
# of a benchmark, or of an experiment of the paper: the folder and the name
_LINK = re.compile(r"\]\((?:\.\./)+benchmarks/((?:paper/)?results)/(\w+)\.md\)")
_CARD = """
:::{{grid-item-card}} {title}
:link: gallery/{name}/report.html
:img-top: static/gallery/{name}.png

{what}

`{command}`
:::
"""


def setup(app: Any) -> dict[str, bool]:
    """Hook into the build."""
    app.connect("builder-inited", _make_pages)
    app.connect("source-read", _fill_in)
    app.connect("build-finished", _copy_reports)
    return {"parallel_read_safe": True}


def _make_pages(app: Any) -> None:
    """Draw the pictures, and give each table of results that a page cites a page of its own."""
    (DOCS / "pictures").mkdir(exist_ok=True)
    draw_pictures(DOCS / "pictures")
    (DOCS / "results").mkdir(exist_ok=True)
    pages = (path.read_text("utf-8") for path in DOCS.rglob("*.md") if path.parts[-2] != "results")
    for folder, name in sorted({found for page in pages for found in _LINK.findall(page)}):
        table = (BENCHMARKS / folder / f"{name}.md").read_text("utf-8")
        # what a table links to lies beside it in the repository
        table = re.sub(r"\]\((?!http)([^)]+)\)", rf"](../../benchmarks/{folder}/\1)", table)
        title = "" if table.startswith("# ") else f"# {name.replace('_', ' ').capitalize()}\n\n"
        (DOCS / "results" / f"{name}.md").write_text(f"---\norphan: true\n---\n\n{title}{table}")


def _fill_in(app: Any, page: str, source: list[str]) -> None:
    """Lead links to results to their pages, put tables of columns and the cards in."""
    up = "../" * page.count("/")
    source[0] = _LINK.sub(rf"]({up}results/\2.md)", source[0])
    source[0] = fill_columns(source[0])
    if page == "gallery":
        source[0] = source[0].replace("<!-- cards -->", _cards())


def _cards() -> str:
    cards = []
    for exhibit in EXHIBITS:
        folder = GALLERY / exhibit.name
        if not (folder / "report.html").exists():
            continue
        command = (folder / "command.txt").read_text("utf-8").strip()
        cards.append(_CARD.format(**vars(exhibit), command=command))
    if not cards:
        return "*This copy of the site was built without reports.*"
    return "::::{grid} 1 2 2 2\n:gutter: 3\n" + "".join(cards) + "::::\n"


def _copy_reports(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        for page in GALLERY.glob("*/report.html"):
            target = Path(app.outdir) / "gallery" / page.parent.name
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, target)
