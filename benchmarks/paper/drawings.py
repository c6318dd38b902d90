"""The filters that the paper's figures draw, as numbers: edges, features, and responses.

The other experiments keep what became of many filters; a line of these results is what one figure
draws. A graph is its weights ``[N, N]`` and its features ``[N, D]``, rounded to two decimals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from record import ResultTable

from gomkcn_dgl import evaluate_classifier
from gomkcn_dgl.filters import GraphFilters
from paper import frequent, interpretability
from paper.isomorphic_learning import (
    best_isomorphism,
    draw_targets,
    learn,
    pair_score,
    threshold,
)
from paper.response_maps import filters_of_classes
from paper.row_experiment import Record, RowExperiment, Settings

Graph = tuple[np.ndarray, np.ndarray]  # weights [N, N] and features [N, D]
SMOKE_EPOCHS = 4
# of the targets, the filters' starts, the planted graph, and the graphs that are classified
SEED = 0


def shrink(settings: Settings) -> None:
    settings["course"].update(num_epochs=SMOKE_EPOCHS, shown=[0, SMOKE_EPOCHS])
    settings["targets"].update(num_epochs=SMOKE_EPOCHS, num_restarts=1, probabilities=[0.5])
    settings["smoke"] = True


def all_rows(settings: Settings) -> Iterator[Record]:
    """What decides each line of the results."""
    smoke = settings.get("smoke", False)
    course = dict(settings["course"])
    for name, kernel in course.pop("kernels").items():
        yield {"drawing": "course", "name": name, "settings": {**course, "kernel": kernel}}
    targets = dict(settings["targets"])
    for features in targets.pop("features"):
        yield {"drawing": "targets", "name": features, "settings": targets}
    mining = frequent.EXPERIMENT.settings(smoke=smoke)
    for row in frequent.all_rows(mining):
        is_shown = row["filters"] in settings["mined"]["filters"] and row["seed"] == SEED
        if is_shown and row["settings"]["graph"]["features"] == "per_node":
            yield {"drawing": "mined", "name": row["filters"], "settings": row["settings"]}
    for row in interpretability.all_rows(interpretability.EXPERIMENT.settings(smoke=smoke)):
        if row["run"] == settings["classifier"]["run"] and row["seed"] == SEED:
            yield {"drawing": "classifier", "name": row["run"], "settings": row["settings"]}


def run_row(row: Record) -> Record:
    """Make what one figure draws."""
    start = time.perf_counter()
    found = _DRAWINGS[row["drawing"]](row["name"], row["settings"])
    return {**row, **found, "seconds": round(time.perf_counter() - start, 1)}


def course(name: str, settings: Settings) -> Record:
    """A filter that learns one target, after some of the epochs."""
    rng = np.random.default_rng(SEED)
    shape = settings["num_nodes"], settings["feature_width"]
    targets = draw_targets(1, *shape, settings["probability"], constant=False, rng=rng)
    score = pair_score(**settings["kernel"])
    # a filter as good as the target, for the scale
    best = score(targets, targets.adj, targets.feat).item()
    filters = GraphFilters(1, *shape, generator=torch.Generator().manual_seed(SEED))
    optimizer = torch.optim.Adam(filters.parameters(), lr=settings["learning_rate"])
    shown = []
    for epoch in range(settings["num_epochs"] + 1):
        value = score(targets, filters.adj(), filters.feat())
        if epoch in settings["shown"]:
            graph = filters.adj()[0].detach().numpy(), filters.feat()[0].detach().numpy()
            shown.append((epoch, round(value.item() / best, 4), *graph))
        optimizer.zero_grad()
        (-value.sum()).backward()
        optimizer.step()
    target = targets.adj[0].numpy(), targets.feat[0].numpy()
    order = _order(target, shown[-1][2:])
    frames = [
        {"epoch": epoch, "score": share, **_graph(adj[order][:, order], feat[order])}
        for epoch, share, adj, feat in shown
    ]
    return {"target": _graph(*target), "filters": frames}


def _order(target: Graph, learnt: Graph) -> np.ndarray:
    """The nodes of a filter as those of its target, where the two are isomorphic."""
    rounded = (learnt[0] > 0.5).astype(np.float32)
    order = best_isomorphism(*target, rounded, learnt[1])
    return np.arange(len(rounded)) if order is None else order


def targets(name: str, settings: Settings) -> Record:
    """One target of each edge probability and the best of its filters, read as a graph."""
    settings = dict(settings)
    shape = settings.pop("num_nodes"), settings.pop("feature_width")
    score, constant = pair_score(**settings.pop("kernel")), name == "constant"
    pairs = []
    for probability in settings.pop("probabilities"):
        rng = np.random.default_rng([SEED, round(1000 * probability)])
        drawn = draw_targets(1, *shape, probability, constant, rng)
        generator = torch.Generator().manual_seed(SEED)
        filters = learn(score, drawn, **settings, generator=generator)
        learnt = threshold(score, drawn, filters, constant)
        (best,) = learnt.best()
        target = drawn.adj[0].numpy(), drawn.feat[0].numpy()
        adj, feat = learnt.adj[0, best].numpy(), learnt.feat[0, best].numpy()
        order = _order(target, (adj, feat))
        own = _graph(adj[order][:, order], feat[order])
        pairs.append({"target": _graph(*target), "learnt": own})
    return {"pairs": pairs}


def mined(name: str, settings: Settings) -> Record:
    """The filters of the planted graph, the most frequent first."""
    miner = frequent.fit(settings, SEED)
    names = {frequent.MOTIFS[motif].key: motif for motif in settings["graph"]["motifs"]}
    filters = [
        {
            **_graph(one.weights, one.features),
            "frequency": one.nearest_nodes.value,
            "exact": one.exact.value,
            "motif": names.get(one.structure.key),
        }
        for one in miner.filters_
    ]
    return {"filters": filters}


def classifier(name: str, settings: Settings) -> Record:
    """A test graph of each class, the filter that speaks for it, and its responses."""
    trained = interpretability.fit(settings, SEED)
    model, data, dataset = trained.model, trained.data, trained.dataset
    conv, test = model.convs[0], dataset.test_idx.numpy()
    batch_size = settings["training"]["batch_size"]
    evaluated = evaluate_classifier(model, data, dataset.labels, test, batch_size)
    filter_of, labels = filters_of_classes(model), dataset.labels[test].numpy()
    shown = []
    for label, motif in enumerate(dataset.motif_names):
        number = int(test[labels == label][0])
        first, last = dataset.node_offsets[number : number + 2]
        batch = data.batch(np.array([number]))
        own = filter_of[label]
        with torch.no_grad():
            response = conv(batch.subgraphs, batch.feat)[:, own].numpy()
            graph = conv.filters.adj()[own].numpy(), conv.filters.feat()[own].numpy()
        edges = dataset.planted.edges
        inside = edges[(edges[:, 0] >= first) & (edges[:, 0] < last)] - first
        shown.append(
            {
                "motif": motif,
                "edges": inside.tolist(),
                "mask": dataset.planted.node_mask[first:last].tolist(),
                "response": _rounded(response, 3),
                "filter": _graph(*graph),
            }
        )
    return {"classes": shown, "test": evaluated.accuracy}


def _graph(weights: Any, features: Any) -> Record:
    return {"weights": _rounded(weights), "features": _rounded(features)}


def _rounded(values: Any, decimals: int = 2) -> Any:
    return np.round(np.asarray(values, dtype=float), decimals).tolist()


_DRAWINGS: dict[str, Callable[[str, Settings], Record]] = {
    "course": course,
    "targets": targets,
    "mined": mined,
    "classifier": classifier,
}


def describe(line: Record) -> str:
    return f"{line['drawing']}, {line['name']}: {line['seconds']:.1f} s"


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A row for each drawing."""
    table = ResultTable("", {"drawing": "", "of": "", "what it shows": "", "s": ".1f"})
    for line in lines:
        table.add(line["drawing"], line["name"], _summary(line), line["seconds"])
    return [table]


def _summary(line: Record) -> str:
    """The end of a drawing in words."""
    if line["drawing"] == "course":
        return f"score {line['filters'][-1]['score']:.3f} of the target's with itself"
    if line["drawing"] == "targets":
        # the nodes of a filter that became its target are in the order of the target
        equal = sum(
            pair["target"]["weights"] == pair["learnt"]["weights"] for pair in line["pairs"]
        )
        return f"{equal} of {len(line['pairs'])} filters became their target"
    if line["drawing"] == "mined":
        found = [one["motif"] for one in line["filters"] if one["motif"]]
        return f"{len(set(found))} planted motifs among {len(line['filters'])} filters"
    return f"{len(line['classes'])} classes, test accuracy {line['test']:.4f}"


EXPERIMENT = RowExperiment(
    "drawings", all_rows, run_row, describe, tables, shrink, how="one thread, seed 0"
)
