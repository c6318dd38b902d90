"""Where copies go: on nodes of their own that are joined to the background, or on its own nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.errors import InputError


@dataclass(frozen=True)
class Placement:
    """The nodes of all copies, and what joins them to the background.

    ``num_nodes`` is that of the whole graph. ``members`` ``[sum of sizes]`` holds the nodes of each
    copy in the order of its motif's nodes, one copy after the other, and ``attaching`` ``[A, 2]``
    the edges between a base node and a node of a copy.
    """

    num_nodes: int
    members: np.ndarray
    attaching: np.ndarray

    def nodes_of_motifs(self, num_nodes: Sequence[int], copies: Sequence[int]) -> list[np.ndarray]:
        """The nodes of all copies of each motif, int64 ``[C, M]``."""
        ends = np.cumsum(np.multiply(num_nodes, copies), dtype=np.int64)
        parts = np.split(self.members, ends[:-1]) if len(ends) else []
        return [part.reshape(-1, size) for part, size in zip(parts, num_nodes, strict=True)]

    def mark_nodes(self, nodes_of_motifs: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Type, mask, copy and role of each node ``[V]``, as a PlantedGraph has them."""
        node_type = np.zeros(self.num_nodes, np.int64)
        instance, role = np.full((2, self.num_nodes), -1)
        first = 0
        for number, nodes in enumerate(nodes_of_motifs):
            node_type[nodes] = 1 + number
            instance[nodes] = first + np.arange(len(nodes))[:, None]
            role[nodes] = np.arange(nodes.shape[1])
            first += len(nodes)
        return {
            "node_type": node_type,
            "node_mask": node_type > 0,
            "node_instance": instance,
            "node_role": role,
        }


def attach_copies(
    num_base_nodes: int,
    sizes: np.ndarray,
    hosts: np.ndarray,
    num_edges: int,
    rng: np.random.Generator,
) -> Placement:
    """Copies on new nodes, each joined to its host by ``num_edges`` different edges.

    ``hosts`` ``[C, 2]``: the first base node, and the number of those that a copy may be joined to.
    """
    num_pairs = sizes * hosts[:, 1]
    if len(sizes) and num_edges > num_pairs.min():
        raise InputError(
            f"edges_per_motif must be at most {num_pairs.min()}, the pairs of a motif node and a "
            f"base node, got {num_edges}."
        )
    # Pairs are numbered base node first, [C, k].
    pairs = rng.integers(0, num_pairs[:, None], size=(len(sizes), num_edges))
    ordered = np.sort(pairs, axis=1)
    for c in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
        pairs[c] = rng.choice(num_pairs[c], size=num_edges, replace=False)
    # First node of each copy, [C].
    starts = num_base_nodes + np.cumsum(sizes) - sizes
    base_node = hosts[:, :1] + pairs // sizes[:, None]
    copy_node = starts[:, None] + pairs % sizes[:, None]
    num_nodes = num_base_nodes + int(sizes.sum())
    attaching = np.stack([base_node, copy_node], axis=-1).reshape(-1, 2)
    return Placement(num_nodes, np.arange(num_base_nodes, num_nodes), attaching)


def embed_copies(
    degrees: np.ndarray,
    sizes: np.ndarray,
    hosts: np.ndarray,
    extra_degree: int,
    rng: np.random.Generator,
) -> Placement:
    """Copies on random base nodes of their host, none of which is in two copies.

    ``degrees`` ``[V]`` are those of the base nodes; the nodes taken have at most the median of them
    and ``extra_degree`` more.
    """
    most = np.median(degrees) + extra_degree
    members = np.empty(sizes.sum(), np.int64)
    copy_of_member = np.repeat(np.arange(len(sizes)), sizes)
    different, host_of_copy = np.unique(hosts, axis=0, return_inverse=True)
    host_of_member = host_of_copy.reshape(-1)[copy_of_member]
    # members are in the order of the copies, those of one host are taken from it in that order
    by_host = np.argsort(host_of_member, kind="stable")
    wanted = np.split(by_host, np.cumsum(np.bincount(host_of_member, minlength=len(different))))
    for (first, count), slots in zip(different.tolist(), wanted, strict=False):
        nodes = first + np.flatnonzero(degrees[first : first + count] <= most)
        if len(slots) > len(nodes):
            raise InputError(
                f"motifs must have at most {len(nodes)} nodes in all their copies, the base nodes "
                f"of at most {most:g} edges, got {len(slots)}; plant fewer copies, or raise "
                "extra_degree."
            )
        members[slots] = rng.choice(nodes, size=len(slots), replace=False)
    return Placement(len(degrees), members, np.empty((0, 2), np.int64))
