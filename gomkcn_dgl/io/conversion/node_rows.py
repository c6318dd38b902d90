"""Which row each node of a file of edges gets: ascending by id, as when the file is read whole."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.io.conversion.edge_spool import Spool
from gomkcn_dgl.io.conversion.feature_spool import FeatureSpool

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True)
class NodeRows:
    """The nodes of a graph: how many, their ids (None: 0, 1, 2, …), and how to find their rows."""

    count: int
    ids: np.ndarray | list[str] | None
    rows_of: Callable[[np.ndarray], np.ndarray]


def number_nodes(spool: Spool, table: FeatureSpool | None) -> NodeRows:
    """Give the nodes rows in ascending order of their ids, as ``read_graph`` does."""
    ids, codes = spool.ids, spool.codes
    if codes is not None:
        return NodeRows(len(ids), ids, lambda pairs: codes[pairs])
    assert isinstance(ids, np.ndarray)
    if table is not None and table.ids is None and ids[0] >= 0 and ids[-1] < table.num_rows:
        log.info("features: row i is node i; %d nodes have no edge", table.num_rows - len(ids))
        return NodeRows(table.num_rows, None, lambda pairs: pairs)
    if ids[0] == 0 and ids[-1] == len(ids) - 1:
        return NodeRows(len(ids), None, lambda pairs: pairs)
    return NodeRows(len(ids), ids, lambda pairs: _find_sorted(ids, pairs))


def _find_sorted(ids: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return where ascending ids hold the values; these in order, so that the cache serves."""
    flat = values.ravel()
    order = np.argsort(flat)
    rows = np.empty(len(flat), np.int64)
    rows[order] = np.searchsorted(ids, flat[order])
    return rows.reshape(values.shape)


def name_finder(ids: np.ndarray | list[str]) -> Callable[[list[str]], np.ndarray]:
    """Return what finds nodes by the text of their ids; -1 for a name that is none."""
    if isinstance(ids, list):
        node_of = {name: node for node, name in enumerate(ids)}
        return lambda names: np.array([node_of.get(name, -1) for name in names], np.int64)

    def find(names: list[str]) -> np.ndarray:
        found = np.full(len(names), -1)
        for k, name in enumerate(names):
            # "7" is the text of 7, and "07" is not
            with contextlib.suppress(ValueError, OverflowError):
                number = int(name[:20])
                node = int(np.searchsorted(ids, number))
                if str(number) == name and node < len(ids) and ids[node] == number:
                    found[k] = node
        return found

    return find
