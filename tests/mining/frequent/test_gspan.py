"""All frequent subgraphs: beside brute force, on molecules, closed, by class, as features."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from edge_parts import parts_without_an_edge
from ends_after import EndsAfter
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from gomkcn.commands.main import main
from gomkcn.mining.frequent import gspan
from gomkcn.mining.frequent.gspan import SubgraphFeatures, frequent_subgraphs
from gomkcn.mining.significance.verdicts import adjust_for_family
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps

NODES, GRAPHS = 5, 3


def random_collection(seed):
    """Three graphs of five nodes: of 1 to 3 categories, 1 or 2 relations, directed or not."""
    rng = np.random.default_rng(seed)
    num_labels, num_relations, directed = 1 + seed % 3, 1 + seed % 2, seed // 2 % 2 == 1
    rows = []
    for graph in range(GRAPHS):
        pairs = [(u, v) for u in range(NODES) for v in range(NODES) if u != v]
        own = [
            (graph * NODES + u, graph * NODES + v, relation)
            for u, v in pairs
            for relation in range(num_relations)
            if (directed or u < v) and rng.random() < (0.2 if directed else 0.4) / num_relations
        ]
        rows += own[:7]
    source, target, relation = np.array(rows or [(0, 1, 0)]).T
    labels = rng.integers(num_labels, size=GRAPHS * NODES)
    named = {"relation": relation, "relation_names": ("p", "q")} if num_relations > 1 else {}
    graph = csr_from_edges(
        source,
        target,
        GRAPHS * NODES,
        features=np.eye(3, dtype=np.float32)[labels],
        feature_names=["kind=a", "kind=b", "kind=c"],
        graph_ptr=np.arange(GRAPHS + 1) * NODES,
        directed=directed,
        **named,
    )
    return graph, labels


def subgraphs_of(graph, labels, most):
    """The definition: every connected set of edges of a graph, under the least numbering."""
    found = {}
    source, target, relation = graph.edges()
    is_directed = graph.is_directed
    for number in range(GRAPHS):
        edges = [
            tuple(map(int, edge))
            for edge in zip(source, target, relation, strict=True)
            if edge[0] // NODES == number
        ]
        for size in range(1, len(edges) + 1):
            for chosen in combinations(edges, size):
                part = nx.Graph([edge[:2] for edge in chosen])
                if len(part) <= most and nx.is_connected(part):
                    found.setdefault(least_form(chosen, labels, is_directed), set()).add(number)
    return found


def least_form(edges, labels, is_directed):
    nodes = sorted({node for edge in edges for node in edge[:2]})
    forms = []
    for order in permutations(nodes):
        at = {node: place for place, node in enumerate(order)}
        rows = [(at[u], at[v], relation) for u, v, relation in edges]
        rows = [row if is_directed else (*sorted(row[:2]), row[2]) for row in rows]
        forms.append((tuple(labels[node] for node in order), tuple(sorted(rows))))
    return min(forms)


@pytest.mark.parametrize("seed", range(36))
def test_all_are_found_and_each_once(seed):
    graph, labels = random_collection(seed)
    expected = subgraphs_of(graph, labels, 4)
    least = 1 + seed % 3
    found = frequent_subgraphs(graph, least, (2, 4))
    supports = sorted(len(inside) for inside in expected.values() if len(inside) >= least)
    assert sorted(found.support.tolist()) == supports
    assert len({one.key for one in found.structures}) == len(found)
    assert found.is_complete
    # they are found again in the same graphs, in another order too
    assert np.array_equal(found.transform(graph), found.contains)


def test_molecules_have_the_subgraphs_that_gspan_mining_finds(mutag):
    # gspan-mining 0.2.3, min_support 19, 3 to 6 vertices
    found = frequent_subgraphs(read_graph(mutag), 19, "3-6")
    assert len(found) == 138
    assert found.support[:5].tolist() == [188, 188, 188, 188, 174]
    degrees = [one.joined.sum(axis=0).tolist() for one in found.structures]
    assert degrees.count([2] * 6) == 1


def test_a_share_is_of_all_graphs_or_of_a_class():
    rings, paths = [nx.cycle_graph(4)] * 3, [nx.path_graph(4)] * 7
    names = [len(one.edges) for one in frequent_subgraphs(rings + paths, 0.3, 4).structures]
    assert names == [3, 4]
    assert len(frequent_subgraphs(rings + paths, 0.31, 4)) == 1
    labelled = frequent_subgraphs(rings + paths, 0.9, 4, y=["ring"] * 3 + ["path"] * 7)
    table = labelled.to_pandas()
    assert table[["num_edges", "graphs_ring", "graphs_path"]].values.tolist() == [
        # what tells the classes apart comes first
        [4, 3, 0],
        [3, 3, 7],
    ]
    assert table["p_exact"].round(9).tolist() == [round(1 / 120, 9), 1]


def test_p_of_classes_is_adjusted_for_all_that_could_have_differed():
    rng = np.random.default_rng(0)
    # where classes say nothing: supports of one in ten of a class of twelve
    graphs = [nx.gnm_random_graph(9, 9, seed=number) for number in range(60)]
    for graph in graphs:
        nx.set_node_attributes(graph, {v: str(rng.integers(3)) for v in graph}, "kind")
    csr = as_csr(graphs, features=["kind"])
    called = 0
    for _ in range(40):
        y = rng.permutation(np.repeat(["few", "many"], [12, 48]))
        found = frequent_subgraphs(csr, 0.25, (2, 4), y=y)
        table = found.to_pandas()
        # rarer ones of both classes count as well, and are not listed
        assert len(found.family) > len(found) and found.family.min() >= 3
        assert (found.contains.sum(axis=0) >= 3).all()
        expected = adjust_for_family(table["p_exact"].to_numpy(), found.family, [12, 48])
        assert np.allclose(table["p_classes"], expected)
        called += (table["p_classes"] <= 0.05).any()
    assert called <= 2 + 3 * np.sqrt(2)
    # and where they do
    y = np.where(found.contains[:, 5], "with it", "others")
    assert frequent_subgraphs(csr, 0.25, (2, 4), y=y).to_pandas()["p_classes"].min() < 1e-6


def test_closed_ones_have_no_larger_one_of_equal_support():
    graphs = [nx.cycle_graph(4), nx.cycle_graph(4), nx.path_graph(3)]
    found = frequent_subgraphs(graphs, 1, (2, 4), closed=True)
    # the path of three nodes is in all three graphs, and an edge is part of it
    sizes = [(one.num_nodes, len(one.edges)) for one in found.structures]
    assert (sizes, found.support.tolist()) == ([(3, 2), (4, 4)], [3, 2])


def test_what_is_cut_is_said_to_be():
    graphs = [nx.complete_graph(4), nx.empty_graph(1)]
    whole = {one.key for one in frequent_subgraphs(graphs, 1, (2, 4)).structures}
    assert len(whole) == 1 + 2 + 6
    known = set()
    for most in range(0, 200_000, 5000):
        found = frequent_subgraphs(graphs, 1, (2, 4), most_bytes=most)
        keys = {one.key for one in found.structures}
        # more and more of them
        assert known <= keys <= whole
        assert found.is_complete == (not found.left_out)
        if found.is_complete:
            assert keys == whole
        else:
            assert found.left_out.endswith("or leave the largest graphs out")
        known = keys
    assert found.is_complete


def test_a_new_node_may_be_too_much_where_an_edge_is_not():
    graphs = [nx.complete_graph(4), nx.empty_graph(1)]
    # 5,184 for the neighbors of an edge; then 16,416 for a new node, 5,472 without one
    found = frequent_subgraphs(graphs, 1, (2, 4), most_bytes=11_000)
    # the path of three nodes is not extended by a node, and closed to a triangle
    assert Structure.parse("triangle").key in {one.key for one in found.structures}
    assert not found.is_complete


def test_what_is_done_leaves_its_room_to_what_comes_next():
    nodes = pd.DataFrame({"kind": ["a"] * 4 + ["b"] * 4})
    cliques = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
    both = as_csr(cliques, nodes=nodes)
    # as much as one of the cliques needs
    clique = nx.complete_graph(4)
    for most in range(0, 400_000, 1000):
        if frequent_subgraphs([clique, clique], 2, (2, 4), most_bytes=most).is_complete:
            break
    found = frequent_subgraphs([both, both], 2, (2, 4), most_bytes=most)
    assert found.is_complete
    assert len(found) == 2 * (1 + 2 + 6)


def test_what_was_found_when_time_was_up_is_kept():
    graphs = [nx.complete_graph(5)] * 2
    whole = {one.key for one in frequent_subgraphs(graphs, 2, (2, 5)).structures}
    sizes = []
    for looks in (0, 1, 5, 20, 10**6):
        steps = Steps(interrupts=EndsAfter(looks))
        found = frequent_subgraphs(graphs, 2, (2, 5), steps=steps)
        assert {one.key for one in found.structures} <= whole
        assert found.left_out == ("" if looks == 10**6 else "the search ended early")
        sizes.append(len(found))
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (0, len(whole))


@pytest.mark.parametrize("seed", range(12))
def test_closed_ones_are_those_of_the_definition(seed):
    """None is contained with one edge more in as many graphs, of any subgraph around it."""
    graph, _ = random_collection(seed)
    every = frequent_subgraphs(graph, 1, (2, 4))
    covered = {
        (part.key, support)
        for structure, support in zip(every.structures, every.support.tolist(), strict=True)
        for part in parts_without_an_edge(structure)
    }
    rows = zip(every.structures, every.support.tolist(), strict=True)
    expected = {row[0].key for row in rows if (row[0].key, row[1]) not in covered}
    closed = frequent_subgraphs(graph, 1, (2, 4), closed=True)
    assert {one.key for one in closed.structures} == expected
    assert len(closed) == len(expected) < len(every)


def test_closed_ones_are_told_within_the_limit():
    """Each look at the clock takes what was found before, so nothing is left to do behind it."""
    graphs = [nx.complete_graph(5)] * 2
    whole = frequent_subgraphs(graphs, 2, (2, 5), closed=True)
    looks = 0

    class Counts(EndsAfter):
        @property
        def reason(self):
            nonlocal looks
            looks += 1
            return super().reason

    open_ones = frequent_subgraphs(graphs, 2, (2, 5), steps=Steps(interrupts=Counts(10**6)))
    looks_open, looks = looks, 0
    frequent_subgraphs(graphs, 2, (2, 5), closed=True, steps=Steps(interrupts=Counts(10**6)))
    # one more for each connected part of a subgraph with an edge less
    parts = sum(len(parts_without_an_edge(one)) for one in open_ones.structures)
    assert looks - looks_open == parts > len(open_ones)
    # the clique alone is closed; the search for it goes through all others
    assert [len(one.edges) for one in whole.structures] == [10]
    found = frequent_subgraphs(
        graphs, 2, (2, 5), closed=True, steps=Steps(interrupts=EndsAfter(looks // 2))
    )
    assert found.left_out == "the search ended early" and 0 < len(found) < len(open_ones)


def test_a_search_leaves_time_for_the_lines_of_what_it_found():
    kept = []

    class Records(Interrupts):
        def keep_for_end(self, seconds):
            kept.append(seconds)
            super().keep_for_end(seconds)

    graphs = [nx.complete_graph(4)] * 2
    interrupts = Records(10**6, has_end=True)
    found = frequent_subgraphs(graphs, 2, (2, 4), steps=Steps(interrupts=interrupts))
    assert kept == [pytest.approx(n * gspan._SECONDS_OF_ROW) for n in range(1, len(found) + 1)]
    # more rows than the limit has time for end the search
    interrupts.keep_for_end(10**6 + 1)
    assert interrupts.reason == "time limit"
    # who asks in Python has the whole limit for the search
    alone = Interrupts(10**6)
    alone.keep_for_end(10**6 + 1)
    assert alone.reason == ""


def test_a_page_a_table_and_a_text_name_each_subgraph_once(monkeypatch):
    named = []
    monkeypatch.setattr(gspan, "describe_fragment", lambda structure: named.append(structure) or "")
    found = frequent_subgraphs([nx.cycle_graph(4)] * 2, 2, (2, 4))
    assert found.columns() == found.columns()
    assert len(named) == len(found)


def test_a_time_limit_ends_the_search():
    club = nx.karate_club_graph()
    found = frequent_subgraphs([club, club], 2, time_limit=0.001)
    assert found.left_out == "the search ended early" and not found.is_complete
    assert frequent_subgraphs([club, club], 2, 3, time_limit=1000).is_complete


@pytest.mark.parametrize("limit", [None, 1000])
def test_who_waits_long_without_a_limit_is_told_of_it_once(limit, caplog, monkeypatch):
    monkeypatch.setattr(gspan, "_LONG_SEARCH", 0.0)
    frequent_subgraphs([nx.complete_graph(4)] * 2, 2, time_limit=limit)
    assert caplog.text.count("; time_limit=60 returns") == (limit is None)


def test_ctrl_c_is_a_keyboard_interrupt_wherever_it_meets_compiled_code(monkeypatch):
    def interrupted(*_):
        # what Python makes of one within the call of a function of Numba
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    graphs = [nx.cycle_graph(4)] * 2
    found = frequent_subgraphs(graphs, 2)
    monkeypatch.setattr(gspan, "find_extensions", interrupted)
    for search in (lambda: frequent_subgraphs(graphs, 2), lambda: found.transform(graphs)):
        with pytest.raises(KeyboardInterrupt):
            search()


def test_subgraphs_have_twenty_nodes_at_most():
    with pytest.raises(InputError, match="^sizes must be at most 20, got 21"):
        frequent_subgraphs([nx.path_graph(3)] * 2, 1, 21)


def test_new_graphs_may_have_other_categories():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "a", 1: "b", 2: "a"}, "kind")
    other = nx.path_graph(3)
    nx.set_node_attributes(other, {0: "a", 1: "b", 2: "b"}, "kind")
    graph, other = (as_csr(one, features=["kind"]) for one in (graph, other))
    found = frequent_subgraphs([graph, other], 1, (2, 3))
    assert found.support.tolist() == [2, 1, 1, 1]
    fitted = frequent_subgraphs([graph, graph], 1, (2, 3))
    assert fitted.transform([graph, other]).tolist() == [[True, True], [True, False]]


def test_features_go_into_a_pipeline():
    graphs = [nx.cycle_graph(n) for n in (3, 4, 5, 6)] + [nx.star_graph(n) for n in (3, 4, 5, 6)]
    model = make_pipeline(SubgraphFeatures(support=2, sizes=(2, 4)), LogisticRegression(C=100))
    model.fit(graphs, [0] * 4 + [1] * 4)
    assert model.predict([nx.cycle_graph(8), nx.star_graph(8)]).tolist() == [0, 1]


def test_what_cannot_be_is_refused():
    for support in (0, -1, 1.5, True, "many"):
        with pytest.raises(InputError, match="support must be"):
            frequent_subgraphs([nx.path_graph(3)] * 2, support)
    with pytest.raises(InputError, match="sizes must be"):
        frequent_subgraphs([nx.path_graph(3)] * 2, 1, 1)


def test_command_writes_a_table(mutag, tmp_path):
    folder = tmp_path / "found"
    asked = ["frequent", str(mutag), "--support", "100", "--sizes", "6", "--per-class"]
    run = CliRunner().invoke(main, [*asked, "--out", str(folder)])
    assert run.exit_code == 0, run.output
    rows = (folder / "subgraphs.csv").read_text().splitlines()
    head = (
        "structure,edges,num_nodes,num_edges,support,share,p_exact,p_classes,smarts,graphs_-1,"
        "of_graphs_-1,odds_ratio_-1,odds_ratio_-1_low,odds_ratio_-1_high,p_exact_-1,graphs_1,"
        "of_graphs_1,odds_ratio_1,odds_ratio_1_low,odds_ratio_1_high,p_exact_1"
    )
    assert any(row.startswith("benzene ring: c1ccccc1,") and ",[#6]1:[#6]:" in row for row in rows)
    assert rows[0] == head and f"{len(rows) - 1} frequent subgraphs; " in run.stdout
    page = (folder / "frequent.html").read_text()
    assert page.count("<svg") == len(rows) - 1 and "benzene ring: c1ccccc1" in page
    # of two classes one odds ratio is the inverse of the other
    assert "Odds ratio, 1<" in page and "Odds ratio, -1<" not in page
