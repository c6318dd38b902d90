"""What the site shows of other files: the gallery, the results of the benchmarks, the pictures.

Tables of columns are made from the lists of the library by ``column_tables.py``.

The page on the paper is made by ``make_paper_page.py``, and committed.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from column_tables import fill_columns
from docutils import nodes
from draw_pictures import draw_pictures
from make_gallery import EXHIBITS, ReportError, make_report
from sphinx.transforms import SphinxTransform
from transforms import DarkPictures, LongLines

import gomkcn

DOCS = Path(__file__).parents[1]
BENCHMARKS = DOCS.parent / "benchmarks"
# of a benchmark, or of an experiment of the paper: the folder and the name
_LINK = re.compile(r"\]\((?:\.\./)+benchmarks/((?:paper/)?results)/(\w+)\.md\)")
# where the page of the gallery has the line that leads to a report
_REPORT = re.compile(r"<!-- report: (\w+) -->")
# a link alone to a report, in a caption
_OPEN = re.compile(r"<!-- open: (\w+) -->")
# a file of the repository as a page, and the line that says where the repository is
_FILE = re.compile(r"<!-- file: ([\w.]+) -->")
_ADDRESS = "<!-- address -->"
# code, or a link to another file of the repository
_FILE_LINK = re.compile(r"`[^`]*`|\]\((?!http|#)([^)]+)\)")
# why a report could not be made, by the name of its exhibit
_missing: dict[str, str] = {}


def setup(app: Any) -> dict[str, bool]:
    """Hook into the build."""
    for transform in (PicturesOfReports, DarkPictures, LongLines):
        app.add_transform(transform)
    app.connect("builder-inited", _make_reports)
    app.connect("builder-inited", _make_pages)
    app.connect("source-read", _fill_in)
    app.connect("build-finished", _copy_reports)
    return {"parallel_read_safe": True}


class PicturesOfReports(SphinxTransform):
    """Let each picture of a report of the gallery lead to it."""

    default_priority = DarkPictures.default_priority - 1

    def apply(self, **options: object) -> None:
        """Put the pictures into links."""
        up = "../" * self.env.docname.count("/")
        for picture in list(self.document.findall(nodes.image)):
            path = Path(picture["uri"])
            if path.parts[-3:-1] == ("static", "gallery") and path.stem not in _missing:
                address = f"{up}gallery/{path.stem}/report.html"
                link = nodes.reference("", "", refuri=address, internal=False)
                picture.replace_self(link)
                link += picture


def _make_reports(app: Any) -> None:
    """Make the reports of the gallery, and say which cannot be made here."""
    for exhibit in EXHIBITS:
        try:
            make_report(exhibit)
        except ReportError as error:
            _missing[exhibit.name] = str(error)
            print(f"gallery: no report of {exhibit.name}: {error}", file=sys.stderr)


def _make_pages(app: Any) -> None:
    """Draw the pictures, and give each table of results that a page cites a page of its own."""
    # what a graph is read as concerns nobody who builds the site
    logging.getLogger("gomkcn_dgl").setLevel(logging.WARNING)
    (DOCS / "pictures").mkdir(exist_ok=True)
    novel = next(one for one in EXHIBITS if one.name == "novel")
    draw_pictures(DOCS / "pictures", gomkcn.load(novel.run), novel.draws())
    (DOCS / "results").mkdir(exist_ok=True)
    pages = (path.read_text("utf-8") for path in DOCS.rglob("*.md") if path.parts[-2] != "results")
    for folder, name in sorted({found for page in pages for found in _LINK.findall(page)}):
        table = (BENCHMARKS / folder / f"{name}.md").read_text("utf-8")
        # what a table links to lies beside it in the repository
        table = re.sub(r"\]\((?!http)([^)]+)\)", rf"](../../benchmarks/{folder}/\1)", table)
        title = "" if table.startswith("# ") else f"# {name.replace('_', ' ').capitalize()}\n\n"
        (DOCS / "results" / f"{name}.md").write_text(f"---\norphan: true\n---\n\n{title}{table}")


def _fill_in(app: Any, page: str, source: list[str]) -> None:
    """Lead links to results to their pages, put tables of columns and links to reports in."""
    up = "../" * page.count("/")
    source[0] = _LINK.sub(rf"]({up}results/\2.md)", source[0])
    source[0] = fill_columns(source[0])
    source[0] = _REPORT.sub(lambda found: _lead_to(found[1], up), source[0])
    source[0] = _OPEN.sub(lambda found: _link_to(found[1], up), source[0])
    source[0] = _FILE.sub(lambda found: _text_of(found[1]), source[0])
    source[0] = source[0].replace(_ADDRESS, _address())


def _lead_to(name: str, up: str) -> str:
    """What leads to a report, and the command that makes it; without one, why there is none."""
    if name in _missing:
        return f"*This copy of the site has no report of it: {_missing[name]}.*"
    exhibit = next(one for one in EXHIBITS if one.name == name)
    return f"{_link_to(name, up)} {exhibit.what}: `{exhibit.command}`"


def _link_to(name: str, up: str) -> str:
    """A link to a report, in HTML, since one of Markdown to a file becomes a download."""
    if name in _missing:
        return ""
    return f'<a class="report-link" href="{up}gallery/{name}/report.html">Open the report</a>'


def _text_of(file: str) -> str:
    """A file of the repository, whose links lead to pages of the site where they have one."""

    def led(found: re.Match[str]) -> str:
        target = found[1]
        if target is None:
            return found[0]
        return (
            f"]({target.removeprefix('docs/')})"
            if target.startswith("docs/")
            else f"](../{target})"
        )

    return _FILE_LINK.sub(led, (DOCS.parent / file).read_text("utf-8"))


def _address() -> str:
    """Where the repository is: $SOURCE_URL, as for a release, or what the checkout knows."""
    address = os.environ.get("SOURCE_URL", "")
    if not address:
        asked = ["git", "-C", str(DOCS), "remote", "get-url", "origin"]
        address = subprocess.run(asked, capture_output=True, text=True).stdout
    found = re.match(r"(?:https://|git@)([\w.-]+)[/:](.+?)(?:\.git|/)?$", address.strip())
    if not found:
        return "This site was built from a checkout that names no address of its repository."
    return f"The repository is <https://{found[1]}/{found[2]}>."


def _copy_reports(app: Any, error: Exception | None) -> None:
    """Put the pages that can be opened where the links lead."""
    if error is not None or app.builder.format != "html":
        return
    for exhibit in EXHIBITS:
        target = Path(app.outdir) / "gallery" / exhibit.name
        shutil.rmtree(target, ignore_errors=True)
        if exhibit.name in _missing:
            continue
        for page in exhibit.pages():
            (target / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(exhibit.run / page, target / page)
