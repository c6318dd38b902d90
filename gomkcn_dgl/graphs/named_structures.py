"""The structures that have a name: undirected ones of two to five nodes, families, and motifs.

The small ones are numbered as by N. Pržulj (Bioinformatics 23, 2007) and have the names of the
Information System on Graph Classes (graphclasses.org) where it has a word for them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.motif_table import MOTIF_ROWS
from gomkcn_dgl.graphs.standard_numbers import arcs_of_name, is_standard
from gomkcn_dgl.relations import PLAIN

# what is said of a node in a search is a bit of an int64, whose sign and highest bit have other
# uses; graphs of the families that are known by name are no larger
MOST_NODES = 62

# edges as pairs of digits, in the order of their numbers
SMALL = {
    "edge": "01",
    "path of 3 nodes": "02 12",
    "triangle": "01 02 12",
    "path of 4 nodes": "03 12 23",
    "star with 3 leaves": "03 13 23",
    "cycle of 4 nodes": "02 03 12 13",
    "paw": "03 12 13 23",
    "diamond": "02 03 12 13 23",
    "clique of 4 nodes": "01 02 03 12 13 23",
    "path of 5 nodes": "04 13 23 24",
    "fork": "04 14 23 34",
    "star with 4 leaves": "04 14 24 34",
    "bull": "04 13 23 24 34",
    "triangle with a tail of 2 nodes": "04 12 13 23 34",
    "cricket": "04 14 23 24 34",
    "cycle of 5 nodes": "03 04 12 14 23",
    "banner": "04 13 14 23 24",
    "dart": "04 13 14 23 24 34",
    "butterfly": "03 04 12 14 24 34",
    "kite": "04 12 13 23 24 34",
    "complete bipartite graph, 2 and 3 nodes": "03 04 13 14 23 24",
    "house": "03 04 12 14 23 34",
    "three triangles on an edge": "03 04 13 14 23 24 34",
    "clique of 4 nodes with a pendant node": "04 12 13 14 23 24 34",
    "gem": "03 04 12 14 23 24 34",
    "K2,3 with an edge among the three": "03 04 12 13 14 23 24",
    "clique of 5 nodes less 2 adjacent edges": "03 04 12 13 14 23 24 34",
    "wheel with 4 spokes": "02 03 04 12 13 14 24 34",
    "clique of 5 nodes less 1 edge": "02 03 04 12 13 14 23 24 34",
    "clique of 5 nodes": "01 02 03 04 12 13 14 23 24 34",
}
_OTHER_NAMES = {
    "bowtie": "butterfly",
    "chair": "fork",
    "claw": "star with 3 leaves",
    "square": "cycle of 4 nodes",
}
# edges, and least number of nodes
_FAMILIES: dict[str, tuple[Callable[[int], Iterable[tuple[int, int]]], int]] = {
    "clique": (lambda size: combinations(range(size), 2), 2),
    "ring": (lambda size: ((i, (i + 1) % size) for i in range(size)), 3),
    "path": (lambda size: ((i, i + 1) for i in range(size - 1)), 2),
    "star": (lambda size: ((0, i) for i in range(1, size)), 2),
}
# before the number of a structure of SMALL: G0 to G29
GRAPHLET = "G"
_GRAPHLET = re.compile(rf"{GRAPHLET}(\d{{1,3}})")
FAMILIES = tuple(f"{family}-N" for family in _FAMILIES)
_SHORT = re.compile(rf"({'|'.join(_FAMILIES)})-(\d{{1,9}})")
# the words of reports
_LONG = re.compile(r"(clique|cycle|path) of (\d{1,9}) nodes")
_STAR = re.compile(r"star with (\d{1,9}) leaves")
# share of letters in common from which difflib takes a word for a misspelt name; 0.6, its default,
# takes edges for it
_ALIKE = 0.75


class NamedEdges(NamedTuple):
    """What a name stands for; empty ``relations`` and ``roles`` where it has none."""

    num_nodes: int
    edges: list[tuple[int, int]]
    relations: tuple[str, ...] = ()
    directed: bool = False
    roles: tuple[str, ...] = ()


def is_name(text: str) -> bool:
    """Whether a text is the name of a structure, though perhaps of too many nodes.

    >>> is_name("house"), is_name("ring-6"), is_name("cycle of 6 nodes"), is_name("a--b")
    (True, True, True, False)
    >>> is_name("030T"), is_name("mfinder-204"), is_name("G8")
    (True, True, True)
    """
    is_small = text in SMALL or text in _OTHER_NAMES or _GRAPHLET.fullmatch(text) is not None
    return (
        is_small
        or is_standard(text)
        or _family_of(text) is not None
        or _as_one_word(text) in MOTIF_ROWS
    )


def name_like(text: str, others: Iterable[str] = ()) -> str | None:
    """The known name, or one of ``others``, that a text is most like; None where it is like none.

    >>> name_like("trangle"), name_like("cliqe-6"), name_like("edges.txt"), name_like("111u")
    ('triangle', 'clique-6', None, '111U')
    """
    # a triad differs from others by its letter, so only its case may be another
    if is_standard(text.upper()):
        return text.upper()
    size = re.search(r"\d+$", text)
    families = [name.replace("N", size[0]) for name in FAMILIES] if size else []
    known = [*SMALL, *_OTHER_NAMES, *MOTIF_ROWS, *families, *others]
    return next(iter(difflib.get_close_matches(text.lower(), known, 1, _ALIKE)), None)


def _graphlet_name(name: str) -> str:
    """The name of a graphlet such as "G8"; any other text as it is."""
    found = _GRAPHLET.fullmatch(name)
    if found is None:
        return name
    if int(found[1]) >= len(SMALL):
        raise InputError(
            "pattern", f"must be a graphlet from {GRAPHLET}0 to {GRAPHLET}{len(SMALL) - 1}",
            got=repr(name),
        )  # fmt: skip
    return list(SMALL)[int(found[1])]


def _family_of(name: str) -> tuple[str, int] | None:
    """Family and number of nodes."""
    if star := _STAR.fullmatch(name):
        return "star", int(star[1]) + 1
    known = _SHORT.fullmatch(name) or _LONG.fullmatch(name)
    return known and (known[1].replace("cycle", "ring"), int(known[2]))


def _as_one_word(name: str) -> str:
    """The name of a motif as in the table, for that of a report.

    >>> _as_one_word("coherent feed-forward loop of type 1")
    'coherent-feed-forward-loop-1'
    """
    return name.replace(" of type ", "-").replace(" ", "-")


def named_edges(name: str) -> NamedEdges | None:
    """The structure of this name; None where it is no name.

    >>> named_edges("star with 2 leaves")[:2]
    (3, [(0, 1), (0, 2)])
    >>> named_edges("feed-forward loop").roles
    ('master', 'intermediate', 'target')
    """
    small = _graphlet_name(name)
    pairs = SMALL.get(_OTHER_NAMES.get(small, small), "")
    if pairs:
        edges = [(int(pair[0]), int(pair[1])) for pair in pairs.split()]
        return NamedEdges(1 + int(max(pairs)), edges)
    if (arcs := arcs_of_name(name)) is not None:
        return NamedEdges(1 + max(map(max, arcs)), [*arcs], (PLAIN,) * len(arcs), directed=True)
    row = MOTIF_ROWS.get(_as_one_word(name))
    if row is not None:
        return NamedEdges(len(row.roles), [*row.edges], row.relations, row.directed, row.roles)
    family = _family_of(name)
    if family is None:
        return None
    (edges_of, least), size = _FAMILIES[family[0]], family[1]
    if not least <= size <= MOST_NODES:
        raise InputError(
            "pattern",
            f"{family[0]}-N must have from {least} to {MOST_NODES} nodes",
            got=size,
        )
    return NamedEdges(size, list(edges_of(size)))
