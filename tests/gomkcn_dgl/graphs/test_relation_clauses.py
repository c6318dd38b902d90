"""Edges in words: the words read back are the edges."""

import re
from itertools import product

import networkx as nx
import numpy as np
import pytest
from tiny_runs import typed_pattern_of

from gomkcn_dgl.graphs.shapes import describe_shape, relation_clauses

SUBJECT_AND_VERB = r"(?:while )?((?:both|all|same|[A-J])(?:[+][A-J])*(?: and [A-J])?) (\w+) (.+)"
VERBS = {"activates": True, "represses": True, "binds": False}


def structure_of(*pattern):
    return typed_pattern_of(*pattern).structure


def read_back(text):
    """Relation, source and target of each edge that a sentence claims, by the numbers."""
    claims, mentioned, sources = set(), [], []
    # a second verb of one subject is a clause of its own
    text = re.sub(r" and (?=[a-z])", ", same ", text)
    for clause in text.split(", "):
        subject, verb, targets = re.fullmatch(SUBJECT_AND_VERB, clause).groups()
        if subject in {"both", "all"}:
            sources = mentioned
        elif subject != "same":
            sources = ["ABCDEFGHIJ".index(one) for one in re.findall(r"\b[A-J]\b", subject)]
        assert subject != "both" or len(sources) == 2
        (relation,) = (one for one in VERBS if one.startswith(verb))
        assert (verb == relation) == (len(sources) == 1)
        if targets == "each other":
            claims |= {(relation, u, v) for u, v in product(sources, repeat=2) if u != v}
            ends = sources
        else:
            ends = ["ABCDEFGHIJ".index(one) for one in re.findall(r"\b[A-J]\b", targets)]
            claims |= {(relation, u, v) for u, v in product(sources, ends)}
        mentioned = sorted({*mentioned, *sources, *ends})
    return claims


@pytest.mark.parametrize("seed", range(40))
def test_the_sentence_read_back_is_the_pattern(seed):
    rng = np.random.default_rng(seed)
    names, size = list(VERBS), 4
    graph, edges = nx.empty_graph(size), set()
    while not nx.is_connected(graph) or rng.random() < 0.4:
        ends = rng.choice(size, 2, replace=False).tolist()
        edges.add((names[rng.integers(3)], *ends))
        graph.add_edge(*ends)
    edges = {(name, u, v) if VERBS[name] else (name, *sorted((u, v))) for name, u, v in edges}
    pattern = structure_of(size, sorted(edges), VERBS)
    text = relation_clauses(pattern)
    if text is None:
        return
    assert describe_shape(pattern).endswith(text) == any(VERBS[name] for name, *_ in edges)
    # lists of three nodes hold a comma of their own
    claimed = read_back(re.sub(r"\b([A-J]), (?=[A-J](?: and|,))", r"\1+", text))
    claimed = {(name, u, v) if VERBS[name] else (name, *sorted((u, v))) for name, u, v in claimed}
    assert claimed == edges


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        ([("activates", 2, 0), ("represses", 0, 1), ("represses", 2, 1)],
         "coherent feed-forward loop of type 3: C activates A, both repress B"),
        ([("activates", 0, 1), ("activates", 0, 2), ("represses", 1, 2)],
         "incoherent feed-forward loop of type 1: A activates B and C, B represses C"),
        ([("activates", 0, 2), ("activates", 0, 3), ("activates", 1, 2), ("activates", 1, 3)],
         "bi-fan: A and B activate C and D"),
        ([("activates", 3, 0), ("activates", 3, 1), ("activates", 3, 2), ("represses", 1, 2)],
         "4 nodes, 4 edges, 1 source, 2 sinks, no directed cycle: "
         "D activates A, B and C, B represses C"),
        ([("activates", 0, 1), ("activates", 1, 0)], "mutual pair: A and B activate each other"),
        ([("activates", 0, 1), ("represses", 1, 0)],
         "mutual pair: A activates B, B represses A"),
        ([("binds", 0, 1), ("activates", 0, 2), ("activates", 1, 2)],
         "triangle: A binds B, both activate C"),
        ([("binds", 0, 1), ("binds", 1, 2), ("binds", 0, 2)], "triangle, all edges “binds”"),
        ([("activates", 0, 1), ("represses", 0, 1)],
         "directed edge: A activates B and represses B"),
    ],
)  # fmt: skip
def test_sentences(edges, text):
    size = 1 + max(max(edge[1:]) for edge in edges)
    assert describe_shape(structure_of(size, edges, VERBS)) == text
