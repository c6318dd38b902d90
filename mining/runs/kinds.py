"""All kinds of run, by the name of their command; the one way to read a finished run.

To add one: a module of this folder that ends in its :class:`gomkcn_dgl.runtime.run.RunKind`, a row
here, and a command that reads its settings.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import as_path
from gomkcn_dgl.runtime.run import RunKind, read_record, read_run


def _mine() -> RunKind[Any]:
    from gomkcn.mining.runs.mine import MINE

    return MINE


def _filters() -> RunKind[Any]:
    from gomkcn.mining.runs.filters import FILTERS

    return FILTERS


def _train() -> RunKind[Any]:
    from gomkcn.mining.runs.train import TRAIN

    return TRAIN


def _temporal() -> RunKind[Any]:
    from gomkcn.mining.runs.temporal import TEMPORAL

    return TEMPORAL


def _compare() -> RunKind[Any]:
    from gomkcn.mining.runs.compare import COMPARE

    return COMPARE


def _frequent() -> RunKind[Any]:
    from gomkcn.mining.runs.frequent import FREQUENT

    return FREQUENT


def _blocks() -> RunKind[Any]:
    from gomkcn.mining.runs.blocks import BLOCKS

    return BLOCKS


# a kind is imported when it is needed: that of training loads PyTorch
RUN_KINDS: dict[str, Callable[[], RunKind[Any]]] = {
    "mine": _mine,
    "filters": _filters,
    "train": _train,
    "temporal": _temporal,
    "compare": _compare,
    "frequent": _frequent,
    "blocks": _blocks,
}


def kind_of(folder: str | Path) -> RunKind[Any]:
    """The kind of the finished run in a folder; raises an InputError where there is none."""
    if Path(folder).is_file():
        # beside runs, a miner is what is stored in a file
        way_out = "FilterMiner.load reads a miner that was saved as .npz"
        raise InputError(f"run folder {str(folder)!r} is a file", way_out=way_out)
    name = read_record(folder)["kind"]
    if name not in RUN_KINDS:
        raise InputError(
            f"run folder {str(folder)!r} holds a run of gomkcn {name}, which this version does not "
            f"know; it knows runs of {', '.join(RUN_KINDS)}."
        )
    return RUN_KINDS[name]()


def load(folder: str | Path) -> Any:
    """Read a finished run back, of whatever command.

    Parameters
    ----------
    folder : path
        The folder of a run, as ``--out`` names it.

    Returns
    -------
    object
        A MiningRun, FiltersRun, TrainedNetwork, TrainedMachine, TemporalCensus, RunComparison,
        GraphDistances, FrequentSubgraphs or RepeatedBlocks: what ``gomkcn mine``, ``filters``,
        ``train``, ``temporal``, ``compare`` of two graphs and of more, ``frequent`` and ``blocks``
        found. The patterns of a :class:`gomkcn.MiningRun` have all listed occurrences.

        A trained classifier takes graphs that :func:`gomkcn.read_graph` reads: ``decide(graph)``
        gives the class of each, int64 ``[G]``, and the probabilities ``[G, C]``; class k is
        ``class_names[k]``. A kernel machine is a fitted :class:`gomkcn.GOMKClassifier` in
        ``machine``, a network a :class:`gomkcn.GOMKCN` in ``model``, which is on a GPU if there is
        one and takes features as ``scaling.scale`` maps them.

    Raises
    ------
    InputError
        If the folder holds no finished run, one of another version, or a file of it is damaged.

    Examples
    --------
    ``load("runs/friends").motif_set``; ``classifier = load("runs/MUTAG")``, then
    ``classes, probabilities = classifier.decide(read_graph("NEW"))``.
    """
    folder = as_path("folder", folder)
    return read_run(kind_of(folder), folder).found
