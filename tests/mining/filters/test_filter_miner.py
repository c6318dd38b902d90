"""The miner of filters: responses, records, the estimator's conventions, layer and file."""

import pickle
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from forked import run
from planted_copies import K33, PRISM, plant, side_by_side, tree
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.mining.filters.miner_file import PER_NODE
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn.synthetic import MOTIFS, PlantingSettings, planted_motif_graph
from gomkcn_dgl import GOMKKernel, as_csr, gomk
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.subgraphs import extract_subgraphs

RING, CLIQUE = (Structure.parse(one).key for one in ("ring-5", "clique-4"))


def rings_and_cliques(rings, cliques):
    """Rings of five nodes, whose feature is 3, and cliques of four, whose feature is 7."""
    parts = [nx.cycle_graph(5)] * rings + [nx.complete_graph(4)] * cliques
    source, target = np.array(nx.disjoint_union_all(parts).edges).T
    values = np.repeat([3.0, 7.0], [5 * rings, 4 * cliques]).astype(np.float32)
    return csr_from_edges(source, target, len(values), features=values[:, None])


@pytest.fixture(scope="module")
def pair():
    """A miner of two filters without random graphs, and its graph."""
    graph = rings_and_cliques(6, 10)
    return FilterMiner(2, filter_size=5, contrast=False).fit(graph), graph


@pytest.fixture(scope="module")
def planted():
    """The miner of a small planted graph, and the graph."""
    graph = planted_motif_graph(200, copies=8, settings=PlantingSettings(features="per_type"))
    return FilterMiner().fit(graph), graph


@pytest.fixture(scope="module", params=["contrast", "sizes"])
def mined(request, planted):
    """Filters of one size, whatever random graphs have, or of several."""
    if request.param == "sizes":
        return planted
    return FilterMiner(12, contrast=False).fit(planted[1]), planted[1]


def test_each_subgraph_belongs_to_the_filter_that_it_is(pair):
    miner, _ = pair
    assert [one.structure.key for one in miner.filters_] == [CLIQUE, RING]
    assert [one.name for one in miner.filters_] == ["clique of 4 nodes", "cycle of 5 nodes"]
    assert [one.instances for one in miner.filters_] == [OccurrenceCount.exact(n) for n in (10, 6)]
    assert [one.disjoint_instances for one in miner.filters_] == [10, 6]
    for name in ("nearest_nodes", "exact"):
        assert [getattr(one, name).value for one in miner.filters_] == [40, 30]
    assert all(one.random_instances is None and not one.exceeds for one in miner.filters_)
    assert miner.labels_.tolist() == [1] * 30 + [0] * 40
    # in the units of the input
    for one, value in zip(miner.filters_, (7, 3), strict=True):
        assert np.allclose(one.features, value, atol=0.1)
        joined = one.structure.joined
        assert (one.weights[joined] > 0.5).all() and (one.weights[~joined] < 0.5).all()
        assert one.weights.shape == joined.shape
        assert len(one.similarity) == 5 and min(one.similarity) > 0.98
    assert len(miner.loss_curve_) == 1 and miner.n_iter_ == 0
    assert miner.loss_curve_[0] == pytest.approx(0, abs=1e-6)


def test_filters_that_training_made_worse_are_those_before():
    learning = FilterLearning(num_epochs=3, learning_rate=1e3, relocate=False)
    miner = FilterMiner(2, filter_size=5, contrast=False, learning=learning).fit(
        rings_and_cliques(6, 10)
    )
    assert [one.structure.key for one in miner.filters_] == [CLIQUE, RING]
    assert miner.loss_curve_[-1] > miner.loss_curve_[0] + 0.1


def test_responses_are_the_kernel_of_the_paper(mined):
    """Definition 2: similarity of each subgraph and each filter, by the plain implementation."""
    miner, graph = mined
    order = NodeOrder.of(graph.to_csr())
    csr, bank = order.graph, miner.bank_
    found = miner.transform(graph)
    assert found.dtype == np.float32 and found.shape == (csr.num_nodes, len(miner.filters_))
    for number, size in enumerate(bank.sizes):
        batch = extract_subgraphs(csr, bank.settings_of(size))
        features = miner.scaling_.scale(batch.gather(csr.features))
        features[batch.nodes < 0] = 0
        own = bank.filters.take(np.array([number])).padded(size)
        arrays = batch.adjacency(), features, own.adj, own.feat
        expected = gomk(
            *map(torch.from_numpy, arrays), kernel=bank.kernel, normalize=True, backend="reference"
        )
        given = order.given(np.arange(csr.num_nodes))
        np.testing.assert_allclose(found[given, number], expected[:, 0], atol=1e-5)
    np.testing.assert_array_equal(found, miner.responses_)
    np.testing.assert_array_equal(miner.predict(graph), miner.labels_)
    nearest = np.take_along_axis(found, miner.labels_[:, None], axis=1)[:, 0]
    np.testing.assert_array_equal(nearest, miner.similarities_)
    np.testing.assert_allclose(found.max(axis=1), nearest, atol=1e-4)
    assert miner.score(graph) == pytest.approx(float(found.max(axis=1).mean()))


