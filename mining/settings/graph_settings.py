"""The table ``[graph]`` of a settings file: what is read, for mining and for filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gomkcn_dgl.input_settings import InputSettings

if TYPE_CHECKING:
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.io.graph_classes import GraphClasses
    from gomkcn_dgl.io.reading import InputGraph

_OF_CLASSES = ("class_names", "class_column", "threshold")


@dataclass(frozen=True)
class GraphSettings(InputSettings):
    """What is read: ``[graph]``. Weights are used by the null models that permute them alone."""

    def read_graph(self) -> CSRGraph:
        """The graph that these settings name."""
        from gomkcn_dgl.graph_content import NONE
        from gomkcn_dgl.io.reading import read_graph

        return read_graph(**self._of_graph, weight=NONE)

    def read_annotated(self, weight: str | None, within: str | None = None) -> InputGraph:
        """The graph, with the attributes of its nodes and the weights of its edges."""
        from gomkcn_dgl.graph_content import NONE
        from gomkcn_dgl.io.reading import read_with_attributes

        columns = None if weight is None else (weight,)
        return read_with_attributes(
            **self._of_graph,
            weight=NONE,
            edge_attributes=columns,
            node_attributes=() if within is None else (within,),
        )

    @property
    def _of_graph(self) -> dict[str, Any]:
        """All but what says the classes of graphs."""
        return {name: value for name, value in vars(self).items() if name not in _OF_CLASSES}

    def read_classes(self, *, needed: bool = False) -> GraphClasses | None:
        """The classes of its graphs, where there are any; refused where some are ``needed``."""
        from gomkcn_dgl.io.graph_classes import read_graph_classes

        return read_graph_classes(
            self.path,
            self.class_names,
            needed=needed,
            class_column=self.class_column,
            threshold=self.threshold,
            format=self.format,
            smiles=self.smiles,
            skip_invalid=self.skip_invalid,
        )
