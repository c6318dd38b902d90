"""The motif set: planted sets come back, silence elsewhere, and what a set is used for."""

import json
import pickle
import statistics
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gomkcn.mining import MiningRun, MotifSet, PatternMiner, count, motif_set
from gomkcn.mining.motif_sets import finding
from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.finding import given_patterns, near_variants
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import search_graph
from gomkcn.mining.motif_sets.motif_set import summary
from gomkcn.mining.motif_sets.motif_set_record import MotifSetRecord
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.show.terminal import format_run, unused
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.records import read_as
from gomkcn.synthetic import MOTIFS, PlantingSettings, get_motif, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.steps import Steps

K3, K4, RING, DIAMOND = map(Structure.parse, ("triangle", "clique-4", "ring-4", "diamond"))
QUICK = {"sources": "grown", "null": None}
WHEEL, CROWN = MOTIFS["wheel"], MOTIFS["crown"]


def copies_of(found):
    """The graphs and nodes of all copies, by the key of their motif."""
    return {
        one.key: {(copy.graph, frozenset(copy.nodes)) for copy in one.motif.copies} for one in found
    }


@pytest.fixture(scope="module")
def planted():
    """Ten wheels and ten crowns on a tree: the graph, and where they are."""
    made = plant_motifs(
        barabasi_albert(150, 1, 0),
        150,
        {"wheel": 10, "crown": 10},
        PlantingSettings("constant"),
        seed=0,
    )
    places = [
        {(0, frozenset(nodes)) for nodes in one["instances"]} for one in made.truth()["motifs"]
    ]
    return made.to_csr(), dict(zip((WHEEL.key, CROWN.key), places, strict=True))


@pytest.fixture(scope="module")
def found(planted):
    return motif_set(planted[0], "3-6", given=[WHEEL, "clique-6"])


@pytest.mark.parametrize("kind", ["graph", "copies that differ", "collection"])
def test_the_shares_of_the_motifs_add_up_to_what_the_set_saves(planted, kind):
    if kind == "graph":
        graph = planted[0]
    elif kind == "copies that differ":
        # of twelve cliques of six, every third lacks an edge
        cliques = [nx.complete_graph(6) for _ in range(12)]
        for clique in cliques[::3]:
            clique.remove_edge(0, 1)
        graph = nx.disjoint_union_all([*cliques, nx.gnm_random_graph(60, 90, seed=0)])
    else:
        # wheels that are joined to paths
        graph = []
        for size in range(2, 22):
            whole = nx.disjoint_union(nx.wheel_graph(6), nx.path_graph(size))
            whole.add_edge(0, 6)
            graph.append(whole)
    found = motif_set(graph, "3-6")
    shares = [one.motif.share for one in found]
    assert sum(shares) == pytest.approx(found.bits_saved) and found.bits_saved > 10


def test_the_set_is_what_was_planted(planted, found):
    graph, truth = planted
    assert copies_of(found) == truth
    bits = [one.motif.bits for one in found]
    assert bits == sorted(bits, reverse=True) and min(bits) > 0
    assert [one.motif.num_copies for one in found] == [10, 10]
    assert found.nodes_covered == 120 / graph.num_nodes
    assert found.edges_covered == 10 * len(WHEEL.edges + CROWN.edges) / graph.num_edges
    assert found.complete and found.cut == "" and not found.is_clique_cover
    miner = PatternMiner(pattern_size="3-6", null=None).fit(graph)
    assert copies_of(miner.motif_set_) == truth
    assert miner.motif_set_.bits_total == pytest.approx(found.bits_total, abs=1e-6)
    assert list(miner.motif_set_) == miner.patterns_
    # what was given is in it, or it is said why not
    wheel, clique = found.given.values()
    assert (wheel.is_in_set, clique.is_in_set) == (True, False)
    assert f"is in the set, which saves {found.bits_saved:,.1f} bits" in wheel.reason
    assert (clique.bits, clique.reason) == (
        None,
        "is not in the set: it has no copy, 2 are needed",
    )
    assert "given" in next(one for one in found if one.key == WHEEL.key).sources


