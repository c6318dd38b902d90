"""FilterMiner: filters as an estimator of scikit-learn, which look at other graphs as well."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl._sklearn import ClusterMixin, TransformerMixin
from gomkcn_dgl._torch import resolve_device, torch
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.runtime.files import read_file, reason_of
from gomkcn_dgl.runtime.tabular import Table
from gomkcn_dgl.subgraphs import SubgraphSettings
from mining.categories import Categories
from mining.filters.discrete_filters import DiscreteFilters
from mining.filters.filter_bank import PART_SIZE, FilterBank
from mining.filters.filter_learning import FilterLearning
from mining.filters.filter_mining import FORMAT, PER_NODE, FilterMining
from mining.filters.mined_filter import MinedFilter
from mining.graph_estimator import GraphEstimator
from mining.graph_relations import with_relations

if TYPE_CHECKING:
    from gomkcn_dgl.layer import GOMKConv

_NESTED = "learning__"


class FilterMiner(ClusterMixin, TransformerMixin, FilterMining, GraphEstimator):
    """Find the frequent patterns of a graph: filters trained as the centres of clusters.

    Every node has a subgraph around it, and each subgraph belongs to the filter that it is most
    similar to by the graph optimal matching kernel. Training raises the mean similarity; then each
    filter becomes a graph, of its edges of weight above ½. The frequency of a filter is the number
    of nodes whose subgraph belongs to it: an estimate of how many nodes lie in such a pattern,
    since a subgraph is cut to the size of a filter and may resemble none of them much. ``exact``
    says for how many of them the subgraph *is* the structure of the filter.

    Parameters
    ----------
    num_filters : int
        Filters, F; there are fewer where no more subgraphs differ.
    size : int
        Nodes of a filter and of a subgraph, M, from 2 to 64.
    learning : FilterLearning or None
        How filters are learnt. None: ``FilterLearning()``; ``FilterLearning.paper()`` is what the
        paper prints. Its fields can be set as ``learning__num_epochs`` and so on.
    device : str or torch.device
        Where training and matching run: "cpu", "cuda", or "auto" for a GPU where PyTorch has one.
    level : {"node", "graph"}
        What a row of :meth:`transform` and :meth:`predict` stands for: a node, or a graph of a
        collection, which has the highest response of its nodes.
    max_assigned : int
        Most nodes that are assigned to filters; of more so many are drawn, and frequencies are
        estimates with an interval.
    random_state : int
        The same seed gives the same filters.

    Attributes
    ----------
    filters_ : tuple of MinedFilter
        The filters, the most frequent first.
    labels_ : numpy.ndarray
        int64 ``[V]``, the filter that the subgraph around each node is most similar to; -1 for a
        node that was not drawn.
    responses_ : numpy.ndarray
        float32 ``[V, F]``, how similar it is to each filter, in [0, 1]; NaN for a node that was not
        drawn.
    similarities_ : numpy.ndarray
        float32 ``[V]``, how similar it is to that which it belongs to.
    subgraph_nodes_, matching_ : numpy.ndarray
        int32 and int8 ``[V, M]``: the nodes of the subgraph around each node, the node itself
        first, and the node of its filter that each is matched to; -1 = none.
    is_exact_ : numpy.ndarray
        bool ``[V]``, whether it is isomorphic to the structure of its filter.
    loss_curve_ : list of float
        1 - the mean similarity of a subgraph to its filter: before the training, then of each
        epoch.
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
    Of more than ``learning.max_subgraphs`` nodes so many are drawn to learn from.

    What training changes depends on the features. On structure alone the filters are those of the
    start, real subgraphs that represent the others, also where 10 or 20 % of the edges of copies
    are deleted: their structures were the same in each of 36 graphs. Where features are numbers,
    the trained ones are means over the subgraphs that have the structure of the filter. On ten
    copies with noise of standard deviation .2 the error falls to 33 % of that of the start where
    all nodes of a motif have the same features, and to 52 % where each has its own. Nodes that a
    symmetry exchanges are told apart by their features alone, so that noise parts their means.

    Which filters are learnt does not depend on how nodes are numbered. Which nodes of a truncated
    subgraph stay does, so that the label of a node may.

    References
    ----------
    The GOMKCN paper (arXiv:2504.16360), section VI-B; Algorithm 1; Definition 2 for the responses.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(4)] * 3)
    >>> miner = FilterMiner(num_filters=2, size=5).fit(graph)
    >>> [(one.name, one.frequency.value, one.exact.value) for one in miner.filters_]
    [('cycle of 5 nodes', 30, 30), ('clique of 4 nodes', 12, 12)]
    >>> miner.transform(graph).shape, miner.labels_[:5].tolist()
    ((42, 2), [0, 0, 0, 0, 0])

    Filters are columns of features for what follows; rows are nodes here:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = make_pipeline(FilterMiner(2, size=5), DecisionTreeClassifier())
    >>> model.fit(graph, [0] * 30 + [1] * 12).predict(graph)[[0, 41]].tolist()
    [0, 1]
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep``, those of ``learning`` as ``learning__NAME``."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            own = self.resolve_learning()
            params |= {f"{_NESTED}{name}": value for name, value in vars(own).items()}
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
        check_is_fitted(self)
        csr = self._read(graph)
        device = resolve_device(self.device)
        responses = np.empty((csr.num_nodes, len(self.bank_)), np.float32)
        for first in range(0, csr.num_nodes, PART_SIZE):
            roots = np.arange(first, min(first + PART_SIZE, csr.num_nodes))
            responses[roots] = self.bank_.respond(csr, roots, device).similarity
        if self.level == "node":
            return responses
        parts = np.split(responses, csr.graph_ptr[1:-1])
        return np.stack([part.max(axis=0, initial=0) for part in parts])

    def predict(self, graph: Any) -> np.ndarray:
        """The filter that responds most, int64: of each node, or of each graph.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            As for :meth:`transform`.
        """
        return self.transform(graph).argmax(axis=1)

    def score(self, graph: Any, y: Any = None) -> float:
        """The mean similarity of a row to the filter that responds most, which training raises.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            As for :meth:`transform`.
        y : object
            Not used.
        """
        return float(self.transform(graph).max(axis=1).mean(dtype=np.float64))

    def _read(self, graph: Any) -> CSRGraph:
        csr = as_unweighted(graph)
        width = csr.stored_features.shape[1]
        if width != self.n_features_in_:
            raise InputError(
                f"graph must have the {self.n_features_in_} features that the miner was fitted on, "
                f"got {width}."
            )
        return with_relations(csr, self.relations_)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of :meth:`transform`: number and name of each filter."""
        check_is_fitted(self)
        return np.array([f"{one.id}: {one.name}" for one in self.filters_], dtype=object)

    def to_conv(self) -> GOMKConv:
        """A layer that holds these filters, so that a network can start from them or keep them.

        Its features are those of ``scaling_``: ``conv(graph, scaling_.scale(features))`` is what
        :meth:`transform` returns, but for edges of 1 that are .998 in a layer, since a weight of a
        layer that can be trained lies between 0 and 1.

        Returns
        -------
        GOMKConv
            On the CPU; its filters can be trained.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import as_csr
        >>> graph = as_csr(nx.lollipop_graph(3, 2))
        >>> miner = FilterMiner(num_filters=2, size=3).fit(graph)
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
        settings = bank.settings
        conv = GOMKConv(
            self.n_features_in_,
            len(bank),
            settings.max_nodes,
            settings.num_hops,
            kernel=bank.kernel,
            policy=settings.policy,
            seed=settings.seed,
            bounded_feats=True,
            relations=bank.relations,
        )
        conv.filters.set(slice(None), bank.filters.adj, bank.filters.feat)
        return conv

    def table(self) -> Table:
        """The filters as a table: structure, frequency, how many exactly, similarity."""
        check_is_fitted(self)
        total = len(self.labels_)
        columns: dict[str, list[Any]] = {
            "filter": [one.id for one in self.filters_],
            "name": [one.name for one in self.filters_],
            "structure": [one.structure.to_text() for one in self.filters_],
            "nodes": [one.structure.num_nodes for one in self.filters_],
            "edges": [len(one.structure.edges) for one in self.filters_],
            "frequency": [one.frequency.value for one in self.filters_],
            "frequency_low": [one.frequency.low for one in self.filters_],
            "frequency_high": [one.frequency.high for one in self.filters_],
            "share": [one.frequency.value / total for one in self.filters_],
            "exact": [one.exact.value for one in self.filters_],
            "similarity": [
                one.similarity[len(one.similarity) // 2] if one.similarity else np.nan
                for one in self.filters_
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
        return import_module("mining.plots.filter_figure").plot_filters(self, graph)

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
        adj, feat, weights = (torch.from_numpy(arrays[name]) for name in ("adj", "feat", "weights"))
        names, directed = zip(*record["relations"], strict=True)
        groups = tuple(tuple(group) for group in record["categories"])
        bank = FilterBank(
            DiscreteFilters(adj, feat, weights, tuple(record["num_nodes"])),
            FeatureScaling(*arrays["scaling"]),
            SubgraphSettings(**record["settings"]),
            learning.kernel,
            learning.backend,
            Relations(tuple(names), tuple(directed), arrays["links"]),
            tuple(record["feature_names"]),
            Categories(groups),
        )
        miner._remember(bank)
        for name in PER_NODE:
            setattr(miner, f"{name}_", arrays[f"{name}_"])
        miner.filters_ = tuple(
            MinedFilter.from_dict(one, bank.feature_names) for one in record["filters"]
        )
        miner.loss_curve_ = record["loss_curve"]
        miner.n_iter_ = len(miner.loss_curve_) - 1
        miner.is_partial_ = record["is_partial"]
        return miner
