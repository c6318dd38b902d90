"""Searches for motifs as tests ask for them: of one graph, of a collection, late, or killed."""

import hashlib
import io
from types import SimpleNamespace

from gomkcn.mining.motif_sets.collection_search import answer_of_collection
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import GRAPH_SEARCH, search_from_starts, search_graph
from gomkcn.mining.motif_sets.searching import Question
from gomkcn_dgl.runtime.job import TIME_LIMIT
from gomkcn_dgl.runtime.plain_values import write_value
from gomkcn_dgl.runtime.steps import Steps


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
