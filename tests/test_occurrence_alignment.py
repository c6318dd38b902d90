"""Explanations of a place: who plays whom, and every difference that was made is named."""

import dataclasses
import itertools
import re

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Circle

from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import Occurrence, PatternMiner
from mining.explanation.edge_agreement import align_edges
from mining.explanation.occurrence_alignment import explain_node, explain_occurrence
from mining.plots.alignment_plots import WARNING, draw_alignment


def miner_of(graph, size, **settings):
    """A miner that found the one pattern of a graph that repeats it."""
    settings = {"num_patterns": 1, "pattern_size": size, "num_epochs": 0, **settings}
    miner = PatternMiner(**settings).fit(graph)
    assert len(miner.patterns_) == 1
    return miner


@pytest.fixture(scope="module")
def wheels():
    return nx.disjoint_union_all([nx.wheel_graph(6)] * 5)


@pytest.fixture(scope="module")
def wheel_miner(wheels):
    return miner_of(wheels, 6)


def node_of(explanation):
    return [pair.node for pair in explanation.pairs]


def graph_edges(explanation, edges):
    """Slot edges by the ids of the graph nodes."""
    names = [*node_of(explanation), *explanation.extra_nodes]
    return {frozenset((names[u], names[v])) for u, v in edges}


def is_isomorphism(explanation, graph):
    pattern, players = explanation.pattern, node_of(explanation)
    inside = graph.subgraph(players)
    return {frozenset(e) for e in inside.edges} == graph_edges(explanation, pattern.edges)