def test_the_record_of_a_filter_says_what_its_nodes_do(mined):
    """Nearest nodes, quantiles and the nearest subgraphs, by a plain loop over the nodes."""
    miner, graph = mined
    csr = graph.to_csr()
    whole = nx.Graph(graph.edges.tolist())
    for number, one in enumerate(miner.filters_):
        own = [node for node in range(csr.num_nodes) if miner.labels_[node] == number]
        drawn = nx.Graph(one.structure.edges)
        for node in own:
            nodes = [int(v) for v in miner.subgraph_nodes_[node] if v >= 0]
            assert nodes[0] == node and len(nodes) <= one.size
            is_exact = nx.is_isomorphic(whole.subgraph(nodes), drawn)
            assert miner.is_exact_[node] == is_exact
            matched = miner.matching_[node][miner.matching_[node] >= 0]
            assert len({*matched.tolist()}) == len(matched) <= len(drawn)
        assert one.nearest_nodes.value == len(own)
        assert one.exact.value >= miner.is_exact_[own].sum()
        values = miner.similarities_[own]
        assert one.similarity == pytest.approx(np.quantile(values, (0.1, 0.25, 0.5, 0.75, 0.9)))
        best = one.nearest[0]
        assert best.similarity == pytest.approx(values.max())
        row = miner.matching_[best.root]
        for place, node in enumerate(best.nodes):
            at = np.flatnonzero(row == place)
            assert [node] == (miner.subgraph_nodes_[best.root][at].tolist() or [None])
    assert sum(one.nearest_nodes.value for one in miner.filters_) == csr.num_nodes
    if not miner.num_random_graphs_:
        instances = [one.instances.value for one in miner.filters_]
        assert instances == sorted(instances, reverse=True)
    # the nearest are on different nodes
    for one in miner.filters_:
        sets = [frozenset(near.nodes) - {None} for near in one.nearest]
        assert len(set(sets)) == len(sets)


def test_the_motifs_of_the_paper_are_found_as_often_as_they_are_there(planted):
    miner, _ = planted
    found = {one.structure.key: one for one in miner.filters_}
    for name in ("house6", "cup", "wheel", "crown"):
        one = found[MOTIFS[name].key]
        assert 8 <= one.instances.value <= 9 and one.exceeds, name
        assert one.exact.value <= 9 * MOTIFS[name].num_nodes


def test_a_sample_is_said_to_be_one():
    learning = FilterLearning(max_subgraphs=500)
    graph = rings_and_cliques(400, 250)
    miner = FilterMiner(2, 5, contrast=False, learning=learning, max_assigned=1000).fit(graph)
    drawn = miner.labels_ >= 0
    assert drawn.sum() == 1000
    assert np.isnan(miner.similarities_[~drawn]).all()
    assert np.isnan(miner.responses_[~drawn]).all() and not np.isnan(miner.responses_[drawn]).any()
    ring = {one.structure.key: one for one in miner.filters_}[RING]
    nodes = ring.nearest_nodes
    assert not nodes.is_exact and nodes.low < 2000 < nodes.high
    assert nodes.value == 3 * (miner.labels_ == ring.id).sum()
    # all of those that were drawn are rings, which all their five nodes show
    assert ring.exact == nodes and ring.instances.value == pytest.approx(nodes.value / 5)
    assert ring.instances.low < 400 < ring.instances.high
    assert "around 500 of 3,000 nodes" in miner.note_
    np.testing.assert_array_equal(miner.predict(graph)[drawn], miner.labels_[drawn])


