"""Names of labels: files in three forms, what is wrong with them, and the columns renamed."""

from dataclasses import replace

import numpy as np
import pytest
from command_line import gomkcn, refused

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.label_names import name_columns, read_label_names
from gomkcn_dgl.io.reading import read_graph

NAMES = {"1": "helix", "2": "sheet"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.csv", "label,name\n1,helix\n2, sheet\n"),
        ("n.CSV", "Label,Name\r\n1,helix\r\n\r\n2,sheet\r\n"),
        ("n.json", '{"1": "helix", "2": "sheet"}'),
        ("n.toml", '1 = "helix"\n2 = "sheet"\n'),
        ("n.toml", '[labels]\n1 = "helix"\n2 = "sheet"\n'),
    ],
)
def test_files(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_label_names(tmp_path / name) == NAMES


PRINTABLE = "a name must be printable text without '=', got"
TWO = "each label must have one name, got two for"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("n.txt", "", "label names must be a .csv, .json or .toml file, got 'n.txt'."),
        ("n.csv", "1,helix\n", "n.csv: the first line must be 'label,name'."),
        ("n.csv", "label,name\n1\n", "n.csv: row 2 must be a label and a name, got ['1']."),
        ("n.csv", "label,name\n", "n.csv: at least one label must have a name, got none."),
        ("n.csv", "label,name\n1,a\n1,b\n", f"n.csv: {TWO} '1'."),
        ("n.csv", "label,name\n1,\n", f"n.csv: {PRINTABLE} '' for '1'."),
        ("n.csv", "label,name\n1,a=b\n", f"n.csv: {PRINTABLE} 'a=b' for '1'."),
        ("n.json", "{}", "n.json: at least one label must have a name, got none."),
        ("n.json", '{"1": {"2": "a"}}', f"n.json: {PRINTABLE} (('2', 'a'),) for '1'."),
        ("n.json", '{"1": "a", "1": "b"}', f"n.json: {TWO} '1'."),
        (
            "n.json",
            '["helix"]',
            'n.json: the file must hold names by label, such as {"1": "helix"}.',
        ),
        ("n.toml", "1 = 5\n", f"n.toml: {PRINTABLE} 5 for '1'."),
        (
            "n.toml",
            f'1 = "{"x" * 61}"\n',
            "n.toml: a name must have at most 60 letters, got 61 for '1'.",
        ),
        ("n.toml", "labels = 3\n", f"n.toml: {PRINTABLE} 3 for 'labels'."),
    ],
)
def test_bad_files(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_label_names(tmp_path / name)
    assert str(caught.value) == sentence


def test_unreadable_files(tmp_path):
    with pytest.raises(InputError, match=r"^no.csv: the file must exist, and there is no "):
        read_label_names(tmp_path / "no.csv")
    (tmp_path / "bad.toml").write_text("= 1")
    with pytest.raises(InputError, match=r"^bad.toml: the file is not valid TOML: "):
        read_label_names(tmp_path / "bad.toml")
    (tmp_path / "bad.json").write_text("{1}")
    with pytest.raises(InputError, match=r"^bad.json: the file is not valid JSON: "):
        read_label_names(tmp_path / "bad.json")
    (tmp_path / "bad.csv").write_bytes(b"\xff\xff")
    with pytest.raises(InputError, match=r"^bad.csv: the file is not valid CSV: "):
        read_label_names(tmp_path / "bad.csv")


@pytest.fixture
def edge():
    """Two nodes with a label each and a number."""
    features = np.array([[1, 0, 3.5], [0, 1, 2]])
    names = ["label=1", "label=2", "x0"]
    return csr_from_edges(np.array([0]), np.array([1]), 2, features=features, feature_names=names)


class TestColumns:
    @pytest.mark.parametrize(
        ("names", "columns"),
        [
            (NAMES, ("label=helix", "label=sheet", "x0")),
            ({"2": "sheet"}, ("label=1", "label=sheet", "x0")),
            ({"label=1": "helix", "x0": "length"}, ("label=helix", "label=2", "length")),
            # the whole name of a column says more than the code
            ({"1": "turn", "label=1": "helix"}, ("label=helix", "label=2", "x0")),
        ],
    )
    def test_they_are_renamed(self, edge, names, columns):
        named = name_columns(edge, names)
        assert named.feature_names == columns
        assert named.features is edge.features

    def test_the_same_code_of_two_kinds_of_labels(self, edge):
        edge = replace(edge, feature_names=("label0=1", "label1=1", "x0"))
        assert name_columns(edge, {"1": "a"}).feature_names == ("label0=a", "label1=a", "x0")

    def test_labels_that_are_not_there(self, edge):
        sentence = r"must be of features that are used, 1, 2, x0, label=1, label=2; got '3'\.$"
        with pytest.raises(InputError, match=sentence):
            name_columns(edge, {"1": "helix", "3": "turn"})

    def test_a_name_for_two(self, edge):
        sentence = r"each feature must have a name of its own, got 'label=helix' twice\."
        with pytest.raises(InputError, match=sentence):
            name_columns(edge, {"1": "helix", "2": "helix"})


@pytest.fixture
def tu_folder(tmp_path):
    """A triangle with node labels 1, 1 and 2."""
    (tmp_path / "T").mkdir()
    (tmp_path / "T" / "T_A.txt").write_text("1, 2\n2, 3\n1, 3\n")
    (tmp_path / "T" / "T_graph_indicator.txt").write_text("1\n1\n1\n")
    (tmp_path / "T" / "T_node_labels.txt").write_text("1\n1\n2\n")
    return tmp_path / "T"


def test_a_graph_is_read_with_them(tmp_path, tu_folder):
    (tmp_path / "n.json").write_text('{"1": "helix", "2": "sheet"}')
    for names in (NAMES, tmp_path / "n.json", str(tmp_path / "n.json")):
        graph = read_graph(tu_folder, label_names=names)
        assert graph.feature_names == ("label=helix", "label=sheet")
    (tmp_path / "n.json").write_text('{"7": "helix"}')
    with pytest.raises(InputError, match=r"^n.json: label names must be of features that are used"):
        read_graph(tu_folder, label_names=tmp_path / "n.json")


def test_the_command_takes_a_file(tmp_path, tu_folder):
    (tmp_path / "n.csv").write_text("label,name\n1,helix\n2,sheet\n")
    shown = gomkcn(f"info {tu_folder} --features labels --label-names {tmp_path}/n.csv")
    assert "features           2 (label=helix, label=sheet)" in shown
    sentence = refused(f"info {tu_folder} --label-names {tmp_path}/no.csv")
    assert sentence.startswith("no.csv: the file must exist, and there is no ")