class TestNode:
    @pytest.mark.parametrize("node", [0, 1, 10, 29])
    def test_an_exact_place_agrees_at_all_levels(self, wheel_miner, wheels, node):
        found = explain_node(wheel_miner, wheels, node)
        assert found.similarity == pytest.approx(1, abs=1e-6)
        assert found.levels.shape == (6, 4)
        assert found.levels == pytest.approx(np.ones((6, 4)), abs=1e-6)
        assert is_isomorphism(found, wheels)
        assert set(node_of(found)) == set(range(node - node % 6, node - node % 6 + 6))
        assert found.shared_edges == found.pattern.edges
        assert (found.missing_edges, found.extra_edges, found.extra_nodes) == ((), (), ())
        assert (found.first_level, found.worst_level) == (None, None)
        assert found.sentence.endswith("(wheel with 5 spokes), similarity 1.00: all edges agree.")

    def test_the_hub_is_named(self, wheel_miner, wheels):
        assert (
            "Node 6 is at the hub (pattern node " in explain_node(wheel_miner, wheels, 6).sentence
        )
        assert "Node 7 is at pattern node " in str(explain_node(wheel_miner, wheels, 7))

    def test_an_anchored_root_stays_at_the_pattern_s_root(self):
        # the middle of a path may not play its end, though the structure would be the same
        paths = nx.disjoint_union_all([nx.path_graph(3)] * 5)
        miner = miner_of(paths, 3, anchor_root=True)
        assert miner.patterns_[0].edges == ((0, 1), (1, 2))
        assert [node_of(explain_node(miner, paths, node))[0] for node in range(3)] == [0, 1, 2]
        found = explain_node(miner, paths, 1)
        assert (len(found.missing_edges), len(found.extra_edges)) == (1, 1)
        # free to choose, it plays the middle
        free = explain_node(miner_of(paths, 3), paths, 1)
        assert (free.missing_edges, free.extra_edges) == ((), ())

    @pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
    def test_a_missing_edge_is_named(self, wheel_miner, edge):
        place = nx.wheel_graph(6)
        place.remove_edge(*edge)
        found = explain_node(wheel_miner, place, 0)
        assert graph_edges(found, found.missing_edges) == {frozenset(edge)}
        assert found.extra_edges == ()
        assert len(found.shared_edges) == 9
        # features agree, the two ends have one neighbour less
        assert found.first_level == 1
        assert found.levels[:, 0].tolist() == [1.0] * 6
        assert sorted(found.levels[:, 1].round(3).tolist()) == [0.607, 0.607, 1, 1, 1, 1]
        names = {f"{u}–{v}" for u, v in (edge, edge[::-1])}
        assert any(f": the edge {name} is missing." in found.sentence for name in names)

    def test_an_edge_beyond_the_pattern_is_named(self, wheel_miner):
        place = nx.wheel_graph(6)
        place.add_edge(2, 4)
        found = explain_node(wheel_miner, place, 0)
        assert graph_edges(found, found.extra_edges) == {frozenset((2, 4))}
        assert found.missing_edges == ()
        assert re.search(r": the edge (2–4|4–2) is beyond the pattern\.$", found.sentence)

    def test_a_permuted_copy_is_aligned(self, wheel_miner):
        order = [3, 5, 0, 4, 1, 2]
        place = nx.relabel_nodes(nx.wheel_graph(6), dict(enumerate(order)))
        found = explain_node(wheel_miner, place, 5)
        assert is_isomorphism(found, place)
        hub = max(found.pattern.to_networkx().degree, key=lambda item: item[1])[0]
        assert node_of(found)[hub] == 3

    def test_features_decide_between_symmetric_nodes(self):
        colors = np.linspace(0, 1, 6)
        rings = as_csr(
            nx.disjoint_union_all([nx.cycle_graph(6)] * 5), features=np.tile(colors, 5)[:, None]
        )
        miner = miner_of(rings, 6, tau=0.05)
        for shift in range(6):
            place = as_csr(nx.cycle_graph(6), features=np.roll(colors, shift)[:, None])
            found = explain_node(miner, place, 0)
            features = [place.features[node, 0] for node in node_of(found)]
            assert features == pytest.approx(found.pattern.features[:, 0], abs=0.05)
            assert found.similarity > 0.99

    def test_a_node_with_other_features(self):
        values = np.tile([[0.0, 1.0]], (30, 1)) + np.arange(30)[:, None] % 6 / 10
        ring = nx.cycle_graph(6)
        rings = as_csr(nx.disjoint_union_all([ring] * 5), features=values)
        miner = miner_of(rings, 6)
        changed = values[:6].copy()
        changed[2, 1] = 1.5
        found = explain_node(miner, as_csr(ring, features=changed), 2)
        (pair,) = [pair for pair in found.pairs if pair.feature is not None]
        assert (pair.node, pair.first_difference) == (2, 0)
        assert (pair.feature.name, pair.feature.value) == ("x1", 1.5)
        assert pair.feature.expected == pytest.approx(1.2, abs=0.02)
        assert found.first_level == 0
        assert "all edges agree; node 2 (x1 is 1.5, 1.2 in the pattern) differs" in found.sentence

    def test_a_place_with_too_few_nodes(self, wheel_miner):
        found = explain_node(wheel_miner, nx.complete_graph(4), 2)
        assert len(found.missing_nodes) == 2
        assert sorted(node for node in node_of(found) if node is not None) == [0, 1, 2, 3]
        assert "nobody plays pattern nodes " in found.sentence
        # three on the rim and the hub, and the edge that closes them
        assert (len(found.shared_edges), len(found.missing_edges)) == (5, 5)
        assert len(found.extra_edges) == 1

    def test_masked_padding_is_not_compared(self, wheels):
        miner = miner_of(wheels, 6, kernel=GOMKKernel(3, tau=0.5, padding="mask"))
        found = explain_node(miner, nx.complete_graph(4), 2)
        absent = [pair for pair in found.pairs if pair.node is None]
        assert [pair.level_similarity for pair in absent] == [(0.0,) * 4] * 2

    def test_a_place_with_more_nodes(self):
        graph = nx.disjoint_union_all([nx.cycle_graph(4)] * 5)
        miner = miner_of(graph, 6)
        place = nx.cycle_graph(4)
        place.add_edge(1, 9)
        found = explain_node(miner, place, 9)
        assert found.extra_nodes == (9,)
        assert graph_edges(found, found.extra_edges) == {frozenset((1, 9))}
        assert found.sentence.startswith(
            "Node 9 is next to pattern 0 (cycle of 4 nodes) and no part"
        )
        assert "node 9 is beyond the pattern; all other edges agree." in found.sentence

    def test_a_node_at_the_edge_of_the_graph(self):
        """A pendant node sees a path of the pattern's ring, cut where the hops end."""
        graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 5)
        miner = miner_of(graph, 5, num_hops=2)
        place = nx.cycle_graph(5)
        place.add_edge(0, 5)
        found = explain_node(miner, place, 5)
        # within 2 hops of node 5 lie 0, 1 and 4
        assert {n for n in node_of(found) if n is not None} | set(found.extra_nodes) == {0, 1, 4, 5}

    def test_a_pattern_of_one_node(self):
        miner = miner_of(nx.empty_graph(5), 3)
        found = explain_node(miner, nx.empty_graph(2), 1)
        assert node_of(found) == [1]
        assert found.sentence == (
            "Node 1 is at pattern node 0 of pattern 0 (single node), similarity 1.00: "
            "all edges agree."
        )
        assert len(draw_alignment(found).patches) == 2

    def test_names_and_several_graphs(self, wheel_miner):
        one = nx.relabel_nodes(nx.wheel_graph(6), dict(enumerate("abcdef")))
        other = nx.relabel_nodes(nx.wheel_graph(6), dict(enumerate("uvwxyz")))
        other.remove_edge("u", "w")
        found = explain_node(wheel_miner, [one, other], "u", graph_index=1)
        assert (found.graph, found.root) == (1, "u")
        assert found.sentence.startswith("Node u of graph 1 is at the hub")
        assert "the edge u–w is missing" in found.sentence or "the edge w–u" in found.sentence
        whole = explain_node(wheel_miner, [one, other], "b")
        assert whole.similarity == pytest.approx(1, abs=1e-6)

    def test_the_pattern_of_the_same_structure_wins(self):
        graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 6)
        miner = PatternMiner(num_patterns=2, pattern_size=5, num_epochs=0).fit(graph)
        for node in (0, 59):
            found = explain_node(miner, graph, node)
            assert is_isomorphism(found, graph)
            other = 1 - found.pattern.id
            forced = explain_node(miner, graph, node, pattern_id=other)
            assert forced.pattern.id == other
            assert forced.similarity < found.similarity
            assert max(miner.transform(graph)[node]) == pytest.approx(found.similarity, abs=1e-6)

    def test_patterns_that_the_kernel_cannot_tell_apart(self):
        """Without levels all nodes are alike: the structure decides."""
        graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 6)
        miner = PatternMiner(num_patterns=1, pattern_size=5, num_levels=0, num_epochs=0).fit(graph)
        assert len(miner.patterns_) == 2
        for node in (0, 59):
            assert is_isomorphism(explain_node(miner, graph, node), graph)

    @pytest.mark.parametrize(
        "settings",
        [{"anchor_root": True}, {"matching": "greedy"}, {"node_similarity": "dice"},
         {"kernel": GOMKKernel(3, tau=0.5, aggregation="sym")},
         {"policy": "bfs", "num_views": 2}],
        ids=str,
    )  # fmt: skip
    def test_every_kernel(self, wheels, settings):
        miner = miner_of(wheels, 6, **settings)
        similarity = miner.transform(wheels)[:, 0]
        # an anchored pattern is seen as it is from the places of its own root
        node = int(similarity.argmax())
        found = explain_node(miner, wheels, node)
        assert found.similarity == pytest.approx(similarity[node], abs=1e-6)
        assert found.similarity > 0.99
        assert is_isomorphism(found, wheels)
        assert ((found.levels >= 0) & (found.levels <= 1 + 1e-6)).all()

    def test_an_anchored_root_plays_the_first_pattern_node(self):
        rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 5)
        miner = miner_of(rings, 5, anchor_root=True)
        for order in itertools.permutations(range(5)):
            ring = nx.relabel_nodes(nx.cycle_graph(5), dict(enumerate(order)))
            found = explain_node(miner, ring, 0)
            assert found.pairs[0].node == 0
            assert is_isomorphism(found, ring)

    def test_refusals(self, wheel_miner, wheels):
        with pytest.raises(InputError, match="node must be an id of graph 0, such as 0, got 99"):
            explain_node(wheel_miner, wheels, 99)
        with pytest.raises(InputError, match="graph_index must be at most 0, got 1"):
            explain_node(wheel_miner, wheels, 0, graph_index=1)
        with pytest.raises(InputError, match=r"pattern_id must be one of \[0\], got 4"):
            explain_node(wheel_miner, wheels, 0, pattern_id=4)
        with pytest.raises(InputError, match="the 1 features that the miner was fitted on, got 2"):
            explain_node(wheel_miner, as_csr(wheels, features=np.ones((30, 2))), 0)
        nothing = PatternMiner(num_patterns=1, min_support=50, num_epochs=0).fit(wheels)
        with pytest.raises(InputError, match="an explanation needs a pattern"):
            explain_node(nothing, wheels, 0)


