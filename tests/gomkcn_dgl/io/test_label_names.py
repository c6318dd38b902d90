"""Names of labels: files in three forms, what is refused, and the columns renamed."""

import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.features import name_columns, read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph

NAMES = {"1": "helix", "2": "sheet"}
# two nodes with a label each and a number
EDGE = csr_from_edges(
    np.array([0]),
    np.array([1]),
    2,
    features=np.array([[1, 0, 3.5], [0, 1, 2]]),
    feature_names=["label=1", "label=2", "x0"],
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.csv", "label,name\n1,helix\n2, sheet\n"),
        ("n.CSV", "Label,Name\r\n1,helix\r\n\r\n2,sheet\r\n"),
    ],
)
def test_files(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_label_names(tmp_path / name) == NAMES
    write_graph(tmp_path / "g.graph", EDGE)
    for names in (NAMES, tmp_path / name):
        graph = read_graph(tmp_path / "g.graph", label_names=names)
        assert graph.feature_names == ("label=helix", "label=sheet", "x0")


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("n.json", "{}", "the first line must be 'label,name'"),
        ("n.csv", "1,helix\n", "the first line must be 'label,name'"),
        ("n.csv", "label,name\n1,a\n1,b\n", "each label must have one name"),
    ],
)
def test_bad_files(write, name, text, rule):
    with pytest.raises(InputError, match=rf"(?s)^(n\.|label names).*{rule}"):
        read_label_names(write(name, text))


def test_columns_are_renamed():
    # the whole name of a column has precedence over the code
    named = name_columns(EDGE, {"1": "turn", "label=1": "helix", "x0": "length"})
    assert named.feature_names == ("label=helix", "label=2", "length")
    assert named.features is EDGE.features
    with pytest.raises(
        InputError, match=r"must be of features or relations that are used, .* got '3'\.$"
    ):
        name_columns(EDGE, {"1": "helix", "3": "turn"})
    with pytest.raises(InputError, match="each feature must have a name of its own"):
        name_columns(EDGE, {"1": "helix", "2": "helix"})
