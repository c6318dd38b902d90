"""The roles of a structure: nodes that its symmetries exchange have the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure, node_letter

# of the edges with a direction that a node has in a structure
SOURCE, INTERMEDIATE, SINK = "source", "intermediate", "sink"


class Role(NamedTuple):
    """A role: its letters in the drawing, such as "A" or "B/C", its position, and its nodes.

    The position is "source", "intermediate" or "sink" where all edges have a direction and not all
    nodes have the same; else "".
    """

    letters: str
    position: str
    nodes: tuple[int, ...]

    def __str__(self) -> str:
        """Letters and position, such as "A source"."""
        return f"{self.letters} {self.position}".rstrip()


def roles_of(structure: Structure) -> list[Role]:
    """The roles of a structure, in the order of their first letters.

    >>> [str(role) for role in roles_of(Structure.parse("a->b, a->c, b->d, c->d"))]
    ['A source', 'B/C intermediate', 'D sink']
    >>> [str(role) for role in roles_of(Structure.parse("paw"))]
    ['A', 'B/C', 'D']
    """
    groups: dict[int, list[int]] = {}
    for node, orbit in enumerate(structure.orbits.tolist()):
        groups.setdefault(orbit, []).append(node)
    positions = _positions(structure) if len(groups) > 1 else [""] * structure.num_nodes
    return [
        Role("/".join(map(node_letter, nodes)), positions[nodes[0]], tuple(nodes))
        for nodes in groups.values()
    ]


def _positions(structure: Structure) -> list[str]:
    """The position of each node; none where an edge has no direction."""
    if not all(structure.relations.directed[number] for number in structure.edge_relations):
        return [""] * structure.num_nodes
    ends = np.array(structure.edges).reshape(-1, 2)
    leaves, arrives = (np.isin(np.arange(structure.num_nodes), ends[:, at]) for at in (0, 1))
    return [
        INTERMEDIATE if out and into else SOURCE if out else SINK
        for out, into in zip(leaves.tolist(), arrives.tolist(), strict=True)
    ]