class TestOccurrence:
    def test_players_are_those_of_the_record(self, wheel_miner, wheels):
        pattern = wheel_miner.patterns_[0]
        for number, place in enumerate(pattern.occurrences):
            found = explain_occurrence(wheel_miner, wheels, 0, number)
            assert tuple(node_of(found)) == place.nodes
            assert found.similarity == pytest.approx(place.similarity, abs=1e-6)
            assert found.root is None
            assert found.shared_edges == pattern.edges
        assert found.sentence.startswith("The place at ")
        assert explain_occurrence(wheel_miner, wheels, 0, place) == found

    def test_the_medoid_and_nodes_of_my_own(self, wheel_miner, wheels):
        medoid = wheel_miner.patterns_[0].medoid
        assert tuple(node_of(explain_occurrence(wheel_miner, wheels, 0, medoid))) == medoid.nodes
        graph = nx.disjoint_union(wheels, nx.path_graph(40))
        mine = Occurrence((30, 33, 36, 39, 42, 45), 0.0)
        found = explain_occurrence(wheel_miner, graph, 0, mine)
        assert node_of(found) == [30, 33, 36, 39, 42, 45]
        assert found.shared_edges == ()
        assert len(found.missing_edges) == 10

    def test_an_inexact_occurrence_keeps_its_extra_nodes(self):
        ring = nx.cycle_graph(5)
        tailed = nx.cycle_graph(5)
        tailed.add_edge(0, 5)
        graph = nx.disjoint_union_all([ring] * 6 + [tailed])
        miner = miner_of(graph, 6, occurrence_rule="similar", min_similarity=0.3)
        (place,) = [place for place in miner.patterns_[0].occurrences if 31 in place.nodes]
        found = explain_occurrence(miner, graph, 0, place)
        assert tuple(node_of(found)) == place.nodes
        assert len(found.extra_nodes) == 1
        assert found.similarity == pytest.approx(place.similarity, abs=1e-6)

    def test_an_absent_player(self, wheel_miner):
        found = explain_occurrence(
            wheel_miner, nx.complete_graph(4), 0, Occurrence((0, 1, 2, 3, None, None), 0.4)
        )
        assert node_of(found) == [0, 1, 2, 3, None, None]
        assert found.missing_nodes == (4, 5)

    def test_refusals(self, wheel_miner, wheels):
        with pytest.raises(InputError, match="occurrence must be at most 4, got 5"):
            explain_occurrence(wheel_miner, wheels, 0, 5)
        with pytest.raises(InputError, match="occurrence must have 6 nodes like pattern 0, got 2"):
            explain_occurrence(wheel_miner, wheels, 0, Occurrence((0, 1), 1.0))
        with pytest.raises(InputError, match="occurrence must hold different nodes"):
            explain_occurrence(wheel_miner, wheels, 0, Occurrence((0, 1, 2, 3, 4, 4), 1.0))


