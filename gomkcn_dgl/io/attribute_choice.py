"""What a file holds, and what a caller says about its attributes → a CSRGraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gomkcn_dgl.containers.graph_content import ColumnChoice, GraphContent, make_csr
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import NONE, EdgeOptions

_WEIGHT = "weight"


def csr_of_file(
    content: GraphContent, features: Sequence[str] | None, options: EdgeOptions
) -> CSRGraph:
    """Build the graph; the edge attribute ``weight``, where there is one, is the edges' weight."""
    for name in (options.relation, options.weight):
        if not isinstance(name, (str, type(None))):
            raise InputError(f"an edge attribute must be given by its name, got {name!r}.")
    weight = options.weight or (_WEIGHT if _WEIGHT in list(content.edges) else NONE)
    choice = ColumnChoice(
        features,
        edge_weight=None if weight == NONE else str(weight),
        directed=options.directed,
        edge_type=None if options.relation == NONE else options.relation,
    )
    return make_csr(replace(content, default_weight=None), choice)
