"""A run of filters: what it holds, its folder and page, how it is read back, what is refused."""

import base64
import hashlib
import io
import itertools
import json
import re
import zlib
from dataclasses import replace

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest
from random_graphs import rings_and_cliques
from self_contained import Page
from tiny_runs import assert_numbers, change, signed_loops

from gomkcn.mining import (
    FilterLearning,
    FilterMiner,
    MiningRun,
    PatternMiner,
    load,
)
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.query import Query
from gomkcn.mining.filters.filter_columns import FILTER_COLUMNS, NO_MORE
from gomkcn.mining.filters.filter_figure import feature_colors
from gomkcn.mining.filters.filters_records import DrawnRecord, FiltersRecord
from gomkcn.mining.filters.filters_run import FiltersRun, PageLimits, count_filters
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.graph_map import MapRecord
from gomkcn.mining.plots.styles import filter_colors
from gomkcn.mining.runs.filters import FILTERS, learn_filters, run_of_filters
from gomkcn.mining.runs.graph_inputs import GraphInputs, RunRecord
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn.mining.show.filters_page import filters_row, render_filters
from gomkcn.mining.show.filters_text import format_filters
from gomkcn.mining.show.page import read_text
from gomkcn.mining.show.text_table import text_table
from gomkcn.mining.structures.pattern import UNCOUNTED
from gomkcn.mining.structures.records import read_as
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.run import prepare_folder, read_run, write_page, write_run
from gomkcn_dgl.runtime.steps import Steps

JSON_FILES = ("run", "filters", "map", "drawn")
SMALL = {"num_filters": 3, "filter_size": 5, "contrast": False, "num_epochs": 2}


def coloured():
    """Rings and cliques of five nodes whose nodes have three numbers, and a name as an id."""
    graph = rings_and_cliques()
    rng = np.random.default_rng(0)
    for node in graph:
        red, green, blue = rng.random(3).tolist()
        graph.nodes[node].update(red=red, green=green, blue=blue)
    graph = nx.relabel_nodes(graph, {0: "zero <&>"})
    return as_csr(graph, features=("red", "green", "blue"))


def molecules():
    """Twelve labelled rings with a tail, in a collection."""
    count = 12
    first = 7 * np.repeat(np.arange(count), 7)
    return csr_from_edges(
        first + np.tile([0, 1, 2, 3, 4, 5, 0], count),
        first + np.tile([1, 2, 3, 4, 5, 0, 6], count),
        7 * count,
        features=np.eye(2)[[0, 0, 0, 0, 0, 0, 1] * count],
        feature_names=["label=C", "label=N"],
        graph_ptr=np.arange(0, 7 * count + 1, 7),
        undirected=True,
    )


def made(graph, truth=None, **changes):
    """Settings, the fitted miner and the run of a graph."""
    settings = FiltersSettings().override({**SMALL, "path": "some/graph.graphml", **changes})
    run = learn_filters(settings, GraphInputs(as_csr(graph), truth=truth)).found
    return settings, run.miner, run


def read_records(records):
    """Each file of a run has the types of its record; a run without a page has no map."""
    kinds = {"run": RunRecord, "filters": FiltersRecord, "map": MapRecord, "drawn": DrawnRecord}
    for name, record in records.items():
        if record is not None:
            read_as(kinds[name], record)


@pytest.fixture(scope="module")
def graph():
    return coloured()


@pytest.fixture(scope="module")
def job(graph):
    return made(graph)


@pytest.fixture(scope="module")
def run(job):
    return job[2]


@pytest.fixture(scope="module")
def written(tmp_path_factory, job):
    """A finished run that no test changes."""
    folder = tmp_path_factory.mktemp("run") / "a" / "b"
    assert prepare_folder(FILTERS, folder) == folder / ".progress"
    *_, run = job
    write_run(FILTERS, folder, run_of_filters(run))
    return folder


@pytest.fixture
def copied(written, tmp_path):
    for file in written.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def unpacked(page):
    """What the script of a page works on."""
    block = re.search(r'id="run-data">([^<]*)<', page)
    return json.loads(zlib.decompress(base64.b64decode(block[1])))


def words_of(page):
    """The text of a page, with one space between words."""
    return " ".join(" ".join(Page(page).text).split())


