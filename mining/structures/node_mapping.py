"""Which node of a subgraph plays which node of a pattern."""

from __future__ import annotations

import numpy as np
import torch

from gomkcn_dgl.kernels.matching_reference import similarity_table
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import FeatureRows, SubgraphBatch
from mining.structures.canonical_forms import (
    CanonicalForm,
    CanonicalForms,
    automorphisms,
    canonical_form,
)
from mining.structures.discrete_filters import DiscreteFilters

# entries of the table of isomorphisms that are held at once
_AT_ONCE = 2_000_000


def find_roles(
    batch: SubgraphBatch,
    rows: np.ndarray,
    features: FeatureRows,
    forms: CanonicalForms,
    pattern: DiscreteFilters,
    kernel: GOMKKernel,
    backend: str,
) -> np.ndarray:
    """Pattern node of each node of the subgraphs in ``rows``, int64 ``[R, N]``; -1 for none.

    The matching of the kernel; where a subgraph has the structure of the pattern, the isomorphism
    that fits best, since with symmetric nodes several matchings are optimal and not all of them
    keep the edges.

    Parameters
    ----------
    batch : SubgraphBatch
    rows : numpy.ndarray
        ``[R]`` rows of ``batch``.
    features : numpy.ndarray
        ``[V, D]`` scaled features.
    forms : CanonicalForms
        Of ``batch``.
    pattern : DiscreteFilters
        One pattern.
    kernel : GOMKKernel
    backend : str
    """
    some = batch.take(rows)
    adjacency = some.adjacency()
    x = kernel.embed(torch.from_numpy(adjacency), torch.from_numpy(some.gather(features)))
    z = kernel.embed(pattern.adj, pattern.feat)
    matched = kernel.match(x, z, torch.from_numpy(some.num_nodes), backend)
    roles = matched.matching[:, 0].numpy().astype(np.int64)
    size = pattern.num_nodes[0]
    roles[(roles >= size) | (np.arange(batch.max_nodes) >= some.num_nodes[:, None])] = -1
    target = pattern.adj[0, :size, :size].numpy()
    form = canonical_form(target)
    same = (some.num_nodes == size) & forms.has(form.certificate)[rows]
    wrong = np.flatnonzero(same)
    wrong = wrong[~_keep_edges(adjacency[wrong, :size, :size], target, roles[wrong, :size])]
    if len(wrong):
        table = similarity_table(
            x[torch.from_numpy(wrong)], z, kernel.bandwidth(x.shape[3]), kernel.node_similarity
        )[:, 0]
        roles[wrong, :size] = _best_isomorphisms(
            forms.places(rows[wrong])[:, :size], form, automorphisms(target), table.numpy()
        )
    return roles


def _best_isomorphisms(
    places: np.ndarray, form: CanonicalForm, symmetries: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Of the isomorphisms of nodes at canonical ``places [R, N]``, that of the largest score."""
    at_place = symmetries[:, np.argsort(form.place)]  # [P, N]
    best = np.empty_like(places)
    step = max(1, _AT_ONCE // at_place.size)
    for start in range(0, len(places), step):
        part = slice(start, start + step)
        candidates = at_place[:, places[part]].transpose(1, 0, 2)  # [R, P, N]
        row = np.arange(len(candidates))[:, None, None]
        fit = table[part][row, np.arange(places.shape[1]), candidates].sum(axis=2)
        best[part] = candidates[row[:, 0, 0], fit.argmax(axis=1)]
    return best


def _keep_edges(adj: np.ndarray, target: np.ndarray, roles: np.ndarray) -> np.ndarray:
    """Which of the ``roles [R, N]`` are an isomorphism of ``adj [R, N, N]``, bool ``[R]``."""
    played = target[roles[:, :, None], roles[:, None, :]] != 0
    kept: np.ndarray = (roles >= 0).all(axis=1) & ((adj != 0) == played).all(axis=(1, 2))
    return kept
