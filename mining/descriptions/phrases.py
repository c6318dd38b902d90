"""Pattern and a noun for each of its nodes → a phrase, such as "a ring of six carbons"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import networkx as nx

from mining.descriptions.shapes import describe_shape
from mining.descriptions.value_names import Noun, number_word
from mining.records.pattern import Pattern

ANY_LABEL = Noun("node of any label", "nodes of any label")
# branches of a tree are told one within the other, which a reader follows only so far
_MOST_TREE_NODES = 12


def describe_nodes(pattern: Pattern, nouns: Sequence[Noun | None]) -> str:
    """Say what a pattern is made of and how it holds together.

    Parameters
    ----------
    pattern : Pattern
    nouns : sequence of Noun or None
        One for each pattern node; None for all where nodes have no names, and then only the shape
        is told.

    Examples
    --------
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(6)] * 5)
    >>> (pattern,) = PatternMiner(num_patterns=1, num_epochs=0).fit(rings).patterns_
    >>> describe_nodes(pattern, [Noun.of("carbon")] * 6)
    'a ring of six carbons'
    """
    shape = describe_shape(pattern)
    known = [noun for noun in nouns if noun is not None]
    if len(known) < len(nouns):
        return shape
    if set(known) == {ANY_LABEL}:
        return f"{shape}, any labels"
    graph = nx.empty_graph(pattern.num_nodes)
    graph.add_edges_from(pattern.edges)
    if len(graph) == 1:
        return f"a single {known[0].one}"
    if not nx.is_connected(graph):
        return f"{_made_of(known)}: {shape}"
    if nx.is_tree(graph):
        return _describe_tree(graph, known, shape)
    return _describe_ring(graph, known, shape) or f"{_made_of(known)}: {shape}"


def listed_in_words(words: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _made_of(nouns: Iterable[Noun]) -> str:
    """Count equal nouns, most first: "four carbons and two nitrogens"."""
    counts: dict[Noun, int] = {}
    for noun in nouns:
        counts[noun] = counts.get(noun, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return listed_in_words([noun.counted(number) for noun, number in ranked])


def _describe_tree(tree: nx.Graph, nouns: Sequence[Noun], shape: str) -> str:
    most = max(degree for _, degree in tree.degree)
    if len(tree) == 2:
        first, second = nouns
        if first == second:
            return f"{first.counted(2)} joined"
        return f"{first.counted(1)} joined to {second.counted(1)}"
    if most == 2:
        return f"a chain of {_along(tree, nouns)}"
    if len(tree) > _MOST_TREE_NODES:
        return f"{_made_of(nouns)}: {shape}"
    # told from the middle; of two middles the one with more neighbours, and then the rarer kind
    middle = min(
        nx.center(tree), key=lambda node: (-tree.degree[node], nouns.count(nouns[node]), node)
    )
    branches = _branches(tree, nouns, middle, None)
    return f"{nouns[middle].counted(1)} joined to {listed_in_words(branches)}"


def _along(path: nx.Graph, nouns: Sequence[Noun]) -> str:
    """Runs of equal nodes, from the end with the longer run."""
    ends = [node for node, degree in path.degree if degree == 1]
    order = [nouns[node] for node in nx.shortest_path(path, *ends)]
    ways = [[(noun, len(list(run))) for noun, run in groupby(way)] for way in (order, order[::-1])]
    longest_first = max(ways, key=lambda runs: [length for _, length in runs])
    return listed_in_words([noun.counted(length) for noun, length in longest_first])


def _branches(tree: nx.Graph, nouns: Sequence[Noun], node: int, parent: int | None) -> list[str]:
    """What hangs on a node: nodes of one noun together, those on which nothing hangs first."""
    hanging: dict[Noun, Counter[str]] = {}
    for other in tree[node]:
        if other != parent:
            below = " and ".join(_branches(tree, nouns, other, node))
            hanging.setdefault(nouns[other], Counter())[below] += 1
    ranked = sorted(hanging.items(), key=lambda item: (any(item[1]), -item[1].total(), item[0].one))
    return [noun.counted(belows.total()) + _with(belows) for noun, belows in ranked]


def _with(belows: Counter[str]) -> str:
    """Say what hangs on nodes of one noun: " (each with a carbon)", " (two with a carbon each)"."""
    if set(belows) == {""}:
        return ""
    if len(belows) == 1:
        below, times = next(iter(belows.items()))
        return f" (each with {below})" if times > 1 else f" (with {below})"
    told = [
        f"{number_word(times)} with {below}" + (" each" if times > 1 else "")
        for below, times in sorted(belows.items(), key=lambda item: (-item[1], item[0]))
        if below
    ]
    # no "and", which may stand within each
    return f" ({', '.join(told)})"


def _describe_ring(graph: nx.Graph, nouns: Sequence[Noun], shape: str) -> str | None:
    if shape.startswith("wheel"):
        hub = max(graph, key=graph.degree)
        rim = _made_of(nouns[node] for node in graph if node != hub)
        return f"{nouns[hub].counted(1)} in the middle of a ring of {rim}"
    if graph.number_of_edges() != len(graph):
        return None
    ring = nx.k_core(graph, 2)
    told = f"a ring of {_made_of(nouns[node] for node in ring)}"
    if len(ring) == len(graph):
        return told
    # the ring as one node: what hangs on it are its branches
    folded = nx.contracted_nodes(graph, *list(ring)[:2], self_loops=False, copy=True)
    for node in list(ring)[2:]:
        folded = nx.contracted_nodes(folded, next(iter(ring)), node, self_loops=False)
    return f"{told}, joined to {listed_in_words(_branches(folded, nouns, next(iter(ring)), None))}"
