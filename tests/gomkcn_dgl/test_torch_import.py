"""The device that a name stands for, with and without GPUs, and what does without PyTorch."""

import sys
from types import ModuleType

import pytest
import torch
from forked import run

from gomkcn_dgl import _torch
from gomkcn_dgl._torch import device_name, resolve_device, threads_of_torch
from gomkcn_dgl.errors import InputError, InputTypeError


def pretend(patch, number, current=0):
    """So many GPUs."""
    patch.setattr(torch.cuda, "is_available", lambda: number > 0)
    patch.setattr(torch.cuda, "device_count", lambda: number)
    patch.setattr(torch.cuda, "current_device", lambda: current)


@pytest.mark.parametrize(
    ("gpus", "given", "meant"),
    [
        (0, "auto", "cpu"),
        (0, "cpu", "cpu"),
        (2, "cpu", "cpu"),
        (2, "auto", "cuda:1"),
        (2, "cuda", "cuda:1"),
        (2, "cuda:0", "cuda:0"),
        (2, torch.device("cuda"), "cuda:1"),
        (2, torch.device("cpu"), "cpu"),
    ],
)
def test_a_name_stands_for_a_device(monkeypatch, gpus, given, meant):
    pretend(monkeypatch, gpus, current=1)
    assert resolve_device(given) == torch.device(meant)


@pytest.mark.parametrize(
    ("gpus", "given", "sentence"),
    [
        (0, "cuda", r"^device must be 'cpu' or 'auto' where PyTorch finds no GPU, got 'cuda'\.$"),
        (
            2,
            "cuda:2",
            r"^device must be one of the 2 GPUs that .* 'cuda:0' to 'cuda:1', got ",
        ),
        (2, "gpu", r"^device must be 'auto', 'cpu', 'cuda', or 'cuda:1' or such, got 'gpu'\.$"),
        (2, "auto:1", "^device must be 'auto', "),
        (2, torch.device("meta"), "^device must be 'auto', .* got 'meta'"),
    ],
)
def test_what_cannot_be_used_is_refused(monkeypatch, gpus, given, sentence):
    pretend(monkeypatch, gpus)
    with pytest.raises(InputError, match=sentence):
        resolve_device(given)


@pytest.mark.parametrize(
    ("has_driver", "installed", "given", "meant"),
    [
        (False, True, "auto", "cpu"),
        (False, False, "auto", "cpu"),
        (True, False, "auto", "cpu"),
        (True, False, "cpu", "cpu"),
        (True, True, "auto", "cuda:1"),
        (True, True, "cuda:0", "cuda:0"),
        (False, True, "cuda", "cuda:1"),
        (True, True, torch.device("cpu"), "cpu"),
    ],
)
def test_the_name_of_a_device_is_told_without_torch_where_there_is_no_gpu(
    monkeypatch, has_driver, installed, given, meant
):
    pretend(monkeypatch, 2, current=1)
    monkeypatch.setattr(_torch, "_may_have_gpu", lambda: has_driver)
    monkeypatch.setattr(_torch, "has_torch", lambda: installed)
    assert device_name(given) == meant


def test_a_driver_of_a_gpu_is_seen_by_its_files(monkeypatch):
    monkeypatch.setattr(_torch.shutil, "which", lambda name: None)
    for exist in ([], ["/dev/nvidiactl"], ["/dev/kfd"], ["/dev/dxg"]):
        monkeypatch.setattr(_torch.os.path, "exists", exist.__contains__)
        assert _torch._may_have_gpu() == bool(exist)
    monkeypatch.setattr(_torch.os.path, "exists", [].__contains__)
    monkeypatch.setattr(_torch.shutil, "which", lambda name: name)
    assert _torch._may_have_gpu()


def test_what_is_no_name_is_refused():
    with pytest.raises(InputTypeError, match=r"^device must be a name, .* got 0\.$"):
        resolve_device(0)
    with pytest.raises(InputTypeError, match=r"^device must be a name, .* got 0\.$"):
        device_name(0)
    with pytest.raises(InputError, match=r"^device must be 'auto', .* got 'tpu'\.$"):
        device_name("tpu")


# what filters on the CPU are made of, from a graph to scores and a result that is kept
ON_THE_CPU = """
import json, sys
import networkx as nx
import numpy as np
from gomkcn_dgl import GOMKKernel, Structure, SubgraphSettings, as_csr, extract_subgraphs
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.runtime.steps import Steps

def score(graph):
    batch = extract_subgraphs(graph, SubgraphSettings(2, 5))
    scaling = FeatureScaling.fit(graph.features, 0.5)
    feat, rows = scaling.scale(graph.features), scaling.scale(batch.gather(graph.features))
    adj, results = batch.adjacency(), []
    for matching in ("greedy", "optimal"):
        kernel = GOMKKernel(2, aggregation="sym", matching=matching)
        z = kernel.embed(adj[:3, :4, :4], rows[:3, :4])
        results += kernel.match_arrays(batch, feat, z)
        results += kernel.match_levels(kernel.embed(adj, rows), z, batch.num_nodes)
    Structure.of_channels(batch.relations.links[batch.links[0]], batch.relations).key
    return results

steps, shapes = Steps(), []
for directed in (False, True):
    graph = as_csr(nx.gnp_random_graph(9, 0.5, seed=0, directed=directed))
    shapes += [one.shape for one in steps.once("scoring", list, score, graph)]
print(json.dumps([shapes, sorted({"torch", "dgl", "scipy.optimize"} & sys.modules.keys())]))
"""


def test_matching_arrays_loads_no_torch():
    shapes, loaded = run(ON_THE_CPU)
    assert shapes == [[9, 3], [9, 3, 5]] * 8
    assert loaded == []


def test_the_number_of_threads_of_pytorch_is_known_where_it_is_loaded(monkeypatch):
    assert threads_of_torch() == torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 7)
    assert threads_of_torch() == 7
    # another thread imports it
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert threads_of_torch() is None
    monkeypatch.delitem(sys.modules, "torch")
    assert threads_of_torch() is None
