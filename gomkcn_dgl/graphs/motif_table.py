"""The motifs that have a name of one word: edges, the role of each node, and why that shape.

The GOMKCN paper (arXiv:2504.16360) draws its motifs without defining them, so the shapes here are
ours. Those without direction have minimum degree 2 and no bridge: joined by single edges to a tree,
such as a Barabási–Albert graph with 1 edge a node, no motif is completed by chance there or across
copies. Those with directions are the usual ones of the literature on network motifs: Milo et al.,
Science 298 (2002), Shen-Orr et al., Nature Genetics 31 (2002), Alon, Nature Reviews Genetics 8
(2007).
"""

from __future__ import annotations

from typing import NamedTuple

from gomkcn_dgl.relations import PLAIN


class MotifRow(NamedTuple):
    """A row of the table: edges, the relation of each, and a role for each node."""

    name: str
    edges: tuple[tuple[int, int], ...]
    relations: tuple[str, ...]
    directed: bool
    roles: tuple[str, ...]


def _row(
    name: str, edges: str, roles: str, relations: str = PLAIN, directed: bool = False
) -> MotifRow:
    """Read a row from compact text: ``"01 12"`` is the edges (0, 1) and (1, 2).

    ``relations`` has the name of one for each edge, or of one for all.
    """
    pairs = tuple((int(edge[0]), int(edge[1])) for edge in edges.split())
    kinds = relations.split() if " " in relations else [relations] * len(pairs)
    return MotifRow(name, pairs, tuple(kinds), directed, tuple(roles.split()))


def _directed_row(name: str, edges: str, roles: str, relations: str = PLAIN) -> MotifRow:
    """A row whose edges have a direction."""
    return _row(name, edges, roles, relations, directed=True)


_ACTS = {"+": "activates", "-": "represses"}
# signs of master → intermediate, intermediate → target and master → target, type 1 to 4
_LOOPS = {"coherent": ("+++", "-+-", "+--", "--+"), "incoherent": ("+-+", "---", "++-", "-++")}

