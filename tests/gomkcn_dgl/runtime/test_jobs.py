"""Items of a step in the jobs of joblib, Dask and Ray: equal results, and a lost process."""

import os
import signal

import joblib
import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps, WorkerLostError
from mining import PatternMiner

ITEMS = range(8)


def square(item):
    return {"square": np.array(item * item), "process": np.array(os.getpid())}


def die_once(mark):
    """Squares, of which the fifth kills its process the first time."""

    def do(item):
        if item == 4 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"square": np.array(item * item)}

    return do


def squares(found):
    return [int(one["square"]) for one in found]


@pytest.fixture
def dask():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        yield


@pytest.fixture
def ray():
    pytest.importorskip("ray", reason="Ray is not installed")
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=2):
        yield
    ray.shutdown()


def test_jobs_give_results_in_order_and_keep_them(tmp_path):
    with joblib.parallel_config(n_jobs=2):
        found = Steps(tmp_path / "kept", {}).each("squaring", square, ITEMS)
    assert squares(found) == [item * item for item in ITEMS]
    assert os.getpid() not in {int(one["process"]) for one in found}
    # they are read again, and not made
    again = Steps(tmp_path / "kept", {}).each("squaring", lambda item: {}, ITEMS)
    assert [one["process"] for one in again] == [one["process"] for one in found]


def test_a_lost_process_is_one_sentence_and_the_rest_is_resumed(tmp_path):
    do = die_once(tmp_path / "mark")
    with (
        joblib.parallel_config(n_jobs=2),
        pytest.raises(WorkerLostError, match=r"worker process was lost .* go on with --resume"),
    ):
        Steps(tmp_path / "kept", {}).each("squaring", do, ITEMS)
    found = Steps(tmp_path / "kept", {}).each("squaring", do, ITEMS)
    assert squares(found) == [item * item for item in ITEMS]


def test_an_error_of_an_item_is_itself(tmp_path):
    def fail(item):
        raise ZeroDivisionError(item)

    with joblib.parallel_config(n_jobs=2), pytest.raises(ZeroDivisionError):
        Steps().each("failing", fail, ITEMS)


def test_jobs_know_how_much_time_is_left():
    steps = Steps(interrupts=Interrupts(time_limit=1e-9))

    def is_late(item):
        return {"late": np.array(steps.is_late())}

    with joblib.parallel_config(n_jobs=2):
        assert all(one["late"] for one in steps.each("asking", is_late, ITEMS))
        assert steps.each("asking in time", is_late, ITEMS, in_time=True) == []


def mined(graph):
    miner = PatternMiner(pattern_size=(3, 4), null_samples=99).fit(graph)
    records = [one.to_dict() for one in miner.patterns_]
    return repr(records), miner.motif_set_.bits_saved


def graph_of_cliques():
    graph = nx.barabasi_albert_graph(60, 2, seed=0)
    for node in range(8):
        first = len(graph)
        graph = nx.disjoint_union(graph, nx.complete_graph(4))
        graph.add_edge(node, first)
    return graph


def test_mining_by_two_jobs_is_mining_by_one():
    graph = graph_of_cliques()
    expected = mined(graph)
    with joblib.parallel_config(n_jobs=2):
        assert mined(graph) == expected


def test_dask_gives_the_same_though_a_worker_is_killed(dask, tmp_path):
    found = Steps().each("squaring", die_once(tmp_path / "mark"), ITEMS)
    assert squares(found) == [item * item for item in ITEMS]
    assert (tmp_path / "mark").exists()


def test_ray_gives_the_same_and_a_killed_worker_is_one_sentence(ray, tmp_path):
    assert squares(Steps().each("squaring", square, ITEMS)) == [item * item for item in ITEMS]
    do = die_once(tmp_path / "mark")
    with pytest.raises(WorkerLostError, match="go on with --resume"):
        Steps(tmp_path / "kept", {}).each("squaring", do, ITEMS)
    found = Steps(tmp_path / "kept", {}).each("squaring", do, ITEMS)
    assert squares(found) == [item * item for item in ITEMS]
