"""What a structure is called in words: its common name, where it has one, and its relations.

Undirected structures are named by their shape, directed ones as the literature on network motifs
has them: Milo et al. (2002), "Network motifs: simple building blocks of complex networks", and
Kashtan et al. (2004), "Topological generalizations of network motifs"; the kinds of signed
feed-forward loops follow Mangan and Alon (2003). Edges of named relations are put into clauses:
"A activates B, both repress C".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, product

import numpy as np

from gomkcn_dgl.graphs.named_structures import SMALL
from gomkcn_dgl.graphs.structure import Structure, category_value, node_letter
from gomkcn_dgl.relations import PLAIN, relations_of

Arcs = list[tuple[int, int]]
_ARCS = relations_of([PLAIN], [True])

# motifs of more nodes that have arcs between most of them are not named
_MOST_DENSE = 12
# directed triads that belong to no family below
_TRIADS: dict[str, Arcs] = {
    "mutual pair with a target of one of them": [(0, 1), (1, 0), (1, 2)],
    "mutual pair with a source of one of them": [(0, 1), (1, 0), (2, 1)],
    "mutual pair with a common source": [(0, 1), (1, 0), (2, 0), (2, 1)],
    "mutual pair with a common target": [(0, 1), (1, 0), (0, 2), (1, 2)],
    "three-cycle with one mutual pair": [(0, 1), (1, 0), (1, 2), (2, 0)],
    "triangle with two mutual pairs": [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0)],
}
# sign of what a relation of a regulatory network does
_SIGNS = dict.fromkeys(
    ("activates", "activation", "activator", "activate", "positive", "+", "+1", "1"), 1
) | dict.fromkeys(
    ("represses", "repression", "repressor", "repress", "inhibits", "inhibition", "inhibitor",
     "negative", "-", "-1", "−"), -1
)  # fmt: skip
# signs of A → B, B → C and A → C of each kind of feed-forward loop
_SIGNED_LOOPS = {
    (1, 1, 1): "coherent feed-forward loop of type 1",
    (-1, 1, -1): "coherent feed-forward loop of type 2",
    (1, -1, -1): "coherent feed-forward loop of type 3",
    (-1, -1, 1): "coherent feed-forward loop of type 4",
    (1, -1, 1): "incoherent feed-forward loop of type 1",
    (-1, -1, -1): "incoherent feed-forward loop of type 2",
    (1, 1, -1): "incoherent feed-forward loop of type 3",
    (-1, 1, 1): "incoherent feed-forward loop of type 4",
}
# with more clauses nobody reads them; the edges are counted by relation instead
_MOST_CLAUSES = 4
# how a structure without a name is described
_COUNTED = re.compile(r"[\d,]+ nodes?, [\d,]+ edges?")
# irregular verbs that relations are named by
_PLURALS = {"is": "are", "has": "have", "does": "do", "was": "were"}


def describe_shape(pattern: Structure) -> str:
    """Name a structure, such as "star with 5 leaves"; else count: "6 nodes, 8 edges".

    Undirected structures of two to five nodes have the names that :meth:`Structure.parse` takes,
    directed ones those of network motifs. Relations that have names follow, as in "incoherent
    feed-forward loop of type 1: A activates B and C, B represses C", with the letters that drawings
    have on the nodes: A is node 0.
    """
    used = {pattern.relations.directed[number] for number in pattern.edge_relations}
    if used == {True}:
        shape = _describe_directed(pattern)
    else:
        counted = f"{count(pattern.num_nodes, 'node')}, {count(len(pattern.edges), 'edge')}"
        shape = _name(pattern.joined) or counted
    return shape + _describe_relations(pattern, used)


def describe_shapes(structures: Sequence[Structure]) -> list[str]:
    """Describe the structures of one table; no two different ones have the same description."""
    return tell_apart(map(describe_shape, structures), structures)


def tell_apart(texts: Iterable[str], structures: Sequence[Structure]) -> list[str]:
    """The texts of one table, with more of them where different structures have the same.

    Up to the first semicolon, after which other things are said, no two are the same. Where that
    tells some apart, it is said how far pendant nodes are from each other on their cycle, then the
    degrees of the nodes, then the edges.

    >>> rings = [Structure.parse(f"0--1, 1--2, 2--3, 3--4, 4--0, 0--5, {k}--6") for k in (1, 2)]
    >>> for text in tell_apart(["a ring; rare", "a ring"], rings):
    ...     print(text)
    a ring (attached at distance 1); rare
    a ring (attached at distance 2)
    """
    parts = list(texts)
    for tell in (_distances_on_cycle, _degrees, _edges):
        alike: dict[str, list[int]] = {}
        for row, text in enumerate(parts):
            alike.setdefault(text.split(";")[0], []).append(row)
        for head, rows in alike.items():
            if len({structures[row].key for row in rows}) == 1:
                continue
            told = [tell(structures[row]) for row in rows]
            if len(set(told)) > 1 and all(told):
                for row, more in zip(rows, told, strict=True):
                    parts[row] = f"{head} ({more}){parts[row][len(head) :]}"
    return parts


def _distances_on_cycle(structure: Structure) -> str:
    """Distances between the nodes of the only cycle that pendant nodes are joined to."""
    joined = structure.joined
    is_pendant = joined.sum(axis=1) == 1
    ring = joined[~is_pendant][:, ~is_pendant]
    if not len(ring) or is_pendant.sum() < 2 or (ring.sum(axis=1) != 2).any():
        return ""
    hops = _hops(ring)
    ends = joined[is_pendant][:, ~is_pendant].argmax(axis=1)
    far = sorted(int(hops[u, v]) for u, v in combinations(ends, 2))
    return f"attached at distance{'s' * (len(far) > 1)} {', '.join(map(str, far))}"


def _hops(joined: np.ndarray) -> np.ndarray:
    """Edges on the way from each node to each other, int64 ``[M, M]``; M where there is none."""
    hops = np.where(joined, 1, len(joined))
    np.fill_diagonal(hops, 0)
    for node in range(len(joined)):
        hops = np.minimum(hops, hops[:, node, None] + hops[node])
    return hops


def _is_connected(joined: np.ndarray) -> bool:
    return bool((_hops(joined) < len(joined)).all())


def _degrees(structure: Structure) -> str:
    if structure.relations.is_directed:
        return ""
    degrees = sorted(structure.joined.sum(axis=1).tolist(), reverse=True)
    return f"degrees {', '.join(map(str, degrees))}"


def _edges(structure: Structure) -> str:
    """The edges as ``gomkcn count`` takes them; "A:C" for a category "label=C"."""
    short = tuple(tuple(map(category_value, names)) for names in structure.categories)
    return structure.with_categories(short).to_text()


def _describe_directed(pattern: Structure) -> str:
    """Name a graph whose edges all have a direction; else count nodes, edges, sources and sinks."""
    arcs = np.zeros((pattern.num_nodes, pattern.num_nodes), dtype=bool)
    arcs[tuple(np.array(pattern.edges).T)] = True
    name = name_motif(arcs)
    if name == "feed-forward loop":
        return _name_loop(pattern)
    if name is None and (arcs == arcs.T).all():
        shape = _name(arcs)
        name = shape and f"{shape}, all edges mutual"
    if name is not None:
        return name
    parts = [count(pattern.num_nodes, "node"), count(len(pattern.edges), "edge")]
    mutual = int(np.triu(arcs & arcs.T).sum())
    if mutual:
        parts.append(count(mutual, "mutual pair"))
    num_sources, num_sinks = (int((~arcs.any(axis=axis)).sum()) for axis in (0, 1))
    parts += [count(num_sources, "source") if num_sources else "no source"]
    parts += [count(num_sinks, "sink") if num_sinks else "no sink"]
    if not mutual:
        cyclic = (arcs.T & (_hops(arcs) < len(arcs))).any()
        parts.append("with a directed cycle" if cyclic else "no directed cycle")
    return ", ".join(parts)


def _name_loop(pattern: Structure) -> str:
    """Name a feed-forward loop, its kind included where each edge activates or represses."""
    out_degree = Counter(u for u, _ in pattern.edges)
    if len(pattern.edges) > 3:
        return "feed-forward loop"
    first, second = (next(n for n, degree in out_degree.items() if degree == k) for k in (2, 1))
    signs = {
        edge: sign_of(pattern.relations.names[number])
        for edge, number in zip(pattern.edges, pattern.edge_relations, strict=True)
    }
    (third,) = {0, 1, 2} - {first, second}
    return name_signed_loop((signs[first, second], signs[second, third], signs[first, third]))


def _describe_relations(pattern: Structure, used: set[bool]) -> str:
    """The relations of the edges, in clauses or counted; nothing where they have no names.

    ``used`` holds whether edges have a direction; without any, the counts say enough.
    """
    names = pattern.relations.names
    if names == (PLAIN,) or not used:
        return ""
    clauses = _relation_clauses(pattern) if True in used and len(names) > 1 else None
    if clauses is not None:
        return f": {clauses}"
    (first, most), *others = Counter(names[n] for n in pattern.edge_relations).most_common()
    if not others:
        return f", all edges “{first}”" if most > 1 else f" “{first}”"
    rest = "".join(f", {number} “{name}”" for name, number in others)
    return f", {count(most, 'edge')} “{first}”{rest}"


@cache
def _small_names() -> dict[bytes, str]:
    return {Structure.parse(name).key: name for name in SMALL}


def _name(joined: np.ndarray) -> str | None:
    """Name an undirected graph from its adjacency, bool ``[M, M]``."""
    size = len(joined)
    if size == 1:
        return "single node"
    if size <= 5:
        return _small_names()[Structure.of_channels(joined).key]
    return _name_tree(joined) if joined.sum() == 2 * (size - 1) else _name_cyclic(joined)


def _name_tree(joined: np.ndarray) -> str:
    size, highest = len(joined), joined.sum(axis=1).max()
    if highest == 2:
        return f"path of {size} nodes"
    return f"star with {highest} leaves" if highest == size - 1 else f"tree with {size} nodes"


def _name_unicyclic(joined: np.ndarray) -> str:
    """Name a connected graph with one cycle, which trees may be attached to."""
    in_ring = np.ones(len(joined), bool)
    for _ in joined:
        in_ring &= joined[:, in_ring].sum(axis=1) > 1
    rest = joined[~in_ring][:, ~in_ring]
    name = "triangle" if in_ring.sum() == 3 else f"cycle of {in_ring.sum()} nodes"
    if not len(rest):
        return name
    if not rest.any():
        return f"{name} with {count(len(rest), 'pendant node')}"
    if _is_connected(rest) and (joined[~in_ring].sum(axis=1) <= 2).all():
        return f"{name} with a tail of {len(rest)} nodes"
    return f"{name} with trees of {len(rest)} nodes"


def _name_cyclic(joined: np.ndarray) -> str | None:
    """Name a connected graph with at least one cycle."""
    size, degrees = len(joined), joined.sum(axis=1)
    num_edges = int(degrees.sum()) // 2
    num_missing = size * (size - 1) // 2 - num_edges
    if num_edges == size:
        return _name_unicyclic(joined)
    if num_missing == 0:
        return f"clique of {size} nodes"
    # a hub joined to every node of a single ring
    if sorted(degrees.tolist()) == [3] * (size - 1) + [size - 1]:
        is_rim = degrees == 3
        if _is_connected(joined[is_rim][:, is_rim]):
            return f"wheel with {size - 1} spokes"
    is_even = _hops(joined)[0] % 2 == 0
    if not (joined & (is_even[:, None] == is_even)).any():
        smaller, larger = sorted([int(is_even.sum()), int((~is_even).sum())])
        if num_edges == smaller * larger:
            return f"complete bipartite graph, {smaller} and {larger} nodes"
    if num_missing == 1:
        return f"clique of {size} nodes less 1 edge"
    if num_missing == 2:
        # one node lacks both edges, or none does
        kind = "adjacent" if degrees.min() == size - 3 else "disjoint"
        return f"clique of {size} nodes less 2 {kind} edges"
    return None


def counted_size(name: str) -> str:
    """The numbers of nodes and edges that a description counts for want of a name, else "".

    >>> counted_size("4 nodes, 6 edges, 1 source, no sink"), counted_size("bi-fan")
    ('4 nodes, 6 edges', '')
    """
    found = _COUNTED.match(name)
    return found[0] if found else ""


def count(number: int, noun: str) -> str:
    """Such as "1 node" or "3,371 nodes"."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


