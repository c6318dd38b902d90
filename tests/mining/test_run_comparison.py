"""Two runs side by side: which patterns are the same, and what the terminal shows."""

from dataclasses import replace

import networkx as nx
from tiny_runs import pattern_of, run_of

from mining.mining_run import compare_runs


def ids(table):
    rows = table[["pattern_first", "pattern_second"]].astype(object)
    return [tuple(row) for row in rows.where(rows.notna(), None).itertuples(index=False)]


def test_the_same_topology_is_found_whatever_its_node_numbers():
    ring = nx.cycle_graph(5)
    turned = nx.Graph([(3, 0), (0, 4), (4, 1), (1, 2), (2, 3)])
    first = run_of([pattern_of(nx.star_graph(3), 0), pattern_of(ring, 1, count=5)])
    graphs = (turned, nx.path_graph(4), nx.complete_graph(4))
    second = run_of([pattern_of(graph, number) for number, graph in enumerate(graphs)])
    table = compare_runs(first, second)
    assert ids(table) == [(0, None), (1, 0), (None, 1), (None, 2)]
    assert table.loc[1, ["structure", "count_first", "count_second"]].tolist() == [
        "cycle of 5 nodes", "5", "3"
    ]  # fmt: skip
    assert len(compare_runs(run_of([]), run_of([]))) == 0


def test_categories_belong_to_the_structure_by_their_names():
    def path(number, *kinds):
        categories = tuple((f"kind={kind}",) for kind in kinds)
        plain = pattern_of(nx.path_graph(3), number)
        return replace(plain, structure=replace(plain.structure, categories=categories))

    first = run_of([path(0, "a", "b", "b"), path(1, "b", "a", "b")])
    second = run_of([path(0, "b", "b", "a"), path(1, "c", "a", "c")])
    assert ids(compare_runs(first, second)) == [(0, 0), (1, None), (None, 1)]
