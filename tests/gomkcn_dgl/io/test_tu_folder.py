"""TU folders: features, label names of the README, refusals."""

import numpy as np
import pytest
from graph_files import edges, refuse

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.tu_folder import read_tu_classes


def tu_folder(folder, **changes):
    """Write the set TINY: an edge, and a path of 3 nodes."""
    files = {
        "A": "1, 2\n2, 1\n3, 4\n4, 3\n4, 5\n5, 4\n",
        "graph_indicator": "1\n1\n2\n2\n2\n",
        "graph_labels": "3\n-1\n",
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for ending, text in files.items():
        if text is not None:
            (folder / f"TINY_{ending}.txt").write_text(text, newline="")
    return folder


@pytest.mark.parametrize("below", ["TINY", "hash/TINY"])
def test_plain_set(tmp_path, below):
    tu_folder(tmp_path / below)
    folder = tmp_path / below.partition("/")[0]
    graph = read_graph(folder)
    assert graph.graph_ptr.tolist() == [0, 2, 5]
    assert edges(graph) == [(0, 1), (2, 3), (3, 4)]
    assert graph.original_ids(np.arange(5)) == [0, 1, 0, 1, 2]
    assert graph.feature_names == ("constant",)
    assert read_tu_classes(folder).tolist() == [3, -1]


def test_features(tmp_path):
    labels, attributes = "7\n3\n7\n7\n3\n", "0.5, 1\n1, 2\n2, 3\n3, 4\n4, 5\n"
    graph = read_graph(tu_folder(tmp_path, node_labels=labels))
    assert graph.feature_names == ("label=3", "label=7")
    assert graph.features.tolist() == [[0, 1], [1, 0], [0, 1], [0, 1], [1, 0]]
    folder = tu_folder(tmp_path, node_labels=labels, node_attributes=attributes)
    assert read_graph(folder).features[0].tolist() == [0.5, 1]
    both = read_graph(folder, features=("labels", "attributes"))
    assert both.feature_names == ("label=3", "label=7", "x0", "x1")
    assert read_graph(folder, features=["none"]).feature_names == ("constant",)
    assert both.features[1].tolist() == [1, 0, 1, 2]
    several = tu_folder(tmp_path / "s", node_labels="1, 5\n2, 5\n1, 6\n1, 5\n1, 5\n")
    names = ("label0=1", "label0=2", "label1=5", "label1=6")
    assert read_graph(several).feature_names == names


@pytest.mark.parametrize("number", [4096, 4097])
def test_as_many_labels_as_there_may_be(tmp_path, number):
    folder = tmp_path / "MANY"
    folder.mkdir()
    files = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n" * number}
    files["node_labels"] = "".join(f"{node}\n" for node in range(number))
    for name, text in files.items():
        (folder / f"MANY_{name}.txt").write_text(text)
    if number == 4096:
        assert len(read_graph(folder).feature_names) == number
        return
    with pytest.raises(InputError, match="must have at most 4096 different labels.* got 4097"):
        read_graph(folder)


@pytest.mark.parametrize(
    ("readme", "names"),
    [
        ("Node labels:\n\n  3  C\n  7  Cl\n\nEdge labels:\n\n  3  single\n", ("C", "Cl")),
        ("Node labels follow\nthis map:\n\n\t7\ta red one\n\t3\tblue\n", ("blue", "a red one")),
        ("Node labels:\n\n  3  C\n", ("3", "7")),
        ("Node labels:\n\n  3  C\n  3  N\n  7  O\n", ("3", "7")),
        ("Node labels:\n\n  3  C\n  7  C\n", ("3", "7")),
        ("Node labels: see the paper\n\n=== References ===\n3 C\n7 N\n", ("3", "7")),
        ("Node labels:\n0" + " " * 300_000 + "x" * 50 + "\n" + "1" * 5000 + " N\n", ("3", "7")),
        (b"\xff\xfe\x00", ("3", "7")),
    ],
    ids=["list", "words before", "one missing", "code twice", "name twice", "no list",
         "bomb", "no text"],
)  # fmt: skip
def test_label_names_of_the_readme(tmp_path, readme, names):
    folder = tu_folder(tmp_path, node_labels="7\n3\n7\n7\n3\n")
    data = readme if isinstance(readme, bytes) else readme.encode()
    (folder / "TINY_label_readme.txt").write_bytes(data)
    graph = read_graph(folder)
    assert graph.feature_names == tuple(f"label={name}" for name in names)
    assert graph.features[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"A": None}, "a TU folder must hold one file NAME_A.txt, got none."),
        ({"graph_indicator": None}, "TINY_graph_indicator.txt: the file must exist, and "),
        ({"A": "1, 2\n\n1, x\n"}, "TINY_A.txt: line 3: an integer was expected, got 'x'."),
        ({"A": "1\n2\n"}, "TINY_A.txt: line 1: an edge must be 'u, v', got 1 numbers."),
        ({"A": "1, 2\n\n5, 6\n"}, "TINY_A.txt: line 3: nodes must be numbered 1 to 5"),
        ({"A": "1, 2\n2, 3\n"}, "TINY_A.txt: line 2: an edge must stay within one graph"),
        ({"graph_indicator": "1\n1\n2\n1\n2\n"}, "line 4: graphs must be numbered 1, 2, …"),
        ({"A": "1, 5\n", "graph_indicator": "2\n2\n2\n4\n4\n"}, "got graphs 2 and 4"),
        ({"graph_indicator": "0\n1\n1\n"}, "line 1: graphs must be numbered 1, 2, …"),
        ({"node_attributes": "1\n2\n"}, "must have one line for each of the 5 nodes, got 2"),
        ({"node_attributes": "1\n2\n3\nnan\n5\n"}, "line 4: a finite number was expected"),
        # a blank line between two that end in \r, over which pandas 2 takes all memory
        ({"node_attributes": "1,2 \r\r x,3\r\n"}, "line 3: a finite number was expected"),
        ({"edge_labels": "1\n2\n"}, "must have one label for each of the 6 edges, got the"),
        (
            {"node_labels": "# 1\n"},
            "TINY_node_labels.txt: the file holds comments only, and no row.",
        ),
        (
            {
                "A": "1, 2\n",
                "graph_indicator": "1\n" * 5000,
                "node_labels": "".join(f"{code}\n" for code in range(5000)),
            },
            "must have at most 4096 different labels",
        ),
    ],
)
def test_refusals(tmp_path, changes, words):
    refuse(tu_folder(tmp_path / "T", **changes), words)


