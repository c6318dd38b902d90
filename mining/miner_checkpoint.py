"""A fitted miner ↔ its checkpoint: tensors and plain values, no pickled code.

Its patterns and its motif set are in patterns.json.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.training.checkpoint import read_state, state_bytes
from mining.categories import Categories
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.miner import PatternMiner
from mining.settings import RunSettings

_SCALES = ("offset", "spread", "contrast")


def checkpoint_bytes(miner: PatternMiner) -> bytes:
    """Parameters and scaling of a fitted miner as a torch file."""
    scaling = miner.source_.scaling
    tables = RunSettings.of(miner).to_dict()
    state = {
        "params": {name: tables[name] for name in ("miner", "kernel", "learning")},
        **{name: torch.from_numpy(getattr(scaling, name)) for name in _SCALES},
        "relations": miner.source_.relations.kinds,
        "notes": list(miner.notes_),
        "categories": [list(group) for group in miner.source_.categories.groups],
    }
    return state_bytes(state)


def restore_miner(path: Path) -> PatternMiner:
    """Read a miner back, without its patterns and what else the run stores."""
    return read_state(path, _restore, "mine again")


def _restore(state: dict[str, Any]) -> PatternMiner:
    shapes = {name: tuple(state[name].shape) for name in _SCALES}
    # they must be of the same features
    if len(set(shapes.values())) > 1 or len(shapes["offset"]) != 1:
        raise ValueError(f"the scales have the shapes {shapes}")
    miner = RunSettings().override(state["params"]).make_miner()
    scaling = FeatureScaling(*(state[name].numpy() for name in _SCALES))
    relations = relations_of(*zip(*state["relations"], strict=True))
    categories = Categories(tuple(map(tuple, state["categories"])))
    miner.source_ = miner.make_source(scaling, relations, categories)
    miner.notes_ = tuple(state["notes"])
    miner.n_features_in_ = len(scaling.offset)
    return miner