def name_motif(arcs: np.ndarray) -> str | None:
    """Name a directed graph from its adjacency, bool ``[M, M]``; None where it has no name.

    >>> name_motif(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool))
    'feed-forward loop'
    """
    return _named_by_arcs(len(arcs), np.packbits(arcs).tobytes())


# structures that differ in relations alone have the same arcs
@lru_cache(1 << 12)
def _named_by_arcs(size: int, bits: bytes) -> str | None:
    arcs = np.unpackbits(np.frombuffer(bits, np.uint8), count=size * size).reshape(size, size)
    return motif_names(size).get(_key(arcs.astype(bool)))


def name_signed_loop(signs: tuple[int | None, int | None, int | None]) -> str:
    """Name a feed-forward loop from the signs of A → B, B → C and A → C; None for no sign."""
    return _SIGNED_LOOPS.get(signs, "feed-forward loop")  # type: ignore[arg-type]


def sign_of(relation: str) -> int | None:
    """1 for a relation that activates, -1 for one that represses, None for any other."""
    return _SIGNS.get(relation.strip().lower())


@cache
def motif_names(size: int) -> dict[bytes, str]:
    """Names of the directed graphs of ``size`` nodes that have one, by their keys."""
    names: dict[bytes, str] = {}
    for name, arcs in _named_arcs(size):
        matrix = np.zeros((size, size), dtype=bool)
        matrix[tuple(np.array(arcs).T)] = True
        # the first of two names of one graph is the better known one
        names.setdefault(_key(matrix), name)
    return names