def test_options_that_a_folder_cannot_have(tmp_path):
    folder = tu_folder(tmp_path / "T", graph_labels="1\n")
    refuse(folder, "features of a TU folder must be among", features=("x0",))
    refuse(folder, "TINY_node_labels.txt: the file must exist", features=("labels",))
    refuse(folder, "relation of a TU folder must be 'none' or left out", relation="bond")
    with pytest.raises(InputError, match="must have one class for each of the 2 graphs"):
        read_tu_classes(folder)


def test_edge_labels_are_relations(tmp_path, log):
    folder = tu_folder(
        tmp_path / "T",
        edge_labels="5\n5\n2\n2\n5\n5\n",
        edge_attributes="1, 0\n1, 0\n2, 0.5\n2, 0.5\n3, 0\n3, 0\n",
        node_labels="7\n3\n7\n7\n3\n",
        node_attributes="1\n2\n3\n4\n5\n",
    )
    graph = read_graph(folder)
    assert graph.relations.names == ("edge=2", "edge=5")
    assert graph.relations.directed == (False, False)
    assert [column.tolist() for column in graph.edges()] == [[2, 0, 3], [3, 1, 4], [0, 1, 1]]
    unused = "files that are not used: TINY_node_labels.txt, TINY_edge_attributes.txt"
    assert graph.notes == (unused,)
    assert f"{unused}; features=('attributes', 'labels') takes the labels, too" in log()
    both = read_graph(folder, features=("attributes", "labels"))
    assert both.notes == ("files that are not used: TINY_edge_attributes.txt",)
    named = read_graph(folder, label_names={"edge=2": "double"})
    assert named.relations.names == ("double", "edge=5")
    plain = read_graph(folder, relation="none")
    assert plain.links is None and plain.num_edges == 3
    assert read_graph(folder, directed=True).num_edges == 6
    (folder / "TINY_label_readme.txt").write_text("Edge labels:\n\n  2  double\n  5  single\n")
    assert read_graph(folder).relations.names == ("double", "single")


