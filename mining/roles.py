"""Which node of a subgraph plays which node of a pattern."""

from __future__ import annotations

import numpy as np
import torch

from gomkcn_dgl.kernels.matching_reference import similarity_table
from gomkcn_dgl.matching import GOMKSettings
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.patterns import SnappedFilters
from mining.topology import CanonicalForm, CanonicalForms, automorphisms, canonical_form


def find_roles(
    batch: SubgraphBatch,
    rows: np.ndarray,
    features: np.ndarray,
    forms: CanonicalForms,
    pattern: SnappedFilters,
    kernel: GOMKSettings,
    backend: str,
) -> list[np.ndarray]:
    """Pattern node of each node of the subgraphs in ``rows``, one array for each row.

    The matching of the kernel; where a subgraph has the structure of the pattern, the isomorphism
    that fits best, since with symmetric nodes several matchings are optimal and not all of them
    keep the edges. A number that is no pattern node, or -1, is a node without a role.

    Parameters
    ----------
    batch : SubgraphBatch
    rows : numpy.ndarray
        ``[R]`` rows of ``batch``.
    features : numpy.ndarray
        ``[V, D]`` scaled features.
    forms : CanonicalForms
        Of ``batch``.
    pattern : SnappedFilters
        One pattern.
    kernel : GOMKSettings
    backend : str
    """
    some = batch.take(rows)
    adjacency = some.adjacency()
    x = kernel.embed(torch.from_numpy(adjacency), torch.from_numpy(some.gather(features)))
    z = kernel.embed(pattern.adj, pattern.feat)
    matched = kernel.match(x, z, torch.from_numpy(some.num_nodes), backend)
    matching = matched.matching[:, 0].numpy()
    size = pattern.num_nodes[0]
    target = pattern.adj[0, :size, :size].numpy()
    form, symmetries = canonical_form(target), automorphisms(target)
    widths = kernel.bandwidth(x.shape[3])
    roles = []
    for position, row in enumerate(rows.tolist()):
        count = int(some.num_nodes[position])
        role = matching[position, :count]
        same = count == size and forms.certificate(row) == form.certificate
        if same and not _keeps_edges(adjacency[position, :count, :count], target, role):
            table = similarity_table(x[[position]], z, widths, kernel.solid)[0, 0].numpy()
            role = _best_isomorphism(forms.place(row), form, symmetries, table)
        roles.append(role)
    return roles


def _best_isomorphism(
    place: np.ndarray, form: CanonicalForm, symmetries: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Of the isomorphisms of nodes at these canonical places, the one of the largest score."""
    candidates = symmetries[:, np.argsort(form.place)[place]]  # [P, N]
    fit = table[np.arange(len(place)), candidates].sum(axis=1)
    best: np.ndarray = candidates[fit.argmax()]
    return best


def _keeps_edges(adj: np.ndarray, target: np.ndarray, role: np.ndarray) -> bool:
    if (role < 0).any() or (role >= len(target)).any():
        return False
    return bool(((adj != 0) == (target[np.ix_(role, role)] != 0)).all())