def test_the_files_of_a_run(written, graph, job):
    settings, miner, _ = job
    assert sorted(file.name for file in written.iterdir()) == [
        "drawn.json", "filters.html", "filters.json", "filters.npz", "map.json", "nodes.parquet",
        "run.json", "settings.toml",
    ]  # fmt: skip
    records = {name: json.loads((written / f"{name}.json").read_bytes()) for name in JSON_FILES}
    read_records(records)
    assert FiltersSettings().read(written / "settings.toml") == settings
    page = (written / "filters.html").read_text("utf-8")
    paths = assert_numbers(page, {f"{name}.json": record for name, record in records.items()})
    for name in ("instances", "nearest_nodes", "occurrences"):
        assert {f"/filters/{number}/{name}/value" for number in range(3)} <= paths
    assert "zero <&>" not in page
    # it can be loaded and used again
    loaded = FilterMiner.load(written / "filters.npz")
    assert loaded.predict(graph).tolist() == miner.labels_.tolist()
    table = pq.read_table(written / "nodes.parquet").to_pydict()
    assert list(table) == ["node", "filter", "similarity"]
    assert table["filter"] == miner.labels_.tolist()
    assert table["similarity"] == miner.similarities_.tolist()
    assert sorted(table["node"]) == sorted(["zero <&>", *map(str, range(1, len(table["node"])))])


def test_a_run_is_read_back(written, copied, run):
    back = load(written)
    # JSON has lists for tuples
    assert json.dumps(back.to_dict()) == json.dumps(run.to_dict())
    names = ("graph", "occurrences", "highest", "recovery", "loss_curve", "notes", "note")
    for name in (*names, "num_random_graphs", "num_assigned"):
        assert getattr(back, name) == getattr(run, name), name
    assert back.map.to_dict() == run.map.to_dict() and back.drawn.to_dict() == run.drawn.to_dict()
    assert format_filters(back) == format_filters(run)
    (copied / "filters.html").unlink()
    page = write_page(FILTERS, copied, run_of_filters(back))
    assert page.read_text("utf-8") == (written / "filters.html").read_text("utf-8")


