"""The roles of a structure: nodes that its symmetries exchange have the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure, node_letter

# by the edges of a node that are of no mutual pair; "mutual" has no others
SOURCE, INTERMEDIATE, SINK, MUTUAL = "source", "intermediate", "sink", "mutual"


class Role(NamedTuple):
    """A role: its letters in the drawing, such as "A" or "B/C", its position, and its nodes.

    The position is "source", "intermediate" or "sink" by the edges that belong to no mutual pair,
    which says nothing of what comes first, and "mutual" of a node that has no such edges. It is ""
    where an edge has no direction or all nodes have the same.
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
    >>> [str(role) for role in roles_of(Structure.parse("a->b, b->a, a->c, b->c"))]
    ['A/B source', 'C sink']
    """
    groups: dict[int, list[int]] = {}
    for node, orbit in enumerate(structure.orbits.tolist()):
        groups.setdefault(orbit, []).append(node)
    positions = _positions(structure)
    return [
        Role("/".join(map(node_letter, nodes)), positions[nodes[0]], tuple(nodes))
        for nodes in groups.values()
    ]


def _positions(structure: Structure) -> list[str]:
    """The position of each node; none where an edge has no direction, or all have the same."""
    nothing = [""] * structure.num_nodes
    if not all(structure.relations.directed[number] for number in structure.edge_relations):
        return nothing
    # a pair may be mutual by edges of two relations
    pairs = set(structure.edges)
    ends = np.array([(u, v) for u, v in pairs if (v, u) not in pairs], int).reshape(-1, 2)
    leaves, arrives = (np.isin(np.arange(structure.num_nodes), ends[:, at]) for at in (0, 1))
    name_of = {
        (True, True): INTERMEDIATE,
        (True, False): SOURCE,
        (False, True): SINK,
        (False, False): MUTUAL,
    }
    positions = [name_of[has] for has in zip(leaves.tolist(), arrives.tolist(), strict=True)]
    return positions if len(set(positions)) > 1 else nothing
