"""What was counted beside the patterns: counts, edges as text, files and the page."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn
from tiny_runs import signed_loops

from gomkcn.commands.count_command import in_categories
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import PatternMiner, count_by_graph
from mining.mining_run import MiningRun
from mining.run_folder import prepare_folder, read_run, write_run
from mining.settings import RunSettings


def molecules():
    """Rings of six carbons with an oxygen, and paths of five, in two categories."""
    ring = nx.cycle_graph(6)
    ring.add_edge(0, 6)
    parts, labels = [ring] * 6 + [nx.path_graph(5)] * 4, ([0] * 6 + [1]) * 6 + [0] * 20
    graph = nx.disjoint_union_all(parts)
    ends = np.array(graph.edges).T
    atoms, names = np.eye(2)[labels], ["atom=C", "atom=O"]
    return csr_from_edges(*ends, len(graph), features=atoms, feature_names=names)


GRAPHS = {
    "plain": lambda: as_csr(
        nx.disjoint_union_all([nx.wheel_graph(6)] * 6 + [nx.complete_graph(4)] * 4)
    ),
    "categories": molecules,
    "relations": signed_loops,
}


@pytest.fixture(scope="module", params=GRAPHS)
def mined(request):
    graph = GRAPHS[request.param]()
    miner = PatternMiner(2, (3, 5), num_epochs=0, null_samples=99).fit(graph)
    return graph, miner, MiningRun.of(miner, graph)


def test_each_structure_is_counted_once_and_rightly(mined):
    graph, miner, run = mined
    assert len(run.others) == len(miner.others_) >= 2
    keys = []
    for one in (*miner.patterns_, *miner.others_):
        count = one.frequency.occurrences
        # the edges as text say which structure it is, also to the command
        structure = Structure.parse(one.structure.to_text())
        assert structure.key == one.structure.key
        structure, colors = in_categories(structure, graph)
        assert count.is_exact
        assert count.value == count_by_graph(graph, structure, colors=colors).sum()
        keys.append(structure.key)
    assert len(set(keys)) == len(keys)


def test_a_run_keeps_them(mined, tmp_path):
    _, miner, run = mined
    prepare_folder(tmp_path)
    write_run(tmp_path, run, RunSettings.of(miner), miner)
    back = read_run(tmp_path)
    assert [one.to_dict() for one in back.others] == [one.to_dict() for one in run.others]
    gomkcn(f"export {tmp_path} --out {tmp_path / 'tables'}")
    table = pd.read_csv(tmp_path / "tables" / "others.csv")
    assert table["occurrences"].tolist() == [one.frequency.occurrences.value for one in run.others]
    assert table["edges"].tolist() == [one.structure.to_text() for one in run.others]
    assert table["description"].tolist() == [one.description for one in run.others]
