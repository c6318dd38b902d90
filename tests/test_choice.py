"""The choice: counted and judged structures, dropped, ranked and counted anew."""

from dataclasses import replace
from functools import partial

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.choosing import choice as choice_module
from mining.choosing import pool as pool_module
from mining.choosing.choice import ChoiceRules, choose_structures
from mining.choosing.pool import PooledStructure
from mining.counting.occurrence_counts import count_roughly
from mining.null_models.null_models import sample_null
from mining.structures.categories import NO_CATEGORIES
from mining.structures.structure import Structure
from synthetic import barabasi_albert, plant_motifs

TRIANGLE, WEDGE, CLAW, RING, CLIQUE, WHEEL = (
    nx.complete_graph(3), nx.path_graph(3), nx.star_graph(3), nx.cycle_graph(5),
    nx.complete_graph(5), nx.wheel_graph(5),
)  # fmt: skip
RULES = ChoiceRules(
    num_patterns=9,
    only_surprising=False,
    rank="frequency",
    nulls=(),
    null_samples=16,
    count_error=0.02,
    count_seconds=5.0,
    min_support=1,
    seed=0,
)


def pool_of(*graphs, noisy=()):
    return [
        PooledStructure(Structure(nx.to_numpy_array(one) > 0), noisy=one in noisy) for one in graphs
    ]


def choose(graph, pool, store=None, **changes):
    store = CheckpointStore() if store is None else store
    return choose_structures(graph, pool, NO_CATEGORIES, replace(RULES, **changes), store)


def counts(choice):
    return [(one.structure.num_nodes, one.structure.num_edges, one.count.value)
            for one in choice.structures]  # fmt: skip


@pytest.fixture(scope="module")
def planted():
    """A tree with twelve wheels of five nodes in it."""
    graph = plant_motifs(barabasi_albert(120, 1, 0), 120, {"wheel5": 12}, seed=0)
    return as_csr(graph.to_dgl())


def test_the_most_frequent_come_first_and_rare_ones_are_dropped():
    graph = as_csr(nx.disjoint_union_all([RING] * 6 + [CLIQUE] * 2))
    pool = pool_of(CLIQUE, TRIANGLE, RING, WEDGE, CLAW)
    # a clique of five holds ten triangles, and a ring five wedges; neither holds a claw
    assert counts(choose(graph, pool)) == [(3, 2, 30), (3, 3, 20), (5, 5, 6), (5, 10, 2)]
    assert counts(choose(graph, pool, min_support=6)) == [(3, 2, 30), (3, 3, 20), (5, 5, 6)]
    assert counts(choose(graph, pool, num_patterns=2)) == [(3, 2, 30), (3, 3, 20)]
    assert counts(choose(graph, pool, min_support=31)) == []
    assert counts(choose(graph, [])) == []
    result = choose(graph, pool)
    assert result.significance == [{}] * 4
    assert result.classes == [None] * 4


def test_what_stands_out_comes_first(planted):
    pool = pool_of(CLAW, WEDGE, WHEEL, RING)
    result = choose(planted, pool, rank="surprise", nulls=("degree", "configuration"))
    assert counts(result)[0] == (5, 8, 12)
    first = [one["degree"] for one in result.significance]
    assert first[0].z > 5
    assert first[0].verdict == "more frequent"
    assert all(set(one) == {"degree", "configuration"} for one in result.significance)
    # the count of the graph is beside those of its null-model graphs
    for one, count in zip(first, result.structures, strict=True):
        assert one.observed == count.count.value
    only = choose(planted, pool, rank="surprise", nulls=("degree",), only_surprising=True)
    more = [one for one in first if one.verdict == "more frequent"]
    assert len(only.structures) == len(more) < 4
    assert {one["degree"].verdict for one in only.significance} == {"more frequent"}


def test_without_a_null_model_all_are_reported(planted):
    pool = pool_of(CLAW, WEDGE, WHEEL)
    found = counts(choose(planted, pool, rank="surprise", only_surprising=True))
    assert found == counts(choose(planted, pool)) and len(found) == 3


def test_what_noisy_copies_agree_on_stays(planted):
    pool = pool_of(CLAW, WEDGE, WHEEL, noisy=(WHEEL,))
    result = choose(planted, pool, num_patterns=1)
    assert [one.noisy for one in result.structures] == [False, True]


def test_the_null_model_graph_itself_is_as_expected(planted):
    graph = sample_null(planted, "degree", 7)
    verdicts = [
        one["degree"].verdict
        for one in choose(graph, pool_of(CLAW, WEDGE, TRIANGLE), nulls=("degree",)).significance
    ]
    assert "more frequent" not in verdicts and "less frequent" not in verdicts


def test_what_was_counted_is_not_counted_again(planted, tmp_path, monkeypatch):
    pool = pool_of(CLAW, WEDGE, WHEEL)
    with CheckpointStore(tmp_path) as store:
        first = choose(planted, pool, store, nulls=("degree",))
    monkeypatch.setattr(choice_module.StructureCounter, "count", lambda *args: 1 / 0)
    with CheckpointStore(tmp_path) as store:
        again = choose(planted, pool, store, nulls=("degree",))
    assert counts(again) == counts(first)
    assert again.significance == first.significance


def test_reported_structures_are_counted_as_exactly_as_asked_for(monkeypatch):
    # the first count is an estimate, the last one is exact
    rough = partial(count_roughly, max_steps=1)
    monkeypatch.setattr(pool_module, "count_roughly", rough)
    graph = nx.gnm_random_graph(400, 3000, seed=0)
    (one,) = choose(as_csr(graph), pool_of(TRIANGLE), nulls=()).structures
    assert one.count.is_exact
    assert one.count.value == sum(nx.triangles(graph).values()) // 3


def test_the_same_seed_gives_the_same_choice(planted):
    pool = pool_of(CLAW, WEDGE, WHEEL, RING)
    records = [
        choose(planted, pool, rank="surprise", nulls=("degree",), seed=seed).significance
        for seed in (3, 3, 4)
    ]
    assert records[0] == records[1] != records[2]
    assert np.isfinite([one["degree"].z for one in records[0]]).all()


def test_what_covers_most_nodes_comes_first():
    rings = [nx.cycle_graph(5)] * 3
    graph = nx.disjoint_union_all([*rings, nx.complete_graph(5), nx.path_graph(3)])
    pool = pool_of(CLIQUE, WEDGE, RING)
    chosen = choose(as_csr(graph), pool, rank="coverage", nulls=()).structures
    # the wedges lie in the rings and in the path, which leaves the clique
    assert [(one.structure.num_nodes, one.count.value) for one in chosen] == [
        (3, 16),
        (5, 1),
        (5, 3),
    ]
