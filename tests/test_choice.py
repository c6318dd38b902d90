"""The choice: counted and judged structures, dropped, ranked and counted anew."""

from dataclasses import replace
from functools import partial

import networkx as nx
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.choosing import choice as choice_module
from mining.choosing.choice import ChoiceRules, choose_patterns
from mining.counting.occurrence_counts import count_roughly
from mining.mined_graph import MinedGraph
from mining.null_models.null_models import sample_null
from mining.records.pattern import Pattern
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


def pool_of(*graphs):
    return [Pattern(Structure.from_networkx(one)) for one in graphs]


def choose(graph, pool, steps=None, **changes):
    steps = Steps() if steps is None else steps
    return choose_patterns(MinedGraph.of(graph), pool, replace(RULES, **changes), steps)


def counts(choice):
    return [(one.num_nodes, len(one.edges), one.frequency.count) for one in choice.patterns]


def verdicts(choice, null="degree"):
    return [one.significance[null] for one in choice.patterns]


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
    assert [(one.significance, one.classes) for one in result.patterns] == [({}, None)] * 4
    assert len(result.others) == 0 and counts(choose(graph, pool[::-1])) == counts(result)


def test_only_what_stands_out_is_reported_on_request(planted):
    pool, options = pool_of(CLAW, WEDGE, WHEEL, RING), {"rank": "surprise", "nulls": ("degree",)}
    only = choose(planted, pool, **options, only_surprising=True)
    assert counts(only)[0] == (5, 8, 12) and len(only.patterns) + len(only.others) == 3
    assert {one.verdict for one in verdicts(only)} == {"more frequent"}


def test_the_null_model_graph_itself_is_as_expected(planted):
    graph = sample_null(planted, "degree", 7)
    found = verdicts(choose(graph, pool_of(CLAW, WEDGE, TRIANGLE), nulls=("degree",)))
    assert {one.verdict for one in found} <= {"as expected", "undecided"}


def test_what_was_counted_is_not_counted_again(planted, tmp_path, monkeypatch):
    pool = pool_of(CLAW, WEDGE, WHEEL)
    first = choose(planted, pool, Steps(tmp_path, {}), nulls=("degree",))
    for name in ("count_roughly", "count_occurrences"):
        monkeypatch.setattr(choice_module, name, lambda *args, **options: 1 / 0)
    again = choose(planted, pool, Steps(tmp_path, {}), nulls=("degree",))
    assert counts(again) == counts(first)
    assert verdicts(again) == verdicts(first)


def test_reported_structures_are_counted_as_exactly_as_asked_for(monkeypatch):
    # the first count is an estimate, the last one is exact
    rough = partial(count_roughly, max_steps=1)
    monkeypatch.setattr(choice_module, "count_roughly", rough)
    graph = nx.gnm_random_graph(400, 3000, seed=0)
    (one,) = choose(as_csr(graph), pool_of(TRIANGLE), nulls=()).patterns
    assert one.frequency.occurrences.is_exact
    assert one.frequency.count == sum(nx.triangles(graph).values()) // 3
