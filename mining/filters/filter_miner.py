"""FilterMiner: filters as an estimator of scikit-learn, which look at other graphs as well."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gomkcn.mining.filters.discrete_filters import DiscreteFilters
from gomkcn.mining.filters.filter_bank import PART_SIZE, FilterBank
from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_mining import FORMAT, PER_NODE, FilterMining
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn.mining.structures.graph_relations import with_relations
from gomkcn_dgl._sklearn import ClusterMixin, TransformerMixin
from gomkcn_dgl._torch import device_name, torch
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.runtime.files import read_file, reason_of
from gomkcn_dgl.runtime.tabular import Table
from gomkcn_dgl.subgraphs import SubgraphSettings

if TYPE_CHECKING:
    from gomkcn_dgl.layer import GOMKConv

_NESTED = "learning__"


class FilterMiner(ClusterMixin, TransformerMixin, FilterMining, GraphEstimator):
    """Find the frequent patterns of a graph beyond chance, as filters.

    Every node has a subgraph of each size around it. Filters are structures that the graph shows
    more often than random graphs with its degrees: each is chosen because it explains, by the graph
    optimal matching kernel, what is around many nodes of the graph and of few nodes of the random
    graphs. Another one is added while it explains more by three standard deviations, so that their
    number follows from the graph. Each says how many ``instances`` it has: the different node sets
    that the subgraphs around the nodes show it at, which depend on no other filter.

    With ``contrast=False`` filters are the centres of the frequent subgraphs of one size, whether
    random graphs have them or not, as in the paper.

    Parameters
    ----------
    num_filters : int or "auto"
        Filters, F. "auto": as many as the graph has more of than random graphs, 12 at most; without
        contrast 8. There are fewer where no more subgraphs differ.
    size : int, str, tuple of int or "auto"
        Nodes of a subgraph, from 2 to 64: a number, or the smallest and the largest, as in "3-8".
        "auto": "3-8"; without contrast 6, the size of the paper.
    contrast : bool or "auto"
        Whether filters are compared with random graphs. "auto": not where edges are bonds of
        molecules, where filters start at random, in graphs without edges, or above 8 million edges.
        ``note_`` says which.
    learning : FilterLearning or None
        How filters are learnt. None: ``FilterLearning()``; ``FilterLearning.paper()`` is what the
        paper prints. Its fields can be set as ``learning__num_epochs`` and so on.
    device : str or torch.device
        Where training and matching run: "cpu", "cuda", or "auto" for a GPU where there is one.
        PyTorch is loaded for a GPU, and for training.
    level : {"node", "graph"}
        What a row of :meth:`transform` and :meth:`predict` stands for: a node, or a graph of a
        collection, which has the highest response of its nodes.
    max_assigned : int
        Most nodes that are assigned to filters; of more so many are drawn, and instances are
        estimates with an interval.
    random_state : int
        The same seed gives the same filters.

    Attributes
    ----------
    filters_ : tuple of MinedFilter
        The filters, those first that are furthest beyond chance: by the roots that show one beyond
        those in random graphs, times its surprise. Without contrast those with most instances
        first. Each is a :class:`MinedFilter`.
    note_ : str
        What the filters were chosen by, and where, in words. Where the graph has no more of
        anything than random graphs, there are no filters, and it says so.
    num_random_graphs_ : int
        Random graphs that were compared with; 0 without contrast.
    labels_ : numpy.ndarray
        int64 ``[V]``, the filter that each node is nearest to: of those that its subgraphs are most
        similar to the one that they are, then the largest; -1 for a node that was not drawn, and
        where there are no filters.
    responses_ : numpy.ndarray
        float32 ``[V, F]``, how similar the subgraph of its size is to each filter, in [0, 1]; NaN
        for a node that was not drawn.
    similarities_ : numpy.ndarray
        float32 ``[V]``, how similar it is to the nearest.
    subgraph_nodes_, matching_ : numpy.ndarray
        int32 and int8 ``[V, M]``: the nodes of the subgraph around each node that its filter is
        compared with, the node itself first, and the node of the filter that each is matched to;
        -1 = none.
    is_exact_ : numpy.ndarray
        bool ``[V]``, whether it is isomorphic to the structure of its filter.
    loss_curve_ : list of float
        1 - the mean similarity of a subgraph to its filter: before a training, then of each epoch.
    n_iter_ : int
        Epochs of the training.
    scaling_ : FeatureScaling
        How features are scaled into the unit interval.
    relations_ : Relations
        The relations of the graph.
    feature_names_in_, n_features_in_
        Names of the features, and their number D.
    is_partial_ : bool
        Whether time was up before all was done.

    Notes
    -----
    Of more than ``learning.max_subgraphs`` nodes so many are drawn to choose filters from.

    Filters are chosen by structure and categories. Where features are numbers, those of a filter
    are the means over the subgraphs that have its structure, a step of Lloyd's k-means in which the
    matching says which node is which. Nodes that a symmetry exchanges are told apart by their
    features alone, so that noise parts their means. ``learning.num_epochs`` adds the gradient
    training of the paper.

    Nodes are put in an order that follows from the structure of the graph, so that filters, labels
    and responses do not depend on how they were numbered, but for nodes that look alike up to
    several hops.

    References
    ----------
    The GOMKCN paper (arXiv:2504.16360), section VI-B; Algorithm 1; Definition 2 for the responses.
    R. Milo et al., Network motifs, Science 298, 2002, for the random graphs.

    Examples
    --------
    >>> import networkx as nx
    >>> tree = nx.random_labeled_tree(120, seed=1)
    >>> graph = nx.disjoint_union_all([tree] + [nx.wheel_graph(6)] * 8)
    >>> graph.add_edges_from((k, 120 + 6 * k) for k in range(8))
    >>> miner = FilterMiner().fit(graph)
    >>> [(mined.name, str(mined.instances)) for mined in miner.filters_]
    [('wheel with 5 spokes', '8')]

    Filters are columns of features for what follows; rows are nodes here:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = make_pipeline(FilterMiner(2, size=5, contrast=False), DecisionTreeClassifier())
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(4)] * 3)
    >>> model.fit(rings, [0] * 30 + [1] * 12).predict(rings)[[0, 41]].tolist()
    [0, 1]
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep``, those of ``learning`` as ``learning__NAME``."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            learning = self.resolve_learning()
            params |= {f"{_NESTED}{name}": value for name, value in vars(learning).items()}
        return params

    def set_params(self, **params: Any) -> FilterMiner:
        """Set parameters; ``learning__NAME`` is a field of ``learning``, which is made anew."""
        nested = {name: value for name, value in params.items() if name.startswith(_NESTED)}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        if nested:
            fields = {name.removeprefix(_NESTED): value for name, value in nested.items()}
            known = vars(self.resolve_learning())
            for name in fields:
                check_choice("a parameter of learning", name, known)
            self.learning = replace(self.resolve_learning(), **fields)
        return self

    def transform(self, graph: Any) -> np.ndarray:
        """The response of each node to each filter: the paper's disentangled representation.

        It is the similarity of the subgraph around a node and a filter, in [0, 1] (Definition 2 of
        the paper, divided by the score of a filter with itself). With ``level="graph"`` a row is
        the highest response of the nodes of a graph. Rows are in the order of the graphs, or of
        the nodes, whose names are ``as_csr(graph).original_ids(range(len(rows)))``.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            With the features and the relations of that which the miner was fitted on.

        Returns
        -------
        numpy.ndarray
            float32 ``[V, F]``, or ``[G, F]``.

        Raises
        ------
        InputError
            For other features or relations.
        """
        csr = self._read(graph)
        similarity, _ = self._respond(csr)
        return similarity if self.level == "node" else _highest(similarity, csr)

    def predict(self, graph: Any) -> np.ndarray:
        """The nearest filter, int64, of each node, or of each graph; -1 where there are no filters.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            As for :meth:`transform`.
        """
        csr = self._read(graph)
        similarity, labels = self._respond(csr)
        if self.level == "node":
            return labels
        # of a graph no subgraph is the structure of a filter or is not
        highest = _highest(similarity, csr)
        return self.bank_.label(highest, np.zeros(highest.shape, bool))

    def _respond(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The responses ``[V, F]`` and the nearest filters ``[V]`` of all nodes of a graph."""
        # in the order of the graph, as in a fit: no numbering changes a row
        order = NodeOrder.of(graph)
        placed = self.bank_.place(order.graph, device_name(self.device))
        similarity = np.empty((graph.num_nodes, len(self.bank_)), np.float32)
        labels = np.empty(graph.num_nodes, np.int64)
        for first in range(0, graph.num_nodes, PART_SIZE):
            roots = np.arange(first, min(first + PART_SIZE, graph.num_nodes))
            found = self.bank_.respond(placed, roots)
            given = order.given(roots)
            similarity[given], labels[given] = found.similarity, found.labels
        return similarity, labels

    def score(self, graph: Any, y: Any = None) -> float:
        """The mean similarity of a row to the filter that responds most, which training raises.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            As for :meth:`transform`.
        y : object
            Not used.
        """
        return float(self.transform(graph).max(axis=1, initial=0).mean(dtype=np.float64))

    def _read(self, graph: Any) -> CSRGraph:
        check_is_fitted(self)
        csr = as_unweighted(graph)
        width = csr.stored_features.shape[1]
        if width != self.n_features_in_:
            raise InputError(
                "graph",
                f"must have the {self.n_features_in_} features that the miner was fitted on",
                got=width,
            )
        return with_relations(csr, self.relations_)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of :meth:`transform`: number and name of each filter."""
        check_is_fitted(self)
        return np.array([f"{mined.id}: {mined.name}" for mined in self.filters_], dtype=object)

    def to_conv(self, size: int | None = None) -> GOMKConv:
        """A layer that holds these filters, so that a network can start from them or keep them.

        Its features are those of ``scaling_``: ``conv(graph, scaling_.scale(features))`` is what
        :meth:`transform` returns, but for edges of 1 that are .998 in a layer, since a weight of a
        layer that can be trained lies between 0 and 1, and for nodes of truncated subgraphs, which
        a layer draws by the numbers that nodes were given.

        Parameters
        ----------
        size : int, optional
            The filters of this size; a layer takes subgraphs of one size. None: that of all.

        Returns
        -------
        GOMKConv
            On the CPU; its filters can be trained.

        Raises
        ------
        InputError
            If there are filters of several sizes and none was given, or none of this size.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import as_csr
        >>> graph = as_csr(nx.lollipop_graph(3, 2))
        >>> miner = FilterMiner(num_filters=2, size=3, contrast=False).fit(graph)
        >>> conv = miner.to_conv()
        >>> features = torch.from_numpy(miner.scaling_.scale(graph.features))
        >>> responses = torch.from_numpy(miner.transform(graph))
        >>> bool(torch.allclose(conv(graph, features), responses, atol=0.02))
        True
        """
        # a class of PyTorch, which is imported with it
        from gomkcn_dgl.layer import GOMKConv

        check_is_fitted(self)
        bank = self.bank_
        if size is None and len(bank.subgraph_sizes) == 1:
            (size,) = bank.subgraph_sizes
        if size not in bank.subgraph_sizes:
            known = ", ".join(map(str, bank.subgraph_sizes)) or "none"
            raise InputError("size", f"must be one of the sizes of the filters, {known}", got=size)
        own = np.flatnonzero(np.array(bank.sizes) == size)
        filters = bank.filters.take(own).padded(size)
        settings = bank.settings_of(size)
        conv = GOMKConv(
            self.n_features_in_,
            len(own),
            size,
            settings.num_hops,
            kernel=bank.kernel,
            policy=settings.policy,
            seed=settings.seed,
            bounded_feats=True,
            relations=bank.relations,
        )
        conv.filters.set(slice(None), torch.from_numpy(filters.adj), torch.from_numpy(filters.feat))
        return conv

    def table(self) -> Table:
        """The filters as a table: structure, instances here and in random graphs, nearest nodes."""
        check_is_fitted(self)
        filters = self.filters_
        random = [mined.random_instances for mined in filters]
        columns: dict[str, list[Any]] = {
            "filter": [mined.id for mined in filters],
            "name": [mined.name for mined in filters],
            "structure": [mined.structure.to_text() for mined in filters],
            "nodes": [mined.structure.num_nodes for mined in filters],
            "edges": [len(mined.structure.edges) for mined in filters],
            "instances": [mined.instances.value for mined in filters],
            "instances_low": [mined.instances.low for mined in filters],
            "instances_high": [mined.instances.high for mined in filters],
            "disjoint": [mined.disjoint_instances for mined in filters],
            "random_mean": [np.nan if one is None else one.mean for one in random],
            "random_sd": [np.nan if one is None else one.sd for one in random],
            "exceeds": [mined.exceeds for mined in filters],
            "exact_nodes": [mined.exact.value for mined in filters],
            "nearest_nodes": [mined.nearest_nodes.value for mined in filters],
            "similarity": [
                mined.similarity[len(mined.similarity) // 2] if mined.similarity else np.nan
                for mined in filters
            ],
        }
        return Table(columns)

    def plot(self, graph: Any = None) -> Any:
        """Draw the paper's figure: each filter with its frequency, and where it responds.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes, optional
            The graph that the miner was fitted to, to draw it in the colours of its filters. None:
            the filters alone.

        Returns
        -------
        matplotlib.figure.Figure
        """
        check_is_fitted(self)
        # drawings are in a layer above
        return import_module("gomkcn.mining.filters.filter_figure").plot_filters(self, graph)

    @classmethod
    def load(cls, path: str | Path) -> FilterMiner:
        """Read a miner that :meth:`save` wrote.

        Raises
        ------
        InputError
            For a file that cannot be read, or is no such miner.
        """
        try:
            arrays = load_arrays(read_file(Path(path)))
            record = json.loads(str(arrays["record"]))
            if record["format"] != FORMAT:
                raise ValueError(f"its format is {record['format']}, this version reads {FORMAT}")
            return cls._of_record(record, arrays)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{str(path)!r} must be a file that FilterMiner.save wrote ({reason_of(error)})."
            ) from None

    @classmethod
    def _of_record(cls, record: dict[str, Any], arrays: dict[str, np.ndarray]) -> FilterMiner:
        params = record["params"]
        if params["learning"] is not None:
            kernel = GOMKKernel(**params["learning"].pop("kernel"))
            params["learning"] = FilterLearning(**params["learning"], kernel=kernel)
        miner = cls(**params)
        miner.check()
        learning = miner.resolve_learning()
        adj, feat, weights = (arrays[name] for name in ("adj", "feat", "weights"))
        names, directed = zip(*record["relations"], strict=True)
        groups = tuple(tuple(group) for group in record["categories"])
        bank = FilterBank(
            DiscreteFilters(adj, feat, weights, tuple(record["num_nodes"])),
            tuple(record["sizes"]),
            FeatureScaling(*arrays["scaling"]),
            SubgraphSettings(**record["settings"]),
            learning.kernel,
            learning.backend,
            Relations(tuple(names), tuple(directed), arrays["links"]),
            tuple(record["feature_names"]),
            Categories(groups),
            tuple(record["ranks"]),
        )
        miner._remember(bank)
        for name in PER_NODE:
            setattr(miner, f"{name}_", arrays[f"{name}_"])
        miner.filters_ = tuple(
            MinedFilter.from_dict(one, bank.feature_names) for one in record["filters"]
        )
        miner.loss_curve_ = record["loss_curve"]
        miner.n_iter_ = max(0, len(miner.loss_curve_) - 1)
        miner.num_random_graphs_ = record["num_random_graphs"]
        miner.note_ = record["note"]
        miner.is_partial_ = record["is_partial"]
        return miner


def _highest(similarity: np.ndarray, graph: CSRGraph) -> np.ndarray:
    """The highest response of the nodes of each graph, ``[G, F]``."""
    parts = np.split(similarity, graph.graph_ptr[1:-1])
    return np.stack([part.max(axis=0, initial=0) for part in parts])
