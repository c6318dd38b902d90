"""What the findings say beside the patterns: rings, nitro groups and triangles counted by hand."""

import known_facts
import numpy as np
import pytest

AROMATIC, SINGLE, DOUBLE = 0, 1, 2


def write_tu(folder, edges, node_labels, graphs, edge_labels=()):
    """A data set in the TU format, whose nodes count from 1."""
    lines = {
        "A": [f"{u + 1}, {v + 1}" for u, v in edges],
        "edge_labels": edge_labels,
        "graph_indicator": graphs,
        "node_labels": node_labels,
    }
    for name, values in lines.items():
        if len(values) == 0:
            continue
        (folder / f"M_{name}.txt").write_text("".join(f"{value}\n" for value in values))
    return folder


@pytest.fixture
def nitrobenzene(tmp_path):
    """The oxygen of water alone; then a ring of six carbons with a nitro group."""
    ring = [(u, (u + 1) % 6, AROMATIC) for u in range(6)]
    bonds = [*ring, (0, 6, SINGLE), (6, 7, DOUBLE), (6, 8, SINGLE)]
    edges = [(u + 1, v + 1) for u, v, _ in bonds]
    labels = [2, *[0] * 6, 1, 2, 2]
    return write_tu(tmp_path, edges, labels, [1] + [2] * 9, [kind for *_, kind in bonds])


def record(number, words, node_sets):
    occurrences = [{"nodes": list(nodes), "graph": 1} for nodes in node_sets]
    frequency = {"occurrences": {"value": len(occurrences)}}
    record = {"id": number, "description": words, "occurrences": occurrences}
    return record | {"frequency": frequency}


def test_rings_and_nitro_groups_are_counted(nitrobenzene):
    patterns = [
        record(0, "cycle of 6 nodes, all edges “aromatic”: 6 carbon", [range(6), range(1, 7)]),
        record(1, "star with 3 leaves: 2 oxygen, 1 nitrogen, 1 carbon", [(0, 6, 7, 8)]),
    ]
    text = known_facts.describe_rings_and_nitro_groups(nitrobenzene, patterns)
    assert "holds 1 rings of six atoms, 1 of them with six aromatic bonds" in text
    assert "and 1 nitro groups" in text
    assert ", all edges “aromatic”: 6 carbon”, 1 are such" in text and "Of the 2 occ" in text
    assert text.endswith("1 hold a nitro group, 1 different ones.")
    text = known_facts.describe_rings_and_nitro_groups(nitrobenzene, [])
    assert text.endswith("No pattern is a ring of six carbons. No pattern is a nitro group.")
    molecules, first = known_facts.read_molecules(nitrobenzene)
    assert first.tolist() == [0, 1]
    assert known_facts.is_nitro(molecules, 7, {7, 8, 9})
    assert not known_facts.is_nitro(molecules, 7, {7, 8})
    assert known_facts.is_aromatic(molecules, frozenset(range(1, 7)))
    assert not known_facts.is_aromatic(molecules, frozenset(range(1, 8)))


def test_labels_of_enzymes_are_what_their_lengths_say(shared_data):
    """The reason beside ``ENZYMES_CODES``: Å per residue of each kind."""
    (folder,) = shared_data.glob("ENZYMES_*/ENZYMES")
    labels = np.loadtxt(folder / "ENZYMES_node_labels.txt", dtype=int)
    values = np.loadtxt(folder / "ENZYMES_node_attributes.txt", delimiter=",", usecols=(0, 1))
    rise = [np.median(values[labels == code, 1] / values[labels == code, 0]) for code in (1, 2)]
    assert np.round(rise, 1).tolist() == [1.4, 2.5]
    assert np.median(values[labels == 2, 0]) == 5
    assert np.bincount(labels).tolist() == [0, 9457, 9665, 458]
