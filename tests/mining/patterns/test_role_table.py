"""Which roles of which patterns a mining run counts, and when they are estimates."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from tiny_runs import significance_of

from gomkcn import as_csr, places
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.patterns.role_table import has_roles, table_of_roles, with_names
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import (
    LESS,
    MORE,
    Frequency,
    MotifPart,
    OccurrenceCount,
    Pattern,
)
from gomkcn.mining.structures.roles import roles_of
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps


class LateSteps(Steps):
    """Steps whose time is up."""

    def is_late(self):
        return True


def located(mined, text, number, listed=None, verdict=MORE):
    """A pattern with all its places, or the first of them."""
    structure = Structure.parse(text)
    nodes, _ = places(mined.given, structure)
    found = mined.occurrences(mined.order.position[nodes])
    count = OccurrenceCount.exact(len(nodes))
    listed = len(nodes) if listed is None else listed
    return Pattern(
        structure,
        found[:listed],
        frequency=Frequency(count, 1, listed=listed, disjoint=1),
        significance={"degree": significance_of(verdict=verdict)},
        id=number,
    )


@pytest.fixture(scope="module", params=[True, False])
def mined(request):
    directed = request.param
    graph = nx.gnp_random_graph(30, 0.15, seed=4, directed=directed)
    return MinedGraph.of(as_csr(nx.relabel_nodes(graph, str)))


def names_of(mined):
    return ("021C", "030T") if mined.given.is_directed else ("path-3", "triangle")


def test_all_listed_places_and_a_new_search_give_the_same(mined):
    first, second = names_of(mined)
    whole = table_of_roles(mined, [located(mined, first, 0), located(mined, second, 1)], 0, Steps())
    part = [located(mined, first, 0, listed=3), located(mined, second, 1, listed=2)]
    again = table_of_roles(mined, part, 0, Steps())
    assert whole.to_pandas().equals(again.to_pandas())
    assert set(whole.columns()["occurrences_are"]) == {"exact"}
    # nodes are those of the graph as it was given
    rows = zip(*(whole.columns()[name] for name in ("node", "pattern", "occurrences")), strict=True)
    nodes, _ = places(mined.given, first)
    ids = mined.given.original_ids(np.arange(mined.given.num_nodes))
    found = {}
    for node, pattern, number in rows:
        if pattern == 0:
            found[node] = found.get(node, 0) + number
    wanted = np.bincount(nodes.ravel(), minlength=len(ids))
    assert found == {ids[at]: wanted[at] for at in np.flatnonzero(wanted)}


def test_a_sample_is_an_estimate_where_time_is_up(mined):
    first, _ = names_of(mined)
    pattern = located(mined, first, 0, listed=5)
    columns = table_of_roles(mined, [pattern], 0, LateSteps()).columns()
    assert set(columns["occurrences_are"]) == {"estimated"}
    # the five stand for all
    total = pattern.frequency.count * pattern.num_nodes
    assert columns["occurrences"].sum() == pytest.approx(total)


def test_what_is_not_over_represented_and_dense_groups_have_no_roles(mined):
    first, _ = names_of(mined)
    pattern = located(mined, first, 0)
    assert has_roles(pattern)
    less = located(mined, first, 0, verdict=LESS)
    assert not has_roles(less) and not has_roles(replace(pattern, significance={}))
    assert table_of_roles(mined, [less], 0, Steps()) is None
    motif = MotifPart(pattern.occurrences, 9.0, "uniform", num_copies=2)
    assert has_roles(replace(less, motif=motif))
    edits = np.array([[copy, 0, 1, -1] for copy in (0, 0, 1, 1)])
    group = replace(less, motif=replace(motif, edits=edits))
    assert group.is_dense_group and not has_roles(group)


def test_no_more_rows_than_a_spreadsheet_takes(mined, caplog):
    patterns = [located(mined, name, number) for number, name in enumerate(names_of(mined))]
    first = table_of_roles(mined, patterns[:1], 0, Steps())
    number = len(first.columns()["node"])
    cut = table_of_roles(mined, patterns, 0, Steps(), most_rows=number)
    assert cut.to_pandas().equals(first.to_pandas())
    assert "roles of the last 1 of 2 structures are left out" in caplog.text
    assert table_of_roles(mined, patterns, 0, Steps(), most_rows=number - 1) is None


def test_a_run_gives_its_names(mined):
    first, _ = names_of(mined)
    pattern = located(mined, first, 0)
    table = table_of_roles(mined, [pattern], 0, Steps())
    named = with_names(table, [replace(pattern, description="a chain; rare")])
    assert set(named.columns()["structure"]) == {"a chain"}


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("030T", ["source", "intermediate", "sink"]),
        # a mutual pair says nothing of what comes first
        ("a->b, b->a, a->c, b->c", ["source", "sink"]),
        ("a->b, b->a, c->a, c->b", ["sink", "source"]),
        ("a->b, b->a, b->c, c->b, a->c", ["source", "mutual", "sink"]),
        ("a->b, b->a, b->c", ["mutual", "source", "sink"]),
        # of one position, and without directions, there is no word
        ("a->b, b->a, b->c, c->b", ["", ""]),
        ("a->b, b->c, c->a", [""]),
        ("path-3", ["", ""]),
    ],
)
def test_positions_go_by_edges_outside_of_mutual_pairs(text, roles):
    assert [role.position for role in roles_of(Structure.parse(text))] == roles


def test_what_is_known_to_occur_more_often_than_places_are_held_is_not_listed(monkeypatch):
    number = 3000
    mined = MinedGraph.of(as_csr(nx.DiGraph([(0, leaf) for leaf in range(1, number + 1)])))
    pattern, total = located(mined, "021D", 1), number * (number - 1) // 2
    frequency = replace(pattern.frequency, occurrences=OccurrenceCount.exact(total))
    monkeypatch.delattr(OccurrenceSearch, "list_places")
    table = table_of_roles(mined, [replace(pattern, frequency=frequency)], 0, Steps())
    columns = table.columns()
    assert set(columns["occurrences_are"]) == {"estimated"}
    is_hub = columns["node"] == 0
    assert columns["occurrences"][is_hub].tolist() == [pytest.approx(total)]
    assert columns["occurrences"][~is_hub].sum() == pytest.approx(2 * total)