_ROWS = (
    # Six nodes, the paper's eight:
    # Walls 0-1-2-3, roof 4 on 2 and 3, chimney 5 leaning on 4 and 2. With a chimney on one
    # node only, any tree edge at a roof would complete it; with minimum degree 2 none can
    _row("house6", "01 12 23 03 24 34 45 25", "floor floor eave eave ridge chimney"),
    # A body 0-1-2-3 with a handle 1-4-5-2. The same graph as book: two squares on one edge
    _row("cup", "01 12 23 03 14 45 25", "rim top bottom rim handle handle"),
    # A hub joined to a ring of five
    _row("wheel", "01 02 03 04 05 12 23 34 45 15", "hub rim rim rim rim rim"),
    # The 3-sun: a band 0-1-2 with a tip over each of its edges
    _row("crown", "01 12 02 03 13 14 24 25 05", "band band band tip tip tip"),
    # The domino: two square pages sharing the spine 1-2. The same graph as cup
    _row("book", "01 12 23 03 14 45 25", "page spine spine page page page"),
    # The octahedron: a girdle 1-2-3-4 between two apexes, as a cut diamond; six nodes like
    # the paper's filters. A house and a diamond are the usual graphs of five and four nodes,
    # so the paper's have their size behind the name
    _row(
        "diamond6", "01 02 03 04 15 25 35 45 12 23 34 14", "apex girdle girdle girdle girdle apex"
    ),
    # A ring of six
    _row("circle", "01 12 23 34 45 05", "ring " * 6),
    # An envelope 0-1-2-3 with a flap 4 on its upper edge and a fold 5 on its lower one
    _row("email", "01 12 23 03 04 14 25 35", "top top bottom bottom flap fold"),
    # Four nodes:
    # A ring of four
    _row("square", "01 12 23 03", "ring " * 4),
    # Two triangles on one edge
    _row("diamond", "01 02 12 13 23", "tip waist waist tip"),
    # Four nodes, all joined
    _row("clique4", "01 02 03 12 13 23", "member " * 4),
    # Five nodes:
    # A ring of five
    _row("circle5", "01 12 23 34 04", "ring " * 5),
    # The house of the GNNExplainer data sets: a square and a roof
    _row("house", "01 12 23 03 24 34", "floor floor eave eave ridge"),
    # Two triangles on one node
    _row("bowtie", "01 02 12 03 04 34", "knot wing wing wing wing"),
    # A hub on a ring of four
    _row("wheel5", "01 02 03 04 12 23 34 14", "hub rim rim rim rim"),
    # K(2,3): two poles, three ribs
    _row("basket", "02 03 04 12 13 14", "pole pole rib rib rib"),
    # Five nodes, all joined
    _row("clique5", "01 02 03 04 12 13 14 23 24 34", "member " * 5),
    # Seven nodes:
    # A ring of seven
    _row("circle7", "01 12 23 34 45 56 06", "ring " * 7),
    # A hub on a ring of six
    _row("wheel7", "01 02 03 04 05 06 12 23 34 45 56 16", "hub rim rim rim rim rim rim"),
    # wheel7 with one ring edge missing
    _row("fan7", "01 02 03 04 05 06 12 23 34 45 56", "hub edge blade blade blade blade edge"),
    # Three triangles on one node, the friendship graph
    _row("windmill7", "01 02 12 03 04 34 05 06 56", "hub sail sail sail sail sail sail"),
    # Two ends joined by three paths; no triangle, no square
    _row("theta7", "02 12 03 34 14 05 56 16", "end end short long long long long"),
    # Eight nodes:
    # A ring of eight
    _row("circle8", "01 12 23 34 45 56 67 07", "ring " * 8),
    # A hub on a ring of seven
    _row("wheel8", "01 02 03 04 05 06 07 12 23 34 45 56 67 17", "hub rim rim rim rim rim rim rim"),
    # Three squares in a row
    _row("ladder8", "01 12 23 45 56 67 04 15 26 37", "end inner inner end end inner inner end"),
    # The cube, 3-regular
    _row("cube", "01 12 23 03 45 56 67 47 04 15 26 37", "corner " * 8),
    # A crown of four: a band 0-1-2-3 with a tip over each edge
    _row("sun8", "01 12 23 03 04 14 15 25 26 36 37 07", "band band band band tip tip tip tip"),
    # Two squares, one turned by half a step, 4-regular
    _row(
        "antiprism8",
        "01 12 23 03 45 56 67 47 04 14 15 25 26 36 37 07",
        "upper upper upper upper lower lower lower lower",
    ),
    # Three nodes, with directions:
    # The master acts on the target directly and through the intermediate
    _directed_row("feed-forward-loop", "01 02 12", "master intermediate target"),
    # The feedback loop of three nodes
    _directed_row("three-cycle", "01 12 20", "ring ring ring"),
    # Two nodes that are joined both ways act on a third
    _directed_row("uplinked-mutual-dyad", "01 10 02 12", "partner partner target"),
    # One node acts on two that are joined both ways: the regulated mutual pair
    _directed_row("downlinked-mutual-dyad", "12 21 01 02", "source partner partner"),
    # A three-cycle one of whose arcs goes both ways
    _directed_row("feedback-with-mutual-dyad", "01 10 12 20", "partner partner third"),
    # Two mutual pairs with a node in common, closed by a single arc
    _directed_row("feedback-with-two-mutual-dyads", "01 10 12 21 02", "first middle last"),
    # All joined, both ways
    _directed_row("fully-connected-triad", "01 10 02 20 12 21", "member " * 3),
    # Four nodes, with directions:
    # Two nodes act on the same two others
    _directed_row("bi-fan", "02 03 12 13", "source source target target"),
    # Two paths of two arcs from a source to a target
    _directed_row("bi-parallel", "01 02 13 23", "source middle middle target"),
    # One node acts on three that no other arc joins
    _directed_row("single-input-module", "01 02 03", "master target target target"),
    # A path of three arcs
    _directed_row("cascade", "01 12 23", "first second third last"),
    # The feedback loop of four nodes
    _directed_row("four-cycle", "01 12 23 30", "ring " * 4),
    # Three nodes, with directions and relations, from master to intermediate to target:
    # Mangan and Alon, PNAS 100 (2003): the two paths have one sign, or two
    *(
        _directed_row(
            f"{kind}-feed-forward-loop-{number}",
            "01 12 02",
            "master intermediate target",
            " ".join(_ACTS[sign] for sign in signs),
        )
        for kind, loops in _LOOPS.items()
        for number, signs in enumerate(loops, 1)
    ),
    # Three nodes, with relations:
    *(
        # A triangle over two relations, of which it has as many edges as its name has digits
        _row(
            f"triangle-{kinds}", "01 02 12", "corner " * 3, " ".join(f"relation{k}" for k in kinds)
        )
        for kinds in ("001", "011")
    ),
)

MOTIF_ROWS: dict[str, MotifRow] = {row.name: row for row in _ROWS}
