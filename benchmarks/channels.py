"""Three ways to embed walks over directions and edge types, compared.

    python benchmarks/channels.py

*Words*: a block of features for each word of channels along a walk. *Commuting rotations*: edges
that leave turn by 30°, those that arrive turn back, each edge type by an angle of its own, in two
rows. *Orthogonal*, what the package has: fixed orthogonal matrices that do not commute, in two rows
for two channels and four for more. What they tell apart, and how well each classifies MUTAG with
its bonds: a support vector machine over the Gram matrix, parameters chosen inside the training part
of each of ten folds.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch
from planted_graphs import make_planted
from planted_links import DIRECTIONS, TYPES
from record import Bench, bench_command, data_option
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from torch import Tensor

import gomkcn_dgl.embeddings
from gomkcn_dgl import GOMKKernel, gomk, gomk_gram
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.tu_folder import read_tu_classes
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
from mining.graph_relations import channels_in
from mining.learning.rooted_subgraphs import CanonicalForms, FeatureScaling, ScaledFeatures

OURS = "orthogonal"
# a score of different graphs that counts as the same
SAME = 1 - 1e-4


def words(transition: Tensor, feat: Tensor, num_levels: int) -> Tensor:
    """Level i has a block of features for each of the C^i words of channels."""
    num_channels = transition.shape[3]
    blocks, levels = [feat], [[feat]]
    for _ in range(num_levels):
        blocks = [
            transition[..., channel] @ block for channel in range(num_channels) for block in blocks
        ]
        levels.append(blocks)
    most = len(blocks)
    empty = torch.zeros_like(feat)
    rows = [torch.cat(level + [empty] * (most - len(level)), dim=2) for level in levels]
    # as for all designs, divided by the width squared distances stay as they are
    return most**0.5 * torch.stack(rows, dim=1)


def commuting(num_channels: int, directed: bool) -> np.ndarray:
    """Rotations about one axis: of an edge that arrives the inverse of one that leaves."""
    angles = np.pi / 6 * (1 + np.arange(num_channels))
    if directed:
        angles = np.pi / 6 * (1 + np.arange(num_channels) // 2) * (-1) ** np.arange(num_channels)
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.stack([cosine, -sine, sine, cosine], axis=1).reshape(-1, 2, 2)


@contextmanager
def design(name: str, directed: bool) -> Iterator[None]:
    """Embed as the design says while the block runs."""
    module: Any = gomkcn_dgl.embeddings
    before = module._channel_levels, module.channel_matrices
    if name == "words":
        module._channel_levels = words
    elif name == "commuting rotations":
        module.channel_matrices = lambda num_channels: commuting(num_channels, directed)
    try:
        yield
    finally:
        module._channel_levels, module.channel_matrices = before


DESIGNS = ("words", "commuting rotations", OURS)


def connected_classes(num_nodes: int, links: list[list[int]], reverse: list[int]) -> np.ndarray:
    """One graph of each isomorphism class, ``[graphs, N, N, C]``; a pair has one of the links."""
    pairs = list(itertools.combinations(range(num_nodes), 2))
    orders = [list(order) for order in itertools.permutations(range(num_nodes))]
    seen: set[bytes] = set()
    found = []
    for chosen in itertools.product(range(len(links)), repeat=len(pairs)):
        codes = np.zeros((num_nodes, num_nodes), np.uint8)
        for (i, j), link in zip(pairs, chosen, strict=True):
            codes[i, j], codes[j, i] = link, reverse[link]
        if codes.tobytes() in seen:
            continue
        seen |= {codes[np.ix_(order, order)].tobytes() for order in orders}
        if nx.is_connected(nx.from_numpy_array(codes > 0)):
            found.append(np.array(links)[codes])
    return np.array(found, np.float32)


def families(quick: bool) -> dict[str, tuple[np.ndarray, bool]]:
    """Graphs to tell apart, and whether their edges have directions."""
    arcs = [[0, 0], [1, 0], [0, 1], [1, 1]], [0, 2, 1, 3]
    two_types = [[0, 0], [1, 0], [0, 1]], [0, 1, 2]
    three_types = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 1, 2, 3]
    typed_arcs = (
        [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [0, 2, 1, 4, 3],
    )
    result = {
        "digraphs of 3 nodes": (connected_classes(3, *arcs), True),
        "3 nodes, two edge types": (connected_classes(3, *two_types), False),
        "3 nodes, three edge types": (connected_classes(3, *three_types), False),
        "3 nodes, two types of arcs": (connected_classes(3, *typed_arcs), True),
    }
    if not quick:
        result["digraphs of 4 nodes"] = connected_classes(4, *arcs), True
        result["4 nodes, two edge types"] = connected_classes(4, *two_types), False
    return result


def compare_classes(bench: Bench) -> None:
    table = bench.table(
        "What the designs tell apart, constant features, 3 levels",
        {
            "graphs": "",
            "design": "",
            "level scale": "",
            "classes": "",
            "pairs that score as equal": "",
            "closest other pair": ".3f",
            "1 % of pairs closer than": ".3f",
        },
    )
    for (name, (adj, directed)), scale in itertools.product(families(bench.quick).items(), (1, 2)):
        both, ones = torch.from_numpy(adj), torch.ones(len(adj), adj.shape[1], 1)
        kernel = GOMKKernel(3, tau=0.5, level_scale=scale)
        for one in DESIGNS:
            with design(one, directed):
                scores = gomk(both, ones, both, ones, kernel=kernel, normalize=True).numpy()
            scores = scores[np.triu_indices(len(scores), 1)]
            others = 1 - scores[scores < SAME]
            table.add(
                name,
                one,
                str(scale),
                str(len(adj)),
                str(int((scores >= SAME).sum())),
                float(others.min()),
                float(np.quantile(others, 0.01)),
            )


def precision(graph: CSRGraph, motif: Structure) -> float:
    """Average precision of a motif that ranks the subgraphs around all nodes by similarity."""
    scaling = FeatureScaling.fit(graph.features, contrast=1.0)
    batch = extract_subgraphs(graph, SubgraphSettings(3, motif.num_nodes, "dense"))
    channels = channels_in(graph.relations, motif)
    is_copy = CanonicalForms(batch).has(motif.key)
    feat = torch.from_numpy(batch.gather(ScaledFeatures(graph.features, scaling)))
    # the motif itself has the features of the mean node
    mean = torch.full((1, motif.num_nodes, feat.shape[2]), float(feat[feat > 0].mean()))
    kernel = GOMKKernel(3, tau=0.5)
    scores = gomk(
        torch.from_numpy(batch.adjacency()),
        feat,
        torch.from_numpy(channels[None].astype(np.float32)),
        mean,
        kernel=kernel,
        num_nodes=torch.from_numpy(batch.num_nodes),
        normalize=True,
    )
    return float(average_precision_score(is_copy, scores.numpy()[:, 0]))


def compare_planted(bench: Bench) -> None:
    table = bench.table(
        "A planted motif ranks all subgraphs of its size: average precision of its own copies",
        {"motifs": "", "design": "", "graphs": "", "mean": ".3f", "least": ".3f"},
    )
    seeds = range(1 if bench.quick else 10)
    for kind, motifs_of in (("directions", DIRECTIONS), ("types", TYPES)):
        for size, motifs in motifs_of.items():
            directed = motifs[0].relations.is_directed
            num_types = max(len(motif.relations.names) for motif in motifs)
            options = {"features": "per_node", "directed": directed, "relations": num_types}
            graphs = [make_planted(motifs, 2, 500 + seed, **options)[0] for seed in seeds]
            for one in DESIGNS:
                with design(one, directed):
                    reached = [precision(graph, motif) for graph in graphs for motif in motifs]
                row = f"{kind}, {size} nodes", one, str(len(graphs))
                table.add(*row, float(np.mean(reached)), min(reached))


def classify(
    graph: CSRGraph, labels: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]], quick: bool
) -> list[float]:
    """Accuracy in each fold; kernel and machine are chosen inside its training part."""
    choices = [(1, 1.0)] if quick else [(1, 1.0), (2, 1.0), (2, 0.3), (3, 0.3)]
    grams = [
        gomk_gram(
            graph, kernel=GOMKKernel(levels, tau=tau, aggregation="mean", padding="mask")
        ).values
        for levels, tau in choices
    ]
    accuracies = []
    for train, test in folds:
        searches = []
        for gram in grams:
            search = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1, 10, 100]}, cv=5)
            searches.append(search.fit(gram[np.ix_(train, train)], labels[train]))
        best = int(np.argmax([search.best_score_ for search in searches]))
        predicted = searches[best].predict(grams[best][np.ix_(test, train)])
        accuracies.append(float((predicted == labels[test]).mean()))
    return accuracies


def compare_classification(bench: Bench, data: Path) -> None:
    folder = next(data.glob("MUTAG_*"), None)
    if folder is None:
        bench.note("MUTAG is not there.")
        return
    graph, labels = read_graph(folder), read_tu_classes(folder)
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    folds = list(splitter.split(labels, labels))[: 2 if bench.quick else 10]
    table = bench.table(
        "MUTAG, support vector machine over the Gram matrix, ten stratified folds of seed 0",
        {"edges": "", "design": "", "accuracy": "", "seconds": ".0f"},
    )
    plain = graph.with_relations(SIMPLE)
    rows: list[tuple[str, str, CSRGraph]] = [("without bonds", "–", plain)]
    # words are written for the dense matrices of subgraphs
    rows += [("four kinds of bonds", one, graph) for one in DESIGNS if one != "words"]
    for edges, one, given in rows:
        start = time.perf_counter()
        with design(one, directed=False):
            shares = 100 * np.array(classify(given, labels, folds, bench.quick))
        spread = f"{shares.mean():.1f} ± {shares.std():.1f}"
        table.add(edges, one, spread, time.perf_counter() - start)


@bench_command("channels", 1, "run of each design")
@data_option
def main(bench: Bench, data: Path) -> None:
    """Compare designs of the embedding over directions and edge types."""
    compare_classes(bench)
    compare_planted(bench)
    compare_classification(bench, data)
    bench.note(
        "Two pairs of digraphs of four nodes score as equal under every design: every node has as "
        "many walks of each word as its counterpart (the paper's Proposition 6 asks for full rank)."
    )


if __name__ == "__main__":
    main()
