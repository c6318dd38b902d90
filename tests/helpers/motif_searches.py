"""Searches for motifs as tests ask for them: of one graph, of a collection, late, or killed."""

import hashlib
import io
from types import SimpleNamespace

import networkx as nx
import numpy as np
from coded_graphs import kind_of_graph

from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.collection_search import answer_of_collection
from gomkcn.mining.motif_sets.graph_candidates import GraphProposals
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import GRAPH_SEARCH, search_from_starts, search_graph
from gomkcn.mining.motif_sets.motif_search import MotifSearch
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.runtime.job import TIME_LIMIT
from gomkcn_dgl.runtime.plain_values import write_value
from gomkcn_dgl.runtime.steps import Steps

SIZES = range(3, 7)
WHEEL = nx.wheel_graph(6)
CLIQUE = nx.complete_graph(4)


def planted(kind, seed=1):
    """Twelve copies of each of two structures, which may share nodes, on a random graph."""
    rng = np.random.default_rng(seed)
    edges = {}
    colors = np.arange(90) % 2
    for motif in (WHEEL, CLIQUE):
        for _ in range(12):
            # nodes of each category in turn
            place = rng.permutation(45)[: len(motif)] * 2 + np.arange(len(motif)) % 2
            for u, v in motif.edges:
                edges[frozenset((place[u], place[v]))] = place[u], place[v], (u + v) % 2
    for u, v in nx.gnm_random_graph(90, 60, seed=seed).edges:
        edges.setdefault(frozenset((u, v)), (u, v, int(rng.integers(2))))
    source, target, relation = np.array([*edges.values()]).T
    return MinedGraph.of(
        csr_from_edges(source, target, 90, **kind_of_graph(kind, relation, colors))
    )


def search_of(mined, settings=None, steps=None, sizes=SIZES):
    """A search of a graph, before it runs."""
    empty = GraphDescription.of(GraphCode.of(mined))
    proposals = GraphProposals(empty, sizes, 0)
    return MotifSearch(empty, proposals, settings or SearchSettings(), steps or Steps())


def search_one(mined, sizes, *, steps=None, settings=GRAPH_SEARCH, **asked):
    """The set of one graph, given its degrees."""
    empty = GraphDescription.of(GraphCode.of(mined))
    return search_graph(Question(mined, sizes, **asked), empty, steps or Steps(), settings)


def search_starts(mined, sizes, *, steps=None, **asked):
    """The same from several starts."""
    empty = GraphDescription.of(GraphCode.of(mined))
    return search_from_starts(Question(mined, sizes, **asked), empty, steps or Steps())


def search_many(mined, sizes, *, steps=None, **asked):
    """The set of a collection, and that in the other base."""
    return answer_of_collection(Question(mined, sizes, **asked), steps or Steps())


def found_in_graph(mined, steps, *settings, sizes=SIZES, exact_copies=True):
    """What a job finds: the set of motifs as an item of it."""
    empty = GraphDescription.of(GraphCode.of(mined))
    question = Question(mined, sizes, exact_copies=exact_copies)
    return steps.once("searching", CodedSet, search_graph, question, empty, steps, *settings)


def late():
    """Steps whose time is up."""
    return Steps(interrupts=SimpleNamespace(reason=TIME_LIMIT))


def content(found):
    """What a job keeps of what was found, as bytes."""
    file = io.BytesIO()
    write_value(file, found)
    return file.getvalue()


def digest(found):
    """A short word for these bytes, which a test that fails can show."""
    return hashlib.sha256(content(found)).hexdigest()


class KilledError(Exception):
    """A job was killed."""


class KilledSteps(Steps):
    """Steps in a folder that are killed when they have kept so many states."""

    def __init__(self, folder, most=None):
        super().__init__(folder, {"job": 0}, seconds_apart=0.0)
        self.most = most
        self.states = []

    def keep(self, value):
        super().keep(value)
        self.states.append(value)
        if len(self.states) == self.most:
            raise KilledError
