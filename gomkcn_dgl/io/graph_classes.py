"""The classes of graphs, or of the nodes of a graph: read from its files, or given as labels."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gomkcn_dgl.checks import is_nan, to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import NONE, ColumnChoice
from gomkcn_dgl.io.features import LabelNames, read_label_names, refuse_repeated
from gomkcn_dgl.io.formats import Format, find_format, stem
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.molecules import MoleculeLabels, finite_number, number_columns
from gomkcn_dgl.io.reading import CLASS_COLUMNS, read_with_classes
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import atomic_write, check_path, listed, named, printable
from gomkcn_dgl.runtime.tabular import csv_text

log = logging.getLogger("gomkcn_dgl")


# a whole number that is written with a point, and what is left without it
_WHOLE = re.compile(r"\A([+-]?[0-9]+)\.0*\Z", re.ASCII)
# whole numbers of more values are a measurement, and no classes
MOST_NUMBERED = 10
# the file that says what the classes of a graph file are called ends so, see read_label_names
CLASS_NAMES_SUFFIX = ".classes.csv"


class GraphClasses(NamedTuple):
    """The class of each graph, or of each node.

    ``labels`` is int64 ``[G]`` or ``[V]``, 0 … C - 1 in ascending order of what the classes are
    called in the data, -1 for what has none; ``names`` are the C names.
    """

    labels: np.ndarray
    names: tuple[str, ...]

    @property
    def sizes(self) -> list[int]:
        """The number of graphs, or nodes, of each class."""
        known = self.labels[self.labels >= 0]
        return np.bincount(known, minlength=len(self.names)).tolist()

    @property
    def called(self) -> np.ndarray:
        """What the class of each is called, objects; None for what has none."""
        return np.array([*self.names, None], object)[self.labels]


def read_graph_classes(
    path: str | os.PathLike[str],
    names: LabelNames | None = None,
    *,
    format: str | None = None,
    smiles: str | None = None,
    class_column: str | None = None,
    skip_invalid: bool | None = False,
    threshold: str | float | None = None,
    needed: bool = False,
) -> GraphClasses | None:
    """Read the classes of a TU folder, a DGL ``.bin`` or molecules; None where there are none.

    ``names`` says what classes are called, by their code in the file: a mapping such as
    ``{"1": "mutagenic"}``, or a file of :func:`gomkcn_dgl.io.features.read_label_names`; None: the
    file ``NAME.classes.csv`` beside ``NAME.bin`` or such, if there is one. Labels
    that are no classes are real numbers, several numbers a graph, one for all graphs, or a number
    of its own for each graph; the log says which, and where classes are ``needed`` or named, an
    InputError does. ``class_column`` has the classes of molecules, or is "none"; the other options
    are those of :func:`gomkcn.read_graph`.

    ``threshold`` makes classes of numbers, see :func:`classes_of_numbers`. Without it, a column of
    molecules that holds numbers and no classes is refused.
    """
    path = Path(path)
    choice = ColumnChoice(smiles=smiles, skip_invalid=bool(skip_invalid), class_column=class_column)
    with named(path):
        check_path(path)
        file = InputFile(path)
        row = find_format(file, choice, format, has_classes=True)
        if class_column is not None and row.read_classes is None:
            raise InputError(
                "class_column",
                f"is for molecules, and for the classes of nodes, and the format is {row.name}",
            )
        found = None if row.read_classes is None else row.read_classes(file, choice)
        if threshold is not None:
            if found is None:
                _refuse_threshold(file, row, choice)
            classes = _classes_by(found, threshold)
            return _named_classes(classes, names, path)
        if isinstance(found, MoleculeLabels):
            _refuse_numbers(found)
            found = np.array(found.labels, object)
        if found is None:
            if names is not None:
                raise InputError("names of classes are given, and its graphs have no classes.")
            return None
        if needed or names is not None:
            return _named_classes(_must_be_classes(found, "graphs"), names, path)
        numbered = as_graph_classes(found)
        return None if numbered is None else _named_classes(numbered, names, path)


def _classes_by(found: Any, threshold: str | float) -> GraphClasses:
    """The classes of the numbers of a file."""
    if isinstance(found, MoleculeLabels):
        return classes_of_numbers(_numbers_of(found), threshold, found.column)
    return classes_of_numbers(to_numpy(found), threshold, "label")


def _refuse_threshold(file: InputFile, row: Format, choice: ColumnChoice) -> NoReturn:
    """Refuse a threshold where there are no numbers, with the columns that have some."""
    columns = [] if row.read_molecules is None else number_columns(file, choice)
    if columns:
        raise InputError(
            "threshold",
            "needs the column of its numbers",
            way_out=(
                "give ",
                Argument("class_column", columns[0]),
                f", one of {listed(columns)}",
            ),
        )
    raise InputError("threshold", "is for graphs with a number, and its graphs have none")


def read_node_classes(
    path: str | os.PathLike[str],
    names: LabelNames | None = None,
    *,
    class_column: str | None = None,
    **reading: Any,
) -> tuple[CSRGraph, GraphClasses | None]:
    """Read a graph and the classes of its nodes, which are no features; None where there are none.

    They are an attribute of nodes, or a column of the feature file: ``class_column``, or else one
    that is called class, label, labels or y. ``names`` are those of :func:`read_graph_classes`, and
    ``reading`` has options of :func:`gomkcn.read_graph`. An empty cell is no class. Raises an
    InputError for a column of real numbers, of one class, or of a class of its own for each node.
    """
    path = Path(path)
    graph, codes = read_with_classes(path, class_column or CLASS_COLUMNS, **reading)
    if codes is None:
        return graph, None
    with named(path):
        is_known = np.array([code is not None and code == code for code in codes])
        known = np.array([code for code, known in zip(codes, is_known, strict=True) if known])
        classes = _must_be_classes(known, "nodes")
        labels = np.full(graph.num_nodes, -1)
        labels[is_known] = classes.labels
        return graph, _named_classes(classes._replace(labels=labels), names, path)


def class_names_path(path: Path) -> Path:
    """The file beside a graph file that says what its classes are called."""
    return path.with_name(stem(path) + CLASS_NAMES_SUFFIX)


def write_class_names(path: Path, names: Sequence[str]) -> Path:
    """Write what the classes 0, 1, … of a graph file are called, beside it; return where."""
    beside = class_names_path(path)
    codes = [str(code) for code in range(len(names))]
    atomic_write(beside, csv_text([("label", codes), ("name", list(names))]))
    return beside


def _named_classes(classes: GraphClasses, names: LabelNames | None, path: Path) -> GraphClasses:
    """Call classes as is said, or as the file beside the graph says."""
    beside = class_names_path(path.resolve())
    if names is None and beside.is_file():
        log.info("names of classes: taken from %s beside the graph", beside.name)
        names = beside
    return classes if names is None else name_classes(classes, names)


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

    A label None says that a graph has none, and its number is -1.

    >>> classes = as_graph_classes(["toxic", "harmless", "toxic"])
    >>> classes.labels.tolist(), classes.names
    ([1, 0, 1], ('harmless', 'toxic'))
    >>> as_graph_classes([0.5, 0.25, 1.0]) is None
    True
    """
    classes = _number_classes(class_codes("classes", labels))
    if isinstance(classes, str):
        log.info("labels of graphs: not used, since %s", classes)
        return None
    return classes