def test_a_dense_group_stands_last():
    graph = nx.disjoint_union_all([nx.cycle_graph(4)] * 2 + [nx.complete_graph(3)] * 2)
    mined = MinedGraph.of(graph)
    rows = [np.array([[0, 1, 2, 3], [4, 5, 6, 7]]), np.array([[8, 9, 10], [11, 12, 13]])]
    rings, triangles = (mined.order.position[copies] for copies in rows)
    # both lack two edges of the diamond, as the code has it
    edits = np.array([[copy, u, v, -1] for copy in (0, 1) for u, v in ((1, 3), (0, 1))])
    motifs = (
        PlacedMotif(DIAMOND, rings, 90.0, 90.0, edits=edits),
        PlacedMotif(K3, triangles, 20.0, 20.0),
    )
    shown = finding._as_motif_set(mined, CodedSet(motifs, 200.0, 90.0), 1)
    assert [one.structure.key for one in shown] == [K3.key, DIAMOND.key]


def test_bits_are_those_of_the_code(planted, found):
    mined = MinedGraph.of(planted[0])
    empty = GraphDescription.of(GraphCode.of(mined))
    whole = empty
    for one in found:
        copies = mined.rows_of(one.motif.copies).astype(np.int64)
        whole = whole.add(empty.code.shape_of(one.structure), copies)
    assert found.bits_base == pytest.approx(empty.length, abs=1e-6)
    assert found.bits_total == pytest.approx(whole.length, abs=1e-6)
    assert found.bits_saved == found.bits_base - found.bits_total > 10
    for number, one in enumerate(found):
        without = whole.without(number).length - whole.length
        assert one.motif.bits == pytest.approx(without, abs=1e-6)


def test_silence_names_what_comes_closest():
    graph = nx.gnm_random_graph(60, 120, seed=1)
    silent = motif_set(graph, "3-5", given=["triangle"])
    assert len(silent) == 0 and silent.bits_saved == 0
    assert silent.closest.motif.bits < 10
    assert silent.given["triangle"].bits > -silent.closest.motif.bits - 1e-6
    assert "No set of motifs shortens" in summary(silent) and "Closest comes" in summary(silent)
    # a search that was cut has no answer
    closest = replace(silent.closest.motif, bits=-17168.9, num_copies=1750)
    cut = replace(silent, cut="Time is up.", closest=replace(silent.closest, motif=closest))
    assert "The search was cut before it found motifs that shorten" in summary(cut)
    assert "× 1,750, which would cost 17,168.9 more bits." in summary(cut)
    assert "No set of motifs" not in summary(cut) and "Closest so far comes" in summary(cut)
    assert json.loads(json.dumps(silent.to_dict(), allow_nan=False))["closest"]


def test_what_is_given_is_tried_and_told_why_it_is_not_in_the_set():
    graph = nx.disjoint_union_all([nx.complete_graph(5)] * 12 + [nx.cycle_graph(30)])
    # 120 triangles, 24 of them without common edges: all lie in the cliques
    found = motif_set(graph, "3-6", given=["triangle", "ring-30", "path-3"])
    assert [(one.num_nodes, one.motif.num_copies) for one in found] == [(5, 12)]
    triangle, ring, path = found.given.values()
    code = GraphCode.of(MinedGraph.of(graph))
    assert triangle.reason == (
        "is not in the set: its copies are used by other motifs, a set with it costs "
        f"{triangle.bits:,.1f} bits more"
    )
    # two disjoint triangles of a clique and its last edges, in the place of it
    assert triangle.bits > 0 and code.num_edges == 150
    assert ring.reason == "is not in the set: it has 1 copy, 2 are needed" and ring.bits is None
    assert path.reason == f"is not in the set: it costs {path.bits:,.1f} bits more"


def test_what_is_given_for_a_collection_is_told_what_it_lacks():
    trees = [nx.random_labeled_tree(10, seed=seed) for seed in range(12)]
    graphs = [nx.disjoint_union(nx.cycle_graph(6), tree) for tree in trees]
    graphs += [nx.complete_graph(4)] * 2
    given = ["ring-6", "clique-4", "path-3", "clique-5"]
    found = motif_set(graphs, "2-6", given=given, exact_copies=True)
    ring, clique, path, none = (one.reason for one in found.given.values())
    assert ring.startswith(f"is in the set, which saves {found.bits_saved:,.1f} bits")
    assert clique == "is not in the set: it has copies in 2 graphs, 3 are needed"
    assert path == "is not in the set: its copies save no bits"
    assert none == "is not in the set: it has no copy, 2 are needed"


