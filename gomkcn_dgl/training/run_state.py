"""What the states of networks and kernel machines have in common: names, split, identity."""

from __future__ import annotations

from typing import Any

import torch

from gomkcn_dgl.runtime.steps import identity_of_job
from gomkcn_dgl.training.labelled_data import PARTS, LabelledData, Split
from gomkcn_dgl.training.train_settings import TrainSettings


def common_state(
    split: Split, feature_names: tuple[str, ...], class_names: tuple[str, ...]
) -> dict[str, Any]:
    """Tensors and plain values, for the functions below."""
    return {
        "class_names": list(class_names),
        "feature_names": list(feature_names),
        "split": {part: torch.from_numpy(rows) for part, rows in zip(PARTS, split, strict=True)},
    }


def names_in(state: dict[str, Any], key: str) -> tuple[str, ...]:
    """Names of a state; a ValueError if they are none."""
    names = state[key]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"its {key} are no names")
    return tuple(names)


def split_in(state: dict[str, Any]) -> Split:
    """The split of a state."""
    return Split(*(state["split"][part].numpy() for part in PARTS))


def identity_of(settings: TrainSettings, data: LabelledData, split: Split) -> dict[str, Any]:
    """What decides the result, for a checkpoint; the path of the data does not."""
    graph = data.graph
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr, data.labels, *split]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
    tables = settings.to_dict()
    # what things are called, and where it is written, decides nothing
    for name in ("path", "label_names", "class_names"):
        del tables["data"][name]
    return identity_of_job(tables, *arrays)
