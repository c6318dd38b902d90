"""What the findings say beside the patterns: rings, nitro groups and triangles counted by hand."""

import importlib

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr

AROMATIC, SINGLE, DOUBLE = 0, 1, 2


@pytest.fixture(scope="module")
def facts():
    return importlib.import_module("known_facts")


@pytest.fixture(scope="module")
def findings():
    return importlib.import_module("findings")


@pytest.fixture
def nitrobenzene(tmp_path):
    """Water's oxygen alone; then a ring of six carbons with a nitro group, in the TU format."""
    ring = [(u, (u + 1) % 6, AROMATIC) for u in range(6)]
    bonds = [*ring, (0, 6, SINGLE), (6, 7, DOUBLE), (6, 8, SINGLE)]
    # counted from 1, after the oxygen
    edges = [(u + 2, v + 2, kind) for u, v, kind in bonds]
    lines = {
        "A": [f"{u}, {v}" for u, v, _ in edges],
        "edge_labels": [str(kind) for *_, kind in edges],
        "graph_indicator": ["1"] + ["2"] * 9,
        "node_labels": [str(code) for code in (2, *[0] * 6, 1, 2, 2)],
    }
    for name, text in lines.items():
        (tmp_path / f"M_{name}.txt").write_text("\n".join(text) + "\n")
    return tmp_path


def record(number, words, places, graph=1):
    occurrences = [{"nodes": list(place), "graph": graph} for place in places]
    return {"id": number, "words": words, "occurrences": occurrences}


class TestMutag:
    def test_rings_and_groups_are_counted(self, facts, nitrobenzene):
        patterns = [
            record(0, "cycle of 6 nodes: 6 carbon", [range(6), range(1, 7)]),
            record(1, "star with 3 leaves: 2 oxygen, 1 nitrogen, 1 carbon", [(0, 6, 7, 8)]),
        ]
        said = facts.describe_rings_and_nitro_groups(nitrobenzene, patterns)
        assert "holds 1 rings of six atoms, 1 of them with six aromatic bonds" in said
        assert "and 1 nitro groups" in said
        assert "Of the 2 places of pattern 0, “cycle of 6 nodes: 6 carbon”, 1 are such" in said
        assert "Of the 1 places of pattern 1" in said
        assert said.endswith("1 hold a nitro group, 1 different ones.")

    def test_what_was_not_found_is_said(self, facts, nitrobenzene):
        said = facts.describe_rings_and_nitro_groups(nitrobenzene, [])
        assert said.endswith("No pattern is a ring of six carbons. No pattern is a nitro group.")

    def test_a_place_without_an_oxygen_is_no_nitro_group(self, facts, nitrobenzene):
        molecules, first = facts.read_molecules(nitrobenzene)
        assert first.tolist() == [0, 1]
        assert facts.is_nitro(molecules, 7, {7, 8, 9})
        assert not facts.is_nitro(molecules, 7, {7, 8})
        assert not facts.is_nitro(molecules, 1, set(molecules))
        assert facts.is_aromatic(molecules, frozenset(range(1, 7)))
        assert not facts.is_aromatic(molecules, frozenset(range(1, 8)))


def test_neighbours_of_one_kind(facts, tmp_path):
    (tmp_path / "E_A.txt").write_text("1, 2\n2, 3\n3, 4\n")
    (tmp_path / "E_graph_indicator.txt").write_text("1\n1\n1\n1\n")
    (tmp_path / "E_node_labels.txt").write_text("1\n1\n1\n2\n")
    (tmp_path / "names.csv").write_text("label,name\n1,helix\n2,sheet\n")
    entry = {"frequency": {"num_graphs": 7}, "significance": {"features": {"z": 4.0}}}
    alike = {"words": "star with 3 leaves: 4 helix", **entry}
    mixed = {"words": "star with 2 leaves: 2 helix, 1 sheet", **entry}
    said = facts.describe_neighbors(tmp_path, tmp_path / "names.csv", [alike, mixed])
    assert "(75% helix, 25% sheet)" in said
    assert "of the same kind in 67% of the edges, 62% by chance" in said
    assert said.endswith("“star with 3 leaves: 4 helix” in 7 graphs, z 4.0 beside shuffled labels.")
    said = facts.describe_neighbors(tmp_path, tmp_path / "names.csv", [mixed])
    assert said.endswith("at every node: none.")