def test_what_saves_less_than_a_set_must_is_told_so():
    whole = nx.gnm_random_graph(40, 60, seed=1)
    graph = nx.disjoint_union_all([nx.complete_graph(3)] * 2 + [whole])
    found = motif_set(graph, "3-4", given=["triangle"], exact_copies=True)
    (triangle,) = found.given.values()
    assert not found.motifs and 0 < -triangle.bits < 10
    assert triangle.reason == (
        f"is not in the set: it saves {-triangle.bits:,.1f} bits, 10 are needed"
    )


def test_a_shorter_description_than_the_one_that_leads_is_said():
    chances = np.where(np.eye(5, dtype=bool), 0.35, 0.01)
    graph = nx.Graph(nx.stochastic_block_model([30] * 5, chances.tolist(), seed=1).edges)
    rng = np.random.default_rng(0)
    for _ in range(20):
        graph.update(nx.complete_graph(rng.choice(150, 6, replace=False).tolist()))
    found = motif_set(graph, "3-6")
    other = found.other
    assert found.base == "degrees" and other.num_blocks == len({*other.blocks.columns()["block"]})
    fewer = found.bits_total - other.bits_total
    assert fewer > 10 and found.bits_shorter_with_other == fewer
    said = f"{other.num_blocks} blocks of nodes with {len(other)} motif"
    assert said in summary(found)
    assert f"would describe it in {fewer:,.0f} bits less" in summary(found)
    assert found.known_blocks is other.blocks and found.blocks is None
    for longer in (None, replace(other, bits_total=found.bits_total - 9)):
        assert "bits less" not in summary(replace(found, other=longer))


def test_a_partition_into_blocks_may_be_all_there_is(tmp_path):
    chances = np.where(np.eye(5, dtype=bool), 0.35, 0.01)
    graph = nx.Graph(nx.stochastic_block_model([30] * 5, chances.tolist(), seed=1).edges)
    found = motif_set(graph, "3-4")
    assert (len(found), found.base, found.num_blocks) == (0, "blocks", 5)
    assert found.given_what == "the degrees and 5 blocks"
    # the blocks are those that the graph was drawn from, whatever the order of its nodes
    shuffled = nx.Graph(sorted(graph.edges, key=lambda edge: (edge[0] * 37 + edge[1]) % 101))
    for drawn in (graph, shuffled):
        again = motif_set(drawn, "3-4")
        blocks = again.blocks.to_pandas()
        assert blocks["node"].tolist() == list(drawn)
        by_node = blocks.set_index("node")["block"]
        assert (by_node.groupby(by_node.index // 30).nunique() == 1).all()
        marked = again.to_networkx(drawn)
        assert dict(marked.nodes(data="block")) == by_node.to_dict()
    other = found.other
    assert len(other) > 0 and (other.base, other.num_blocks) == ("degrees", None)
    assert found.bits_total < other.bits_total < other.bits_base
    assert summary(found).startswith("A partition into 5 blocks describes the graph in ")
    record = json.loads(json.dumps(found.to_dict()))
    copies = [[], [one.motif.copies for one in other]]
    again = MotifSet.of_record(read_as(MotifSetRecord, record), as_csr(graph).relations, copies)
    assert again.to_dict() == record and copies_of(again.other) == copies_of(other)
    # so is the file of the set, with the blocks
    found.save(tmp_path / "set")
    loaded = MotifSet.load(tmp_path / "set")
    assert loaded.to_dict() == record and copies_of(loaded.other) == copies_of(other)
    pd.testing.assert_frame_equal(loaded.to_pandas("blocks"), found.to_pandas("blocks"))


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (nx.empty_graph(1), "The graph has no edge between two different nodes, so there is"),
        (nx.Graph([(0, 0), (1, 1)]), "The graph has no edge between two different nodes, so"),
        ([nx.empty_graph(2)] * 3, "The collection has no edge between two different nodes, so"),
        (nx.star_graph(30), "The degrees determine the graph, so that no motif can shorten"),
        (nx.disjoint_union_all([nx.path_graph(2)] * 40), "No set of motifs shortens the descr"),
        # its edges alone say nothing, and a list of one graph is a collection
        ([nx.path_graph(30)], "No set of motifs shortens the description of the collection by"),
    ],
    ids=["node", "self-loops", "no edge", "star", "edges", "list of one"],
)
def test_graphs_of_which_there_is_nothing_to_say(graph, said):
    found = motif_set(graph)
    assert len(found) == 0 and found.bits_saved == 0
    assert summary(found).startswith(said)
    loops = isinstance(graph, nx.Graph) and nx.number_of_selfloops(graph)
    assert found.not_used == (("dropped 2 self-loops",) if loops else ())
    miner = PatternMiner(null=None).fit(graph)
    assert summary(miner.motif_set_) == summary(found) and not miner.patterns_
    if not as_csr(graph).num_edges:
        assert [one.structure.num_nodes for one in miner.filters_.filters_] == [1]
    printed = format_run(MiningRun.of(miner, as_csr(graph)))
    # its lines are those of a terminal
    assert summary(found) in " ".join(printed.split())
    for find in (motif_set, PatternMiner().fit):
        with pytest.raises(InputError, match=r"^the graph is empty: it has no nodes\.$"):
            find(nx.empty_graph(0))


