"""Small valid settings, names and truth, and the folders of runs, made anew each time."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import torch
from mutate import pack

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.io.reading import write_dgl_graphs
from gomkcn_dgl.training.train_settings import TrainSettings
from gomkcn_dgl.training.training_folder import write_training
from gomkcn_dgl.training.training_run import read_training_data, run_training
from mining import PatternMiner
from mining.assessment.evaluation import compare_with_truth
from mining.records.occurrence import Occurrence
from mining.results.occurrence_file import write_occurrences
from mining.results.run_folder import write_run
from mining.runs.mining_run import MiningRun
from mining.settings import RunSettings

# occurrences of each pattern in the files of occurrences
COUNTS = (2, 1)
_RUN = ["run.json", "patterns.json", "drawings.json", "occurrences.parquet"]
# the files of each folder that is read
MEMBERS = {
    "run": _RUN,
    "run_checkpoint": [*_RUN, "checkpoint.pt"],
    "train": ["settings.toml", "metrics.json", "checkpoint.pt"],
}


def name_tables() -> list[bytes]:
    """Names of labels as CSV."""
    return [b"label,name\n1,helix\n2,sheet\n", b'label,name\n"a","b c"\n']


def name_jsons() -> list[bytes]:
    """Names of labels as JSON."""
    return [b'{"1": "helix", "2": "sheet"}', b'{"label=1": "\\u00e9"}']


def name_tomls() -> list[bytes]:
    """Names of labels as TOML."""
    return [b'1 = "helix"\n2 = "sheet"\n', b'[labels]\n1 = "helix"\n"label=2" = """a"""\n']


def settings_files() -> list[bytes]:
    """What a mining run writes, and short ones."""
    full = RunSettings(miner=PatternMiner().get_params()).to_toml()
    short = '[graph]\npath = "g.txt"\nfeatures = ["a"]\n[miner]\ntau = [1, 0.5]\nnum_hops = 2\n'
    judged = '[null]\nmodels = ["degree"]\nsamples = 10\n[stability]\nrestarts = 3\n'
    return [full.encode(), short.encode(), judged.encode()]


def train_settings_files() -> list[bytes]:
    """What a training run writes, and a short one."""
    short = '[data]\npath = "g.bin"\nsplit = [0.8, 0.1, 0.1]\n[model]\nnum_filters = 4\n'
    return [TrainSettings().to_toml().encode(), short.encode()]


def motif_files() -> list[bytes]:
    """Integers and words."""
    return [b"1 2\n2 3  # c\n3 1\n", b"cat dog\ndog cow\n"]


_TRUTH = {
    "motifs": [
        {
            "name": "ring",
            "num_nodes": 4,
            "edges": [[0, 1], [1, 2], [2, 3], [0, 3]],
            "copies": 2,
            "instances": [[0, 1, 2, 3], [4, 5, 6, 7]],
        }
    ]
}


def truth_files() -> list[bytes]:
    """Planted truth."""
    return [json.dumps(_TRUTH).encode()]


def _mined_files() -> dict[str, bytes]:
    rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
    miner = PatternMiner(num_patterns=2, pattern_size=4, num_epochs=0, backend="reference")
    miner.fit(rings)
    recovery = compare_with_truth(miner.patterns_, _TRUTH)
    run = MiningRun.of(miner, rings, recovery=recovery)
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder), run, RunSettings(), miner)
        names = MEMBERS["run_checkpoint"]
        return {name: (Path(folder) / name).read_bytes() for name in names}


def occurrence_files() -> list[bytes]:
    """Integer and text ids, a node that nobody plays."""
    found = []
    for ids in ((0, 1, None), ("a", "é", "c")):
        content = io.BytesIO()
        places = [[Occurrence(ids, 0.5)] * count for count in COUNTS]
        patterns = [
            SimpleNamespace(id=number, num_nodes=3, occurrences=held)
            for number, held in enumerate(places)
        ]
        write_occurrences(content, patterns)
        found.append(content.getvalue())
    return found


def run_folders() -> list[bytes]:
    """The JSON files of a mining run."""
    files = _mined_files()
    return [pack({name: files[name] for name in MEMBERS["run"]})]


def run_checkpoints() -> list[bytes]:
    """The same and the fitted miner."""
    return [pack(_mined_files())]


def train_folders() -> list[bytes]:
    """What a training run leaves."""
    graphs = [dgl.graph(([0, 1, 2], [1, 2, 0])), dgl.graph(([0, 1], [1, 2]))] * 10
    options = {"num_epochs": 1, "num_filters": 2, "filter_size": 3, "split": (0.6, 0.2, 0.2)}
    # this kernel and this start need nothing to be compiled
    options |= {"kernel": "random-walk", "init": "random"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.bin"
        write_dgl_graphs(path, graphs, torch.arange(20) % 2)
        settings = TrainSettings().override({**options, "path": str(path)})
        run = run_training(settings, read_training_data(settings.data))
        write_training(Path(folder), run)
        return [pack({name: (Path(folder) / name).read_bytes() for name in MEMBERS["train"]})]
