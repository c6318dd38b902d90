"""All frequent subgraphs of one graph: beside brute force, a citation graph, in a command."""

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from edge_parts import parts_without_an_edge
from ends_after import EndsAfter
from networkx.algorithms.isomorphism import MultiDiGraphMatcher

import gomkcn
from gomkcn.commands.main import main
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.frequent import gspan, one_graph
from gomkcn.mining.frequent.codes import Labels
from gomkcn.mining.frequent.gspan import SubgraphFeatures, frequent_subgraphs
from gomkcn.mining.frequent.one_graph import ImageSearch
from gomkcn.mining.show import frequent_page
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.steps import Steps

TRUTH = Path(__file__).parents[4] / "shared" / "truth"


def random_graph(seed, num_nodes, num_edges, *, labels=1, relations=1, directed=False, pieces=1):
    """A random graph whose nodes have one of some labels, and edges one of some relations."""
    rng = np.random.default_rng(seed)
    size = num_nodes // pieces
    edges = set()
    for _ in range(num_edges):
        u, v = rng.choice(size, 2, replace=False) + size * rng.integers(pieces)
        u, v = (u, v) if directed else (min(u, v), max(u, v))
        edges.add((int(u), int(v), int(rng.integers(relations))))
    return labelled(sorted(edges), rng.integers(labels, size=num_nodes), relations, directed)


def labelled(edges, node_labels, relations=1, directed=False):
    """A graph, its labels and its edges, as the brute force takes them."""
    source, target, relation = np.array(edges).T
    named = {"relation": relation, "relation_names": tuple("pqr"[:relations])}
    graph = csr_from_edges(
        source,
        target,
        len(node_labels),
        features=np.eye(3, dtype=np.float32)[node_labels],
        feature_names=["kind=a", "kind=b", "kind=c"],
        directed=directed,
        **(named if relations > 1 else {}),
    )
    return graph, edges, node_labels, directed