def test_cliques_that_cover_a_graph_are_said_to():
    found = motif_set(nx.disjoint_union_all([nx.complete_graph(3)] * 20))
    assert [(one.key, one.motif.num_copies) for one in found] == [(K3.key, 20)]
    assert found[0] is found.motifs[0]
    assert found.is_clique_cover and "The set is a clique cover" in summary(found)
    assert "hold 100% of the edges and 100% of the nodes" in summary(found)


@pytest.mark.parametrize(
    ("motifs", "groups"),
    [
        # of the six edges of a clique, each leaves a diamond; two chords make one of a ring
        ([(DIAMOND, 3), (K4, 10), (RING, 20)], ((1, 0),)),
        # a variant of a variant is in the same group
        ([(RING, 20), (DIAMOND, 10), (K4, 3)], ((0, 1, 2),)),
        # of as many copies, neither is a variant
        ([(RING, 9), (DIAMOND, 9)], ()),
        # one edge less and one node less
        ([(K3, 20), (RING, 9)], ()),
    ],
)
def test_near_variants_differ_by_an_edge(motifs, groups):
    assert near_variants(motifs) == groups


@pytest.fixture(scope="module")
def damaged():
    """Fourteen cliques of six nodes on a tree, five of them without an edge; two features."""
    graph = nx.full_rary_tree(3, 120)
    for first in range(120, 204, 6):
        graph.update(nx.relabel_nodes(nx.complete_graph(6), lambda node, to=first: to + node))
        graph.add_edge(first, first // 2)
    graph.remove_edges_from((first + 1, first + 2) for first in range(120, 204, 18))
    draws = np.random.default_rng(0).normal(size=len(graph))
    for node in graph:
        graph.nodes[node].update(x=draws[node], degree=graph.degree[node])
    return as_csr(graph, features=["x", "degree"])


@pytest.fixture(scope="module")
def exact(damaged):
    return motif_set(damaged, "3-6", exact_copies=True)


def test_copies_that_lack_an_edge_are_no_variant_unless_copies_are_exact(damaged, exact):
    miner = PatternMiner(pattern_size="3-6", **QUICK).fit(damaged)
    (clique,) = miner.motif_set_
    assert clique.motif.num_copies == 14 and clique.motif.copies_exact == 9
    assert miner.motif_set_.near == ()
    assert [one.motif.num_copies for one in exact] == [9, 5]
    assert not any(len(one.motif.edits) for one in exact) and exact.near == ((0, 1),)


def test_features_at_orbits_are_direct_means(damaged, exact):
    """Over the copies that the tables list, and over all nodes, one value at a time."""
    values = dict(zip(damaged.feature_names, damaged.features.T.tolist(), strict=True))
    table = exact.table("features").to_pandas()
    orbits = [set(one.structure.orbits.tolist()) for one in exact]
    assert len(table) == sum(2 * len(own) for own in orbits) == 6
    for row in table.to_dict("records"):
        own = exact.motifs[row["motif"]]
        nodes = {"ABCDEF".index(letter) for letter in row["nodes"].split()}
        orbits_of = own.structure.orbits
        assert nodes == {*np.flatnonzero(orbits_of == orbits_of[min(nodes)]).tolist()}
        column = values[row["feature"]]
        here = [column[copy.nodes[node]] for copy in own.motif.copies for node in nodes]
        for listed, names in ((here, ("mean", "sd")), (column, ("mean_all", "sd_all"))):
            assert row[names[0]] == pytest.approx(statistics.mean(listed))
            assert row[names[1]] == pytest.approx(statistics.pstdev(listed), abs=1e-9)
    apart = (table["mean"] - table["mean_all"]).abs() / table["sd_all"]
    assert all(own.is_monotonic_decreasing for _, own in apart.groupby(table["motif"]))
    # categories and features without a difference have none
    plain = motif_set(as_csr(damaged, features=np.ones((damaged.num_nodes, 1))), "3-6")
    assert not plain.table("features").columns()["motif"]


def test_what_is_not_used_is_said():
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6)
    graph.add_edge(0, 0)
    nx.set_edge_attributes(graph, 2.5, "weight")
    features = np.random.default_rng(0).random(len(graph))
    found = motif_set(as_csr(graph, weight="weight", features=features))
    weights = "edge weights are not used: a pattern has an edge or not"
    assert found.not_used == ("numeric features of the nodes", "dropped 1 self-loop", weights)
    # and what looks at self-loops, in graphs with and without directions
    look = "1 self-loop (gomkcn count 'A -- A' compares them with random graphs); edge weights"
    assert look in unused(found)
    for made in (nx.Graph, nx.DiGraph):
        assert count(made([(0, 0), (0, 1)]), "A -- A").value == 1
    # categories are used, and a constant is none
    kinds = np.eye(2)[np.arange(24) % 2]
    both = csr_from_edges(
        *np.array(nx.disjoint_union_all([nx.complete_graph(4)] * 6).edges).T, 24,
        features=np.column_stack([kinds, np.ones(24)]),
        feature_names=("kind=a", "kind=b", "size"),
    )  # fmt: skip
    assert motif_set(both).not_used == ()


