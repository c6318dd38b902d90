"""Runs that Python made ↔ their folders: what ``save`` and ``load`` of a run do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.runs.blocks import BLOCKS, run_of_blocks
from gomkcn.mining.runs.filters import FILTERS, run_of_filters
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import as_path
from gomkcn_dgl.runtime.run import Run, RunKind, prepare_folder, read_run, write_run
from gomkcn_dgl.runtime.saved_run import SavedRun

_KINDS: dict[type, RunKind[Any]] = {
    MiningRun: MINE,
    FiltersRun: FILTERS,
    RepeatedBlocks: BLOCKS,
}
_RUN_OF: dict[type, Callable[[Any], Run[Any]]] = {
    MiningRun: run_of_mining,
    FiltersRun: run_of_filters,
    RepeatedBlocks: run_of_blocks,
}


def save_run(found: SavedRun, out: str | Path, *, force: bool = False) -> None:
    """Write the folder of a run."""
    out = as_path("out", out)
    filters = found.filters if isinstance(found, MiningRun) else found
    if isinstance(filters, FiltersRun) and filters.miner is None:
        raise InputError(
            "a run that was read from a folder has not all of its filters in memory; copy the "
            "folder."
        )
    run = _RUN_OF[type(found)](found)
    prepare_folder(_KINDS[type(found)], out, force=force)
    write_run(_KINDS[type(found)], out, run)


def load_run(kind: type[Any], folder: str | Path) -> Any:
    """Read the folder of a run that is of a kind."""
    return read_run(_KINDS[kind], as_path("folder", folder)).found
