"""The file of a fitted FilterMiner: arrays and JSON, in which nothing can run code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, BinaryIO

import numpy as np

from gomkcn.mining.filters.discrete_filters import DiscreteFilters
from gomkcn.mining.filters.filter_bank import FilterBank
from gomkcn.mining.filters.filter_learning import FilterLearning, check_learning
from gomkcn.mining.filters.mined_filter import FilterRecord, MinedFilter
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.records import read_as
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.subgraphs import SubgraphSettings

# of the file of a miner
FORMAT = 2
# attributes of a fitted miner that have a row for each node, and others that are plain values
PER_NODE = ("responses_", "labels_", "similarities_", "subgraph_nodes_", "matching_", "is_exact_")
PLAIN_VALUES = ("loss_curve_", "n_iter_", "num_random_graphs_", "note_", "is_partial_")


def write_miner(
    file: BinaryIO, params: Mapping[str, Any], bank: FilterBank, fitted: Mapping[str, Any]
) -> None:
    """Write the parameters of a miner, its bank of filters, and what a fit left, by name."""
    learning = params["learning"]
    record = {
        "format": FORMAT,
        "params": {
            **params,
            "learning": None if learning is None else asdict(learning),
            "device": str(params["device"]),
        },
        "settings": asdict(bank.settings),
        "relations": [list(kind) for kind in bank.relations.kinds],
        "feature_names": list(bank.feature_names),
        "categories": [list(group) for group in bank.categories.groups],
        "num_nodes": list(bank.filters.num_nodes),
        "sizes": list(bank.sizes),
        "ranks": list(bank.ranks),
        "filters": [mined.to_dict() for mined in fitted["filters_"]],
        **{name: fitted[name] for name in PLAIN_VALUES},
    }
    arrays = {
        "adj": bank.filters.adj,
        "feat": bank.filters.feat,
        "weights": bank.filters.weights,
        "links": bank.relations.links,
        "scaling": np.stack([bank.scaling.offset, bank.scaling.spread, bank.scaling.contrast]),
        **{name: fitted[name] for name in PER_NODE},
    }
    # a number of a grid may be one of NumPy
    text = json.dumps(record, default=lambda number: number.item())
    np.savez_compressed(file, allow_pickle=False, record=np.array(text), **arrays)


def read_miner(data: bytes) -> tuple[dict[str, Any], FilterBank, dict[str, Any]]:
    """Read the parameters, the bank, and what a fit left, by name.

    Raises EOFError, ValueError, KeyError or TypeError for any other file.
    """
    arrays = load_arrays(data)
    record = json.loads(str(arrays["record"]))
    if record["format"] != FORMAT:
        raise ValueError(f"its format is {record['format']}, this version reads {FORMAT}")
    params = record["params"]
    if params["learning"] is not None:
        kernel = GOMKKernel(**params["learning"].pop("kernel"))
        params["learning"] = FilterLearning(**params["learning"], kernel=kernel)
    bank = _bank_of(record, arrays, check_learning(params["learning"]))
    fitted = {
        **{name: arrays[name] for name in PER_NODE},
        **{name: record[name] for name in PLAIN_VALUES},
        "filters_": tuple(
            MinedFilter.of_record(read_as(FilterRecord, entry), bank.feature_names)
            for entry in record["filters"]
        ),
    }
    return params, bank, fitted


def _bank_of(
    record: dict[str, Any], arrays: dict[str, np.ndarray], learning: FilterLearning
) -> FilterBank:
    """The bank of filters of the record and the arrays of a file."""
    names, directed = zip(*record["relations"], strict=True)
    groups = tuple(tuple(group) for group in record["categories"])
    return FilterBank(
        DiscreteFilters(
            arrays["adj"], arrays["feat"], arrays["weights"], tuple(record["num_nodes"])
        ),
        tuple(record["sizes"]),
        FeatureScaling(*arrays["scaling"]),
        SubgraphSettings(**record["settings"]),
        learning.kernel,
        learning.backend,
        Relations(tuple(names), tuple(directed), arrays["links"]),
        tuple(record["feature_names"]),
        Categories(groups),
        tuple(record["ranks"]),
    )