def _named_arcs(size: int) -> Iterator[tuple[str, Arcs]]:
    """Name and arcs of each motif of some nodes."""
    if size == 2:
        yield "directed edge", [(0, 1)]
        yield "mutual pair", [(0, 1), (1, 0)]
    if size < 3:
        return
    last, path = size - 1, [(i, i + 1) for i in range(size - 1)]
    yield f"cascade of {size} nodes", path
    yield f"single-input module with {last} targets", [(0, i) for i in range(1, size)]
    yield f"common target of {last} sources", [(i, 0) for i in range(1, size)]
    cycle = "three-cycle" if size == 3 else f"directed cycle of {size} nodes"
    yield cycle, [*path, (last, 0)]
    if size > _MOST_DENSE:
        return
    order = "feed-forward loop" if size == 3 else f"transitive tournament of {size} nodes"
    yield order, list(combinations(range(size), 2))
    if size == 3:
        yield from _TRIADS.items()
    else:
        yield from _larger_motifs(size)


def _larger_motifs(size: int) -> Iterator[tuple[str, Arcs]]:
    """Motifs of four nodes or more: several nodes that play the same part."""
    others, number = range(2, size), size - 2
    # both ends of the arc 0 → 1 stand for one node of the feed-forward loop, the others for many
    yield (
        f"feed-forward loop with {number} targets",
        [(0, 1), *product((0, 1), others)],
    )
    yield (
        f"feed-forward loop with {number} sources",
        [(0, 1), *product(others, (0, 1))],
    )
    between = [arc for i in others for arc in ((0, i), (i, 1))]
    yield f"feed-forward loop with {number} intermediates", [(0, 1), *between]
    parallel = "bi-parallel" if size == 4 else f"{number} parallel paths of two edges"
    yield parallel, between
    shared = [arc for i in others for arc in ((1, i), (i, 0))]
    many = "two" if number == 2 else str(number)
    yield f"{many} three-cycles that share an edge", [(0, 1), *shared]
    for sources in range(2, size - 1):
        name = f"{sources} sources with {size - sources} common targets"
        arcs = list(product(range(sources), range(sources, size)))
        yield "bi-fan" if size == 4 else name, arcs


