"""The frequent patterns of a graph, as filters that are the centres of clusters.

This is section VI-B of the GOMKCN paper from end to end: the subgraphs around the nodes are sampled
(step 1 of Algorithm 1), embedded and matched on the device, filters are trained as cluster centres
and made graphs, and every node is assigned to the filter that its subgraph is most similar to.

It does without scikit-learn, which takes a second to import; :class:`gomkcn.FilterMiner` is the
same as an estimator.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from gomkcn_dgl._torch import resolve_device
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.runtime.files import atomic_file
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps
from mining.filters.filter_bank import FilterBank, order_by_frequency, respond_everywhere
from mining.filters.filter_learning import FilterLearning, check_learning, learn_filters
from mining.filters.mined_filter import mined_filters
from mining.filters.rooted_subgraphs import RootedSubgraphs
from mining.mined_graph import MinedGraph

M = TypeVar("M", bound="FilterMining")

AUTO = "auto"
LEVELS = ("node", "graph")
# more nodes of a filter take long to match, and look like no pattern
MOST_FILTER_NODES = 64
PARAMETERS = (
    "num_filters", "size", "learning", "device", "level", "max_assigned", "random_state",
)  # fmt: skip
# of the file of a miner
FORMAT = 1
# attributes that have a row for each node
PER_NODE = ("responses", "labels", "similarities", "subgraph_nodes", "matching", "is_exact")


class FilterMining:
    """What :class:`gomkcn.FilterMiner` documents, without what makes it an estimator."""

    def __init__(
        self,
        num_filters: int = 8,
        size: int = 6,
        *,
        learning: FilterLearning | None = None,
        device: Any = AUTO,
        level: str = "node",
        max_assigned: int = 200_000,
        random_state: int = 0,
    ) -> None:
        self.num_filters = num_filters
        self.size = size
        self.learning = learning
        self.device = device
        self.level = level
        self.max_assigned = max_assigned
        self.random_state = random_state

    def unfitted(self: M) -> M:
        """Another one with the same parameters, which is not fitted."""
        return type(self)(**{name: getattr(self, name) for name in PARAMETERS})

    def resolve_learning(self) -> FilterLearning:
        """``learning``, or the default."""
        return check_learning(self.learning)

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        check_int("num_filters", self.num_filters, 1)
        check_int("size", self.size, 2, MOST_FILTER_NODES)
        check_int("max_assigned", self.max_assigned, 1)
        check_int("random_state", self.random_state, 0)
        check_choice("level", self.level, LEVELS)
        # nodes alone, without what is around them, are no neighbourhoods
        check_int("num_levels", self.resolve_learning().kernel.num_levels, 1)

    def fit(
        self: M, graph: Any, y: Any = None, *, steps: Steps | None = None, progress: bool = False
    ) -> M:
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
        with JobProgress(progress) as bar:
            steps = Steps(progress=bar) if steps is None else steps
            csr = as_unweighted(graph)
            if self.level == "node" and y is not None and 1 < np.size(y) == csr.num_graphs:
                raise InputError(
                    f"y has a value for each of the {csr.num_graphs} graphs, and a row stands for "
                    'each node; make the miner with level="graph".'
                )
            return self.fit_mined(MinedGraph.of(csr), steps)

    def fit_mined(self: M, mined: MinedGraph, steps: Steps) -> M:
        """Learn filters of a graph that is in an order of its own; :meth:`fit` says the rest."""
        learning = self.resolve_learning()
        device = resolve_device(self.device)
        given = mined.given
        # 1. sample the subgraphs around nodes, and batch them on the device
        steps.progress.begin("sampling subgraphs")
        scaling = FeatureScaling.fit(given.stored_features, learning.feature_contrast)
        settings = learning.subgraph_settings(self.size, self.random_state)
        subgraphs = RootedSubgraphs.sample(
            mined.graph, scaling, learning.kernel, settings, learning.max_subgraphs, device
        )
        # 2. initialise filters, train them as cluster centres, make them graphs
        filters, losses = learn_filters(
            subgraphs, self.num_filters, learning, self.random_state, steps
        )
        # 3. assign every node to the filter that its subgraph is most similar to
        bank = FilterBank(
            filters,
            scaling,
            settings,
            learning.kernel,
            learning.backend,
            given.relations,
            tuple(given.feature_names),
            mined.categories,
        ).in_reading_order()
        responses = respond_everywhere(bank, given, device, self.max_assigned, steps)
        # 4. the most frequent filter first
        order = order_by_frequency(responses)
        bank = bank.take(order)
        responses = responses.of_filters(order)
        # 5. only what ends whole leaves something behind
        labels = responses.labels
        rows = np.arange(len(labels))
        self._remember(bank)
        self.responses_ = responses.similarity
        self.labels_ = labels
        # -1 of a node that was not drawn reads the last filter, which has nothing of it either
        self.similarities_ = responses.similarity[rows, labels]
        self.subgraph_nodes_ = responses.nodes
        self.matching_ = responses.matching[rows, labels]
        self.is_exact_ = responses.is_exact[rows, labels]
        self.filters_ = mined_filters(bank, responses, given)
        self.loss_curve_ = losses
        self.n_iter_ = len(losses) - 1
        self.is_partial_ = steps.is_partial
        return self

    def _remember(self, bank: FilterBank) -> None:
        """Set what a bank of filters says."""
        self.bank_ = bank
        self.scaling_ = bank.scaling
        self.relations_ = bank.relations
        self.feature_names_in_ = np.array(bank.feature_names, dtype=object)
        self.n_features_in_ = len(bank.feature_names)

    def save(self, path: str | Path) -> None:
        """Write the fitted miner to a file (.npz, arrays and JSON, nothing that can run code)."""
        with atomic_file(path) as file:
            self.write_to(file)

    def write_to(self, file: BinaryIO) -> None:
        """Write the fitted miner into a file that is open; :meth:`save` says the rest."""
        if not hasattr(self, "bank_"):
            raise InputError("the miner must be fitted before it is saved; call fit first.")
        bank = self.bank_
        params = {name: getattr(self, name) for name in PARAMETERS}
        params["learning"] = None if self.learning is None else asdict(self.learning)
        params["device"] = str(self.device)
        record = {
            "format": FORMAT,
            "params": params,
            "settings": asdict(bank.settings),
            "relations": [list(kind) for kind in bank.relations.kinds],
            "feature_names": list(bank.feature_names),
            "categories": [list(group) for group in bank.categories.groups],
            "num_nodes": list(bank.filters.num_nodes),
            "filters": [one.to_dict() for one in self.filters_],
            "loss_curve": self.loss_curve_,
            "is_partial": self.is_partial_,
        }
        arrays = {
            "adj": bank.filters.adj.numpy(),
            "feat": bank.filters.feat.numpy(),
            "weights": bank.filters.weights.numpy(),
            "links": bank.relations.links,
            "scaling": np.stack([bank.scaling.offset, bank.scaling.spread, bank.scaling.contrast]),
            **{f"{name}_": getattr(self, f"{name}_") for name in PER_NODE},
        }
        # a number of a grid may be one of NumPy
        text = json.dumps(record, default=lambda number: number.item())
        np.savez_compressed(file, allow_pickle=False, record=np.array(text), **arrays)