@pytest.mark.parametrize(("hits", "drawn", "total"), [(20, 50, 400), (1, 40, 100), (3, 20, 1000)])
def test_intervals_of_a_sample_hold_the_truth(hits, drawn, total):
    """Of random draws without replacement from what the estimate says, 95 % hold it."""
    rng = np.random.default_rng(0)
    truth = hits * total // drawn
    members = np.arange(total) < truth
    held = 0
    for _ in range(2000):
        found = int(rng.choice(members, drawn, replace=False).sum())
        count = OccurrenceCount.of_sample(found, drawn, total)
        assert count.low <= count.value <= count.high
        held += count.low <= truth <= count.high
    assert held > 0.92 * 2000


def test_a_sample_of_everything_is_exact():
    assert OccurrenceCount.of_sample(3, 7, 7) == OccurrenceCount.exact(3)
    none = OccurrenceCount.of_sample(0, 10, 1000)
    assert none.state == "bounded" and 200 < none.high < 300


def test_filters_do_not_depend_on_how_nodes_are_numbered():
    graph, _ = plant(tree(60), [(PRISM, 5), (K33, 4)], seed=2)
    order = np.random.default_rng(0).permutation(len(graph)).tolist()
    turned = nx.Graph()
    turned.add_nodes_from(range(len(graph)))
    turned.add_edges_from((order[u], order[v]) for u, v in graph.edges)
    for contrast in (True, False):
        miners = [FilterMiner(5, 6, contrast=contrast).fit(one) for one in (graph, turned)]
        found = [
            {one.structure.key: (str(one.instances), one.exceeds) for one in miner.filters_}
            for miner in miners
        ]
        assert found[0] == found[1] and len(found[0]) == 5
        np.testing.assert_allclose(
            np.sort(miners[0].responses_, axis=1),
            np.sort(miners[1].responses_[order], axis=1),
            atol=1e-5,
        )


def test_the_same_seed_gives_the_same_filters():
    graph = nx.gnm_random_graph(300, 500, seed=1)
    learning = FilterLearning(max_subgraphs=100)
    for contrast in (True, False):
        fits = [
            FilterMiner(
                6, 5, contrast=contrast, learning=learning, max_assigned=90, random_state=seed
            ).fit(graph)
            for seed in (3, 3, 4)
        ]
        records = [[one.to_dict() for one in miner.filters_] for miner in fits]
        assert records[0] == records[1] != records[2]
        np.testing.assert_array_equal(fits[0].labels_, fits[1].labels_)


def test_every_container_gives_the_same_filters():
    dgl = pytest.importorskip("dgl")
    geometric = pytest.importorskip("torch_geometric.data")
    parts = [nx.cycle_graph(5)] * 3 + [nx.complete_graph(4)] * 4
    tensors = [torch.tensor(list(part.to_directed().edges)).T for part in parts]
    batch = dgl.batch([dgl.graph((one[0], one[1])) for one in tensors])
    data = [geometric.Data(edge_index=one, num_nodes=int(one.max()) + 1) for one in tensors]
    for graph in (
        parts,
        nx.disjoint_union_all(parts),
        batch,
        data,
        geometric.Batch.from_data_list(data),
    ):
        miner = FilterMiner(2, filter_size=5, contrast=False).fit(graph)
        assert [(one.name, one.instances.value) for one in miner.filters_] == [
            ("clique of 4 nodes", 4),
            ("cycle of 5 nodes", 3),
        ]
        assert len(miner.filters_[0].nearest) == 4
    assert {near.graph for near in miner.filters_[0].nearest} == {3, 4, 5, 6}


def test_directions_and_relations_are_those_of_the_graph():
    arcs = nx.disjoint_union_all([nx.DiGraph([(0, 1), (1, 2), (2, 0)])] * 5)
    miner = FilterMiner(filter_size=3).fit(arcs)
    (found,) = miner.filters_
    assert found.structure.key == Structure.parse("a->b, b->c, c->a").key
    assert found.instances.value == 5 and found.exact.value == 15
    assert found.weights.shape == (3, 3, 2)
    drawn = found.to_networkx()
    assert drawn.is_directed() and all(data["weight"] > 0.9 for *_, data in drawn.edges(data=True))
    with pytest.raises(InputError, match="^graph must have relations that the miner was fitted on"):
        miner.transform(as_csr(nx.DiGraph([(0, 1)]), relation=np.array(["other"])))


