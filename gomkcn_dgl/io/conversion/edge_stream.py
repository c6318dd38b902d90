"""Edges that are made piece by piece → a graph folder, in bounded memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

import numpy as np

from gomkcn_dgl.csr import CONSTANT_FEATURE
from gomkcn_dgl.io.conversion.external_sort import ExternalSort
from gomkcn_dgl.storage.graph_folder import new_folder
from gomkcn_dgl.storage.graph_folder_header import FolderHeader

# keys that are sorted at once, in half a gigabyte
_KEYS_AT_ONCE = 2**23


def write_edges(
    out: str | os.PathLike[str],
    pieces: Iterable[np.ndarray],
    num_nodes: int,
    *,
    force: bool = False,
) -> FolderHeader:
    """Write undirected edges as a graph folder, with the constant feature.

    Memory is 8 bytes a node and half a gigabyte for sorting; disk, 8 bytes an edge and a node, and
    16 an edge beside them until the folder is complete.

    Parameters
    ----------
    out : path
        The folder. It appears when it is complete; with ``force`` it replaces another graph folder.
    pieces : iterable of numpy.ndarray
        int64 ``[n, 2]`` each, about a million edges; one that comes again is left out.
    num_nodes : int
        Of the whole graph; all ends are below.
    force : bool
        Whether to replace a graph folder.
    """
    with new_folder(out, force) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        sort = ExternalSort(scratch, weighted=False)
        for piece in pieces:
            sort.add(piece[:, 0], piece[:, 1], None)
        indptr = sort.write(folder, num_nodes, _KEYS_AT_ONCE)
        shutil.rmtree(scratch)
        np.save(folder / "indptr.npy", indptr)
        np.save(folder / "graph_ptr.npy", np.array([0, num_nodes]))
        header = FolderHeader(
            num_nodes=num_nodes,
            num_edges=int(indptr[-1]) // 2,
            num_graphs=1,
            weighted=False,
            feature_names=[CONSTANT_FEATURE],
            constant_features=True,
            node_ids="rows",
        )
        header.write(folder)
    return header
