"""Colours of motifs and lines of relations: the same in drawings, tables, charts and the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import cycle

from gomkcn_dgl.graphs.structure import Structure, category_value
from mining.pattern import Pattern

INK = "#15181c"
# of nodes and edges that are in no copy, and of those of a pattern that is selected
NODE, EDGE, SELECTED = "#aeb7c1", "#cbd2d9", INK
# of motifs 0 to 4, then of all others: told apart by every reader, on white; letters on them
MOTIF_COLORS = ("#0f5fae", "#e36c0a", "#12a37a", "#6d1560", "#b01d28", "#7d6b57")
LETTER_COLORS = ("#ffffff", INK, INK, "#ffffff", "#ffffff", "#ffffff")
# muted colours of filters, which the style of the page has after those of motifs
_NUM_MUTED = 4
# dashes of the relations, the most frequent first, and of an edge that is missing
DASHES = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5", "dash-dot": "6 2 1.5 2"}
MISSING = "1.5 2.8"
# chemical bonds are drawn as chemists do, as so many lines
BONDS = {"single": 1, "double": 2, "triple": 3, "aromatic": 2}
Kind = tuple[str, bool]


def color_class(number: int) -> str:
    """The class of a motif's colour in the style of the page."""
    return f"m{min(number, len(MOTIF_COLORS) - 1)}"


def filter_colors(structures: Sequence[Structure]) -> list[str]:
    """The class of the colour of each filter; trees, which most nodes are around, have muted ones.

    >>> filter_colors([Structure.parse("star-4"), Structure.parse("triangle")])
    ['m6', 'm0']
    """
    bright = [f"m{number}" for number in range(len(MOTIF_COLORS) - 1)]
    muted = [f"m{len(MOTIF_COLORS) + number}" for number in range(_NUM_MUTED)]
    classes = []
    for structure in structures:
        pairs = int(structure.joined.sum()) // 2
        first, second = (muted, bright) if pairs < structure.num_nodes else (bright, muted)
        own = first or second
        classes.append(own.pop(0) if own else color_class(len(MOTIF_COLORS)))
    return classes


def relation_lines(structures: Iterable[Structure]) -> dict[Kind, str]:
    """The line of each relation of some structures; see :func:`line_styles`."""
    kinds = dict.fromkeys(kind for one in structures for kind in one.relations.kinds)
    return line_styles([], list(kinds))


def line_styles(patterns: Iterable[Pattern], kinds: Sequence[Kind] = ()) -> dict[Kind, str]:
    """The line of each relation, its name and direction: a bond, or dashes by falling frequency.

    ``kinds`` are relations that no pattern need have.

    >>> line_styles([], [("single", False), ("aromatic", False)])
    {('single', False): 'single', ('aromatic', False): 'aromatic'}
    >>> line_styles([], [("activates", True), ("represses", True)])
    {('activates', True): 'solid', ('represses', True): 'dashed'}
    """
    used: Counter[Kind] = Counter()
    for pattern in patterns:
        own = pattern.relations.kinds
        used.update(own[number] for number in pattern.edge_relations)
    ranked = [kind for kind, _ in used.most_common()]
    ranked += [kind for kind in kinds if kind not in used]
    if len(ranked) > 1 and all(name in BONDS and not directed for name, directed in ranked):
        return {kind: kind[0] for kind in ranked}
    # from the fifth relation on the lines begin anew, and the key says so
    return dict(zip(ranked, cycle(DASHES), strict=False))


def short_category(names: Sequence[str]) -> str:
    """The value of a node's first category where it is short enough to stand on the node.

    >>> short_category(["label=C"]), short_category(["kind=kinase"])
    ('C', '')
    """
    value = category_value(names[0]) if names else ""
    return value if len(value) <= 2 else ""
