"""FilterMiner: the frequent patterns of a graph, as filters.

This is section VI-B of the GOMKCN paper from end to end: the subgraphs around the nodes are sampled
(step 1 of Algorithm 1), embedded and matched, filters become the centres of clusters, and every
node is assigned to the filter that its subgraph is most similar to. By default filters stand where
the graph has more of a structure than random graphs with its degrees.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gomkcn.mining.filters.contrast import MOST_FILTERS
from gomkcn.mining.filters.filter_bank import PART_SIZE, FilterBank, respond_everywhere
from gomkcn.mining.filters.filter_columns import filter_table
from gomkcn.mining.filters.filter_learner import FilterLearner, Learnt
from gomkcn.mining.filters.filter_learning import FilterLearning, check_learning
from gomkcn.mining.filters.mined_filter import MinedFilter, mined_filters
from gomkcn.mining.filters.miner_file import read_miner, write_miner
from gomkcn.mining.settings.filter_settings import (
    AUTO,
    MOST_FILTER_NODES,
    FilterSettings,
    SeededFilters,
)
from gomkcn.mining.structures.fragments import holds_molecules
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn.mining.structures.graph_relations import with_relations
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl._torch import device_name, resolve_device, torch, usual_torch
from gomkcn_dgl.checks import RandomState, as_seed, check_choice, check_int, check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.runtime.files import as_path, atomic_file, read_file, reason_of
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table, WithTables
from gomkcn_dgl.settings import values_of

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from gomkcn_dgl.layer import GOMKConv

LEVELS = ("node", "graph")
# sizes of filters that are compared with random graphs, and the size of others, that of the paper
CONTRAST_SIZES, USUAL_SIZE = range(3, 9), 6
# random graphs of more edges take minutes
MOST_CONTRAST_EDGES = 8_000_000
# what a parameter that is a field of ``learning`` is called in pipelines
_NESTED = "learning__"


class FilterMiner(WithTables, GraphEstimator):
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
    filter_size : int, str, tuple of int or "auto"
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
    random_state : int, RandomState, Generator or None
        The same seed gives the same filters. None, or a generator of NumPy: one is drawn, which
        ``random_state_`` keeps.

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
    random_state_ : int
        The seed that was used.
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
    >>> filters = FilterMiner(2, filter_size=5, contrast=False)
    >>> model = make_pipeline(filters, DecisionTreeClassifier())
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(4)] * 3)
    >>> model.fit(rings, [0] * 30 + [1] * 12).predict(rings)[[0, 41]].tolist()
    [0, 1]
    """

    def __init__(
        self,
        num_filters: int | str = FilterSettings.num_filters,
        filter_size: int | str | tuple[int, int] = FilterSettings.filter_size,
        *,
        contrast: bool | str = FilterSettings.contrast,
        learning: FilterLearning | None = None,
        device: Any = FilterSettings.device,
        level: str = "node",
        max_assigned: int = FilterSettings.max_assigned,
        random_state: RandomState = SeededFilters.random_state,
    ) -> None:
        self.num_filters = num_filters
        self.filter_size = filter_size
        self.contrast = contrast
        self.learning = learning
        self.device = device
        self.level = level
        self.max_assigned = max_assigned
        self.random_state = random_state

    @property
    def settings(self) -> SeededFilters:
        """The parameters as they are read; an InputError for one out of range."""
        known = values_of(FilterSettings, self)
        return SeededFilters(**known, random_state=self._seed_of_settings)

    def unfitted(self) -> FilterMiner:
        """Another one with the same parameters, which is not fitted."""
        return type(self)(**self.get_params(deep=False))

    def resolve_learning(self) -> FilterLearning:
        """``learning``, or the default."""
        return check_learning(self.learning)

    def load_torch(self) -> None:
        """Load PyTorch where a GPU or training needs it, which takes seconds, or refuse these."""
        learning = self.resolve_learning()
        if device_name(self.device) != "cpu" or learning.num_epochs or learning.init == "random":
            resolve_device(self.device)

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        settings = self.settings
        check_choice("level", self.level, LEVELS)
        learning = self.resolve_learning()
        # nodes alone, without what is around them, are no neighbourhoods
        check_int("num_levels", learning.kernel.num_levels, 1)
        if learning.init == "random" and settings.contrast is True:
            raise InputError(
                "contrast",
                (
                    "must be False where filters start at random (",
                    Argument("init", "random"),
                    ")",
                ),
                got="True",
                way_out="leave one of them out",
            )

    def why_no_contrast(self, graph: CSRGraph) -> str:
        """Why filters are not compared with random graphs; empty where they are."""
        if self.contrast != AUTO and not self.contrast:
            return "none were asked for"
        if self.resolve_learning().init == "random":
            return "filters start at random numbers"
        if self.contrast != AUTO:
            return ""
        if not graph.num_edges:
            return "the graph has no edges"
        if holds_molecules(graph.relations):
            return "in those of molecules atoms have neighbours that chemistry rules out"
        if graph.num_edges > MOST_CONTRAST_EDGES:
            return f"drawing them takes minutes above {MOST_CONTRAST_EDGES:,} edges"
        return ""

    def sizes_of(self, graph: CSRGraph, usual: range | None = None) -> range:
        """The sizes of the subgraphs that filters are looked for in.

        Where they are "auto" they are those ``usual`` where the graph is mined, or else our own.
        """
        reason = self.why_no_contrast(graph)
        if self.filter_size == AUTO:
            contrasted = CONTRAST_SIZES if usual is None else _at_least_two(usual)
            single = USUAL_SIZE if usual is None else contrasted[-1]
            return range(single, single + 1) if reason else contrasted
        sizes = check_sizes("filter_size", self.filter_size, 2, MOST_FILTER_NODES)
        if reason and len(sizes) > 1:
            raise InputError(
                "filter_size",
                f"must be one number where there are no random graphs to compare with ({reason})",
                got=repr(self.filter_size),
                way_out=f"give one size, such as {USUAL_SIZE}",
            )
        return sizes

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        steps: Steps | None = None,
        progress: bool = False,
    ) -> FilterMiner:
        """Learn filters of a graph or a collection, and assign every node to one.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A graph of NetworkX, DGL, PyTorch Geometric and others, a batch, a data set, or a
            planted graph. Directions and relations of edges are those of the filters; weights of
            edges are not used.
        y : object
            Not learnt from; there so that pipelines can pass it. Classes of graphs are refused
            where a row stands for a node.
        steps : Steps, optional
            Stores intermediate results, so that a job resumes, and tells when to stop.
        progress : bool
            Whether to show a progress bar; that of ``steps``, where they are given.

        Raises
        ------
        InputError
            For a parameter out of range, a graph without nodes, or a device that cannot be used.
            The only filter of a graph without edges is a single node.
        RunInterruptedError
            If a signal asked to stop.
        """
        self.check()
        with JobProgress("bar" if progress else "") as bar:
            steps = Steps(progress=bar) if steps is None else steps
            csr = as_unweighted(graph)
            if self.level == "node" and hasattr(y, "__len__") and 1 < len(y) == csr.num_graphs:
                raise InputError(
                    "y",
                    (
                        f"has a value for each of the {csr.num_graphs} graphs, and a row stands "
                        "for each node"
                    ),
                    way_out=("make the miner with ", Argument("level", "graph")),
                )
            return self.fit_mined(MinedGraph.of(csr), steps)

    @usual_torch()
    def fit_mined(self, mined: MinedGraph, steps: Steps, usual: range | None = None) -> FilterMiner:
        """Learn filters of a graph that is in an order of its own; :meth:`fit` says the rest.

        Where sizes are "auto", they are the ``usual`` ones, if these are given.
        """
        learning = self.resolve_learning()
        seed = as_seed("random_state", self.random_state)
        device = device_name(self.device)
        given = mined.given
        reason = self.why_no_contrast(given)
        number = None if self.num_filters == AUTO else int(self.num_filters)
        # 1. sample the subgraphs around nodes, here and in random graphs; choose filters, refine
        # and train them
        learner = FilterLearner(
            mined,
            self.sizes_of(given, usual),
            number,
            not reason,
            learning,
            FeatureScaling.fit(given.stored_features, learning.feature_contrast),
            seed,
            device,
            steps,
        )
        learnt = steps.once("learning filters", Learnt, learner.learn)
        bank = learner.bank(learnt.filters, learnt.sizes).in_reading_order()
        # 2. assign every node to the filter that its subgraph is most similar to
        responses = respond_everywhere(bank, mined.order, device, self.max_assigned, steps)
        filters = mined_filters(bank, learnt, responses, mined)
        # 3. what exceeds random graphs is in order already, the others are ordered by their
        # instances; what nothing belongs to is left out
        order = _used_filters(filters)
        if not learnt.random_instances.size:
            instances = np.array([filters[number].instances.value for number in order])
            order = order[np.argsort(-instances, kind="stable")]
        subgraph_nodes = bank.nodes_of_labels(responses)
        bank, responses = bank.take(order), responses.of_filters(order)
        # 4. only what ends whole leaves something behind
        self._remember(bank)
        self.random_state_ = seed
        self.responses_ = responses.similarity
        self.labels_ = responses.labels
        self.similarities_ = _of_labels(responses.similarity, responses.labels, np.nan)
        self.matching_ = responses.matching
        self.is_exact_ = _of_labels(responses.is_exact, responses.labels, False)
        self.subgraph_nodes_ = subgraph_nodes
        self.filters_ = tuple(filters[number].renumbered(i) for i, number in enumerate(order))
        self.num_random_graphs_ = learnt.random_instances.shape[1]
        self.note_ = self._note(learner, learnt, reason)
        self.loss_curve_ = learnt.losses
        self.n_iter_ = max(0, len(learnt.losses) - 1)
        self.is_partial_ = steps.is_partial
        return self

    def _note(self, learner: FilterLearner, learnt: Learnt, reason: str) -> str:
        """What filters were chosen by, and where, in a sentence or two."""
        graph = learner.mined.given
        where = f"the subgraphs around {count(graph.num_nodes, 'node')}"
        if learnt.num_roots < graph.num_nodes:
            where = f"the subgraphs around {learnt.num_roots:,} of {graph.num_nodes:,} nodes"
        sizes = learner.sizes
        if not self.num_random_graphs_:
            reason = reason or "time was up before there were three"
            return (
                f"Filters represent the most frequent subgraphs of {sizes[-1]} nodes, in {where}. "
                f"There are no random graphs to compare with: {reason}."
            )
        random = f"{self.num_random_graphs_} random graphs with its degrees"
        of = f"{sizes[0]} to {sizes[-1]} nodes" if len(sizes) > 1 else f"{sizes[0]} nodes"
        text = (
            f"Filters are structures of {of} of which the graph has more than {random}, in {where}."
        )
        if not learnt.num_nodes:
            text = (
                f"The graph has no structure of {of} more often than {random}, in {where}; "
                "without this contrast, filters are the most frequent ones."
            )
        elif not all(graph_filter.exceeds for graph_filter in self.filters_):
            exceed = sum(graph_filter.exceeds for graph_filter in self.filters_)
            text = (
                f"Filters are structures of {of}. Of {exceed} of {len(self.filters_)} the graph "
                f"has more than {random}, in {where}; the others come nearest to that."
            )
        if learner.number is None and len(learnt.num_nodes) == MOST_FILTERS:
            text += f" No more than {MOST_FILTERS} are chosen, and there may be others."
        if learner.mined.numeric_columns:
            text += " Numeric features are not compared with random graphs."
        return text

    def _remember(self, bank: FilterBank) -> None:
        """Set what a bank of filters says."""
        self.bank_ = bank
        self.scaling_ = bank.scaling
        self.relations_ = bank.relations
        self.feature_names_in_ = np.array(bank.feature_names, dtype=object)
        self.n_features_in_ = len(bank.feature_names)

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
            With the features, by their names, and the relations of that which the miner was fitted
            on. A category that none of its nodes has may be missing.

        Returns
        -------
        numpy.ndarray
            float32 ``[V, F]``, or ``[G, F]``.

        Raises
        ------
        InputError
            For other features or relations.
        """
        return self._rows(graph)

    def _rows(self, graph: Any) -> np.ndarray:
        """What :meth:`transform` returns, as an array whatever ``set_output`` says."""
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

    def fit_predict(self, graphs: Any, y: Any = None, **options: Any) -> np.ndarray:
        """Fit to graphs, and return the nearest filter of each node, as ``labels_``."""
        return self.fit(graphs, **options).labels_

    def __sklearn_tags__(self) -> Tags:
        """Nodes are put into clusters."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags

    @usual_torch()
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
        return float(self._rows(graph).max(axis=1, initial=0).mean(dtype=np.float64))

    def _read(self, graph: Any) -> CSRGraph:
        self._check_fitted()
        csr = take_features(as_unweighted(graph), self.bank_.feature_names)
        return with_relations(csr, self.relations_)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of :meth:`transform`: number and name of each filter."""
        self._check_fitted()
        return np.array([f"{mined.id}: {mined.name}" for mined in self.filters_], dtype=object)

    def to_conv(self, size: int | None = None) -> GOMKConv:
        """A layer that holds these filters, so that a network can start from them or keep them.

        Its features are those of ``scaling_``: ``conv(graph, scaling_.scale(features))`` is what
        :meth:`transform` returns, but for edges of 1 that are .998 in a layer, since a weight of a
        layer that can be trained lies between 0 and 1.

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
        >>> miner = FilterMiner(num_filters=2, filter_size=3, contrast=False).fit(graph)
        >>> conv = miner.to_conv()
        >>> features = torch.from_numpy(miner.scaling_.scale(graph.features))
        >>> responses = torch.from_numpy(miner.transform(graph))
        >>> bool(torch.allclose(conv(graph, features), responses, atol=0.02))
        True
        """
        # a class of PyTorch, which is imported with it
        from gomkcn_dgl.layer import GOMKConv

        self._check_fitted()
        bank = self.bank_
        if size is None and len(bank.subgraph_sizes) == 1:
            (size,) = bank.subgraph_sizes
        if size not in bank.subgraph_sizes:
            known = ", ".join(map(str, bank.subgraph_sizes)) or "none"
            raise InputError("size", f"must be one of the sizes of the filters, {known}", got=size)
        of_size = np.flatnonzero(np.array(bank.sizes) == size)
        filters = bank.filters.take(of_size).padded(size)
        settings = bank.settings_of(size)
        conv = GOMKConv(
            self.n_features_in_,
            len(of_size),
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
        """A row for each filter: structure, instances here and in random graphs, nearest nodes.

        The page on filters says what the columns are.
        """
        self._check_fitted()
        return filter_table(self.filters_)

    def plot(self, graph: Any = None, *, response_to: int | None = None) -> Any:
        """Draw the paper's figure: each filter with its frequency, and where it responds.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes, optional
            The graph that the miner was fitted to, to draw it in the colours of its filters, and in
            those of the response to one. None: the filters alone.
        response_to : int, optional
            The number of that filter; by default the first one that is no tree.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            For a graph that the miner was not fitted to or that has over 20,000 nodes, a number
            that is none of a filter, or if Matplotlib and seaborn are not installed.
        """
        from gomkcn.mining.filters.filter_figure import FiltersOnGraph, feature_colors, plot_filters

        self._check_fitted()
        csr = on_graph = None
        if graph is not None:
            csr = self._fitted_graph(graph)
            on_graph = FiltersOnGraph(csr, self.labels_, self.responses_)
        colors = feature_colors(self.bank_, self.filters_, csr)
        return plot_filters(self.filters_, colors, self.note_, on_graph, response_to=response_to)

    def _fitted_graph(self, graph: Any) -> CSRGraph:
        """The graph, which has the nodes of the one that the miner was fitted to."""
        csr = as_unweighted(graph)
        if csr.num_nodes != len(self.labels_):
            raise InputError(
                "graph",
                f"must be that which the miner was fitted to, of {len(self.labels_)} nodes",
                got=f"one of {csr.num_nodes}",
            )
        return csr

    def save(self, path: str | Path) -> None:
        """Write the fitted miner to a file (.npz, arrays and JSON, nothing that can run code)."""
        with atomic_file(path) as file:
            self.write_to(file)

    def write_to(self, file: BinaryIO) -> None:
        """Write the fitted miner into a file that is open; :meth:`save` says the rest."""
        if not hasattr(self, "bank_"):
            raise InputError("the miner must be fitted before it is saved; call fit first.")
        # the seed that was used stands for a generator of seeds
        params = self.get_params(deep=False) | {"random_state": self.random_state_}
        write_miner(file, params, self.bank_, vars(self))

    def to_bytes(self) -> bytes:
        """What :meth:`save` writes."""
        file = io.BytesIO()
        self.write_to(file)
        return file.getvalue()

    @classmethod
    def load(cls, path: str | Path) -> FilterMiner:
        """Read a miner that :meth:`save` wrote.

        Raises
        ------
        InputError
            For a file that cannot be read, or is no such miner.
        """
        path = as_path("path", path)
        try:
            return cls.of_bytes(read_file(path))
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{str(path)!r} must be a file that FilterMiner.save wrote ({reason_of(error)})."
            ) from None

    @classmethod
    def of_bytes(cls, data: bytes) -> FilterMiner:
        """The miner that :meth:`write_to` wrote; a ValueError, KeyError or such for other bytes."""
        params, bank, fitted = read_miner(data)
        miner = cls(**params)
        miner.check()
        miner._remember(bank)
        miner.random_state_ = int(params["random_state"])
        vars(miner).update(fitted)
        return miner


def _at_least_two(sizes: range) -> range:
    """Sizes of patterns as those of filters, which have two nodes at least."""
    return range(max(2, sizes[0]), max(2, sizes[-1]) + 1)


def _used_filters(filters: Sequence[MinedFilter]) -> np.ndarray:
    """The numbers of the filters that something belongs to, int64."""
    return np.array(
        [
            number
            for number, graph_filter in enumerate(filters)
            if graph_filter.instances.value or graph_filter.nearest_nodes.value
        ],
        np.int64,
    )


def _of_labels(values: np.ndarray, labels: np.ndarray, missing: Any) -> np.ndarray:
    """Of ``values [V, F]`` those of the filter that each node belongs to; without one, missing."""
    found = np.full(len(labels), missing, values.dtype)
    rows = np.flatnonzero(labels >= 0)
    found[rows] = values[rows, labels[rows]]
    return found


def _highest(similarity: np.ndarray, graph: CSRGraph) -> np.ndarray:
    """The highest response of the nodes of each graph, ``[G, F]``."""
    parts = np.split(similarity, graph.graph_ptr[1:-1])
    return np.stack([part.max(axis=0, initial=0) for part in parts])
