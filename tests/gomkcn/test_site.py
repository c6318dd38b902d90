"""The site: each report of the gallery can be made or unpacked, and what a page of it changes."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed; tox -e docs has it")

import made_pages
import make_gallery
from docutils import nodes
from docutils.utils import new_document
from made_pages import PicturesOfReports
from make_gallery import EXHIBITS, Exhibit, ReportError, make_report
from take_pictures import dark_path
from transforms import DarkPictures, LongLines

DOCS = Path(__file__).resolve().parents[2] / "docs"
GALLERY = (DOCS / "gallery.md").read_text("utf-8")
_HREF = re.compile(r'href="([^"#:]+)')


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_each_exhibit_has_a_text_a_report_and_a_picture_for_each_page(exhibit):
    after = GALLERY.partition(f"<!-- report: {exhibit.name} -->\n\n")[2]
    assert re.match(rf"!\[[^\]]+\]\(static/gallery/{exhibit.name}\.png\)\n", after)
    picture = DOCS / "static" / "gallery" / f"{exhibit.name}.png"
    assert picture.exists()
    assert dark_path(picture).exists()


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_each_exhibit_is_drawn_or_in_the_repository_or_packed(exhibit):
    if exhibit.draws is not None:
        assert exhibit.draws().number_of_edges() > 0
    elif exhibit.folder is not None:
        assert (exhibit.folder / exhibit.data).exists()
    else:
        with zipfile.ZipFile(exhibit.packed) as archive:
            pages = set(archive.namelist())
            linked = set(_HREF.findall(archive.read("report.html").decode()))
        assert linked <= pages


def light_path(path):
    return path.with_stem(path.stem.removesuffix("_dark"))


def test_pictures_for_dark_pages_have_one_for_light_pages():
    dark = sorted((DOCS / "static").rglob("*_dark.*"))
    assert len(dark) > len(EXHIBITS)
    assert [
        path for path in dark if not (path.parent / path.name.replace("_dark", "")).exists()
    ] == []


@pytest.fixture
def gallery(tmp_path, monkeypatch):
    monkeypatch.setattr(make_gallery, "GALLERY", tmp_path / "gallery")
    monkeypatch.setattr(make_gallery, "PACKED", tmp_path / "packed")
    monkeypatch.setattr(made_pages, "_missing", {})
    return tmp_path


def packed(exhibit, text):
    exhibit.packed.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(exhibit.packed, "w") as archive:
        archive.writestr("report.html", text)
        archive.writestr("filters/filters.html", "filters")


def test_a_packed_report_is_unpacked_anew_where_it_has_changed(gallery):
    exhibit = Exhibit("some", "a graph", "some.txt")
    packed(exhibit, "first")
    make_report(exhibit)
    assert exhibit.pages() == [Path("filters/filters.html"), Path("report.html")]
    kept = exhibit.run / "kept"
    kept.touch()
    make_report(exhibit)
    assert kept.exists()
    packed(exhibit, "second")
    make_report(exhibit)
    assert (exhibit.run / "report.html").read_text() == "second"
    assert not kept.exists()


def test_a_report_without_data_is_refused_and_has_no_link(gallery, monkeypatch, capsys):
    exhibit = Exhibit("some", "a graph", "some.txt")
    with pytest.raises(ReportError, match=r"some\.txt, are not in the repository"):
        make_report(exhibit)
    monkeypatch.setattr(made_pages, "EXHIBITS", (exhibit,))
    made_pages._make_reports(None)
    assert "no report of some" in capsys.readouterr().err
    source = ["<!-- report: some --> <!-- open: some -->"]
    made_pages._fill_in(None, "gallery", source)
    assert "href" not in source[0]
    assert "no report of it: its data, some.txt, are not in the repository" in source[0]


def test_a_report_that_fails_says_what_failed(gallery):
    exhibit = Exhibit("some", "a graph", "some.txt", "--no-such-option", folder=gallery)
    (gallery / "some.txt").write_text("a b\n")
    with pytest.raises(ReportError, match="no-such-option"):
        make_report(exhibit)


def test_links_of_reports_lead_to_what_is_copied(gallery, monkeypatch):
    exhibit = Exhibit("some", "a graph", "some.txt")
    packed(exhibit, "first")
    make_report(exhibit)
    monkeypatch.setattr(made_pages, "EXHIBITS", (exhibit,))
    out = gallery / "out"
    app = SimpleNamespace(outdir=out, builder=SimpleNamespace(format="html"))
    made_pages._copy_reports(app, None)
    source = ["<!-- report: some -->"]
    made_pages._fill_in(None, "howto/molecules", source)
    (address,) = _HREF.findall(source[0])
    assert (out / "howto" / address).resolve().read_text() == "first"
    assert (out / "gallery/some/filters/filters.html").exists()


def test_a_file_of_the_repository_leads_to_pages_of_the_site():
    text = re.sub("`[^`]*`", "", made_pages._text_of("CHANGELOG.md"))
    assert "](howto/" in text
    for address in re.findall(r"\]\((?!http|#)([^)#\s]+)", text):
        assert (DOCS / address).exists(), address


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://example.org/a/b", "<https://example.org/a/b>"),
        ("git@example.org:a/b.git", "<https://example.org/a/b>"),
        ("/some/folder", "names no address"),
    ],
)
def test_the_address_of_the_repository(monkeypatch, given, address):
    monkeypatch.setenv("SOURCE_URL", given)
    assert address in made_pages._address()


def transformed(transform, node):
    document = new_document("page")
    document.settings.env = SimpleNamespace(docname="page", doc2path=lambda _: DOCS / "page.md")
    document += node
    transform(document).apply()
    return document


def test_a_picture_with_one_for_dark_pages_is_shown_on_light_ones():
    document = transformed(DarkPictures, nodes.image(uri="static/report.png", alt="a report"))
    shown = [(image["uri"], image["alt"], image["classes"]) for image in document.children]
    assert shown == [
        ("static/report.png", "a report", ["only-light"]),
        ("static/report_dark.png", "a report", ["only-dark"]),
    ]


def test_a_picture_without_one_is_shown_on_all_pages():
    document = transformed(DarkPictures, nodes.image(uri="static/notebook_page.png"))
    assert [image["classes"] for image in document.children] == [[]]


def test_the_picture_of_a_report_leads_to_it_where_there_is_one(gallery, monkeypatch):
    picture = "static/gallery/novel.png"
    (link,) = transformed(PicturesOfReports, nodes.image(uri=picture)).children
    assert (link["refuri"], link[0]["uri"]) == ("gallery/novel/report.html", picture)
    made_pages._missing["novel"] = "no data"
    (alone,) = transformed(PicturesOfReports, nodes.image(uri=picture)).children
    assert alone["uri"] == picture


@pytest.mark.parametrize(
    ("text", "language", "classes"),
    [
        ("gomkcn: a message of one line", "none", ["wrapped"]),
        ("gomkcn info a.csv\ngomkcn mine a.csv", "none", ["wrapped"]),
        ("pattern  " + "x" * 120 + "\nlisted   3", "none", ["wrapped"]),
        ("structure" + " " * 80 + "count\ntriangle", "none", ["columns"]),
        ("structure  count\ntriangle   3", "none", []),
        ("import numpy\n" + "x" * 120, "python", []),
        ("a drawing\n" + " " * 14 + "x" * 120, "none", []),
    ],
)
def test_commands_and_messages_wrap_and_programs_do_not(text, language, classes):
    document = transformed(LongLines, nodes.literal_block(text, text, language=language))
    assert document[0]["classes"] == classes


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the script of the search")
def test_a_search_puts_howtos_before_results():
    pages = ["results/scaling", "changelog", "api/mining", "howto/weights"]
    program = (
        (DOCS / "site" / "search_scorer.js").read_text("utf-8")
        + f"const found = {pages}.map(page => [page, '', '', '', 5]);"
        + "found.sort((a, b) => Scorer.score(b) - Scorer.score(a));"
        + "console.log(found.map(one => one[0]).join(' '));"
    )
    answer = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    order = answer.stdout.split()
    assert order[:2] == ["howto/weights", "api/mining"]
    assert set(order[2:]) == {"results/scaling", "changelog"}
