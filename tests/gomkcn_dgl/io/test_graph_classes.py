"""Classes of graphs: read from files, numbered, named, and told from labels that are none."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from graph_files import write_tu

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.graph_classes import as_graph_classes, read_graph_classes
from gomkcn_dgl.io.library_files import write_dgl_graphs


def write_bin(path, labels):
    graphs = [dgl.graph(([0, 1], [1, 0])) for _ in range(4)]
    write_dgl_graphs(path, graphs, torch.tensor(labels))
    return path


def test_tu_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graphs = [nx.path_graph(3)] * 4
    write_tu("T", graphs, [1, -1, 1, 1])
    classes = read_graph_classes("T")
    assert classes.labels.tolist() == [1, 0, 1, 1]
    assert classes.names == ("-1", "1")
    named = read_graph_classes("T", {"1": "mutagenic"})
    assert named.names == ("-1", "mutagenic")
    file = tmp_path / "names.csv"
    file.write_text("label,name\n-1,harmless\n")
    assert read_graph_classes("T", file).names == ("harmless", "1")
    with pytest.raises(InputError, match="names of classes must be for -1, 1, got '0'"):
        read_graph_classes("T", {"0": "none"})
    Path("T/T_graph_labels.txt").unlink()
    assert read_graph_classes("T") is None
    with pytest.raises(InputError, match="its graphs have no classes"):
        read_graph_classes("T", {"1": "mutagenic"})


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([2, 0, 2, 2], [1, 0, 1, 1]),
        ([[5], [5], [7], [9]], [0, 0, 1, 2]),
        ([0.0, 1.0, 1.0, 0.0], [0, 1, 1, 0]),
        ([0.5, 0.5, 1.0, 2.0], None),
        ([float("nan"), 0.0, 1.0, 1.0], None),
        ([3, 3, 3, 3], None),
        ([0, 1, 2, 3], None),
        ([[0, 1], [1, 0], [1, 1], [0, 0]], None),
        ([0, 1, 1], None),
    ],
)
def test_dgl_file(tmp_path, labels, expected):
    classes = read_graph_classes(write_bin(tmp_path / "g.bin", labels))
    assert (None if classes is None else classes.labels.tolist()) == expected


def test_other_formats_and_labels_in_memory(tmp_path):
    nx.write_graphml(nx.path_graph(3), tmp_path / "g.graphml")
    assert read_graph_classes(tmp_path / "g.graphml") is None
    (tmp_path / "g.unknown").write_text("0 1\n")
    assert read_graph_classes(tmp_path / "g.unknown", format="edges") is None
    for labels in (["b", "a", "b"], np.array(["b", "a", "b"], object)):
        assert as_graph_classes(labels).names == ("a", "b")
    assert as_graph_classes(torch.tensor([[3], [1], [3]])).labels.tolist() == [1, 0, 1]
