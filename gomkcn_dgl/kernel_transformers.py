"""Whole graphs → kernel values, for the machines of scikit-learn that take a precomputed kernel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import load_backend
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.pattern_bags import PatternCodebook, match_bags
from gomkcn_dgl.runtime.files import listed
from gomkcn_dgl.runtime.steps import Steps

# of a larger graph so many nodes are matched
_MOST_NODES = 128
_TAU = 1.0

# prepared graphs, or their bags of patterns, int32 [G, P]
Comparable = CSRGraph | np.ndarray


@dataclass(frozen=True, eq=False)
class NodePreparation:
    """What makes features of nodes comparable: the columns that vary, their mean and deviation.

    Columns of 0 and 1 have mean 0 and deviation 1. ``names`` are those of all features, and a
    column behind these is that of the degrees.
    """

    columns: np.ndarray
    offset: np.ndarray
    spread: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def fit(cls, graph: CSRGraph, add_degrees: bool) -> NodePreparation:
        features = _with_degrees(graph)
        varies = np.ptp(features, axis=0) > 0
        varies[-1] &= add_degrees
        # of constant features one is kept, so that there is one
        columns = np.flatnonzero(varies) if varies.any() else np.array([0])
        features = features[:, columns]
        is_binary = ((features == 0) | (features == 1)).all(axis=0)
        offset = np.where(is_binary, 0.0, features.mean(axis=0, dtype=np.float64))
        spread = np.where(is_binary, 1.0, features.std(axis=0, dtype=np.float64))
        spread[spread == 0] = 1.0
        return cls(columns, offset, spread, graph.feature_names)

    def apply(self, graph: CSRGraph) -> CSRGraph:
        if graph.feature_names != self.names:
            raise InputError(
                f"graphs must have the {len(self.names)} features of the training graphs, "
                f"{listed(self.names)}, got {len(graph.feature_names)}: "
                f"{listed(graph.feature_names)}."
            )
        features = (_with_degrees(graph)[:, self.columns] - self.offset) / self.spread
        names = (*graph.feature_names, "degree")
        return replace(
            graph,
            features=features.astype(np.float32),
            feature_names=tuple(names[column] for column in self.columns),
        )


def _with_degrees(graph: CSRGraph) -> np.ndarray:
    """Features and log(1 + degree), ``[V, D + 1]``."""
    return np.column_stack([graph.features, np.log1p(graph.degrees)])


@dataclass(eq=False, repr=False)
class GOMKGram(TransformerMixin, BaseEstimator):
    """Graphs → their kernel values with the training graphs, for ``SVC(kernel="precomputed")``.

    Parameters
    ----------
    num_levels : int
        The paper's t: levels of neighbours that are compared.
    tau : float, optional
        Width of the RBF between level embeddings; 1 when left out.
    aggregation : str
        As in :class:`GOMKKernel`.
    gamma : float or None
        ``exp(gamma (K - 1))`` in place of the normalised kernel K.
    add_degrees : bool
        Whether log(1 + degree) is a feature of a node beside the others.
    most_nodes : int, "auto" or None
        Of a larger graph so many nodes stand for it, see :func:`gomk_gram`. ``"auto"``: 128; None:
        all.
    num_patterns : int or None
        For large graphs, or many: nodes match where they have the same of so many patterns, at each
        depth up to ``num_levels``, which are learnt by clustering the level embeddings of the
        training graphs. All nodes count, and the cost grows with their number. ``tau`` and
        ``most_nodes`` do not go with it. None: nodes are matched one by one.
    random_state : int
        Seed of the patterns.
    backend : str
        As in :func:`gomk`.

    Notes
    -----
    Columns of features other than 0 and 1 are scaled to mean 0 and variance 1 over the nodes of the
    training graphs, and columns that are constant there are left out. The kernel is not positive
    semi-definite in general; ``SVC`` takes it as it is.

    Examples
    --------
    >>> import networkx as nx
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs = [nx.cycle_graph(5), nx.complete_graph(5), nx.cycle_graph(6), nx.complete_graph(6)]
    >>> machine = make_pipeline(GOMKGram(2), SVC(kernel="precomputed")).fit(graphs, [0, 1, 0, 1])
    >>> machine.predict([nx.cycle_graph(7), nx.complete_graph(4)]).tolist()
    [0, 1]
    """

    num_levels: int = 3
    tau: float | None = None
    _: KW_ONLY
    aggregation: str = "mean"
    gamma: float | None = None
    add_degrees: bool = True
    most_nodes: int | str | None = "auto"
    num_patterns: int | None = None
    random_state: int = 0
    backend: str = "auto"

    def fit(self, graphs: Any, y: Any = None) -> GOMKGram:
        """Keep the training graphs."""
        if self.gamma is not None:
            check_float("gamma", self.gamma, 0, open_minimum=True)
        resolve_most_nodes(self.most_nodes)
        load_backend("matching", self.backend)
        if self.num_patterns is not None:
            check_int("num_patterns", self.num_patterns, 1)
            refuse_matching(self)
        graph = as_csr(graphs)
        self.preparation_ = NodePreparation.fit(graph, self.add_degrees)
        self.n_features_in_ = graph.features.shape[1]
        prepared = self.preparation_.apply(graph)
        self.relations_ = prepared.relations
        self.known_: Comparable = prepared
        if self.num_patterns is not None:
            levels = self._levels(prepared)
            self.codebook_ = PatternCodebook.fit(levels, self.num_patterns, self.random_state)
            self.known_ = self.codebook_.count(levels)
        return self

    def training_similarities(self, steps: Steps | None = None) -> np.ndarray:
        """The normalised kernel K of the training graphs, float64 ``[G, G]``."""
        return self._gram(self.known_, None, steps)

    def similarities(self, graphs: Any) -> np.ndarray:
        """The normalised kernel K of graphs with the G training graphs, float64 ``[H, G]``."""
        check_is_fitted(self, "known_")
        return self._gram(self._prepare(graphs), self.known_)

    def fit_transform(self, graphs: Any, y: Any = None) -> np.ndarray:
        """Kernel values of the training graphs, float64 ``[G, G]``."""
        return sharpen(self.fit(graphs).training_similarities(), self.gamma)

    def transform(self, graphs: Any) -> np.ndarray:
        """Kernel values of graphs with the G training graphs, float64 ``[H, G]``."""
        return sharpen(self.similarities(graphs), self.gamma)

    def _prepare(self, graphs: Any) -> Comparable:
        # what is said of a graph does not depend on the graphs beside it
        prepared = self.preparation_.apply(as_csr(graphs)).with_relations(self.relations_)
        if self.num_patterns is None:
            return prepared
        return self.codebook_.count(self._levels(prepared))

    def _gram(
        self,
        rows: Comparable,
        columns: Comparable | None,
        steps: Steps | None = None,
    ) -> np.ndarray:
        if isinstance(rows, np.ndarray):
            assert columns is None or isinstance(columns, np.ndarray)
            return match_bags(rows, rows if columns is None else columns, self.num_levels + 1)
        return gomk_gram(
            rows,
            columns,
            kernel=self._kernel,
            most_nodes=resolve_most_nodes(self.most_nodes),
            dtype="float32",
            backend=self.backend,
            steps=steps,
        ).values

    def _levels(self, graph: CSRGraph) -> list[Tensor]:
        """The level embeddings of each graph, in terms of the relations of the training graphs."""
        return self._kernel.embed_graphs(graph, self.relations_, "float32")

    @property
    def _kernel(self) -> GOMKKernel:
        tau = _TAU if self.tau is None else self.tau
        return GOMKKernel(self.num_levels, tau, self.aggregation, padding="mask")


def resolve_most_nodes(given: int | str | None) -> int | None:
    """How many nodes of a graph are matched at most; None: all."""
    if given is None:
        return None
    return _MOST_NODES if given == "auto" else check_int("most_nodes", given, 1)


def refuse_matching(estimator: Any) -> None:
    """Refuse settings of the matching beside patterns."""
    unset = {"tau": None, "most_nodes": "auto"}
    for name, value in unset.items():
        given = getattr(estimator, name, value)
        if given is not value and not (isinstance(given, str) and given == value):
            raise InputError(
                f"{name} must be left out beside num_patterns, since nodes of the same pattern "
                f"match, got {given!r}; or leave out num_patterns."
            )


def sharpen(gram: np.ndarray, gamma: float | None) -> np.ndarray:
    """exp(gamma (K - 1)), or K itself."""
    return gram if gamma is None else np.exp(gamma * (gram - 1))
