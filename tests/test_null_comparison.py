"""The comparison with a null model: how many samples it draws, and that it goes on where it was."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.exact_counts import count_exact
from mining.judging.null_comparison import compare_with_null, standard_errors
from mining.null_models.null_models import sample_null
from mining.null_models.null_samples import NullSamples
from mining.records.occurrence_count import OccurrenceCount

TRIANGLE, CLIQUE = Structure.parse("triangle"), Structure.parse("clique-4")


def with_cliques(copies):
    """A random graph, and cliques of four nodes that hang on it by one edge each."""
    graph = nx.gnp_random_graph(100, 0.04, seed=1)
    for copy in range(copies):
        clique = nx.complete_graph(4)
        graph = nx.disjoint_union(graph, clique)
        graph.add_edge(copy, len(graph) - 1)
    return as_csr(graph)


def counting(*patterns):
    calls = []

    def count(graph, numbers=None):
        calls.append(graph)
        numbers = range(len(patterns)) if numbers is None else numbers
        return [OccurrenceCount.exact(count_exact(graph, patterns[i]).count) for i in numbers]

    return count, calls


def test_planted_cliques_are_decided_at_once():
    graph = with_cliques(12)
    count, calls = counting(TRIANGLE, CLIQUE)
    observed = count(graph)
    verdicts = compare_with_null(NullSamples(graph, "degree"), count, observed, least=8, most=32)
    assert [one.verdict for one in verdicts] == ["more frequent"] * 2
    assert [one.num_samples for one in verdicts] == [8, 8] == [len(calls) - 1] * 2
    assert verdicts[1].observed == 12


def test_more_samples_are_drawn_while_a_verdict_is_open():
    graph = with_cliques(3)
    count, calls = counting(CLIQUE)
    (verdict,) = compare_with_null(
        NullSamples(graph, "configuration"),
        count,
        count(graph),
        num_tested=10**6,
        least=4,
        most=12,
    )
    assert (verdict.verdict, verdict.num_samples, len(calls)) == ("undecided", 12, 13)


def test_samples_are_kept_and_depend_on_the_seed(tmp_path):
    graph = with_cliques(0)
    count, calls = counting(TRIANGLE)
    observed = count(graph)
    options = {"least": 4, "most": 4}

    def compare(seed, steps=None):
        drawn = NullSamples(graph, "degree", seed)
        return compare_with_null(drawn, count, observed, steps=steps, **options)

    first = compare(0, Steps(tmp_path, {}))
    num_calls = len(calls)
    assert first == compare(0, Steps(tmp_path, {}))
    assert len(calls) == num_calls
    assert first != compare(1)
    counted = [count_exact(sample, TRIANGLE).count for sample in calls[1:num_calls]]
    assert first[0].mean == np.mean(counted)
    assert sample_null(graph, "degree", 0).num_edges == graph.num_edges


@pytest.mark.parametrize("number", [0, 5])
def test_a_graph_of_a_null_model_is_the_same_whenever_it_is_drawn(number):
    graph = with_cliques(2)
    drawn = NullSamples(graph, "degree", 3)
    first, again = drawn.draw(number), drawn.draw(number)
    # the first ones are kept, since several things are counted in them
    assert (first is again) == (number == 0)
    other = NullSamples(graph, "degree", 3)
    other.draw(1)
    for one in (again, other.draw(number)):
        assert (one.indices == first.indices).all()
    assert (first.indices != NullSamples(graph, "degree", 4).draw(number).indices).any()


def test_standard_errors_come_from_the_intervals():
    counts = [OccurrenceCount.exact(7), OccurrenceCount(100.0, 80.4, 119.6, is_exact=False)]
    np.testing.assert_allclose(standard_errors(counts), [0, 10])