def class_codes(name: str, labels: Any) -> np.ndarray:
    """Labels as an array, in which those of several types, and with gaps, are objects.

    >>> class_codes("y", ["a", float("nan")]).tolist()
    ['a', nan]
    """
    try:
        codes = to_numpy(labels)
    # lists of several lengths
    except ValueError:
        raise InputTypeError(name, "must be names or integers, one of each") from None
    # NumPy makes text of a number among text, also of NaN
    if codes.dtype.kind == "U" and codes.ndim == 1 and isinstance(labels, (list, tuple)):
        codes = np.array(labels, object)
    return codes


def is_missing(code: Any) -> bool:
    """Whether a label says that there is none: None or NaN."""
    return code is None or is_nan(code)


def _must_be_classes(codes: Any, members: str) -> GraphClasses:
    """Number classes; refuse codes that are no classes."""
    classes = _number_classes(to_numpy(codes))
    if isinstance(classes, str):
        raise InputError(
            f"its {members} must have two or more classes, names or integers that several "
            f"{members} have, and {classes}."
        )
    return classes


def _number_classes(codes: np.ndarray) -> GraphClasses | str:
    """Number classes; of codes that are no classes, why they are none.

    An object None or NaN is no class.
    """
    if codes.dtype == object and codes.ndim == 1:
        is_known = np.array([not is_missing(code) for code in codes], bool)
        if not is_known.all():
            found = _number_classes(np.array(codes[is_known].tolist()))
            if isinstance(found, str):
                return found
            labels = np.full(len(codes), -1)
            labels[is_known] = found.labels
            return found._replace(labels=labels)
        # 1 and 1.0 are one class, also where each is an object
        codes = to_numpy(codes.tolist())
    if codes.dtype.kind == "U" and codes.ndim == 1:
        # as well as in text
        codes = np.array([_WHOLE.sub(r"\1", code) for code in codes.tolist()], str)
    # one column is as good as none
    codes = codes.reshape(-1) if codes.size == len(codes) else codes
    if codes.ndim > 1:
        return f"each has {codes[0].size} numbers"
    if codes.dtype.kind == "f":
        real = codes[~(np.isfinite(codes) & (codes == np.round(codes)))]
        if len(real):
            return f"there are real numbers, such as {real[0]:g}"
        codes = codes.astype(np.int64)
    try:
        known, position = np.unique(codes, return_inverse=True)
    # objects that have no order
    except TypeError:
        raise InputTypeError("classes", "must be names or integers, one of each") from None
    names = tuple(map(str, known.tolist()))
    if len(known) < 2:
        return f"there is one class only, {printable(names[0])!r}" if names else "there is none"
    if len(known) == len(codes):
        return f"each has one of its own, such as {printable(names[0])!r}"
    return GraphClasses(position.astype(np.int64), names)