def test_mutag(mutag):
    """Bonds beside a count that reads the files line by line; atoms and classes as published."""
    pairs = (mutag / "MUTAG_A.txt").read_text().split("\n")
    labels = (mutag / "MUTAG_edge_labels.txt").read_text().split()
    bonds = {(*sorted(map(int, pair.split(","))), label)
             for pair, label in zip(pairs, labels, strict=False)}  # fmt: skip
    counted = [sum(bond[2] == code for bond in bonds) for code in "0123"]
    graph = read_graph(mutag, features=("labels",))
    assert graph.relations.names == ("aromatic", "single", "double", "triple")
    assert graph.relations.directed == (False,) * 4
    assert np.bincount(graph.edges()[2]).tolist() == counted
    assert graph.num_edges == sum(counted) == 3721
    assert not any("duplicate" in note for note in graph.notes)
    assert (graph.num_graphs, graph.num_nodes) == (188, 3371)
    labels = ("C", "N", "O", "F", "I", "Cl", "Br")
    assert graph.feature_names == tuple(f"label={label}" for label in labels)
    assert graph.features.sum(axis=0).tolist() == [2395, 345, 593, 12, 1, 23, 2]
    assert np.bincount(read_graph_classes(mutag).labels).tolist() == [63, 125]


@pytest.mark.parametrize(
    ("indicator", "labels", "left_out", "classes"),
    [
        # between two graphs, before the first, after the last, all of these
        ("1\n1\n3\n3\n3\n", "5\n6\n7\n", "graph 2 has", [5, 7]),
        ("2\n2\n3\n3\n3\n", "5\n6\n7\n", "graph 1 has", [6, 7]),
        (
            "1\n1\n2\n2\n2\n",
            "5\n6\n7\n8\n",
            "2 graphs have no nodes and are left out: 3, 4; ",
            [5, 6],
        ),
        (
            "2\n2\n5\n5\n5\n",
            "1\n2\n3\n4\n5\n6\n",
            "4 graphs have no nodes and are left out: 1, 3, 4, 6; ",
            [2, 5],
        ),
        (
            "1\n1\n40\n40\n40\n",
            None,
            "38 graphs have no nodes and are left out: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …;",
            None,
        ),
        (
            "1\n1\n9000000000\n9000000000\n9000000000\n",
            None,
            "8999999998 graphs have no nodes",
            None,
        ),
    ],
)
def test_a_graph_without_nodes_is_left_out(tmp_path, caplog, indicator, labels, left_out, classes):
    caplog.set_level("INFO")
    changes = {"graph_indicator": indicator, "graph_labels": labels}
    folder = tu_folder(tmp_path / "T", **changes, node_labels="7\n3\n7\n7\n3\n")
    graph = read_graph(folder)
    assert graph.graph_ptr.tolist() == [0, 2, 5]
    assert edges(graph) == [(0, 1), (2, 3), (3, 4)]
    assert graph.features[:, 1].tolist() == [1, 0, 1, 1, 0]
    assert graph.notes[0].startswith(left_out)
    assert graph.notes[0] in caplog.text
    found = read_tu_classes(folder)
    assert found is None if classes is None else found.tolist() == classes


def test_fewer_classes_than_graphs_are_refused(tmp_path):
    folder = tu_folder(tmp_path, graph_indicator="1\n1\n3\n3\n3\n", graph_labels="5\n6\n")
    with pytest.raises(InputError, match=r"each of the 3 graphs, got the shape \(2, 1\)"):
        read_tu_classes(folder)
