"""What each process of tests/test_occurrence_counts.py runs: one count, whose draws they share.

torchrun --standalone --nproc-per-node 2 tests/counting_processes.py out.json
"""

import json
import sys
from pathlib import Path

import networkx as nx

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.processes import is_first, join_processes, world_size
from mining import count_occurrences

OPTIONS = {"error": 0.05, "seconds": 600, "exact_seconds": 1e-9, "seed": 4}


def count_shared():
    """An estimate that is not exact, however quick the machine."""
    graph = as_csr(nx.barabasi_albert_graph(500, 4, seed=1))
    house = Structure.from_networkx(nx.house_graph())
    return count_occurrences(graph, house, shared=True, **OPTIONS)


if __name__ == "__main__":
    with join_processes():
        found = count_shared().to_dict() | {"processes": world_size()}
        if is_first():
            Path(sys.argv[1]).write_text(json.dumps(found))
