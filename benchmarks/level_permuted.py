"""Do the null models that permute hold their level: weights of edges, categories of nodes?

Weights and categories are drawn at random over graphs that are not, so that nothing sets them apart
from their permutations. In each family of structures, and in all of them together, something may be
called in at most 5 % of the graphs. p of a family is the adjusted p over the number of families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np
from record import Bench
from scipy.stats import binomtest

from gomkcn.mining.patterns.annotations import Annotations
from gomkcn.mining.patterns.choice import ChoiceRules, compare_structures
from gomkcn.mining.significance.looks import FIRST_SAMPLES
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import LEVEL, measure_of
from gomkcn_dgl import CSRGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.runtime.steps import Steps

NUM_NODES = 40
# graphs of each kind, of which there are four for each null model
GRAPHS, QUICK_GRAPHS = 100, 2
CATEGORIES = 2
# of directed structures with categories there are thousands of four nodes
SIZES, DIRECTED_KINDS = range(3, 5), range(3, 4)


@dataclass(frozen=True)
class Kind:
    """Edges by a seed, and whether they have directions; relations and groups are at random."""

    name: str
    edges: Callable[[int], nx.Graph]
    num_relations: int = 1
    num_groups: int = 1


def kinds() -> Iterator[Kind]:
    yield Kind("Erdős–Rényi", lambda seed: nx.gnm_random_graph(NUM_NODES, 100, seed=seed))
    yield Kind("Barabási–Albert", lambda seed: nx.barabasi_albert_graph(NUM_NODES, 3, seed=seed))
    yield Kind(
        "directed", lambda seed: nx.gnm_random_graph(NUM_NODES, 130, seed=seed, directed=True)
    )
    yield Kind(
        "two relations, or three groups",
        lambda seed: nx.gnm_random_graph(NUM_NODES, 100, seed=seed),
        num_relations=2,
        num_groups=3,
    )


def random_graph(kind: Kind, null: str, seed: int) -> tuple[CSRGraph, Annotations]:
    """A graph with weights, of which few are large, or with categories, at random."""
    edges = kind.edges(seed)
    rng = np.random.default_rng(seed)
    source, target = np.array(edges.edges, np.int64).T
    is_weighted = null != "categories"
    number = kind.num_relations if is_weighted else 1
    features = names = None
    if not is_weighted:
        features = np.eye(CATEGORIES, dtype=np.float32)[rng.integers(CATEGORIES, size=NUM_NODES)]
        names = tuple(f"kind={k}" for k in range(CATEGORIES))
    graph = csr_from_edges(
        source,
        target,
        NUM_NODES,
        features=features,
        feature_names=names,
        directed=edges.is_directed(),
        relation=rng.integers(number, size=len(source)) if number > 1 else None,
        relation_names=[f"r{k}" for k in range(number)] if number > 1 else ("edge",),
    )
    if is_weighted:
        ends = graph.edges()
        is_directed = np.array(graph.relations.directed)[ends[2]]
        values = rng.lognormal(0.0, 1.0, len(ends[0]))
        return graph, Annotations(weights=EdgeWeights(*ends, is_directed, values))
    if kind.num_groups == 1:
        return graph, Annotations()
    groups = rng.integers(kind.num_groups, size=NUM_NODES)
    return graph, Annotations(within=groups, name="group")


def rules_of(null: str, is_directed: bool, seed: int) -> ChoiceRules:
    """The rules of a miner that is asked for a null model by its name."""
    sizes = DIRECTED_KINDS if is_directed and null == "categories" else SIZES
    return ChoiceRules(
        sizes, 0, (null,), False, FIRST_SAMPLES, count_error=0.02, count_steps=1, seed=seed
    )


def smallest(
    mined: MinedGraph, rules: ChoiceRules, annotations: Annotations
) -> dict[tuple[str, int, bool], float]:
    """The smallest adjusted p of each family: what is compared, size, and whether with kinds."""
    found: dict[tuple[str, int, bool], float] = {}
    compared = compare_structures(mined, rules, Steps(), annotations)
    for pattern in compared.patterns.values():
        for name, result in pattern.significance.items():
            has_kinds = pattern.structure.alone is not pattern.structure
            family = measure_of(name), pattern.num_nodes, has_kinds
            found[family] = min(found.get(family, 1.0), result.p_adjusted)
    return found


def main(bench: Bench) -> None:
    """Say how often something is called where nothing is to be found."""
    by_family = bench.table(
        f"Something called at {LEVEL} in one family: {FIRST_SAMPLES} permutations, seeds from 0",
        {"null model": "", "measure": "", "nodes": "", "with kinds": "", "graphs": "", "called": ""}
        | {"share": ".1%", "95 % interval": ""},
    )
    by_graph: list[tuple[str, str, int, int]] = []
    number = QUICK_GRAPHS if bench.quick else GRAPHS
    for null in ("weights", "strength", "categories"):
        called: dict[tuple[str, int, bool], list[bool]] = {}
        for kind in kinds():
            any_called = 0
            for seed in range(number):
                graph, annotations = random_graph(kind, null, seed)
                mined = MinedGraph.of(graph)
                # what draws the graph shares no stream with what permutes it
                rules = rules_of(null, graph.is_directed, 10**6 + seed)
                found = smallest(mined, rules, annotations)
                for family, p in found.items():
                    called.setdefault(family, []).append(p / len(found) <= LEVEL)
                any_called += min(found.values()) <= LEVEL
            by_graph.append((null, kind.name, number, any_called))
        for (measure, size, has_kinds), found in sorted(called.items()):
            by_family.add(
                null, measure, size, "yes" if has_kinds else "no", len(found), *_share(found)
            )
    in_all = bench.table(
        f"Something called at {LEVEL} in any family: {FIRST_SAMPLES} permutations, seeds from 0",
        {"null model": "", "graphs of": "", "graphs": "", "called": ""},
    )
    for row in by_graph:
        in_all.add(*row)
    for null in dict.fromkeys(null for null, *_ in by_graph):
        total = sum(graphs for name, _, graphs, _ in by_graph if name == null)
        found = sum(any_called for name, _, _, any_called in by_graph if name == null)
        low, high = binomtest(found, total).proportion_ci(method="wilson")
        bench.note(
            f"{null}: something is called in {found} of {total} graphs, {found / total:.1%}, "
            f"95 % interval {low:.1%} to {high:.1%}."
        )


def _share(found: list[bool]) -> tuple[int, float, str]:
    low, high = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
    return sum(found), sum(found) / len(found), f"{low:.1%} to {high:.1%}"
