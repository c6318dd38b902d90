"""Names of labels: files in three forms, what is refused, and the columns renamed."""

import networkx as nx
import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("n.txt", "", "must be a .csv, .json or .toml file"),
        ("n.csv", "1,helix\n", "the first line must be 'label,name'"),
        ("n.csv", "label,name\n1\n", "row 2 must be a label and a name"),
        ("n.csv", "label,name\n", "at least one label must have a name"),
        ("n.csv", "label,name\n1,a\n1,b\n", "each label must have one name"),
        ("n.csv", "label,name\n1,a=b\n", "must be printable text without '='"),
        ("n.csv", b"\xff\xff", "not valid CSV"),
        ("n.json", "{}", "at least one label must have a name"),
        ("n.json", '{"1": {"2": "a"}}', "must be printable text"),
        ("n.json", '{"1": "a", "1": "b"}', "each label must have one name"),
        ("n.json", '["helix"]', "must hold names by label"),
        ("n.json", "{1}", "not valid JSON"),
        ("n.toml", "1 = 5\n", "must be printable text"),
        ("n.toml", f'1 = "{"x" * 61}"\n', "must have at most 60 letters"),
        ("n.toml", "= 1", "not valid TOML"),
        ("n.toml", None, "the file must exist"),
    ],
)
def test_bad_files(tmp_path, name, text, rule):
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=rf"(?s)^(n\.|label names).*{rule}"):
        read_label_names(tmp_path / name)


@pytest.fixture
def edge():
    """Two nodes with a label each and a number."""
    features = np.array([[1, 0, 3.5], [0, 1, 2]])
    names = ["label=1", "label=2", "x0"]
    return csr_from_edges(np.array([0]), np.array([1]), 2, features=features, feature_names=names)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (NAMES, ("label=helix", "label=sheet", "x0")),
        ({"label=1": "helix", "x0": "length"}, ("label=helix", "label=2", "length")),
        # the whole name of a column has precedence over the code
        ({"1": "turn", "label=1": "helix"}, ("label=helix", "label=2", "x0")),
    ],
)
def test_columns_are_renamed(edge, names, columns):
    named = name_columns(edge, names)
    assert named.feature_names == columns
    assert named.features is edge.features


def test_names_that_do_not_fit_the_columns(edge):
    with pytest.raises(InputError, match=r"must be of features that are used, .* got '3'\.$"):
        name_columns(edge, {"1": "helix", "3": "turn"})
    with pytest.raises(InputError, match="each feature must have a name of its own"):
        name_columns(edge, {"1": "helix", "2": "helix"})


def test_a_graph_is_read_with_names(tmp_path):
    nx.write_edgelist(nx.cycle_graph([1, 2, 3]), tmp_path / "T_A.txt", delimiter=",", data=False)
    (tmp_path / "T_graph_indicator.txt").write_text("1\n1\n1\n")
    (tmp_path / "T_node_labels.txt").write_text("1\n1\n2\n")
    (tmp_path / "n.json").write_text('{"1": "helix", "2": "sheet"}')
    for names in (NAMES, tmp_path / "n.json"):
        graph = read_graph(tmp_path, label_names=names)
        assert graph.feature_names == ("label=helix", "label=sheet")
