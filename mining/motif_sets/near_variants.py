"""Which motifs are variants of others, one edge apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure


def near_variants(motifs: Sequence[tuple[Structure, int]]) -> tuple[tuple[int, ...], ...]:
    """Groups of structures one edge apart, given with their numbers of copies.

    A structure with fewer copies is a variant of one with more from which it differs by one edge;
    of several, of the one from which a random change of one edge gives it most often.

    >>> ring, chord = Structure.parse("ring-4"), Structure.parse("diamond")
    >>> near_variants([(chord, 3), (ring, 20), (Structure.parse("triangle"), 9)])
    ((1, 0),)
    """
    parents: dict[int, int] = {}
    changed = [_changes(one, motifs) for one, _ in motifs]
    for number, (structure, copies) in enumerate(motifs):
        ways = [
            (changed[other][structure.key], more, -other)
            for other, (_, more) in enumerate(motifs)
            if more > copies and changed[other][structure.key]
        ]
        if ways:
            parents[number] = -max(ways)[2]
    groups: dict[int, list[int]] = {}
    for number in parents:
        root = number
        while root in parents:
            root = parents[root]
        groups.setdefault(root, [root]).append(number)
    return tuple(tuple(one) for _, one in sorted(groups.items()))


def _changes(structure: Structure, motifs: Sequence[tuple[Structure, int]]) -> Counter[bytes]:
    """How many changes of one edge give each structure, where another motif may be among them."""
    size, num_edges = structure.num_nodes, len(structure.edges)
    sizes = {(one.num_nodes, len(one.edges)) for one, _ in motifs}
    found = Counter[bytes]()
    if not {(size, num_edges - 1), (size, num_edges + 1)} & sizes:
        return found
    opposite = structure.relations.opposite
    for channel in structure.relations.outgoing.tolist():
        back = opposite[channel]
        for u, v in permutations(range(size), 2):
            if back == channel and u > v:
                continue
            channels = structure.channels.copy()
            channels[u, v, channel] = channels[v, u, back] = not channels[u, v, channel]
            try:
                found[replace(structure, channels=channels, name="", roles=()).key] += 1
            except InputError:
                # it falls apart
                continue
    return found