def brute_force(edges, node_labels, directed, most_nodes, least):
    """The definition, by monomorphisms of NetworkX: the supports of all connected subgraphs.

    An edge without direction is two arcs. Patterns grow by an edge at a time from those that are
    frequent, and those that are isomorphic are one.
    """
    host = nx.MultiDiGraph()
    host.add_nodes_from((node, {"label": int(label)}) for node, label in enumerate(node_labels))

    def add(graph, u, v, relation):
        graph.add_edge(u, v, relation=relation)
        if not directed:
            graph.add_edge(v, u, relation=relation)

    for u, v, relation in edges:
        add(host, u, v, relation)
    relations = {relation for *_, relation in edges}
    labels = {int(label) for label in node_labels}

    def same_node(one, other):
        return one["label"] == other["label"]

    def has_arcs(one, other):
        # all arcs of the pattern, which is the second
        there = [arc["relation"] for arc in one.values()]
        return all(arc["relation"] in there for arc in other.values())

    def support(pattern):
        images = {node: set() for node in pattern}
        matcher = MultiDiGraphMatcher(host, pattern, same_node, has_arcs)
        for mapping in matcher.subgraph_monomorphisms_iter():
            for node, role in mapping.items():
                images[role].add(node)
        return min(map(len, images.values()))

    def is_same(one, other):
        if len(one) != len(other) or one.size() != other.size():
            return False

        def equal_arcs(first, second):
            kinds = [sorted(arc["relation"] for arc in arcs.values()) for arcs in (first, second)]
            return kinds[0] == kinds[1]

        return nx.is_isomorphic(one, other, same_node, equal_arcs)

    def longer(pattern):
        size = len(pattern)
        for relation in relations:
            ends = [(u, v) for u in pattern for v in pattern if u != v]
            for u, v in ends if directed else combinations(pattern, 2):
                arcs = pattern.get_edge_data(u, v, default={}).values()
                if all(arc["relation"] != relation for arc in arcs):
                    yield [(u, v, relation)], None
            for u in pattern if size < most_nodes else ():
                for label in labels:
                    yield [(u, size, relation)], label
                    if directed:
                        yield [(size, u, relation)], label

    level = []
    for label in labels:
        alone = nx.MultiDiGraph()
        alone.add_node(0, label=label)
        level.append(alone)
    found = []
    while level:
        next_level = []
        for pattern in level:
            for new_edges, label in longer(pattern):
                grown = pattern.copy()
                if label is not None:
                    grown.add_node(len(pattern), label=label)
                for edge in new_edges:
                    add(grown, *edge)
                if any(is_same(grown, other) for other, _ in next_level):
                    continue
                if (number := support(grown)) >= least:
                    next_level.append((grown, number))
        found += next_level
        level = [pattern for pattern, _ in next_level]
    arcs = 1 if directed else 2
    return sorted((len(one), one.size() // arcs, number) for one, number in found)


CASES = {
    "one label": (random_graph(0, 24, 36), 4, 8),
    "two labels": (random_graph(1, 24, 40, labels=2), 4, 4),
    "three labels, directed": (random_graph(2, 30, 60, labels=3, directed=True), 4, 4),
    "directed, mutual pairs": (random_graph(3, 9, 50, directed=True), 3, 6),
    "types": (random_graph(4, 20, 44, labels=2, relations=2), 4, 5),
    "types and directions": (random_graph(5, 16, 60, relations=2, directed=True), 3, 6),
    "several edges between two nodes": (random_graph(6, 7, 70, relations=3), 3, 5),
    "dense": (random_graph(7, 9, 60), 4, 7),
    "in pieces": (random_graph(8, 30, 45, labels=2, pieces=3), 4, 4),
    "bipartite": (
        labelled(
            [(u, 10 + v, 0) for u in range(10) for v in range(8) if (u * v + u) % 3 == 0],
            np.repeat([0, 1], [10, 8]),
        ),
        4,
        4,
    ),
    "a tree": (
        labelled([((v - 1) // 2, v, 0) for v in range(1, 24)], np.arange(24) % 2),
        5,
        3,
    ),
    "tiny": (labelled([(0, 1, 0)], np.array([0, 1, 1])), 4, 1),
}


def supports_of(found):
    rows = zip(found.structures, found.support.tolist(), strict=True)
    return sorted((one.num_nodes, len(one.edges), support) for one, support in rows)


@pytest.mark.parametrize("name", CASES)
def test_all_are_found_with_the_supports_of_the_definition(name):
    (graph, edges, node_labels, directed), most, least = CASES[name]
    found = frequent_subgraphs(graph, least, (2, most))
    expected = brute_force(edges, node_labels, directed, most, least)
    assert supports_of(found) == expected and expected
    assert len({one.key for one in found.structures}) == len(found)
    assert found.is_complete
    # fewer images that are kept, and every order of the nodes
    assert supports_of(frequent_subgraphs(graph, least, (2, most), most_bytes=0)) == expected
    shuffled = np.random.default_rng(0).permutation(graph.num_nodes)
    again = labelled(
        [(shuffled[u], shuffled[v], relation) for u, v, relation in edges],
        node_labels[np.argsort(shuffled)],
        1 + max(relation for *_, relation in edges),
        directed,
    )[0]
    assert supports_of(frequent_subgraphs(again, least, (2, most))) == expected


def test_self_loops_are_no_part_of_a_subgraph():
    edges = [(0, 1, 0), (1, 2, 0), (2, 3, 0)]
    kinds = np.array([0, 1, 0, 1])
    loops = [(node, node, 0) for node in range(4)]
    plain, looped = (labelled(rows, kinds)[0] for rows in (edges, edges + loops))
    assert supports_of(frequent_subgraphs(looped, 1, (2, 4))) == supports_of(
        frequent_subgraphs(plain, 1, (2, 4))
    )


def test_relations_with_and_without_direction_are_searched_together():
    # p leads from a hub to three nodes, q joins these in a triangle
    graph = csr_from_edges(
        np.array([0, 0, 0, 1, 2, 3]),
        np.array([1, 2, 3, 2, 3, 1]),
        4,
        relation=np.array([0, 0, 0, 1, 1, 1]),
        relation_names=("p", "q"),
        directed=(True, False),
    )
    found = frequent_subgraphs(graph, 1, 2)
    supports = {row.structure.to_text(): row.support for row in found.rows}
    assert supports == {"A-[p]->B": 1, "A-[q]-B": 3}
    assert supports_of(frequent_subgraphs(graph, 2, 3)) == [(3, 2, 3), (3, 3, 3)]


def test_support_is_a_share_or_a_number_of_nodes():
    path = nx.path_graph(10)
    # the ends are inside of no path of three nodes, nor of four
    assert frequent_subgraphs(path, 0.8, (2, 4)).support.tolist() == [10, 8, 8]
    assert frequent_subgraphs(path, 9, (2, 4)).support.tolist() == [10]
    # a list of one graph is one graph
    assert frequent_subgraphs([path], 9, (2, 4)).support.tolist() == [10]
    assert not len(frequent_subgraphs(nx.empty_graph(3), 1))
    for support, words in (
        (2.5, "support must be a whole number of nodes from 1 on, got 2.5"),
        (0, "support must be a share of the nodes between 0 and 1, or a number of nodes from 1"),
    ):
        with pytest.raises(InputError, match=words):
            frequent_subgraphs(path, support)


def test_classes_and_features_are_those_of_collections():
    with pytest.raises(InputError, match="^y must be left out of one graph: classes of graphs are"):
        frequent_subgraphs(nx.path_graph(3), 1, y=[0])
    with pytest.raises(InputError, match="^graphs must be two or more, to be told apart, got one"):
        SubgraphFeatures(support=1).fit(nx.path_graph(3))


def small_truth():
    path = TRUTH / "mni_small.json"
    if not path.is_file():
        pytest.skip("the known supports are not here")
    return json.loads(path.read_text())


def test_a_small_graph_has_the_known_supports():
    known = small_truth()
    edges = [(u, v, 0) for u, v, _ in known["edges"]]
    graph, *_ = labelled(edges, np.zeros(len(known["nodes"]), int))
    found = frequent_subgraphs(graph, known["support"], (2, known["most_nodes"]))
    supports = {}
    for num_nodes, num_edges, support in supports_of(found):
        supports.setdefault(f"{num_nodes} nodes {num_edges} edges", []).append(support)
    assert supports == known["supports"] and len(found) == known["patterns"]


@pytest.fixture(scope="module")
def citations():
    path = TRUTH / "citeseer.txt"
    if not path.is_file():
        pytest.skip("Citeseer is not here")
    return read_graph(path, features=["area"], feature_file=path.with_suffix(".nodes.csv"))


def test_citations_have_the_known_supports(citations):
    found = frequent_subgraphs(citations, 160, "2-5")
    supports = {}
    for num_nodes, num_edges, support in supports_of(found)[::-1]:
        supports.setdefault((num_nodes, num_edges), []).append(support)
    assert supports == {
        (2, 1): [572, 567, 520, 462, 438],
        (3, 2): [345, 316, 296, 219, 193],
        (3, 3): [224, 173, 162],
        (4, 3): [335, 303, 272, 235, 202, 187, 168],
        (4, 4): [248, 196, 173, 161],
        (5, 4): [286, 253, 233, 199, 185, 168],
        (5, 5): [233, 198, 193, 191],
    }
    assert repr(found) == "FrequentSubgraphs(34 subgraphs of a graph of 3,264 nodes)"


def test_most_nodes_are_settled_by_occurrences_that_others_found(citations, monkeypatch):
    searched, nodes = [], []
    meet_each, decide = OccurrenceSearch.meet_each, ImageSearch.decide

    def count_roots(self, node, roots, spend):
        # what is ruled out is no root
        assert (self.candidates[roots] >> node & 1).all()
        searched.append(len(roots))
        return meet_each(self, node, roots, spend)

    def count_nodes(self, code, eligible, *rest):
        decided = decide(self, code, eligible, *rest)
        if decided is not None:
            nodes.append(decided[0] * len(code.colors))
        return decided

    monkeypatch.setattr(OccurrenceSearch, "meet_each", count_roots)
    monkeypatch.setattr(ImageSearch, "decide", count_nodes)
    search = ImageSearch(citations, Labels.of(citations), 5, 1 << 30)
    found, complete = one_graph.search_graph(search, 160, Steps(), lambda _: None)
    assert (len(found), complete) == (34, 5)
    assert sum(searched) < 0.5 * sum(nodes)


def test_what_is_infrequent_is_left_as_soon_as_that_is_sure(citations, monkeypatch):
    """A support just above the largest of a size needs no occurrence where candidates tell."""
    searched = []
    meet_each = OccurrenceSearch.meet_each

    def count_roots(self, node, roots, spend):
        searched.append(len(roots))
        return meet_each(self, node, roots, spend)

    monkeypatch.setattr(OccurrenceSearch, "meet_each", count_roots)
    assert not len(frequent_subgraphs(citations, 573, "2-5"))
    assert not searched
    star = nx.star_graph(5)
    # one node is the hub of all paths: of the others only one is left to be decided
    assert not len(frequent_subgraphs(star, 2, 3)) and sum(searched) <= 6


@pytest.mark.parametrize("name", ["two labels", "three labels, directed", "types"])
def test_occurrences_and_disjoint_ones_are_those_of_the_graph(name):
    (graph, *_), most, least = CASES[name]
    found = frequent_subgraphs(graph, least, (2, most))
    for row in found.rows:
        counted = gomkcn.count(graph, row.structure, reading="subgraph")
        assert row.occurrences == counted and counted.is_exact
        # disjoint ones are so many images of each node
        assert 1 <= row.disjoint <= row.support <= row.occurrences.value * row.structure.num_nodes
        assert row.disjoint * row.structure.num_nodes <= graph.num_nodes


def test_disjoint_occurrences_can_be_no_more():
    rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 7 + [nx.star_graph(3)] * 4)
    found = frequent_subgraphs(rings, 4, (2, 5))
    table = {
        row.structure.key: (row.support, row.occurrences.value, row.disjoint) for row in found.rows
    }
    ring, star = Structure.parse("ring-5"), Structure.parse("star-4")
    assert table[ring.key] == (35, 7, 7)
    assert table[star.key] == (4, 4, 4)
    # each ring has one path of four nodes and no more, each star one of three
    assert table[Structure.parse("path-4").key] == (35, 35, 7)
    assert table[Structure.parse("path-3").key] == (39, 47, 11)
    # all begin at the same few nodes, and each is looked for again
    clique = frequent_subgraphs(nx.complete_graph(20), 20, (2, 3))
    assert [(row.structure.num_nodes, row.disjoint) for row in clique.rows] == [
        (2, 10),
        (3, 6),
        (3, 6),
    ]


def test_very_many_occurrences_are_estimated():
    hub = nx.star_graph(20_000)
    found = frequent_subgraphs(hub, 1, 4)
    (row,) = found.rows
    truth = 20_000 * 19_999 * 19_998 // 6
    assert not row.occurrences.is_exact
    assert row.occurrences.low <= truth <= row.occurrences.high
    table = found.to_pandas().iloc[0]
    assert (table["occurrences_are"], table["disjoint"]) == ("estimated", 1)
    assert table["occurrences_low"] < table["occurrences"] < table["occurrences_high"]


@pytest.mark.parametrize("name", ["one label", "two labels", "directed, mutual pairs", "types"])
def test_closed_and_maximal_ones_are_those_of_the_definition(name):
    (graph, *_), most, least = CASES[name]
    every = frequent_subgraphs(graph, least, (2, most))
    rows = list(zip(every.structures, every.support.tolist(), strict=True))
    covered = {(part.key, number) for one, number in rows for part in parts_without_an_edge(one)}
    names = {key for key, _ in covered}
    closed = frequent_subgraphs(graph, least, (2, most), closed=True)
    maximal = frequent_subgraphs(graph, least, (2, most), maximal=True)
    assert keys_of(closed) == {one.key for one, number in rows if (one.key, number) not in covered}
    assert keys_of(maximal) == {one.key for one, _ in rows if one.key not in names}
    assert keys_of(maximal) < keys_of(closed) < keys_of(every)
    both = frequent_subgraphs(graph, least, (2, most), maximal=True, closed=True)
    assert keys_of(both) == keys_of(maximal)


def test_maximal_ones_of_a_collection_are_in_no_larger_one():
    graphs = [nx.cycle_graph(4), nx.cycle_graph(4), nx.path_graph(3)]
    found = frequent_subgraphs(graphs, 1, (2, 4), maximal=True)
    # the path of three nodes is in all three graphs, and a part of the cycle
    assert [(one.num_nodes, len(one.edges)) for one in found.structures] == [(4, 4)]


def keys_of(found):
    return {one.key for one in found.structures}


def test_what_was_found_when_time_was_up_is_kept_with_the_sizes_that_are_complete():
    (graph, *_), most, least = CASES["two labels"]
    every = frequent_subgraphs(graph, least, (2, most))
    said, sizes = set(), []
    for looks in range(0, 200, 3):
        found = frequent_subgraphs(
            graph, least, (2, most), steps=Steps(interrupts=EndsAfter(looks))
        )
        assert keys_of(found) <= keys_of(every)
        _, is_early, complete = found.left_out.partition("the search ended early")
        assert found.is_complete == (not is_early)
        # all of the sizes that are said to be complete are there
        largest = (
            int(re.search(r"\d+", complete)[0]) if complete else most if found.is_complete else 1
        )
        assert {one.key for one in every.structures if one.num_nodes <= largest} <= keys_of(found)
        said.add(found.left_out)
        sizes.append(len(found))
        missing = found.in_one_graph.occurrences.count(None)
        assert bool(found.note) == (missing > 0) and (not missing or str(missing) in found.note)
    assert sizes == sorted(sizes) and (sizes[0], sizes[-1]) == (0, len(every))
    assert said == {
        "the search ended early",
        "the search ended early; of up to 2 nodes these are all",
        "the search ended early; of up to 3 nodes these are all",
        "",
    }


def test_a_page_and_a_text_say_what_was_not_counted():
    found = frequent_subgraphs(nx.path_graph(5), 3, (2, 3))
    late = replace(found.in_one_graph, occurrences=[None, None], disjoint=[None, None])
    found = replace(found, in_one_graph=late)
    record = {"graph": {"source": "", "num_graphs": 1}, "settings": {}, "provenance": {}}
    words = "ccurrences were not counted for want of time: 2 subgraphs"
    assert words in frequent_page.render_subgraphs(found, record, "f.csv")
    assert frequent_page.format_subgraphs(found, "f.csv").endswith(words)
    assert found.to_pandas().columns.tolist()[-1] == "share"


def test_ctrl_c_is_a_keyboard_interrupt_within_compiled_code(monkeypatch):
    def interrupted(*_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(OccurrenceSearch, "meet_each", interrupted)
    with pytest.raises(KeyboardInterrupt):
        frequent_subgraphs(nx.path_graph(5), 1)


def test_who_waits_long_without_a_limit_is_told_of_it_once(caplog, monkeypatch):
    monkeypatch.setattr(gspan, "_LONG_SEARCH", 0.0)
    frequent_subgraphs(nx.complete_graph(5), 2)
    assert caplog.text.count("; time_limit=60 returns") == 1


def test_graphs_are_asked_for_what_one_graph_repeats():
    found = frequent_subgraphs(nx.wheel_graph(7), 6, (2, 4))
    asked = found.transform([nx.path_graph(2), nx.wheel_graph(7), nx.cycle_graph(4)])
    edges = [len(one.edges) for one in found.structures]
    assert asked[0].tolist() == [number == 1 for number in edges]
    assert asked[1].all() and 1 < asked[2].sum() < len(found)


def test_command_writes_a_table_and_a_page_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nx.write_edgelist(nx.barabasi_albert_graph(60, 2, seed=0), "graph.txt", data=False)
    asked = ["frequent", "graph.txt", "--support", "20", "--sizes", "2-4", "--quiet"]
    run = CliRunner().invoke(main, [*asked, "--out", "run"])
    assert run.exit_code == 0, run.output
    lead = "frequent subgraphs of a graph of 60 nodes, by minimum node image"
    rows = Path("run/subgraphs.csv").read_text().splitlines()
    assert run.stdout.startswith(f"{len(rows) - 1} {lead}\n")
    assert rows[0] == (
        "structure,edges,num_nodes,num_edges,support,share,occurrences,occurrences_are,"
        "occurrences_low,occurrences_high,disjoint"
    )
    page = Path("run/frequent.html").read_text()
    assert page.count("<svg") == len(rows) - 1 and "to at least so many different nodes" in page
    found = gomkcn.load("run")
    assert str(found.columns()) == str(
        frequent_subgraphs(read_graph("graph.txt"), 20, (2, 4)).columns()
    )
    # a run that a time limit ended says what it has, and goes on
    run = CliRunner().invoke(main, [*asked, "--out", "late", "--time-limit", "1e-9"])
    assert "not complete: the search ended early" in run.stdout
    run = CliRunner().invoke(main, [*asked, "--out", "late", "--resume"])
    assert Path("late/subgraphs.csv").read_text().splitlines() == rows
