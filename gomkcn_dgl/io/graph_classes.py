"""The classes of the graphs of a collection, and marked nodes: read from its files, or given."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.features import LabelNames, read_label_names, refuse_repeated
from gomkcn_dgl.io.molecules import (
    MOLECULE_FORMATS,
    MoleculeOptions,
    read_molecule_classes,
)
from gomkcn_dgl.io.reading import format_of
from gomkcn_dgl.io.tu_folder import read_tu_classes
from gomkcn_dgl.runtime.files import listed, named

log = logging.getLogger("gomkcn_dgl")


class GraphClasses(NamedTuple):
    """The class of each graph.

    ``labels`` is int64 ``[G]``, 0 … C - 1 in ascending order of what the classes are called in the
    data; ``names`` are the C names.
    """

    labels: np.ndarray
    names: tuple[str, ...]

    @property
    def sizes(self) -> list[int]:
        """The number of graphs of each class."""
        return np.bincount(self.labels, minlength=len(self.names)).tolist()


def read_graph_classes(
    path: str | os.PathLike[str],
    names: LabelNames | None = None,
    *,
    format: str | None = None,
    smiles: str | None = None,
    class_column: str | None = None,
    skip_invalid: bool | None = False,
) -> GraphClasses | None:
    """Read the classes of a TU folder, a DGL ``.bin`` or molecules; None where there are none.

    ``names`` says what classes are called, by their code in the file: a mapping such as
    ``{"1": "mutagenic"}``, or a file of :func:`gomkcn_dgl.io.features.read_label_names`. Labels
    that are no classes, which the log says, are real numbers, several numbers a graph, or a number
    of its own for each graph. ``class_column`` has the classes of molecules; the other options are
    those of :func:`gomkcn.read_graph`.
    """
    path = Path(path)
    molecules = MoleculeOptions(smiles, class_column, bool(skip_invalid))
    codes: Any = None
    with named(path):
        format = format_of(path, format, smiles)
        if format == "tu":
            codes = read_tu_classes(path)
        elif format == "dgl":
            from gomkcn_dgl.io.foreign_files import read_dgl_classes

            codes = read_dgl_classes(path)
        elif format in MOLECULE_FORMATS:
            codes = read_molecule_classes(path, format, molecules)
        classes = None if codes is None else as_graph_classes(codes)
        if names is None:
            return classes
        if classes is None:
            raise InputError("names of classes are given, and its graphs have no classes.")
        return name_classes(classes, names)


def name_classes(classes: GraphClasses, names: LabelNames) -> GraphClasses:
    """Call classes as a mapping, or a file of label names, says: by their code in the data."""
    table = read_label_names(names)
    unknown = [code for code in table if code not in classes.names]
    if unknown:
        raise InputError(
            f"names of classes must be for {listed(classes.names)}, got {unknown[0]!r}."
        )
    called = tuple(table.get(code, code) for code in classes.names)
    refuse_repeated(called, "each class must have a name of its own")
    return classes._replace(names=called)


def as_graph_classes(labels: Any) -> GraphClasses | None:
    """Number the classes of graphs; None, with a line in the log, for labels that are no classes.

    >>> classes = as_graph_classes(["toxic", "harmless", "toxic"])
    >>> classes.labels.tolist(), classes.names
    ([1, 0, 1], ('harmless', 'toxic'))
    >>> as_graph_classes([0.5, 0.25, 1.0]) is None
    True
    """
    codes = to_numpy(labels)
    # one column is as good as none
    codes = codes.reshape(-1) if codes.size == len(codes) else codes
    is_whole = True
    if codes.dtype.kind == "f":
        is_whole = bool(np.isfinite(codes).all() and (codes == np.round(codes)).all())
        codes = codes.astype(np.int64) if is_whole else codes
    known, position = np.unique(codes, return_inverse=True)
    if not is_whole or codes.ndim > 1 or not 2 <= len(known) < len(codes):
        log.info("labels of graphs: not used, since they are no classes")
        return None
    return GraphClasses(position.astype(np.int64), tuple(map(str, known.tolist())))


def read_node_mask(path: str | os.PathLike[str]) -> np.ndarray | None:
    """Read which nodes the graphs of a DGL ``.bin`` mark, bool ``[V]``; None where none are.

    They are the node data ``node_mask``, as ``gomkcn generate`` writes them for the nodes of planted
    motifs.
    """
    path = Path(path)
    with named(path):
        if format_of(path, None, None) != "dgl":
            return None
        from gomkcn_dgl.io.foreign_files import read_dgl_node_mask

        return read_dgl_node_mask(path)