def test_a_collection_shares_its_motifs():
    trees = [nx.random_labeled_tree(6 + k % 3, seed=k) for k in range(40)]
    graphs = [nx.disjoint_union(nx.cycle_graph(6), tree) for tree in trees]
    found = motif_set(graphs)
    (ring,) = found
    assert ring.key == Structure.parse("ring-6").key
    assert copies_of(found) == {ring.key: {(k, frozenset(range(6))) for k in range(40)}}
    assert "of the collection by" in summary(found)
    same = found.compare(graphs).to_pandas()
    assert same["copies_other"].tolist() == [40]
    assert same["bits_other"].tolist() == pytest.approx(same["bits"].tolist(), rel=0.02)
    assert found.transform(graphs)[:, 0].tolist() == [1] * 40
    drawn = found.to_networkx(graphs)
    copy = drawn.nodes["7/0"]["copy"]
    assert drawn.nodes["7/3"] == {"motif": 0, "copy": copy, "motif_role": "A/B/C/D/E/F"}
    assert drawn.nodes["7/6"] == {}


def test_copies_are_attributes_of_the_graph(planted, found, tmp_path):
    drawn = found.to_networkx(planted[0])
    nx.write_graphml(drawn, tmp_path / "graph.graphml")
    back = nx.read_graphml(tmp_path / "graph.graphml", node_type=int)
    for number, one in enumerate(found):
        nodes = [node for node, own in back.nodes(data=True) if own.get("motif") == number]
        copies = {back.nodes[node]["copy"] for node in nodes}
        assert {(0, frozenset(n for n in nodes if back.nodes[n]["copy"] == copy))
                for copy in copies} == copies_of(found)[one.key]  # fmt: skip
        edges = [ends for *ends, own in back.edges(data=True) if own.get("motif") == number]
        assert len(edges) == 10 * len(one.edges)
        assert all(back.nodes[u]["copy"] == back.nodes[v]["copy"] for u, v in edges)


def test_a_star_of_more_symmetries_than_64_bits_hold_is_tried():
    """A star of 24 leaves has 24! automorphisms; 20! is the last factorial of 63 bits."""
    graph = nx.disjoint_union_all([nx.star_graph(24)] * 6 + [nx.cycle_graph(9)])
    found = motif_set(graph, "3-4", given=["star-25", "star-20"])
    large, small = found.given.values()
    # a tree pays six bits a node and copy, so that the larger one misses by more
    assert 0 < small.bits < large.bits