class TestEdgeAgreement:
    def wrong(self, place, pattern, matching):
        return int((place != pattern[np.ix_(matching, matching)]).sum()) // 2

    @pytest.mark.parametrize("seed", range(20))
    def test_the_best_of_all_matchings(self, seed):
        rng = np.random.default_rng(seed)
        size, slack = 6, float(rng.choice([0.0, 0.3, np.inf]))
        table = rng.integers(0, 3, (size, size)) / 2
        place, pattern = (np.triu(rng.random((size, size)) < 0.5, 1) for _ in range(2))
        place, pattern = place | place.T, pattern | pattern.T
        rows = np.arange(size)
        start = np.array(max(itertools.permutations(rows), key=lambda m: table[rows, m].sum()))
        least = table[rows, start].sum() - slack - 1e-5
        rank = {
            m: (self.wrong(place, pattern, np.array(m)), -table[rows, m].sum())
            for m in itertools.permutations(rows)
            if table[rows, m].sum() >= least
        }
        found = align_edges(table, place, pattern, start, slack)
        assert rank[tuple(found)] == min(rank.values())

    def test_pinned_and_fewer_nodes_than_the_pattern(self):
        path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
        start = np.array([2, 0])
        edge = np.array([[0, 1], [1, 0]], dtype=bool)
        assert align_edges(np.ones((2, 3)), edge, path, start, 0, pinned=True).tolist() == [2, 1]

    def test_a_clique_of_twelve_takes_no_search(self):
        clique = ~np.eye(12, dtype=bool)
        start = np.arange(12)[::-1].copy()
        assert align_edges(np.ones((12, 12)), clique, clique, start, 1.0).tolist() == start.tolist()