def test_categories_decide_what_is_exact():
    """Rings of carbon with one nitrogen: a subgraph is its structure if its letters are."""
    rings = [nx.cycle_graph(5)] * 6
    graph = nx.disjoint_union_all(rings)
    labels = np.zeros((30, 2))
    labels[:, 0] = 1
    # three of the rings have another letter at one node
    labels[[0, 5, 10]] = [0, 1]
    csr = csr_from_edges(
        *np.array(graph.edges).T,
        30,
        features=labels.astype(np.float32),
        feature_names=("label=C", "label=N"),
    )
    miner = FilterMiner(filter_size=5, contrast=False).fit(csr)
    assert [one.exact.value for one in miner.filters_] == [15, 15]
    assert {one.structure.categories.count(("label=N",)) for one in miner.filters_} == {0, 1}
    assert miner.labels_[:15].tolist() != miner.labels_[15:].tolist() and miner.is_exact_.all()
    (one,) = FilterMiner(1, filter_size=5, contrast=False).fit(csr).filters_
    assert one.nearest_nodes.value == 30 and (one.exact.value, one.instances.value) == (15, 3)
    assert one.to_networkx().nodes[0]["category"] in ("label=C", "label=N")


def test_of_filters_that_a_node_is_in_the_largest_is_the_nearest():
    graph = side_by_side((nx.complete_graph(4), 8), (nx.complete_graph(3), 9))
    miner = FilterMiner(filter_size="3-4").fit(graph)
    assert [one.structure.num_nodes for one in miner.filters_] == [4, 3]
    assert (miner.responses_[:32] > 0.999).all()
    assert miner.labels_.tolist() == [0] * 32 + [1] * 27
    # in whatever order they are
    other = replace(miner.bank_.take(np.array([1, 0])), ranks=())
    alike = np.ones((1, 2))
    assert other.label(alike, alike > 0).tolist() == [1]
    # but first the one that a subgraph is, and of those that it is not the more similar one
    assert other.label(alike, np.array([[True, False]])).tolist() == [0]
    assert other.label(np.array([[0.8, 0.7]]), alike > 2).tolist() == [0]


def test_of_equally_similar_filters_the_first_is_the_nearest():
    graph = side_by_side((PRISM, 3), (K33, 2))
    bank = FilterMiner(2, 6, contrast=False).fit(graph).bank_
    nothing = np.zeros((1, 2), bool)
    for similarity in ([1.0, 1.0], [0.99999, 1.0], [1.0, 0.99999]):
        assert bank.label(np.array([similarity]), nothing).tolist() == [0]
        # it is still the first where they are in another order
        turned = bank.take(np.array([1, 0]))
        assert turned.label(np.array([similarity]), nothing).tolist() == [1]
    assert bank.label(np.array([[0.9, 1.0]]), nothing).tolist() == [1]
    assert bank.label(np.full((1, 2), np.nan), nothing).tolist() == [-1]


def test_it_is_an_estimator(pair):
    miner, graph = pair
    fresh = clone(miner).set_params(num_filters=1, learning__num_epochs=3)
    assert fresh.learning == FilterLearning(num_epochs=3) and fresh.num_filters == 1
    assert fresh.get_params()["learning__num_epochs"] == 3
    assert not hasattr(fresh, "filters_")
    assert miner.learning is None
    with pytest.raises(InputError, match="a parameter of learning must be one of"):
        fresh.set_params(learning__epochs=3)
    np.testing.assert_array_equal(clone(miner).fit_predict(graph), miner.labels_)
    assert miner.get_feature_names_out().tolist() == ["0: clique of 4 nodes", "1: cycle of 5 nodes"]
    copied = pickle.loads(pickle.dumps(miner))
    np.testing.assert_array_equal(copied.transform(graph), miner.responses_)


def test_it_is_chosen_by_a_grid_and_feeds_a_classifier():
    graphs = [nx.cycle_graph(6), nx.complete_graph(5)] * 6
    labels = [0, 1] * 6
    search = GridSearchCV(
        FilterMiner(filter_size=5, contrast=False),
        {"num_filters": [1, 2], "learning__num_epochs": [0, 1]},
        cv=2,
    ).fit(graphs)
    assert search.best_params_["num_filters"] == 2
    assert search.best_score_ == pytest.approx(1, abs=0.01)
    pipeline = make_pipeline(
        FilterMiner(2, filter_size=5, contrast=False, level="graph"), LogisticRegression(C=100)
    ).fit(graphs, labels)
    assert pipeline.predict([nx.complete_graph(6), nx.cycle_graph(7)]).tolist() == [1, 0]
    miner = pipeline[0]
    assert miner.transform(graphs).shape == (12, 2)
    assert miner.predict(graphs).shape == (12,) and miner.labels_.shape == (66,)
    # without the level a row is a node, and classes are those of graphs
    for given in (labels, np.array(labels)):
        with pytest.raises(InputError, match="^y has a value for each of the 12 graphs, .*'graph'"):
            make_pipeline(FilterMiner(2), LogisticRegression()).fit(graphs, given)
    # nodes of one graph
    nodes = make_pipeline(FilterMiner(2, filter_size=5, contrast=False), LogisticRegression(C=100))
    whole = nx.disjoint_union_all(graphs)
    assert nodes.fit(whole, ([0] * 6 + [1] * 5) * 6).score(whole, ([0] * 6 + [1] * 5) * 6) == 1


