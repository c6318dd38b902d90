"""The edges of a small structure in words: "A activates B, both repress C"."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

import networkx as nx

from gomkcn_dgl.graphs.structure import Structure

# with more clauses nobody reads them; the edges are counted by relation instead
_MOST_CLAUSES = 4
# irregular verbs that relations are named by
_PLURALS = {"is": "are", "has": "have", "does": "do", "was": "were"}


def _reading_order(pattern: Structure) -> list[int]:
    """The nodes as they are mentioned: sources first, then along the arcs; ties by number."""
    arcs = nx.DiGraph()
    arcs.add_nodes_from(range(pattern.num_nodes))
    rows = zip(pattern.edges, pattern.edge_relations, strict=True)
    arcs.add_edges_from(edge for edge, number in rows if pattern.relations.directed[number])
    # nodes of one directed cycle are on one rank
    ranks: dict[int, int] = {}
    strong = nx.condensation(arcs)
    for rank, parts in enumerate(nx.topological_generations(strong)):
        ranks |= {node: rank for part in parts for node in strong.nodes[part]["members"]}
    return sorted(arcs, key=lambda node: (ranks[node], -arcs.out_degree(node), node))


def relation_clauses(pattern: Structure) -> str | None:
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
    *most, last = (ascii_uppercase[node] for node in sorted(order[at] for at in positions))
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
