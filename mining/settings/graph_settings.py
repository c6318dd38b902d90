"""The table ``[graph]`` of a settings file: what is read, for mining and for filters."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph_content import NONE
from gomkcn_dgl.io.graph_classes import GraphClasses, read_graph_classes
from gomkcn_dgl.io.reading import read_graph


@dataclass(frozen=True)
class GraphSettings:
    """What is read: ``[graph]``.

    ``features`` are names of features to use, ``feature_file`` has them where they are not with the
    graph, and ``label_names`` and ``class_names`` are files with the names of labels, and of the
    classes of graphs, which ``class_column`` has in a table of molecules, and which ``threshold``
    makes of numbers. The others are what :func:`gomkcn.read_graph` is told about edges; columns are
    named, or numbered from 1, and ``minimum`` has texts such as ``score=700``. Weights are not
    used.
    """

    path: str = ""
    format: str | None = None
    features: tuple[str, ...] | None = None
    feature_file: str | None = None
    label_names: str | None = None
    class_names: str | None = None
    class_column: str | None = None
    threshold: str | float | None = None
    directed: bool | None = None
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    minimum: tuple[str, ...] | None = None
    smiles: str | None = None
    skip_invalid: bool | None = None

    def read_graph(self) -> CSRGraph:
        """The graph that these settings name."""
        of_classes = ("class_names", "class_column", "threshold")
        own = {name: value for name, value in vars(self).items() if name not in of_classes}
        return read_graph(**own, weight=NONE)

    def read_classes(self, *, needed: bool = False) -> GraphClasses | None:
        """The classes of its graphs, where there are any; refused where some are ``needed``."""
        names = ("class_column", "threshold", "format", "smiles", "skip_invalid")
        own = {name: getattr(self, name) for name in names}
        return read_graph_classes(self.path, self.class_names, needed=needed, **own)