def test_a_layer_holds_the_filters_of_a_size(planted):
    miner, graph = planted
    sizes, csr = miner.bank_.sizes, graph.to_csr()
    features = torch.from_numpy(miner.scaling_.scale(csr.features))
    assert len({*sizes}) > 1
    for size in {*sizes}:
        conv = miner.to_conv(size)
        assert conv.filters.filter_size == size
        scores = conv(csr, features)
        assert scores.requires_grad
        own = miner.responses_[:, np.array(sizes) == size]
        # 1 is .998 in a layer
        np.testing.assert_allclose(scores.detach().numpy(), own, atol=0.02)
    known = ", ".join(map(str, sorted({*sizes})))
    for size in (None, 2):
        with pytest.raises(InputError, match=f"^size must be one of the sizes .* {known}, got "):
            miner.to_conv(size)


def test_a_layer_holds_filters_of_one_size(pair):
    miner, graph = pair
    features = torch.from_numpy(miner.scaling_.scale(graph.features))
    scores = miner.to_conv()(graph, features).detach().numpy()
    np.testing.assert_allclose(scores, miner.responses_, atol=0.02)
    np.testing.assert_array_equal(scores.argmax(axis=1), miner.labels_)


def test_what_is_saved_is_read_again(mined, tmp_path):
    miner, graph = mined
    path = tmp_path / "filters.npz"
    miner.save(path)
    read = FilterMiner.load(path)
    assert read.get_params() == miner.get_params()
    np.testing.assert_array_equal(read.transform(graph), miner.transform(graph))
    assert [one.to_dict() for one in read.filters_] == [one.to_dict() for one in miner.filters_]
    np.testing.assert_array_equal(read.predict(graph), miner.labels_)
    for name in PER_NODE:
        np.testing.assert_array_equal(getattr(read, name), getattr(miner, name))
    for name in ("loss_curve_", "n_iter_", "note_", "num_random_graphs_", "is_partial_"):
        assert getattr(read, name) == getattr(miner, name)
    assert torch.equal(read.to_conv(6).filters.adj(), miner.to_conv(6).filters.adj())
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file)
    for content in (b"", b"PK no archive", path.read_bytes()[:-200]):
        (tmp_path / "broken.npz").write_bytes(content)
        with pytest.raises(InputError, match="must be a file that FilterMiner.save wrote"):
            FilterMiner.load(tmp_path / "broken.npz")
    with pytest.raises(InputError, match="must be a file that FilterMiner.save wrote"):
        FilterMiner.load(tmp_path / "absent.npz")


def test_numbers_of_numpy_are_saved(tmp_path):
    miner = FilterMiner(np.int64(2), filter_size=np.int32(4)).fit(nx.cycle_graph(6))
    miner.save(tmp_path / "numpy.npz")
    assert FilterMiner.load(tmp_path / "numpy.npz").get_params() == miner.get_params()


def test_typed_filters_are_saved_with_their_relations(tmp_path):
    given = {"relation": np.array([0, 1, 1]), "relation_names": ["acts", "binds"]}
    graph = csr_from_edges([0, 1, 2], [1, 2, 0], 3, directed=[True, False], **given)
    miner = FilterMiner(1, filter_size=3, contrast=False).fit(graph)
    miner.save(tmp_path / "typed.npz")
    read = FilterMiner.load(tmp_path / "typed.npz")
    assert read.relations_.kinds == [("acts", True), ("binds", False)]
    assert read.filters_[0].structure.key == miner.filters_[0].structure.key
    np.testing.assert_array_equal(read.transform(graph), miner.transform(graph))


def test_the_table_has_a_row_for_each_filter(pair):
    frame = pair[0].table().to_pandas()
    for name, values in {
        "instances": [10, 6],
        "instances_low": [10, 6],
        "instances_high": [10, 6],
        "disjoint": [10, 6],
        "nearest_nodes": [40, 30],
        "exact_nodes": [40, 30],
        "exceeds": [False, False],
        "num_nodes": [4, 5],
    }.items():
        assert frame[name].tolist() == values, name
    assert frame["random_mean"].isna().all() and frame["similarity"].tolist() == [1, 1]
    assert frame["structure"].tolist() == ["clique of 4 nodes", "cycle of 5 nodes"]
    assert [edges.count("--") for edges in frame["edges"]] == [6, 5]


