"""Files of other tools: what every reader of their bytes does before and after a library reads.

A reader is a function of the bytes of a file, decorated with :func:`reads_bytes`. Which library
reads which format, and why, is in the table of :mod:`gomkcn_dgl.io.formats`.
"""

from __future__ import annotations

import functools
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, Columns, GraphContent, with_gaps
from gomkcn_dgl.graph_objects import from_matrix, node_names
from gomkcn_dgl.io.input_file import InputFile, as_utf8, decode
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.memory import check_announced

OWNER = "the file"
# notes of several formats
WITHOUT_WEIGHT = "edges without a weight have the weight 1"
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
# what igraph puts around a reason
_PLACE = re.compile(r"^Error at \S+: | -- [\w ]+$|\.? Location: \S+$")

ReaderOfBytes = Callable[[bytes, ColumnChoice], GraphContent]
ReaderOfFile = Callable[[InputFile, ColumnChoice], GraphContent]


def reads_bytes(
    title: str, name_columns: Sequence[str] = ("name", "label")
) -> Callable[[ReaderOfBytes], ReaderOfFile]:
    """Make a reader of files of a function of their bytes and of what was chosen.

    Whatever a damaged file leads a library into is one sentence with the ``title`` of the format,
    and its warnings are notes. Edges have a direction if the file says so. Nodes are called by the
    first of the ``name_columns`` in which each has a name of its own, or else by their ids. Unless
    features are named, the constant 1 is the only feature, even when an attribute is called
    ``feat``.
    """

    def decorate(read: ReaderOfBytes) -> ReaderOfFile:
        @functools.wraps(read)
        def read_file(file: InputFile, choice: ColumnChoice) -> GraphContent:
            data = file.data
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    content = read(data, choice)
                except InputError:
                    raise
                # whatever else a damaged file leads a reader into
                except Exception as error:
                    reason = f"unknown {error}" if isinstance(error, KeyError) else reason_of(error)
                    reason = _PLACE.sub("", reason).rstrip(".")
                    raise InputError(f"the file is not valid {title} ({reason}).") from None
            warned = dict.fromkeys(_PLACE.sub("", str(warning.message)) for warning in caught)
            return replace(
                with_names(content, name_columns),
                owner=OWNER,
                default_features=(),
                notes=(*content.notes, *warned),
            )

        return read_file

    return decorate


def text_of(data: bytes) -> str:
    """The text of a file in UTF-8 or UTF-16."""
    return decode(as_utf8(data))


def lines_of(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their numbers, from 1."""
    return list(enumerate(_LINE_ENDS.split(text), 1))


def with_names(content: GraphContent, columns: Sequence[str]) -> GraphContent:
    """Call nodes by the first column in which each has a name of its own; integers if all are.

    Those of a collection are called as its graphs call them.
    """
    if content.graph_ptr is not None:
        return content
    attributes = content.nodes
    ids = content.ids.tolist()
    for column in columns:
        names = with_gaps(attributes, column) if column in list(attributes) else []
        words = {str(name) for name in names if isinstance(name, (str, int))}
        if names and len(words) == content.num_nodes and all(map(str.strip, words)):
            ids = list(names)
            others = [name for name in attributes if name != column]
            attributes = Columns(
                others,
                attributes.__getitem__,
                with_gaps=lambda name: with_gaps(content.nodes, name),
            )
            break
    texts = [str(name) for name in ids]
    if all(_CANONICAL_INTEGER.fullmatch(text) for text in texts):
        ids = [int(text) for text in texts]
    return replace(content, nodes=attributes, node_ids=node_names(ids))


def take_types(
    edges: Sequence[dict[str, Any]], name: str, choice: ColumnChoice
) -> list[str] | None:
    """Take the types of edges, which a format keeps in an attribute, as their relations.

    An edge without one is of the plain relation. None where another relation is chosen, or none.
    """
    if choice.relation is not None:
        return None
    types = [str(edge.get(name, PLAIN)) for edge in edges]
    if name not in choice.asked_of_edges:
        for edge in edges:
            edge.pop(name, None)
    return types


def read_npz(data: bytes) -> GraphContent:
    """Read the bytes of a SciPy matrix."""
    import scipy.sparse as sp

    # a damaged archive can raise nearly anything
    try:
        held = sum(values.nbytes for values in load_arrays(data).values())
        matrix = sp.load_npz(io.BytesIO(data))
        check_announced(max(matrix.shape), held)
        matrix = matrix.tocsr()
        # of a matrix with less than no entry SciPy looks at no row
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
            raise ValueError("indptr does not ascend")
        matrix.check_format(full_check=True)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"data is {matrix.dtype}")
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"the file must be one that scipy.sparse.save_npz writes ({reason_of(error)})."
        ) from None
    return replace(from_matrix(matrix), owner=OWNER)