def test_given_are_the_names_that_count_takes(tmp_path, ecoli):
    """Each name, in the words of the graph for signs, a file, and SMILES, as edges say it."""
    plain, signed = as_csr(nx.gn_graph(30, seed=1)), read_graph(ecoli)
    loop = tmp_path / "loop.txt"
    loop.write_text("a -> b\na -> c\nb -> c\n")
    for name in ("feed-forward-loop", "feed-forward loop", str(loop)):
        same = motif_set(plain, "3", given=[name]).given
        assert same == motif_set(plain, "3", given=["x->y, x->z, y->z"]).given
    pairs = (
        ("incoherent-feed-forward-loop-1", "activates", "represses"),
        ("coherent feed-forward loop of type 1", "activates", "activates"),
    )
    other = signed.relations.names
    words = replace(signed.relations, names=tuple({"activates": "+"}.get(n, n) for n in other))
    for name, first, second in pairs:
        text = f"x-[{first}]->y, x-[{first}]->z, y-[{second}]->z"
        assert given_keys(signed, name) == given_keys(signed, text)
        text = text.replace("activates", "+")
        assert given_keys(replace(signed, relations=words), name) == given_keys(
            replace(signed, relations=words), text
        )
    with pytest.raises(InputError, match=r"known name, got 'bifan'; the nearest is 'bi-fan'\."):
        motif_set(plain, "3", given=["bifan"])
    with pytest.raises(
        InputError, match="name the relation of each edge, as in a-\\[activates\\]->b"
    ):
        motif_set(signed, "3", given=["bi-fan"])


def given_keys(graph, text):
    """The structure that a text gives for a graph."""
    return [one.key for one in given_patterns([text], MinedGraph.of(graph), is_collection=False)]


def test_given_structures_are_read_in_the_relations_of_the_graph():
    """Named alone, or in another order, relations are those of the graph."""
    edges = [(k + u, k + v) for k in range(0, 60, 3) for u, v in ((0, 1), (0, 2), (1, 2))]
    relations = {"relation": np.array([0, 1, 1] * 20), "relation_names": ["acts", "binds"]}
    graph = csr_from_edges(*np.array(edges).T, 60, directed=[True, False], **relations)
    given = ["a-[binds]-b, c-[binds]-a, c-[acts]->b", "a-[acts]->b", "a-[binds]-b, b-[binds]-c"]
    found = motif_set(graph, "3", given=given)
    (triangle,) = found
    assert (triangle.motif.num_copies, "given" in triangle.sources) == (20, True)
    assert next(iter(found.given.values())).is_in_set
    miner = PatternMiner(given=given, null=None, values="occurrences").fit(graph)
    counts = {len(one.edges): one.frequency.count for one in miner.patterns_}
    assert counts == {3: 20, 1: 20, 2: 0} and miner.transform(graph).shape == (60, 3)


def test_large_motifs_take_their_copies_first():
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 12 + [nx.cycle_graph(3)] * 30)
    found = motif_set(graph, "3-4")
    assert {one.key for one in found} == {K3.key, K4.key}
    (row,) = found.transform(nx.complete_graph(4))
    assert dict(zip([one.key for one in found], row, strict=False)) == {K4.key: 1, K3.key: 0}


def test_what_grouped_degrees_change_is_said():
    mined = MinedGraph.of(nx.barabasi_albert_graph(120, 3, seed=1))
    code = GraphCode.of(mined)
    said = []
    for most_classes in (code.most_classes, 8):
        empty = GraphDescription.of(replace(code, most_classes=most_classes))
        found = search_graph(Question(mined, range(3, 5)), empty, Steps())
        said.append(finding._as_motif_set(mined, found, 1).not_used)
    assert not said[0]
    [said] = said[1]
    assert said.startswith("differences of some neighbouring degrees (the bits are off by at most")