@pytest.mark.parametrize(
    ("words", "alike"),
    [
        ("6 nodes, 10 edges: 6 sheet", True),
        ("star with 5 leaves: 5 helix, 1 mixed", False),
        ("edge: 1 helix, 1 sheet", False),
        ("edge: 2 mixed", False),
    ],
)
def test_of_one_kind(facts, words, alike):
    assert facts.is_of_one_kind({"words": words}, ["helix", "sheet", "turn"]) is alike


@pytest.mark.parametrize(
    ("graph", "triangles"),
    [(nx.complete_graph(5), 10), (nx.cycle_graph(4), 0), (nx.wheel_graph(6), 5)],
)
def test_triangles(facts, graph, triangles):
    assert facts.count_triangles(as_csr(graph)) == triangles


def test_triangles_of_rewired_graphs(facts, tmp_path):
    (tmp_path / "g.txt").write_text("".join(f"{u} {v}\n" for u, v in nx.complete_graph(4).edges))
    dense = {"edges": list(nx.complete_graph(4).edges), "num_nodes": 4}
    loose = {"edges": list(nx.path_graph(4).edges), "num_nodes": 4}
    patterns = [
        {**dense, "significance": {"degree": {"q": 0.01}}},
        {**loose, "significance": {"degree": {"q": 0.5}}},
    ]
    said = facts.compare_triangles(tmp_path / "g.txt", patterns, 0.05)
    # degrees leave no choice
    assert "has 4 triangles, 1.0 times as many as graphs rewired by `degree` (4 ± 0 in 10)" in said
    assert "The 1 patterns that occur more often than in such graphs have 6 to 6 edges" in said
    assert said.endswith("3 to 3 edges and 0 to 0 triangles among 4 nodes.")


def entry(z, q):
    return {"z": z, "q": q, "mean": 1.0, "std": 0.5}


def test_more_often_and_more_rarely(findings):
    patterns = [
        {"words": words, "significance": {"degree": entry(z, q)}}
        for words, z, q in (("ring", 9, 0.01), ("star", 1, 0.2), ("chain", -3.04, 1.0))
    ]
    finding = findings.Finding(findings.MUTAG, None, patterns, {}, 1.0)
    assert findings.say_against(finding, "degree") == (
        "MUTAG beside the null model `degree`: 1 of 3 patterns occur more often (q ≤ 0.05): "
        "“ring” (z 9.0); 1 more rarely (z ≤ -2): “chain” (z -3.0)."
    )


def test_the_command_is_what_a_user_would_type(findings):
    command = findings.FACEBOOK.command("friends.txt.gz", "run")
    assert command == [
        "mine", "friends.txt.gz", "--out", "run", "--null", "degree", "--exact", "10",
    ]  # fmt: skip
    *_, option, names = findings.ENZYMES.command("ENZYMES", "run")
    assert option == "--label-names"
    from gomkcn_dgl.io.label_names import read_label_names

    assert read_label_names(names) == {"1": "helix", "2": "sheet", "3": "turn"}


def test_labels_of_enzymes_are_what_their_lengths_say(shared_data):
    """The reason in ``enzymes_labels.toml``: Å a residue of each kind."""
    (folder,) = shared_data.glob("ENZYMES_*/ENZYMES")
    labels = np.loadtxt(folder / "ENZYMES_node_labels.txt", dtype=int)
    values = np.loadtxt(folder / "ENZYMES_node_attributes.txt", delimiter=",", usecols=(0, 1))
    rise = [np.median(values[labels == code, 1] / values[labels == code, 0]) for code in (1, 2)]
    assert np.round(rise, 1).tolist() == [1.4, 2.5]
    assert np.median(values[labels == 2, 0]) == 5
    assert np.bincount(labels).tolist() == [0, 9457, 9665, 458]
