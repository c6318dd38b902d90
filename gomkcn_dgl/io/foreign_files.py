"""Files of other tools, each read by the library that keeps most of it, and checked around that.

| format     | read by    | why                              | what is put right here             |
|------------|------------|----------------------------------|------------------------------------|
| `graphml`  | NetworkX   | igraph fills gaps with 0 or "",  | ids of parallel edges, keys        |
|            |            | makes nodes of unknown ends and  | without attr.name, namespaces      |
|            |            | does not see labels of yEd       |                                    |
| `gexf`     | NetworkX   | igraph does not read it          | namespaces, kinds, mutual edges    |
| `gml`      | NetworkX   | igraph fills gaps, cuts ids to   | 1e-05, NaN, line ends within text, |
|            |            | floats, leaves &#228; as it is   | edges that are listed twice        |
| `pajek`    | igraph     | NetworkX merges nodes of equal   | several lists and relations, which |
|            |            | labels, adds unknown ends, and   | are joined to one list for igraph; |
|            |            | fails at bare or two-mode nodes  | empty lines, entities, times       |
| `ncol`     | igraph     | the only reader                  | comments                           |
| `lgl`      | igraph     | the only reader                  |                                    |
| `graph6`,  | NetworkX   | igraph reads neither             | announced sizes, several graphs    |
| `sparse6`  |            |                                  |                                    |
| `mtx`      | NumPy      | SciPy 1.17 reads beyond its      | announced sizes; the head is read  |
|            |            | arrays at a lone CR or a 0 byte  | here                               |
| `json`     | own        | NetworkX reads its own form only | :mod:`gomkcn_dgl.io.json_files`    |
| `sif`      | own        | no library reads it              | a table with relations             |
| `dimacs`   | own        | igraph fails at ``p edge``, and  |                                    |
|            |            | does not know ``p col``          |                                    |
| `npz`      | SciPy      | it writes it                     | damaged index arrays               |

igraph 1.0 crashed at none of 1,800 damaged files, and NetworkX at none that fuzzing has
tried. ``dgl.load_graphs`` aborts the process on some, so :mod:`gomkcn_dgl.io.dgl_files` does
without it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, Columns, GraphContent, with_gaps
from gomkcn_dgl.graph_objects import from_matrix, node_names
from gomkcn_dgl.io import json_files, text_files, xml_files
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.runtime.files import read_bytes, reason_of
from gomkcn_dgl.runtime.memory import check_announced

# attributes that hold what a node is called, in the order in which they are asked
_NAMES = ("name", "label")
_LABELLED = {"gml": ("label", "name"), "gexf": ("label",)}
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
# what igraph puts around a reason
_PLACE = re.compile(r"^Error at \S+: | -- [\w ]+$|\.? Location: \S+$")

# what is read from the bytes of a file, and from the choice of columns
_Reader = Callable[[bytes, ColumnChoice], GraphContent]
_READERS: dict[str, _Reader] = {
    "graphml": lambda data, choice: xml_files.read_graphml(data, choice.directed),
    "gexf": lambda data, choice: xml_files.read_gexf(data, choice.directed),
    "gml": lambda data, _: text_files.read_gml(data),
    "pajek": lambda data, choice: text_files.read_pajek(data, choice.directed),
    "json": lambda data, choice: json_files.read_json(data, choice.directed),
    "mtx": lambda data, _: text_files.read_matrix_market(data),
    "sif": text_files.read_sif,
    "ncol": lambda data, choice: text_files.read_ncol(data, choice.directed),
    "lgl": lambda data, choice: text_files.read_lgl(data, choice.directed),
    "graph6": lambda data, _: text_files.read_graph6(data),
    "sparse6": lambda data, _: text_files.read_sparse6(data),
    "dimacs": lambda data, choice: text_files.read_dimacs(data, choice.directed),
}


def read_foreign(path: Path, format: str, choice: ColumnChoice) -> GraphContent:
    """Read a file of a format in ``_READERS``.

    Edges have a direction if the file says so. Nodes are called by their names or labels, where
    each has one of its own, or else by their ids. Unless features are named, the constant 1 is the
    only feature, even when an attribute is called ``feat``.
    """
    data = read_bytes(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            content = _READERS[format](data, choice)
        except InputError:
            raise
        # whatever else a damaged file leads a reader into
        except Exception as error:
            reason = f"unknown {error}" if isinstance(error, KeyError) else reason_of(error)
            reason = _PLACE.sub("", reason).rstrip(".")
            raise InputError(f"the file is not valid {format.upper()} ({reason}).") from None
    said = dict.fromkeys(_PLACE.sub("", str(each.message)) for each in caught)
    return replace(
        _with_names(content, _LABELLED.get(format, _NAMES)),
        owner="the file",
        default_features=(),
        notes=(*content.notes, *said),
    )


def _with_names(content: GraphContent, columns: Sequence[str]) -> GraphContent:
    """Call nodes by the first column in which each has a name of its own; integers if all are."""
    own = content.nodes
    ids = content.ids.tolist()
    for column in columns:
        names = with_gaps(own, column) if column in list(own) else []
        words = {str(name) for name in names if isinstance(name, (str, int))}
        if names and len(words) == content.num_nodes and all(map(str.strip, words)):
            ids = list(names)
            others = [name for name in own if name != column]
            own = Columns(
                others, own.__getitem__, with_gaps=lambda name: with_gaps(content.nodes, name)
            )
            break
    texts = [str(name) for name in ids]
    if all(_CANONICAL_INTEGER.fullmatch(text) for text in texts):
        ids = [int(text) for text in texts]
    return replace(content, nodes=own, node_ids=node_names(ids))


def read_npz(path: Path) -> GraphContent:
    """Read a SciPy matrix."""
    import scipy.sparse as sp

    data = read_bytes(path)
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
    return replace(from_matrix(matrix), owner="the file")