def test_new_graphs_are_covered_without_a_search(planted, found):
    graph, truth = planted
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict() and copies_of(again) == copies_of(found)
    rows = again.transform(graph)
    assert rows[0, :2].tolist() == [10, 10]
    assert rows[0, 2] == pytest.approx(1 - found.edges_covered)
    assert found.get_feature_names_out().tolist() == [*found.names, "left over"]
    # what a graph gets does not depend on the others
    wheel, crown = nx.wheel_graph(6), nx.Graph(list(CROWN.edges))
    graphs = [wheel, nx.disjoint_union(crown, wheel), nx.path_graph(4), nx.empty_graph(2)]
    table = found.transform(graphs)
    assert table.tolist() == [found.transform(one)[0].tolist() for one in graphs]
    column = [one.key for one in found].index(WHEEL.key)
    assert table[:, column].tolist() == [1, 1, 0, 0] and table[:, 2].tolist() == [0, 0, 1, 0]
    # each node has its motif, its copy, and its orbit
    places = found.transform(graph, level="node")
    assert found.get_feature_names_out(level="node").tolist() == ["motif", "copy", "orbit"]
    seen = {}
    for motif, copy in {tuple(row) for row in places[:, :2].tolist() if row[0] >= 0}:
        nodes = np.flatnonzero((places[:, :2] == [motif, copy]).all(axis=1))
        seen.setdefault(found.motifs[motif].key, set()).add((0, frozenset(nodes.tolist())))
    assert seen == truth
    assert ((places >= 0).all(axis=1) == (places[:, 0] >= 0)).all()
    wheel = found.motifs[column].structure
    hub = wheel.orbits[wheel.joined.sum(axis=1).argmax()]
    hubs = graph.degrees[(places[:, 0] == column) & (places[:, 2] == hub)]
    assert len(hubs) == 10 and hubs.min() >= 5
    with pytest.raises(InputError, match="^level must be one of"):
        found.transform(graph, level="edge")


def test_a_set_is_compared_with_another_graph(planted, found):
    same = found.compare(planted[0]).to_pandas()
    assert same["motif"].tolist() == found.names
    assert same["copies"].tolist() == same["copies_other"].tolist() == [10, 10]
    assert same["bits_other"].tolist() == pytest.approx(same["bits"].tolist(), rel=0.02)
    # without copies there is nothing to save
    other = found.compare(nx.path_graph(40)).to_pandas()
    assert other["copies_other"].tolist() == [0, 0] and other["bits_other"].tolist() == [0, 0]


def test_what_is_given_has_the_categories_of_the_graph_by_name_or_by_value():
    # rings of two A and two B among nodes of a path
    plain = nx.disjoint_union_all([*[nx.cycle_graph(4)] * 12, nx.path_graph(30)])
    graph = as_csr(plain, nodes=pd.DataFrame({"kind": ["AB"[node % 2] for node in plain]}))
    sets = [
        motif_set(graph, 4, given=[text])
        for text in ("a:A--b:B, b--c:A, c--d:B, d--a", "a:kind=A--b:B, b--c:kind=A, c--d:B, d--a")
    ]
    for found in sets:
        assert [one.motif.num_copies for one in found] == [12]
        assert "given" in found.motifs[0].sources
    ways = (
        "given must be patterns whose nodes have categories of the graph, of each kind one, as in "
    )
    with pytest.raises(InputError, match=f"^{ways}'a:kind=A--b:kind=B', got 'ring-4'; the kinds"):
        motif_set(graph, 4, given=["ring-4"])
    with pytest.raises(InputError, match="^pattern must have categories of the graph, .* got 'C'"):
        motif_set(graph, 3, given=["a:C--b:A"])
    # in a collection it stands for every assignment of them
    whole = motif_set([graph, graph], 4, given=["ring-4"])
    assert [one.motif.num_copies for one in whole if "given" in one.sources] == [24]


def test_what_is_given_without_a_relation_is_told_those_of_the_graph():
    graph = nx.DiGraph([(0, 1, {"sign": "acts"}), (1, 2, {"sign": "stops"})])
    csr = as_csr(graph, relation="sign")
    with pytest.raises(
        InputError, match=r"name the relation of each edge, as in a-\[acts\]->b, where"
    ):
        motif_set(csr, 3, given=["a->b, b->c"])
    with pytest.raises(InputError, match=r"'acts' with .* directed=False, .* a-\[acts\]->b"):
        motif_set(csr, 3, given=["a-[acts]-b"])


@pytest.mark.parametrize("seed", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_motifs_come_out_behind_their_pieces(seed):
    """Triangles of the windmill and half a ladder are in the set first, and leave nothing over."""
    rng = np.random.default_rng(seed)
    wheel9 = Structure.from_networkx(nx.wheel_graph(9), "wheel9")
    wanted = [*map(get_motif, ("ladder8", "windmill7", "wheel7")), wheel9]
    base = barabasi_albert(420, 1, rng)
    options = {"settings": PlantingSettings("constant"), "seed": rng}
    made = plant_motifs(base, 420, dict.fromkeys(wanted, 6), **options)
    found = motif_set(made.to_csr(), "3-9")
    assert {one.key for one in found} == {one.key for one in wanted}
    assert [one.motif.num_copies for one in found] == [6] * 4