def test_the_page_loads_nothing_and_runs_its_own_script(written):
    page = Page((written / "filters.html").read_text("utf-8"))
    assert len(page.scripts) == 2
    addresses = [value for name, value in page.attributes if name in ("href", "src")]
    assert all(value.startswith("#") for value in addresses)
    policy = next(value for _, value in page.attributes if value and "default-src" in value)
    digest = base64.b64encode(hashlib.sha256(page.scripts[-1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'")
    assert len((written / "filters.html").read_bytes()) < 1_000_000


def test_nearest_nodes_and_occurrences_are_those_of_the_graph(graph, job):
    _, miner, run = job
    for one, count in zip(run.filters, run.occurrences, strict=True):
        assert one.nearest_nodes.value == (miner.labels_ == one.id).sum()
        assert count == count_query(Query.of_structure(graph, one.structure))[0]
        assert count.is_exact
    assert run.note == miner.note_ and run.num_random_graphs == 0 and not run.is_sample
    instances = [one.instances.value for one in run.filters]
    assert instances == sorted(instances)[::-1]
    # 6 rings and 5 cliques stand alone, so that each node of one has the whole as its subgraph
    assert {one.name: count.value for one, count in zip(run.filters, run.occurrences, strict=True)
            }.items() >= {"cycle of 5 nodes": 6}.items()  # fmt: skip


def test_the_script_knows_subgraphs_matching_and_responses(graph, job):
    _, miner, run = job
    record = unpacked(render_filters(run))
    rows = np.arange(graph.num_nodes)
    assert record["labels"] == miner.labels_.tolist()
    assert record["subgraphs"] == miner.subgraph_nodes_.tolist()
    assert record["matching"] == miner.matching_.tolist()
    assert record["exact"] == miner.is_exact_.tolist()
    responses = np.array(record["responses"])
    assert np.abs(responses.T - 1000 * miner.responses_).max() <= 0.5001
    assert (responses[miner.labels_, rows] == record["similarities"]).all()
    # three features are red, green and blue, from the lowest to the highest of each
    features = graph.features
    scaled = (features - features.min(0)) / np.ptp(features, axis=0)
    fills = [[int(fill[at : at + 2], 16) for at in (1, 3, 5)] for fill in record["fills"]]
    assert np.abs(np.array(fills) - 255 * scaled).max() <= 0.5001
    for own, one in zip(record["filters"], run.filters, strict=True):
        column = responses[one.id]
        assert (own["low"], own["high"]) == (column.min(), column.max())
        assert own["size"] == len(own["points"]) == one.structure.num_nodes
        assert [(u, v) for u, v, _ in own["edges"]] == list(one.structure.edges)


def test_a_subgraph_of_fewer_nodes_is_padded():
    _, miner, run = made(nx.path_graph(3))
    record = unpacked(render_filters(run))
    assert record["subgraphs"] == miner.subgraph_nodes_.tolist()
    assert [sum(one == -1 for one in row) for row in record["subgraphs"]] == [2, 2, 2]


def test_of_a_large_collection_the_graphs_of_the_highest_responses_are_shown():
    graph = as_csr([nx.cycle_graph(5)] + [nx.star_graph(4)] * 5)
    settings, miner, _ = made(graph, num_filters=1)
    run = FiltersRun.of(miner, graph, settings=settings, limits=PageLimits(most_nodes=6))
    # the only filter is a star, and so is the graph
    assert set(run.map.graphs.tolist()) == {1} == {run.highest[0][0][0]}


def test_planted_motifs_are_the_filters_that_are_isomorphic():
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 4 + [nx.complete_graph(5)] * 3)
    motifs = {"ring": (nx.cycle_graph(5), range(0, 20, 5)), "star": (nx.star_graph(4), ())}
    truth = {
        "motifs": [
            {"name": name, "num_nodes": 5, "edges": [list(edge) for edge in motif.edges],
             "copies": len(starts), "instances": [[*range(at, at + 5)] for at in starts]}
            for name, (motif, starts) in motifs.items()
        ]
    }  # fmt: skip
    _, _, run = made(graph, truth)
    ring, star = run.recovery
    assert (ring.pattern_ids, ring.planted_found, star.pattern_ids) == ((0,), 4, ())
    assert [run.planted_as(number) for number in range(2)] == ["ring", ""]
    page = " ".join(Page(render_filters(run)).text)
    assert re.search(r"Filter\s+0\s+is 1 of the 2 planted motifs\s+with 4 copies\.", page)
    assert "ring: filter 0; 4 of 4 copies" in page and "star: no filter" in page
    assert text_table(FILTER_COLUMNS, run.rows).columns["planted"] == ["ring", "-"]
    said = "1 of 2 planted motifs is the structure of a filter: ring (4 instances, 4 planted)."
    assert said in format_filters(run)
    assert run.to_dict()["filters"][0]["planted"] == "ring"


def test_of_a_sample_numbers_have_intervals_and_others_are_not_compared(graph):
    _, miner, run = made(graph, max_assigned=20)
    assert run.num_assigned == 20 < graph.num_nodes and run.is_sample
    assert len(run.nodes.columns()["node"]) == 20
    for name in ("instances", "nearest_nodes"):
        counts = [getattr(one, name) for one in run.filters]
        assert not any(one.is_exact for one in counts if one.value)
    record = unpacked(render_filters(run))
    unknown = np.flatnonzero(miner.labels_ < 0)
    assert {record["labels"][row] for row in unknown} == {-1}
    assert {record["similarities"][row] for row in unknown} == {-1}
    page = words_of(render_filters(run))
    assert f"20 of {graph.num_nodes} nodes, drawn at random" in page
    assert "95% CI" in page and "not compared" in page
    said = " ".join(format_filters(run).split())
    assert f"estimates from 20 of {graph.num_nodes} nodes, drawn at random" in said
    # a number above its interval, of instances
    first = run.filters[0].instances
    shown = text_table(FILTER_COLUMNS, run.rows).columns["instances"][0]
    assert shown[0].startswith("≈ ") and shown[1].startswith("95% CI ")
    assert shown[1].removeprefix("95% CI ").split(" to ")[0] in str(first)
    assert f"{shown[0]} {shown[1]} {run.filters[0].disjoint_instances} disjoint" in page


def test_of_a_large_graph_the_page_shows_the_most_similar_subgraphs(graph, job):
    settings, miner, _ = job
    limits = PageLimits(most_nodes=40, most_places=1)
    run = FiltersRun.of(miner, graph, settings=settings, limits=limits)
    names = set(run.map.names)
    assert 5 < len(names) < graph.num_nodes
    nearest = {
        str(node) for one in run.filters for node in one.nearest[0].nodes if node is not None
    }
    assert nearest <= set(map(str, names))
    # a node whose subgraph is not all there says so
    record = unpacked(render_filters(run))
    sizes = (miner.subgraph_nodes_ >= 0).sum(axis=1)
    for row, name in zip(record["subgraphs"], run.map.names, strict=True):
        at = graph.original_ids(np.arange(graph.num_nodes)).index(name)
        assert sum(one != -1 for one in row) == sizes[at]
    page = " ".join(Page(render_filters(run)).text)
    assert f"A sample: {len(names)} of {graph.num_nodes} nodes" in page


def test_a_collection_names_the_graphs_of_the_highest_response():
    graph = molecules()
    settings, miner, run = made(graph)
    owner = graph.graph_of(np.arange(graph.num_nodes))
    for number, graphs in enumerate(run.highest):
        highest = [miner.responses_[owner == one, number].max() for one in range(12)]
        assert [value for _, value in graphs] == pytest.approx(sorted(highest)[::-1][:5], abs=1e-6)
        assert all(highest[one] == pytest.approx(value, abs=1e-6) for one, value in graphs)
    assert list(run.nodes.columns()) == ["graph", "node", "filter", "similarity"]
    assert run.nodes.columns()["graph"].tolist() == owner.tolist()
    record = unpacked(render_filters(run))
    assert record["collection"] and record["filters"][0]["graphs"][0][1] == max(
        record["responses"][0]
    )
    # categories are letters, which the drawings have
    assert ">N</text>" in render_filters(run)
    # of a large collection whole graphs
    part = FiltersRun.of(miner, graph, settings=settings, limits=PageLimits(most_nodes=30))
    assert len(part.map.names) == 28 and set(np.bincount(part.map.graphs)[part.map.graphs]) == {7}
    assert not (part.drawn.subgraphs == -2).any()


def test_directions_and_relations_are_read_back(tmp_path):
    *_, run = made(signed_loops(20), filter_size=3)
    prepare_folder(FILTERS, tmp_path)
    write_run(FILTERS, tmp_path, run_of_filters(run))
    back = load(tmp_path)
    assert [one.structure.key for one in back.filters] == [one.structure.key for one in run.filters]
    assert back.filters[0].weights.tolist() == run.filters[0].weights.tolist()
    assert render_filters(back) == render_filters(run)
    assert back.graph == run.graph and {one.directed for one in run.graph.relations} == {
        False,
        True,
    }


def test_what_is_left_when_time_is_up_is_marked(graph, job):
    settings, miner, _ = job
    late = Steps(interrupts=Interrupts(1e-9))
    counts = count_filters(miner.filters_, graph, 1.0, late)
    assert counts == (UNCOUNTED,) * 3 and late.is_partial
    run = replace(
        FiltersRun.of(miner, graph, settings=settings, occurrences=counts),
        is_partial=True,
        command="gomkcn mine a.txt --out run --resume",
    )
    assert [one["occurrences"] for one in run.to_dict()["filters"]] == [None] * 3
    page = words_of(render_filters(run))
    assert f"The time limit ended the run. To continue it: {run.command}" in page
    assert "A dash: not counted, as time was up." in page
    assert text_table(FILTER_COLUMNS, run.rows).columns["occurrences"] == ["-"] * 3
    read_records({"filters": json.loads(json.dumps(run.to_dict()))})


def test_the_page_says_whether_the_training_mattered(run):
    def said(losses):
        page = words_of(render_filters(replace(run, loss_curve=losses)))
        return page[page.index("1 − mean similarity") :].partition(" The filter that")[0]

    assert said([0.5, 0.25]).startswith(
        "1 − mean similarity of a subgraph to its filter: 0.500 before the training, 0.250 after 1 "
        "epoch."
    )
    assert "the training did not make filters more similar" in said([0.5, 0.4998])
    assert "the training did not make filters more similar" in said([0.5, 0.3, 0.6])
    # without a training nothing is said of one
    for losses in ([], [0.5]):
        page = render_filters(replace(run, loss_curve=losses))
        assert 'id="training"' not in page and "trained as" not in words_of(page)
        assert "of training" not in words_of(page) and "Edges have a weight" not in words_of(page)
    assert "trained as the centres of clusters" in words_of(render_filters(run))


def test_a_row_of_filters_has_their_numbers(graph, job):
    _, miner, run = job
    row = filters_row(miner.filters_, run.colors, href="filters.html#filter-{}")
    page = Page(row)
    text = " ".join(" ".join(page.text).split())
    for one in miner.filters_:
        assert f"{one.id} {one.name} {one.instances.value} instances" in text
    assert "random" not in text
    assert [value for name, value in page.attributes if name == "href"] == [
        f"filters.html#filter-{number}" for number in range(3)
    ]
    assert page.tags.count("svg") == 3
    plain = FeatureColors.find(graph.features[:, :0], ())
    assert "<svg" in filters_row(miner.filters_, plain)
    # in a notebook a miner and a run show them, below what they were chosen by
    shown = FilterMiner(**SMALL_MINER).fit(graph)._repr_html_()
    assert miner.filters_[0].name in shown and miner.note_ in shown
    assert run._repr_html_().count("<svg") >= 3


SMALL_MINER = {
    "num_filters": 3,
    "filter_size": 5,
    "contrast": False,
    "learning": FilterLearning(num_epochs=2),
}


def wheels():
    """A tree and eight wheels that hang from it, of which the graph has more than by chance."""
    tree = nx.random_labeled_tree(120, seed=1)
    graph = nx.disjoint_union_all([tree] + [nx.wheel_graph(6)] * 8)
    graph.add_edges_from((k, 120 + 6 * k) for k in range(8))
    return graph


@pytest.fixture(scope="module")
def beyond():
    """A run whose filters were chosen beside random graphs."""
    copies = [[*range(at, at + 6)] for at in range(120, 168, 6)]
    edges = [list(edge) for edge in nx.wheel_graph(6).edges]
    wheel = {"name": "wheel", "num_nodes": 6, "edges": edges, "copies": 8, "instances": copies}
    return made(wheels(), {"motifs": [wheel]}, **DEFAULTS)[2]


# of a run without options
DEFAULTS = {"num_filters": "auto", "filter_size": "auto", "contrast": "auto", "num_epochs": 0}


def test_instances_lead_beside_those_of_random_graphs(beyond, tmp_path):
    one = beyond.filters[0]
    assert (one.name, one.instances.value, one.disjoint_instances) == ("wheel with 5 spokes", 8, 8)
    assert one.exceeds and one.random_instances.num_graphs == beyond.num_random_graphs > 2
    # 1. in the terminal
    table = text_table(FILTER_COLUMNS, beyond.rows).columns
    assert list(table) == ["filter", "structure", "nodes", "instances", "random graphs",
                           "nearest nodes", "similarity", "occurrences", "planted"]  # fmt: skip
    assert table["random graphs"][0] == str(one.random_instances)
    said = " ".join(format_filters(beyond).split())
    assert said.startswith("1 filter: wheel with 5 spokes (8 instances). Filters are structures of")
    assert "1 of 1 planted motif is the structure of a filter: wheel (8 instances, 8 plan" in said
    # 2. on the page, where each number has its source
    page = render_filters(beyond)
    paths = assert_numbers(page, {"filters.json": json.loads(json.dumps(beyond.to_dict()))})
    assert {"/filters/0/random_instances/mean", "/filters/0/random_instances/sd"} <= paths
    words = words_of(page)
    mean, sd = str(one.random_instances).split(" ± ")
    assert "1 filter : wheel with 5 spokes ( 8 instances)." in words
    assert f"8 {mean} ± {sd} {one.nearest_nodes.short}" in words
    assert "Filter 0 is the 1 planted motif with 8 copies." in words
    assert "Training" not in words and "random graphs with the same degrees" in words
    # 3. in the table that a reader saves
    (row,) = csv_rows(page)
    assert (row["instances"], row["disjoint"], row["exceeds"]) == (8, 8, 1)
    assert (row["random_mean"], row["random_sd"]) == (
        one.random_instances.mean, one.random_instances.sd
    )  # fmt: skip
    assert row["nearest_nodes"] == one.nearest_nodes.value and row["planted"] == "wheel"
    # 4. in the panel below the graph, in a row of filters and in a figure
    beside = f"{one.random_instances} in random graphs"
    record = unpacked(page)["filters"][0]
    assert record["said"].startswith(f"8 instances ({beside}). ")
    assert beside in words_of(filters_row(beyond.filters, beyond.colors))
    assert texts_of(beyond.miner.plot()) == [f"8 instances\nrandom graphs: {one.random_instances}"]
    # 5. and read back
    prepare_folder(FILTERS, tmp_path)
    write_run(FILTERS, tmp_path, run_of_filters(beyond))
    back = load(tmp_path)
    assert render_filters(back) == page and format_filters(back) == format_filters(beyond)


def texts_of(figure):
    """What stands below the drawings of a figure."""
    texts = [axis.get_xlabel() for axis in figure.axes]
    return [text for text in texts if text]


def test_nothing_of_a_figure_covers_another_or_is_cut_off():
    """Two rows of filters, whose numbers in random graphs stand above the names below them."""
    miner = FilterMiner(6, filter_size="3-5").fit(nx.les_miserables_graph())
    assert len(miner.filters_) == 6
    figure = miner.plot()
    figure.savefig(io.BytesIO())
    texts = [text for axis in figure.axes for text in (axis.title, axis.xaxis.label)]
    # nor do they touch: three pixels are left around each
    boxes = [text.get_window_extent().padded(1.5) for text in texts if text.get_text()]
    assert len(boxes) == 2 * len(miner.filters_)
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def csv_rows(page):
    """The rows of the table of a page, as its button saves them."""
    rows = [json.loads(value) for name, value in Page(page).attributes if name == "data-csv"]
    heads = [value for name, value in Page(page).attributes if name == "data-head"]
    names = heads[0].split("|")
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_instances_that_overlap_are_told_from_disjoint_ones():
    """Triangles in a row, each of which shares two nodes with the next."""
    graph = nx.Graph(
        edge for at in range(12) for edge in nx.complete_graph(range(at, at + 3)).edges
    )
    _, _, run = made(graph, num_filters=1, filter_size=3, num_epochs=0)
    one = run.filters[0]
    assert one.disjoint_instances < one.instances.value
    assert text_table(FILTER_COLUMNS, run.rows).columns["disjoint"] == [str(one.disjoint_instances)]
    assert "Disjoint: as many instances as share no node" in " ".join(format_filters(run).split())
    page = render_filters(run)
    words = words_of(page)
    assert f"{one.instances.short} {one.disjoint_instances} disjoint" in words
    assert "Disjoint: as many" in words
    assert f"{one.disjoint_instances} or more disjoint" in unpacked(page)["filters"][0]["said"]
    assert csv_rows(page)[0]["disjoint"] == one.disjoint_instances


def test_where_there_is_nothing_beyond_chance_a_sentence_says_so(tmp_path):
    graph = as_csr(nx.gnm_random_graph(150, 240, seed=3))
    ring = {"name": "ring", "num_nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "copies": 1,
            "instances": [[0, 1, 2]]}  # fmt: skip
    _, miner, run = made(graph, {"motifs": [ring]}, **DEFAULTS)
    assert run.filters == () and run.num_random_graphs > 2
    assert (run.map, run.drawn, run.num_assigned, run.is_sample) == (None, None, 0, False)
    # 1. in a folder, which is read back
    prepare_folder(FILTERS, tmp_path)
    write_run(FILTERS, tmp_path, run_of_filters(run))
    read_records(
        {name: json.loads((tmp_path / f"{name}.json").read_bytes()) for name in JSON_FILES}
    )
    back = load(tmp_path)
    assert back.to_dict() == run.to_dict() and back.to_dict()["filters"] == []
    assert pq.read_table(tmp_path / "nodes.parquet").num_rows == 0
    assert FilterMiner.load(tmp_path / "filters.npz").predict(graph).tolist() == [-1] * 150
    # 2. in words
    said = format_filters(back)
    assert " ".join(said.split()) == (
        f"The graph has no structure of 3 to 8 nodes more often than {run.num_random_graphs} "
        "random graphs with its degrees, in the subgraphs around 150 nodes; without this "
        "contrast, filters are the most frequent ones. None of the 1 planted motif is the "
        "structure of a filter."
    )
    page = render_filters(back)
    assert page == (tmp_path / "filters.html").read_text("utf-8")
    assert "; without this contrast, filters are the most frequent ones. None of the 1" in words_of(
        page
    )
    assert "table" not in Page(page).tags
    assert 'id="run-data"' not in page and "Training" not in words_of(page)
    # 3. in Python
    assert miner.note_ == run.note
    assert f"<p>{miner.note_}</p>" == run._repr_html_()
    (text,) = miner.plot(graph).texts
    assert " ".join(text.get_text().split()) == miner.note_
    # 4. of a collection, whose graphs no filter ranks
    pair = as_csr([nx.gnm_random_graph(60, 90, seed=seed) for seed in (1, 2)])
    _, _, run = made(pair, **DEFAULTS)
    assert run.filters == () and run.highest == () and "0 filters" not in render_filters(run)


def test_what_a_given_number_adds_is_marked_as_no_more_than_by_chance():
    graph = nx.gnm_random_graph(150, 240, seed=3)
    _, _, run = made(graph, **{**DEFAULTS, "num_filters": 2})
    assert [one.exceeds for one in run.filters] == [False, False]
    for cell in text_table(FILTER_COLUMNS, run.rows).columns["structure"]:
        assert cell[1] == NO_MORE
    page = render_filters(run)
    assert words_of(page).count(NO_MORE) == 2
    said = f"A{NO_MORE[1:]}: explains no more nodes, beside the others, than in these."
    assert said in words_of(page)
    assert [row["exceeds"] for row in csv_rows(page)] == [0, 0]
    assert words_of(filters_row(run.filters, run.colors)).count(NO_MORE) == 2
    # without random graphs nothing is
    _, _, run = made(graph, **{**DEFAULTS, "num_filters": 2, "contrast": False})
    assert NO_MORE not in format_filters(run) + render_filters(run)
    assert [row["random_mean"] for row in csv_rows(render_filters(run))] == ["", ""]
    assert "random graphs" not in words_of(render_filters(run)).replace(run.note, "")


def test_names_of_the_table_are_short():
    """What tells two filters apart stands below them, but for their edges, which are drawn."""
    _, _, run = made(nx.cycle_graph(5))
    (first, *_) = run.filters
    name = "tree with 6 nodes (degrees 3, 2, 2, 1, 1, 1) (A--B, A--C): acts; binds"
    page = render_filters(replace(run, filters=(replace(first, name=name), *run.filters[1:])))
    words = words_of(page).partition("Save table")[0]
    assert "tree with 6 nodes acts; binds degrees 3, 2, 2, 1, 1, 1 " in words
    assert "A--B" not in words


def test_colors_of_a_miner_without_filters():
    miner = FilterMiner().fit(nx.gnm_random_graph(150, 240, seed=3))
    assert miner.filters_ == () and not feature_colors(miner.bank_, miner.filters_).columns


def test_trees_have_muted_colours_and_no_two_of_twelve_are_alike():
    tree, ring = Structure.parse("star-4"), Structure.parse("ring-4")
    assert filter_colors([tree, ring, tree]) == ["m6", "m0", "m7"]
    for one in (tree, ring):
        assert len(set(filter_colors([one] * 12))) == 12
    assert filter_colors([ring] * 13)[11:] == ["m5", "m5"]
    # each has a colour in the style of the page, light, dark and on paper, and in its script
    style = read_text("page.css")
    for name in filter_colors([ring] * 12):
        assert style.count(f"--{name}: #") == style.count(f"--t{name[1:]}: #") == 3
        assert f".{name} {{ --c: var(--{name}); --t: var(--t{name[1:]}); }}" in style
    assert "{ length: 12 }" in read_text("page.js")


def test_damage_and_other_versions_are_refused(copied):
    for name, path, value in (
        ("run", ("graph",), {"nodes": 3}),
        ("filters", ("filters", 0, "weights"), [[1.0]]),
        ("filters", ("filters", 0, "features"), [[1.0]]),
        ("filters", ("filters", 0, "occurrences", "high"), 1e300),
        ("filters", ("filters", 0, "instances"), 30),
        ("filters", ("filters", 0, "random_instances"), {"mean": 1.0, "sd": 0.5}),
        ("filters", ("filters", 0, "exceeds"), 1),
        ("run", ("note",), None),
        ("filters", ("colors", "columns"), [7]),
        ("map", ("edges", 0), [0, 450]),
        ("map", ("edge_relations", 0), 1),
        ("drawn", ("labels", 0), 3),
        ("drawn", ("labels"), [0]),
        ("drawn", ("subgraphs", 0, 0), 450),
        ("drawn", ("fills"), ["#000000"]),
        ("drawn", ("fills", 0), "red"),
        ("drawn", ("exact"), [True]),
        ("drawn", ("responses"), [[1]]),
        ("drawn", ("matching", 0), [0]),
    ):
        file = copied / f"{name}.json"
        content = file.read_bytes()
        path = path if isinstance(path, tuple) else (path,)
        file.write_text(json.dumps(change(json.loads(content), path, value)))
        with pytest.raises(InputError, match=r"^run folder .* holds a damaged .* again\.$"):
            load(copied)
        file.write_bytes(content)
    # another kind of run, another version, a missing file
    with pytest.raises(InputError, match=r"holds a run of gomkcn filters, and one of gomkcn mine"):
        read_run(MINE, copied)
    file = copied / "nodes.parquet"
    content = file.read_bytes()
    file.write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"nodes\.parquet' cannot be read .* again\.$"):
        load(copied)
    file.write_bytes(content)
    file = copied / "filters.json"
    file.write_text(json.dumps(change(json.loads(file.read_bytes()), ("schema",), 9)))
    with pytest.raises(InputError, match=r"another version of gomkcn, in format 9, .* format 2"):
        load(copied)
    file.unlink()
    with pytest.raises(InputError, match=r"filters\.json is missing"):
        load(copied)


def test_force_leaves_one_run_in_a_folder(copied, graph, job):
    """After a run of mine, its settings and patterns are not those of the folder."""
    miner = PatternMiner(pattern_size=3, null="none").fit(graph)
    prepare_folder(MINE, copied, force=True)
    write_run(MINE, copied, run_of_mining(MiningRun.of(miner, graph)))
    assert len(load(copied).patterns) == len(miner.patterns_)
    with pytest.raises(InputError, match=r"holds a run of gomkcn mine, and one of gomkcn filters"):
        read_run(FILTERS, copied)
    prepare_folder(FILTERS, copied, force=True)
    write_run(FILTERS, copied, run_of_filters(job[2]))
    assert len(load(copied).filters) == 3
    with pytest.raises(InputError, match=r"holds a run of gomkcn filters, and one of gomkcn mine"):
        read_run(MINE, copied)


def test_settings_are_read_back_and_a_bad_file_is_refused(write):
    given = {"path": "größe.csv", "features": ("x 0",), "num_filters": 7, "random_state": 3,
             "tau": (1.0, 0.5), "num_levels": 1, "count_seconds": 2.0, "device": "cpu"}  # fmt: skip
    settings = FiltersSettings().override(given)
    assert FiltersSettings().read(write("settings.toml", settings.to_toml())) == settings
    values = {key: value for table in settings.to_dict().values() for key, value in table.items()}
    assert values.items() >= given.items()
    assert len(values) == sum(map(len, settings.to_dict().values()))
    assert FiltersSettings().read(write("settings.toml", "")) == FiltersSettings()
    for content, words in (
        ("[miner]\n", "a table must have a known name, got 'miner'"),
        ("[filters]\nnum_filters = [3]\n", "num_filters must be an integer or 'auto'"),
        ("[filters]\ncount_seconds = 0\n", "count_seconds must be"),
    ):
        with pytest.raises(InputError, match=words):
            FiltersSettings().read(write("settings.toml", content))


def test_a_miner_of_another_graph_is_refused(job):
    with pytest.raises(InputError, match=r"^miner must be fitted to the graph; call miner\.fit"):
        FiltersRun.of(job[1], nx.path_graph(4))
    with pytest.raises(InputError, match=r"^miner must be fitted to the graph"):
        FiltersRun.of(FilterMiner(), nx.path_graph(4))


def test_the_figure_has_filters_and_two_maps(graph, job):
    miner = FilterMiner(**SMALL_MINER).fit(graph)
    alone = miner.plot()
    titles = [axis.get_title() for axis in alone.axes if axis.get_title()]
    assert [title.partition(":")[0] for title in titles] == ["0", "1", "2"]
    said = [f"{one.instances.short} instances" for one in miner.filters_]
    assert texts_of(alone) == said
    both = miner.plot(graph)
    maps = [axis for axis in both.axes if axis.get_title().startswith(("The", "Response"))]
    # the first filter is a ring, which is no tree
    assert [axis.get_title() for axis in maps] == ["The filter that a node is nearest to",
                                                   "Response to filter 0"]  # fmt: skip
    which, response = (axis.collections[-1] for axis in maps)
    assert len(np.unique(which.get_facecolors(), axis=0)) == 3
    assert sorted(response.get_array()) == sorted(miner.responses_[:, 0])
    with pytest.raises(InputError, match=r"^response_to must be"):
        miner.plot(graph, response_to=3)
    with pytest.raises(InputError, match=r"^graph must be that which the miner was fitted to"):
        miner.plot(nx.path_graph(3))
