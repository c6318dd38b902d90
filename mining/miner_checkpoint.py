"""A fitted miner ↔ its checkpoint: tensors and plain values, no pickled code."""

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
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.miner import PatternMiner
from mining.settings import RunSettings

_TENSORS = ("adj", "feat", "weights")
_LISTS = ("num_nodes", "merged")
_SCALES = ("offset", "spread", "contrast")
_NEAREST = ("nearest", "nearest_similarity")


def checkpoint_bytes(miner: PatternMiner) -> bytes:
    """Parameters, filters and scaling of a fitted miner as a torch file."""
    filters, scaling = miner.filters_, miner.source_.scaling
    tables = RunSettings.of(miner).to_dict()
    state = {
        "params": {name: tables[name] for name in ("miner", "kernel", "learning")},
        **{name: getattr(filters, name) for name in _TENSORS},
        **{name: list(getattr(filters, name)) for name in _LISTS},
        **{name: torch.from_numpy(getattr(scaling, name)) for name in _SCALES},
        **{name: torch.from_numpy(getattr(miner, f"{name}_")) for name in _NEAREST},
        "relations": miner.source_.relations.kinds,
        "notes": list(miner.notes_),
        "categories": [list(group) for group in miner.source_.categories.groups],
        "num_candidates": miner.num_candidates_,
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
        values: dict[str, Any] = {name: state[name] for name in _TENSORS}
        values |= {name: tuple(state[name]) for name in _LISTS}
        miner.filters_ = DiscreteFilters(**values)
        scaling = FeatureScaling(*(state[name].numpy() for name in _SCALES))
        relations = relations_of(*zip(*state["relations"], strict=True))
        categories = Categories(tuple(map(tuple, state["categories"])))
        miner.source_ = miner.make_source(scaling, relations, categories)
        miner.notes_, miner.num_candidates_ = tuple(state["notes"]), state["num_candidates"]
        for name in _NEAREST:
            setattr(miner, f"{name}_", state[name].numpy())
        miner.n_features_in_ = state["feat"].shape[2]
    # a damaged state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None
    return miner


def _check_state(state: dict[str, Any]) -> None:
    """Check that the arrays of a checkpoint belong to F filters of M nodes and D features."""
    F, M, D = state["feat"].shape
    num_channels = sum(2 if directed else 1 for _, directed in state["relations"])
    square = (F, M, M) if num_channels == 1 else (F, M, M, num_channels)
    shapes: dict[str, tuple[int, ...]] = {"adj": square, "weights": square}
    shapes |= dict.fromkeys(_SCALES, (D,))
    wrong = [name for name, shape in shapes.items() if tuple(state[name].shape) != shape]
    wrong += [name for name in _LISTS if len(state[name]) != F]
    if wrong or not all(1 <= int(size) <= M for size in state["num_nodes"]):
        raise ValueError(f"{(wrong or ['num_nodes'])[0]} does not belong to the {F} filters")
