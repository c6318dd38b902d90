"""One row a format: what reads, writes, completes, lists and tries formats takes a new row."""

import gzip
import subprocess
import sys

import pytest
from format_tables import PAGE, READINGS, examples, filled

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice
from gomkcn_dgl.io.formats import FORMATS, find_format, stem
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.reading import read_graph


def found(path, **choice):
    return find_format(InputFile(path), ColumnChoice(**choice)).name


def test_each_format_has_an_example():
    assert {found(path) for path in examples()} == FORMATS.keys()


def test_the_page_has_the_tables_of_the_rows():
    page = PAGE.read_text("utf-8")
    assert page == filled(page), "run: python docs/site/format_tables.py"
    assert page.count("<!-- table of") == 3 and "| `pajek` |" in page


def test_no_ending_is_of_two_formats():
    endings = [ending for row in FORMATS.values() for ending in row.endings]
    assert len(set(endings)) == len(endings)


def test_how_a_format_is_told(tmp_path):
    matrix, smiles = tmp_path / "m.csv", tmp_path / "s.csv"
    matrix.write_text(",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n")
    smiles.write_text("smiles,y\nCCO,1\n")
    assert (found(matrix), found(smiles)) == ("matrix", "smiles")
    # who names ends takes it for a table of edges, and who names SMILES for one of molecules
    assert found(matrix, source=1) == "csv"
    assert found(smiles, source="y") == "csv"
    assert found(matrix, smiles="a") == "smiles"
    # classes are of no matrix
    asked = find_format(InputFile(matrix), ColumnChoice(), has_classes=True)
    assert asked.name == "csv"
    assert find_format(InputFile(matrix), ColumnChoice(), "edges").name == "edges"
    assert stem(tmp_path / "my.graph.txt.gz") == "my.graph" and stem(tmp_path / "a.b") == "a.b"
    # graph folders have a suffix, too
    assert (stem(tmp_path / "p.graph"), stem(tmp_path / "my.net.GRAPH")) == ("p", "my.net")
    for name in ("my.own.txt.bz2", "my.own.csv.XZ", "my.own.zip"):
        assert stem(tmp_path / name) == "my.own"
    for name in ("g.xyz", "g.npz.gz", "g.parquet.xz"):
        (tmp_path / name).write_bytes(b"0 1\n")
        with pytest.raises(InputError, match="the format cannot be told from the name; known are"):
            found(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("g.dot", "DOT of Graphviz is not read; its program gv2gml makes a .gml file of it."),
        ("g.gv.gz", "DOT of Graphviz is not read; "),
        ("g.gdf", "GDF of GUESS is not read; open it with Gephi, and save it as .gexf or .graphml"),
        ("g.tgf", "Trivial Graph Format is not read; open it with yEd, and save it as .graphml."),
        ("g.metis", "METIS is not read; write its edges into a .txt file, a line 'u v' for each."),
        ("g.graph", "METIS is not read; "),
        (
            "g.mol",
            "a file of one molecule is not read; write molecules into an .sdf or a .smi file",
        ),
        ("g.leda", "LEDA is not read; read it in Python with networkx.read_leda"),
    ],
)
def test_a_format_that_is_not_read_is_named_with_what_converts_it(tmp_path, name, sentence):
    """And not with `format`, of which none fits."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"0 1\n") if name.endswith(".gz") else b"0 1\n")
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{name}: {sentence}")
    # whoever knows better says so
    assert read_graph(path, format="edges").num_edges == 1


def test_what_cannot_be_said_of_a_format_is_refused(tmp_path):
    path = tmp_path / "g.g6"
    path.write_bytes(b"Bw\n")
    # whatever is read can be read without weights
    assert read_graph(path, weight="none").num_edges == 3
    assert read_graph(READINGS / "scipy.npz", weight="none").weights is None
    for options, words in (
        ({"source": 1}, "source is for edges, csv, parquet, records, and the format is graph6"),
        ({"skip_invalid": True}, "skip_invalid is for smiles, sdf, and the format is graph6"),
    ):
        with pytest.raises(InputError, match=words):
            read_graph(path, **options)


# a row that is added as a new one would be, but in a process of its own
MADE_UP = """
import sys
import click
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph_content import GraphContent
from gomkcn_dgl.io import formats
import numpy as np


def read(file, choice):
    ends = np.array([line.split(b"~") for line in file.text.splitlines()], np.int64).T
    return GraphContent("the file", *ends, int(ends.max()) + 1, directed=(False,), listed_once=True)


def write(path, graph):
    source, target, _ = graph.edges()
    path.write_text("".join(f"{u}~{v}\\n" for u, v in zip(source, target)))


formats.FORMATS["wavy"] = formats.Format(
    name="wavy", title="Wavy lines", endings=(".wavy",), read=read, write=write,
    options=("directed",), directions="undirected", node_names="rows", lacks="names",
    reader="ours", why="it is made up",
)

from click.shell_completion import ShellComplete
from gomkcn import as_csr, read_graph
from gomkcn.commands.main import main
from gomkcn_dgl.io.writing import write_graph

# 1. written and read, also packed
import gzip, pathlib
write_graph("ring.wavy", as_csr(csr_from_edges(np.array([0, 1, 2]), np.array([1, 2, 0]), 3)))
assert read_graph("ring.wavy").num_edges == 3
pathlib.Path("ring.wavy.gz").write_bytes(gzip.compress(pathlib.Path("ring.wavy").read_bytes()))
assert read_graph("ring.wavy.gz").num_edges == 3
assert formats.stem(pathlib.Path("ring.wavy.gz")) == "ring"
# 2. of the command line: completed, in the help, read
shell = ShellComplete(main, {}, "gomkcn", "_GOMKCN_COMPLETE")
assert [item.value for item in shell.get_completions(["info", "--format"], "wa")] == ["wavy"]
for words, expected in (
    (["info", "--help-all"], "wavy"),
    (["count", "triangle", "ring.wavy"], "occurrences 1"),
):
    try:
        main(words, standalone_mode=False)
    except (SystemExit, click.exceptions.Exit):
        pass
# 3. in the tables of the docs, and tried by wrong files and round trips
from format_tables import formats_table, readers_table
assert "| `wavy` | Wavy lines | `.wavy` | undirected | rows | names |" in formats_table()
assert "| `wavy` | ours | it is made up | yes |" in readers_table()
from round_trips import FORMS
from targets import TARGETS
assert TARGETS["wavy"].feed(pathlib.Path(), b"0~1\\n") is None
assert FORMS["wavy, write_graph"].suffix == ".wavy"
"""


def test_a_new_row_is_all_that_a_format_needs(tmp_path):
    path = [f"sys.path[:0] = {[entry for entry in sys.path if entry]!r}"]
    program = "import sys\n" + path[0] + MADE_UP
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert "wavy" in ran.stdout and "occurrences 1, counted exactly" in ran.stdout