class TestDrawing:
    def place(self, miner, change):
        graph = nx.wheel_graph(6)
        change(graph)
        return explain_node(miner, graph, 0)

    def lines(self, ax):
        return [item for item in ax.collections if isinstance(item, LineCollection)]

    def test_matched_nodes_have_one_place_and_one_colour(self, wheel_miner):
        found = self.place(wheel_miner, lambda graph: graph.remove_edge(0, 3))
        ax = draw_alignment(found)
        dots = [patch for patch in ax.patches if isinstance(patch, Circle)]
        left, right = dots[0::2], dots[1::2]
        assert len(left) == len(right) == 6
        for one, other in zip(left, right, strict=True):
            assert np.subtract(other.center, one.center) == pytest.approx([3, 0])
            assert one.get_facecolor() == other.get_facecolor()
        assert len({patch.get_facecolor() for patch in left}) == 6

    def test_missing_edges_are_dashed_and_extra_ones_dotted(self, wheel_miner):
        def change(graph):
            graph.remove_edge(1, 2)
            graph.add_edge(2, 5)

        found = self.place(wheel_miner, change)
        pattern, shared, missing, extra = self.lines(draw_alignment(found))
        drawn = [len(one.get_segments()) for one in (pattern, shared, missing, extra)]
        assert drawn == [10, len(found.shared_edges), len(found.missing_edges), 1]
        assert to_hex(missing.get_colors()[0]) == to_hex(extra.get_colors()[0]) == WARNING
        styles = [one.get_linestyles()[0][1] for one in (shared, missing, extra)]
        assert styles[0] is None
        assert styles[1] != styles[2]
        legend = [text.get_text() for text in draw_alignment(found).get_legend().get_texts()]
        assert legend == ["missing edge", "edge beyond"]

    def test_absent_nodes_and_those_beyond_have_a_ring(self, wheel_miner):
        ax = draw_alignment(explain_node(wheel_miner, nx.complete_graph(4), 2))
        rings = [p for p in ax.patches if to_hex(p.get_edgecolor()) == WARNING]
        assert len(rings) == 2
        assert all(ring.get_linestyle() != "node_similarity" for ring in rings)
        assert "missing node" in [text.get_text() for text in ax.get_legend().get_texts()]

    @pytest.mark.parametrize("graph", [nx.wheel_graph(6), nx.complete_graph(6)], ids=str)
    def test_nothing_lies_on_anything_else(self, graph):
        graph = nx.convert_node_labels_to_integers(graph, first_label=1000)
        miner = miner_of([graph] * 5, 6)
        graph.add_edge(1000, 1006)
        ax = draw_alignment(explain_node(miner, graph, 1001))
        ax.figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in (*ax.texts, ax.title)]
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)

    def test_jupyter_shows_the_drawing_and_escapes_names(self, wheel_miner):
        graph = nx.relabel_nodes(nx.wheel_graph(6), {0: "<b>"})
        graph = nx.relabel_nodes(graph, {n: str(n) for n in range(1, 6)})
        page = explain_node(wheel_miner, graph, "<b>")._repr_html_()
        assert page.startswith("<div><svg")
        assert "&lt;b&gt;" in page
        assert "<b>" not in page
        assert page.count("<tr>") == 7
        assert "<th>level 3</th>" in page

    def test_explanations_compare_and_cannot_be_changed(self, wheel_miner, wheels):
        one, other = (explain_node(wheel_miner, wheels, 3) for _ in range(2))
        assert one.pairs == other.pairs
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.similarity = 0.0
