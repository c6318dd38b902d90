"""Colours of motifs and lines of relations: the same in drawings, tables, charts and the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, cycle
from types import MappingProxyType

from gomkcn_dgl.graphs.shapes import sign_of
from gomkcn_dgl.graphs.structure import Structure, category_value
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.sides import side_category

INK = "#15181c"
# of nodes and edges that are in no copy, and of those of a pattern that is selected
NODE, EDGE, SELECTED = "#aeb7c1", "#cbd2d9", INK
# of motifs 0 to 4, then of all others: told apart by every reader, on white; letters on them
MOTIF_COLORS = ("#0f5fae", "#e36c0a", "#12a37a", "#6d1560", "#b01d28", "#7d6b57")
LETTER_COLORS = ("#ffffff", INK, INK, "#ffffff", "#ffffff", "#ffffff")
# muted colours of filters, which the style of the page has after those of motifs
_NUM_MUTED = 6
# dashes of the relations, by the alphabet, and of an edge that is missing
DASHES = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5", "dash-dot": "6 2 1.5 2"}
# an edge of any relation, where there are several: thin
ANY = "any"
MISSING = "1.5 2.8"
# chemical bonds are drawn as chemists do, as so many lines
BONDS = {"single": 1, "double": 2, "triple": 3, "aromatic": 2}
Kind = tuple[str, bool]
# letters of a category that fit on a node
_MOST_LETTERS = 4
# a node of any category, among others of one
_OF_ANY = "*"


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
        left = first or second
        classes.append(left.pop(0) if left else color_class(len(MOTIF_COLORS)))
    return classes


class Lines(dict[Kind, str]):
    """The line of each relation, by its kind, and the short ``names`` of categories of nodes.

    Nodes of the category ``square`` are squares, as those of the second side in a drawn graph.
    """

    names: Mapping[tuple[str, ...], str] = MappingProxyType({})
    square: str = ""


def relation_lines(
    relations: Iterable[Kind],
    structures: Iterable[Structure] = (),
    sides: Sequence[str] = (),
) -> Lines:
    """The line of each relation of a graph, and of other kinds of edges of some structures.

    ``sides`` are the names of both sides of a bipartite graph.

    A structure knows all relations of its graph, also those that its edges do not have. So pages,
    notebooks and figures of a run draw a relation alike, whatever they show.
    """
    drawn = list(structures)
    of_structures = (kind for structure in drawn for kind in structure.relations.kinds)
    lines = Lines(line_styles((*relations, *of_structures)))
    lines.names = short_names(names for structure in drawn for names in structure.categories)
    lines.square = side_category(sides[1]) if len(sides) == 2 else ""
    return lines


def line_styles(kinds: Iterable[Kind]) -> dict[Kind, str]:
    """The line of each relation, by its name and direction: a bond, or dashes by the alphabet.

    >>> line_styles([("single", False), ("aromatic", False)])
    {('aromatic', False): 'aromatic', ('single', False): 'single'}
    >>> line_styles([("edge", True), ("represses", True), ("activates", True)])
    {('activates', True): 'solid', ('represses', True): 'dashed', ('edge', True): 'any'}
    """
    ranked = sorted(set(kinds))
    named = [kind for kind in ranked if kind[0] != PLAIN]
    if len(named) > 1 and all(name in BONDS and not directed for name, directed in named):
        lines = {kind: kind[0] for kind in named}
    else:
        # from the fifth relation on the lines begin anew, and the key says so
        lines = dict(zip(named, cycle(DASHES), strict=False))
    plain = ANY if len(named) > 1 else "solid"
    return lines | {kind: plain for kind in ranked if kind[0] == PLAIN}


def line_key(
    lines: Mapping[Kind, str], structures: Iterable[Structure] | None = None
) -> list[tuple[str, Kind, str]]:
    """The name, the kind and the line of each relation of a key, by default of all.

    With some ``structures`` it is that of their edges. There is none where all edges are alike.

    >>> line_key({("edge", True): "solid"})
    []
    >>> lines = {("binds", False): "solid", ("edge", False): "any"}
    >>> line_key(lines)
    [('binds', ('binds', False), 'solid'), ('any relation', ('edge', False), 'any')]
    >>> line_key(lines, [Structure.parse("triangle")])
    []
    """
    drawn = {*lines}
    if structures is not None:
        drawn = {
            structure.relations.kinds[number]
            for structure in structures
            for number in structure.edge_relations
        }
    if len(lines) < 2 or all(name == PLAIN for name, _ in drawn):
        return []
    return [
        # those of structures alone
        ("any relation" if line == ANY else kind[0], kind, line)
        for kind, line in lines.items()
        if kind in drawn
    ]


def is_blunt(name: str) -> bool:
    """Whether edges of a relation end in a bar, as those that repress do in biology."""
    return sign_of(name) == -1


def short_names(categories: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """What stands on a node of each of some categories: up to four letters, no two alike.

    A node without a category may be of any, ``"*"``.

    >>> short_names([("gate=NAND",), ("kind=kinase",), ("kind=kinases",), ()])
    {(): '*', ('gate=NAND',): 'NAND', ('kind=kinase',): 'kina', ('kind=kinases',): 'kins'}
    """
    values = {names: " ".join(map(category_value, names)) or _OF_ANY for names in {*categories}}
    found: dict[tuple[str, ...], str] = {}
    taken: set[str] = set()
    # what is short keeps its name
    order = sorted(values, key=lambda names: (len(values[names]) > _MOST_LETTERS, names))
    for names in order:
        found[names] = next(name for name in _abbreviations(values[names]) if name not in taken)
        taken.add(found[names])
    return found


def _abbreviations(text: str) -> Iterator[str]:
    """Short forms of a text, the plainest first, and without end."""
    if len(text) <= _MOST_LETTERS:
        yield text
    first, *others = re.findall(r"[^\W\d_]+|\d+", text) or [text]
    rest = "".join(word if word.isdigit() else word[0] for word in others)[1 - _MOST_LETTERS :]
    yield first[: _MOST_LETTERS - len(rest)] + rest
    yield text[: _MOST_LETTERS - 1] + text[-1]
    for number in count(2):
        yield text[: max(0, _MOST_LETTERS - len(str(number)))] + str(number)