def _key(arcs: np.ndarray) -> bytes:
    return Structure.of_channels(np.stack([arcs, arcs.T], axis=2), _ARCS).key


def _reading_order(pattern: Structure) -> list[int]:
    """The nodes as they are mentioned: sources first, then along the arcs; ties by number."""
    size = pattern.num_nodes
    arcs = np.zeros((size, size), bool)
    for (u, v), number in zip(pattern.edges, pattern.edge_relations, strict=True):
        arcs[u, v] |= pattern.relations.directed[number]
    reaches = _hops(arcs) < size
    # nodes of one directed cycle are on one rank: as many are before it as on the longest way there
    ranks = [0] * size
    before = reaches & ~reaches.T
    for node in np.argsort(before.sum(axis=0), kind="stable").tolist():
        ranks[node] = max((ranks[k] + 1 for k in np.flatnonzero(before[:, node])), default=0)
    degrees = arcs.sum(axis=1).tolist()
    return sorted(range(size), key=lambda node: (ranks[node], -degrees[node], node))


def _relation_clauses(pattern: Structure) -> str | None:
    """The edges in a few clauses, with letters of nodes, A for node 0; None for too many."""
    order = _reading_order(pattern)
    position = {node: at for at, node in enumerate(order)}
    groups = _group_edges(pattern, position)
    if len(groups) > _MOST_CLAUSES:
        return None
    clauses: list[str] = []
    mentioned: set[int] = set()
    last: tuple[int, ...] = ()
    for relation, sources, targets in groups:
        verb = relation if _is_verb(relation) else f"“{relation}”"
        plural = _plural(verb) if len(sources) > 1 else verb
        others = "each other" if sources == targets else _listed(targets, order)
        if sources == last:
            clauses[-1] += f" and {plural} {others}"
        else:
            everyone = set(sources) == mentioned and sources != targets
            subject = _subject(sources, order, is_first=not clauses, everyone=everyone)
            clauses.append(f"{subject} {plural} {others}")
        mentioned |= {*sources, *targets}
        last = sources
    return ", ".join(clauses)