def test_the_table_says_what_random_graphs_have(planted):
    miner, _ = planted
    frame = miner.table().to_pandas()
    assert frame["random_mean"].tolist() == [one.random_instances.mean for one in miner.filters_]
    assert frame["random_sd"].tolist() == [one.random_instances.sd for one in miner.filters_]
    assert frame["exceeds"].all()


def test_weights_of_edges_are_left_out_and_that_is_said(log):
    graph = csr_from_edges([0, 1, 2], [1, 2, 0], 3, weights=[1.0, 2.0, 3.0])
    miner = FilterMiner(filter_size=3, contrast=False).fit(graph)
    assert [(len(one.structure.edges), one.instances.value) for one in miner.filters_] == [(3, 1)]
    assert any("weights are not used" in line for line in log())


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"num_filters": 0}, "num_filters must be"),
        ({"num_filters": "many"}, "num_filters must be"),
        ({"filter_size": "8-3"}, "filter_size must have the smallest number first"),
        (
            {"filter_size": (3, 4, 5)},
            "filter_size must be a number of nodes, or the ",
        ),
        ({"filter_size": 1}, "filter_size must be"),
        ({"filter_size": 65}, "filter_size must be"),
        ({"max_assigned": 0}, "max_assigned must be"),
        ({"level": "edge"}, "level must be one of"),
        ({"device": "tpu"}, "device must be"),
        ({"device": 3}, "device must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"learning": {"num_hops": 2}}, "learning must be a gomkcn.FilterLearning"),
    ],
)
def test_what_is_out_of_range_is_refused(params, error):
    with pytest.raises((InputError, InputTypeError), match=error):
        FilterMiner(**params).fit(nx.cycle_graph(5))


def test_fields_out_of_range_are_refused():
    for name, value in {"num_epochs": -1, "max_subgraphs": 0, "kernel": None}.items():
        with pytest.raises((InputError, InputTypeError), match=name):
            FilterLearning(**{name: value})


def test_features_must_be_those_of_the_fit(pair):
    with pytest.raises(InputError, match="^features must be those of the training graphs, x0, of"):
        pair[0].transform(as_csr(nx.cycle_graph(5), features=np.ones((5, 2))))


def test_the_paper_s_settings_are_those_that_it_prints():
    paper = FilterLearning.paper()
    assert (paper.num_hops, paper.num_epochs, paper.learning_rate) == (3, 500, 0.5)
    assert (paper.policy, paper.init, paper.kernel.matching) == ("bfs", "random", "greedy")
    assert paper.kernel == GOMKKernel(3, tau=1.0, matching="greedy")


def test_a_graph_without_edges_has_a_filter_of_one_node():
    graph = nx.empty_graph(4)
    (one,) = FilterMiner(3).fit(graph).filters_
    assert one.structure.num_nodes == 1 and one.instances.value == one.exact.value == 4


def test_other_graphs_may_have_nothing_that_is_as_a_filter(pair):
    miner, _ = pair
    for other in (nx.star_graph(7), nx.empty_graph(2), nx.complete_graph(9)):
        graph = as_csr(other, features=np.ones((len(other), 1)))
        found = miner.transform(graph)
        assert found.shape == (len(other), 2) and (found < 0.9).all()
        assert miner.predict(graph).tolist() == found.argmax(axis=1).tolist()


# nothing but what a CPU needs is loaded
WITHOUT_TORCH = """
import json, pickle, sys
import networkx as nx
from gomkcn.mining import FilterMiner

graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(4)] * 6)
found = []
for options in ({}, {"num_filters": 2, "contrast": False, "filter_size": 5}):
    miner = FilterMiner(**options).fit(graph)
    miner.predict(graph), miner.transform(graph), miner.table()
    pickle.dumps(miner)
    found.append([[one.name, one.instances.value] for one in miner.filters_])
print(json.dumps([found, sorted({"torch", "dgl"} & sys.modules.keys())]))
"""


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is used where there is one")
def test_on_a_cpu_torch_is_not_loaded():
    found, loaded = run(WITHOUT_TORCH)
    assert [dict(one) for one in found] == [{"cycle of 5 nodes": 6, "clique of 4 nodes": 6}] * 2
    assert loaded == []
