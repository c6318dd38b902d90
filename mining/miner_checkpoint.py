"""A fitted miner ↔ its checkpoint: tensors and plain values, no pickled code.

Its patterns and its motif set are in patterns.json.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.training.checkpoint import read_state
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
    content = io.BytesIO()
    torch.save(state, content)
    return content.getvalue()


def restore_miner(path: Path) -> PatternMiner:
    """Read a miner back, without its patterns and what else the run stores."""
    state = read_state(path, way_out="mine again")
    try:
        _check_state(state)
        miner = RunSettings().override(state["params"]).make_miner()
        scaling = FeatureScaling(*(state[name].numpy() for name in _SCALES))
        relations = relations_of(*zip(*state["relations"], strict=True))
        categories = Categories(tuple(map(tuple, state["categories"])))
        miner.source_ = miner.make_source(scaling, relations, categories)
        miner.notes_ = tuple(state["notes"])
        miner.n_features_in_ = len(scaling.offset)
    # a damaged state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None
    return miner


def _check_state(state: dict[str, Any]) -> None:
    """Check that the scales are of the same features."""
    shapes = {name: tuple(state[name].shape) for name in _SCALES}
    if len(set(shapes.values())) > 1 or len(shapes["offset"]) != 1:
        raise ValueError(f"the scales have the shapes {shapes}")
