"""Which models can be run: the peers and our own, by what they classify and by name."""

from __future__ import annotations

import importlib.util

from peers.graph_classifiers import GRAPH_FAMILIES
from peers.graph_kernels import KERNEL_FAMILIES
from peers.node_networks import NODE_FAMILIES

from paper.protocol import Family


def families(kind: str) -> dict[str, Family]:
    """Models that classify nodes (``"node"``) or graphs (``"graph"``)."""
    known = [*NODE_FAMILIES, *GRAPH_FAMILIES, *KERNEL_FAMILIES]
    if importlib.util.find_spec("paper.models") is not None:
        from paper.models import FAMILIES

        known += FAMILIES
    return {family.name: family for family in known if family.kind == kind}