def classes_of_numbers(
    numbers: np.ndarray, threshold: str | float, column: str = "value"
) -> GraphClasses:
    """Make two classes of numbers, those below a threshold and all others; or more of several.

    Parameters
    ----------
    numbers : numpy.ndarray
        A finite number for each graph, or NaN where there is none.
    threshold : str or float
        A number, "median", a share of the graphs such as "75%", or several with commas between.
    column : str
        What the numbers are called.

    Examples
    --------
    >>> classes = classes_of_numbers(np.array([5.1, 7.2, 6.5, 4.0]), 6.5, "pIC50")
    >>> classes.names, classes.labels.tolist()
    (('pIC50 < 6.5', 'pIC50 ≥ 6.5'), [0, 1, 1, 0])
    >>> classes_of_numbers(np.arange(9), "3,75%").names
    ('value < 3', '3 ≤ value < 6', 'value ≥ 6')
    """
    given = np.asarray(numbers)
    is_real = given.ndim == 1 and given.dtype.kind in "iuf"
    if not is_real or np.isinf(given).any() or np.isnan(given).all():
        raise InputError("threshold", "is for graphs with one finite number each")
    is_known = ~np.isnan(given)
    values = given[is_known]
    cuts = sorted({_cut(part.strip(), threshold, values) for part in str(threshold).split(",")})
    labels = np.searchsorted(cuts, values, side="right")
    if not np.bincount(labels, minlength=len(cuts) + 1).all():
        raise InputError(
            "threshold",
            (
                f"must have values of {column!r} on each side, which are {values.min():g} to "
                f"{values.max():g}"
            ),
            got=threshold,
        )
    middle = [f"{low:g} ≤ {column} < {high:g}" for low, high in pairwise(cuts)]
    names = (f"{column} < {cuts[0]:g}", *middle, f"{column} ≥ {cuts[-1]:g}")
    labels_of_all = np.full(len(given), -1)
    labels_of_all[is_known] = labels
    return GraphClasses(labels_of_all, names)


def _cut(part: str, threshold: str | float, values: np.ndarray) -> float:
    """The number that a part of a threshold stands for."""
    if part.casefold() == "median":
        return float(np.median(values))
    is_share = part.endswith("%")
    number = finite_number(part.removesuffix("%"))
    if number is None or (is_share and not 0 < number < 100):
        raise InputError(
            "threshold",
            "must be a number, median, a share such as 75%, or several with commas between",
            got=repr(threshold),
        )
    return float(np.percentile(values, number)) if is_share else number


def _numbers_of(found: MoleculeLabels) -> np.ndarray:
    """The numbers of a column of molecules, NaN where there is none; refuse any other text."""
    numbers = [nan if label is None else finite_number(label) for label in found.labels]
    for number, label, place in zip(numbers, found.labels, found.places, strict=True):
        if number is None:
            raise InputError(
                (f"{found.column!r} must be a number for ", Argument("threshold")),
                got=repr(label),
                way_out="correct it, or leave the cell empty, and the molecule is in no class",
                place=place,
            )
    return np.array(numbers, np.float64)


def _refuse_numbers(found: MoleculeLabels) -> None:
    """Refuse a column of numbers that are no classes, and say the way out.

    Whole numbers of few values are classes; a column is one of numbers where most of its values,
    and more than a few, are.
    """
    values = {label: finite_number(label) for label in found.labels if label is not None}
    numbers = [number for number in values.values() if number is not None]
    is_whole = all(number == round(number) for number in numbers)
    if 2 * len(numbers) <= len(values) or (is_whole and len(values) <= MOST_NUMBERED):
        return
    texts = [label for label, number in values.items() if number is None]
    and_text = f" and text, such as {texts[0]!r}," if texts else ""
    first = next(label for label, number in values.items() if number is not None)
    median = float(f"{np.median(numbers):.3g}")
    raise InputError(
        f"{found.column!r} holds numbers, such as {first},{and_text} and no classes",
        way_out=(
            Argument("threshold", median),
            ", median or 75%, makes classes of them, and ",
            Argument("class_column", NONE),
            " leaves them out",
        ),
    )


def read_node_mask(path: str | os.PathLike[str]) -> np.ndarray | None:
    """Read which nodes the graphs of a DGL ``.bin`` mark, bool ``[V]``; None where none are.

    They are the node data ``node_mask``; ``gomkcn generate`` writes it for nodes of planted motifs.
    """
    path = Path(path)
    with named(path):
        check_path(path)
        file = InputFile(path)
        if find_format(file, ColumnChoice(), has_classes=True).name != "dgl":
            return None
        from gomkcn_dgl.io.dgl_files import read_dgl_node_mask

        return read_dgl_node_mask(file.data)
