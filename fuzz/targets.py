"""Every reader of the project as a function of a folder and of bytes.

What is read is a file with these bytes or, where a reader takes a folder, the files of a zip
archive. The name of a file of the folder never comes from the input.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import seeds
import seeds_of_runs
from mutate import unpack
from self_contained import assert_loads_nothing

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.convert import convert_edges
from gomkcn_dgl.io.label_names import read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.training.labelled_data import read_labelled
from gomkcn_dgl.training.train_settings import read_train_settings
from gomkcn_dgl.training.training_folder import load_classifier, read_metrics
from mining import PatternMiner, read_truth
from mining.html.report import render_report
from mining.html.run_table import format_table
from mining.results.compare import compare_runs, format_comparison
from mining.results.export import occurrence_table, pattern_table
from mining.results.occurrence_file import read_occurrences
from mining.results.run_folder import load_miner, read_run
from mining.settings import read_settings
from synthetic import read_motif

_MEMBERS = {**seeds.MEMBERS, **seeds_of_runs.MEMBERS}


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    read : callable
        Writes bytes into a folder and reads them; raises what the reader raises.
    seeds : callable
        Valid inputs.
    is_folder : bool
        Inputs are zip archives of the files of a folder.
    """

    read: Callable[[Path, bytes], None]
    seeds: Callable[[], list[bytes]]
    is_folder: bool = False


def _file(name: str, read: Callable[[Path], object], folder: Path, data: bytes) -> None:
    path = folder / name
    path.write_bytes(data)
    read(path)


def _files(name: str, read: Callable[[Path], object], folder: Path, data: bytes) -> None:
    """Read a folder with the files of an archive, of which only known names are taken."""
    path = folder / name
    path.mkdir(exist_ok=True)
    for old in path.iterdir():
        old.unlink()
    members = unpack(data) or {}
    for known in _MEMBERS[name]:
        if known in members:
            (path / known).write_bytes(members[known])
    read(path)


def _feature_file(path: Path) -> None:
    graph = path.with_name("graph.txt")
    graph.write_text(seeds.EDGES)
    read_graph(graph, feature_file=path)


def _convert(path: Path) -> None:
    """Convert a file; what comes out is what is read, and refused is what reading refuses."""
    out = path.with_name("converted.graph")
    shutil.rmtree(out, ignore_errors=True)
    graph, refusal = _graph_or_refusal(lambda: read_graph(path))
    converted, other = _graph_or_refusal(lambda: (convert_edges(path, out), read_graph(out))[1])
    assert (refusal is None) == (other is None), "converting and reading differ"
    if refusal is not None:
        raise refusal
    for name in ("indptr", "indices", "weights", "features", "node_ids"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(converted, name), name)


def _graph_or_refusal(
    make: Callable[[], CSRGraph],
) -> tuple[CSRGraph | None, InputError | None]:
    try:
        return make(), None
    except InputError as error:
        return None, error


def _graphml(path: Path) -> None:
    read_graph(path)
    read_graph(path, features=["x0"])


def _labelled(path: Path) -> None:
    read_graph(path)
    read_labelled(path, task="graph")


def _settings(path: Path) -> None:
    settings = read_settings(path, PatternMiner().get_params())
    PatternMiner(**settings.miner)
    settings.to_toml().encode()


def _train_settings(path: Path) -> None:
    read_train_settings(path).to_toml().encode()


def _run(path: Path) -> None:
    """Read the JSON files of a run, and lay out all that needs no figure."""
    run = read_run(path)
    format_table(run).encode()
    format_comparison(compare_runs(run, run)).encode()
    pattern_table(run.patterns).to_csv().encode()
    occurrence_table(run.patterns).to_csv().encode()


def _occurrences(path: Path) -> None:
    """Read all occurrences of a file."""
    for places in read_occurrences(path, seeds_of_runs.COUNTS):
        list(places)


def _report(path: Path) -> None:
    """Render the page of a run; it must be whole and load nothing, whatever names are in it."""
    page = render_report(read_run(path))
    page.encode()
    assert_loads_nothing(page)


def _label_names(path: Path) -> None:
    read_label_names(path)


TARGETS = {
    "edges": Target(partial(_file, "graph.txt", read_graph), seeds.edge_lists),
    "edges_gz": Target(partial(_file, "graph.txt.gz", read_graph), seeds.compressed),
    "csv": Target(partial(_file, "graph.csv", read_graph), seeds.edge_csvs),
    "convert": Target(partial(_file, "graph.txt", _convert), seeds.edge_lists),
    "convert_csv": Target(partial(_file, "graph.csv", _convert), seeds.edge_csvs),
    "parquet": Target(partial(_file, "graph.parquet", read_graph), seeds.edge_parquets),
    "folder": Target(partial(_files, "folder", read_graph), seeds.graph_folders, is_folder=True),
    "graphml": Target(partial(_file, "graph.graphml", _graphml), seeds.graphmls),
    "dgl": Target(partial(_file, "graph.bin", _labelled), seeds.dgl_files),
    "npz": Target(partial(_file, "graph.npz", read_graph), seeds.npz_files),
    "tu": Target(partial(_files, "tu", _labelled), seeds.tu_folders, is_folder=True),
    "planetoid": Target(
        partial(_files, "planetoid", read_labelled), seeds.planetoid_folders, is_folder=True
    ),
    "features_npy": Target(partial(_file, "values.npy", _feature_file), seeds.feature_arrays),
    "features_csv": Target(partial(_file, "values.csv", _feature_file), seeds.feature_tables),
    "names_csv": Target(partial(_file, "names.csv", _label_names), seeds_of_runs.name_tables),
    "names_json": Target(partial(_file, "names.json", _label_names), seeds_of_runs.name_jsons),
    "names_toml": Target(partial(_file, "names.toml", _label_names), seeds_of_runs.name_tomls),
    "settings": Target(partial(_file, "settings.toml", _settings), seeds_of_runs.settings_files),
    "train_settings": Target(
        partial(_file, "train.toml", _train_settings), seeds_of_runs.train_settings_files
    ),
    "motif": Target(partial(_file, "motif.txt", read_motif), seeds_of_runs.motif_files),
    "truth": Target(partial(_file, "truth.json", read_truth), seeds_of_runs.truth_files),
    "run": Target(partial(_files, "run", _run), seeds_of_runs.run_folders, is_folder=True),
    "occurrences": Target(
        partial(_file, "o.parquet", _occurrences), seeds_of_runs.occurrence_files
    ),
    "report": Target(partial(_files, "run", _report), seeds_of_runs.run_folders, is_folder=True),
    "run_checkpoint": Target(
        partial(_files, "run_checkpoint", load_miner), seeds_of_runs.run_checkpoints, is_folder=True
    ),
    "metrics": Target(
        partial(_files, "train", read_metrics), seeds_of_runs.train_folders, is_folder=True
    ),
    "train_checkpoint": Target(
        partial(_files, "train", load_classifier), seeds_of_runs.train_folders, is_folder=True
    ),
}