def _group_edges(
    pattern: Structure, position: dict[int, int]
) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    """Relation, all sources and all targets of edges that one clause holds; equal for mutual."""
    rows: set[tuple[int, int, int]] = set()
    for (start, end), number in zip(pattern.edges, pattern.edge_relations, strict=True):
        u, v = position[start], position[end]
        swap = u > v and not pattern.relations.directed[number]
        rows.add((number, v, u) if swap else (number, u, v))
    mutual = {(r, u, v) for r, u, v in rows if (r, v, u) in rows}
    groups: list[tuple[int, tuple[int, ...], tuple[int, ...]]]
    groups = [(r, (u, v), (u, v)) for r, u, v in mutual if u < v]
    # edges with one target are joined by their sources, then those with the same sources
    sources: dict[tuple[int, int], list[int]] = {}
    for r, u, v in sorted(rows - mutual):
        sources.setdefault((r, v), []).append(u)
    targets: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for (r, v), some in sorted(sources.items()):
        targets.setdefault((r, tuple(some)), []).append(v)
    groups += [(r, some, tuple(others)) for (r, some), others in targets.items()]
    groups.sort(key=lambda group: (max(*group[1], *group[2]), group[1], group[0]))
    return [(pattern.relations.names[r], some, others) for r, some, others in groups]


def _subject(
    sources: tuple[int, ...], order: Sequence[int], *, is_first: bool, everyone: bool
) -> str:
    """The subject of a clause; ``everyone`` says that it is all that was mentioned before."""
    if len(sources) > 1 and everyone:
        return "both" if len(sources) == 2 else "all"
    # a list after a comma would read as more objects of the clause before
    listed = _listed(sources, order)
    return f"while {listed}" if len(sources) > 1 and not is_first else listed


def _listed(positions: Sequence[int], order: Sequence[int]) -> str:
    *most, last = (node_letter(node) for node in sorted(order[at] for at in positions))
    return f"{', '.join(most)} and {last}" if most else last


def _is_verb(relation: str) -> bool:
    """Whether a name of the data reads as a verb in the third person, such as "activates"."""
    first = relation.split(" ")[0].split("_")[0]
    return first in _PLURALS or (len(first) > 3 and first.isalpha() and _stem(first) != first)


def _plural(verb: str) -> str:
    """The verb with several subjects: "activates" becomes "activate"."""
    first = verb.split(" ")[0].split("_")[0]
    return _PLURALS.get(first, _stem(first)) + verb[len(first) :]


def _stem(word: str) -> str:
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
