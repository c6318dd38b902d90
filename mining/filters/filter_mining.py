"""The frequent patterns of a graph, as filters.

This is section VI-B of the GOMKCN paper from end to end: the subgraphs around the nodes are sampled
(step 1 of Algorithm 1), embedded and matched, filters become the centres of clusters, and every
node is assigned to the filter that its subgraph is most similar to. By default filters stand where
the graph has more of a structure than random graphs with its degrees.

It does without scikit-learn, which takes a second to import; :class:`gomkcn.FilterMiner` is the
same as an estimator.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from gomkcn.mining.filters.contrast import MOST_FILTERS
from gomkcn.mining.filters.filter_bank import FilterBank, respond_everywhere
from gomkcn.mining.filters.filter_learner import FilterLearner, Learnt
from gomkcn.mining.filters.filter_learning import FilterLearning, check_learning
from gomkcn.mining.filters.mined_filter import mined_filters
from gomkcn.mining.settings.filter_settings import (
    AUTO,
    MOST_FILTER_NODES,
    FilterSettings,
    SeededFilters,
)
from gomkcn.mining.structures.fragments import holds_molecules
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl._torch import device_name, resolve_device
from gomkcn_dgl.checks import check_choice, check_int, check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.files import atomic_file
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.settings import values_of

M = TypeVar("M", bound="FilterMining")

LEVELS = ("node", "graph")
# sizes of filters that are compared with random graphs, and the size of others, that of the paper
CONTRAST_SIZES, USUAL_SIZE = range(3, 9), 6
# random graphs of more edges take minutes
MOST_CONTRAST_EDGES = 8_000_000
PARAMETERS = (
    "num_filters", "filter_size", "contrast", "learning", "device", "level", "max_assigned",
    "random_state",
)  # fmt: skip
# of the file of a miner
FORMAT = 2
# attributes that have a row for each node
PER_NODE = ("responses", "labels", "similarities", "subgraph_nodes", "matching", "is_exact")


class FilterMining:
    """What :class:`gomkcn.FilterMiner` documents, without what makes it an estimator."""

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
        random_state: int = SeededFilters.random_state,
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
        return SeededFilters(**known, random_state=self.random_state)

    def unfitted(self: M) -> M:
        """Another one with the same parameters, which is not fitted."""
        return type(self)(**{name: getattr(self, name) for name in PARAMETERS})

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
                'contrast must be False where filters start at random (init="random"), got True; '
                "leave one of them out."
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
                f"filter_size must be one number where there are no random graphs to compare with "
                f"({reason}), got {self.filter_size!r}; give one size, such as {USUAL_SIZE}."
            )
        return sizes

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

    def fit_mined(self: M, mined: MinedGraph, steps: Steps, usual: range | None = None) -> M:
        """Learn filters of a graph that is in an order of its own; :meth:`fit` says the rest.

        Where sizes are "auto", they are the ``usual`` ones, if these are given.
        """
        learning = self.resolve_learning()
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
            self.random_state,
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
        order = np.array(
            [
                number
                for number, one in enumerate(filters)
                if one.instances.value or one.nearest_nodes.value
            ],
            np.int64,
        )
        if not learnt.random_instances.size:
            instances = np.array([filters[number].instances.value for number in order])
            order = order[np.argsort(-instances, kind="stable")]
        subgraph_nodes = bank.nodes_of_labels(responses)
        bank, responses = bank.take(order), responses.of_filters(order)
        # 4. only what ends whole leaves something behind
        self._remember(bank)
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
                "contrast=False gives the most frequent ones."
            )
        elif not all(one.exceeds for one in self.filters_):
            exceed = sum(one.exceeds for one in self.filters_)
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
            "sizes": list(bank.sizes),
            "ranks": list(bank.ranks),
            "filters": [one.to_dict() for one in self.filters_],
            "loss_curve": self.loss_curve_,
            "num_random_graphs": self.num_random_graphs_,
            "note": self.note_,
            "is_partial": self.is_partial_,
        }
        arrays = {
            "adj": bank.filters.adj,
            "feat": bank.filters.feat,
            "weights": bank.filters.weights,
            "links": bank.relations.links,
            "scaling": np.stack([bank.scaling.offset, bank.scaling.spread, bank.scaling.contrast]),
            **{f"{name}_": getattr(self, f"{name}_") for name in PER_NODE},
        }
        # a number of a grid may be one of NumPy
        text = json.dumps(record, default=lambda number: number.item())
        np.savez_compressed(file, allow_pickle=False, record=np.array(text), **arrays)


def _at_least_two(sizes: range) -> range:
    """Sizes of patterns as those of filters, which have two nodes at least."""
    return range(max(2, sizes[0]), max(2, sizes[-1]) + 1)


def _of_labels(values: np.ndarray, labels: np.ndarray, missing: Any) -> np.ndarray:
    """Of ``values [V, F]`` those of the filter that each node belongs to; without one, missing."""
    found = np.full(len(labels), missing, values.dtype)
    rows = np.flatnonzero(labels >= 0)
    found[rows] = values[rows, labels[rows]]
    return found
