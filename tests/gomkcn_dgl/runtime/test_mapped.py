"""Mapped files: a change is seen, and one that was cut before is refused."""

import os

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_folder import read_graph_folder, write_graph_folder
from gomkcn_dgl.runtime.mapped import check_mapped, map_array
from gomkcn_dgl.runtime.steps import Steps


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(5000))
    return tmp_path / "a.npy"


def test_a_change_is_seen_as_long_as_the_array_is_there(path):
    array = map_array(path)[1:]
    check_mapped()
    os.truncate(path, 20_000)
    with pytest.raises(InputError, match="was changed while it was in use"):
        check_mapped()
    with pytest.raises(InputError, match="start again"):
        Steps().once("adding", int, lambda: 1)
    del array
    check_mapped()


def test_a_file_that_is_replaced_or_removed_stays_what_it_was(path):
    array = map_array(path)
    np.save(path.with_name("b.npy"), np.arange(3))
    path.with_name("b.npy").replace(path)
    check_mapped()
    path.unlink()
    check_mapped()
    assert array.sum() == 5000 * 4999 // 2


def test_a_file_that_is_shorter_than_its_header_says_is_refused(path):
    graph = path.with_name("g.graph")
    write_graph_folder(graph, as_csr(nx.cycle_graph(3000)))
    os.truncate(graph / "indices.npy", 4096)
    with pytest.raises(InputError, match=r"^indices.npy cannot be read \(.*\)\.$"):
        read_graph_folder(graph)
