"""A file of edges that is larger than memory → a graph folder, sorted on disk by DuckDB.

DuckDB numbers the nodes and brings the ends of the edges into the order of the nodes. The rows of
some nodes at a time are then made by :func:`gomkcn_dgl.csr.merge_edges`, so that the folder is, bit
for bit, that of reading the file whole. What belongs to the nodes is in memory.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl import csr
from gomkcn_dgl.checks import as_float32, check_features
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import new_folder, store_graph
from gomkcn_dgl.io import reading
from gomkcn_dgl.io.edge_layout import EdgeOptions
from gomkcn_dgl.io.edge_tables import NO_EDGE, find_directions, open_edges
from gomkcn_dgl.io.features import LabelNames, match_rows, rows_are_ids
from gomkcn_dgl.io.tables import INTEGERS, WORDS, to_array
from gomkcn_dgl.relations import MAX_RELATIONS, Relations, number_links, relations_of
from gomkcn_dgl.runtime.files import GIB, MIB, check_memory, format_size, named

# bytes at the peak for each byte of a file that is read whole, and of text under .gz
_BYTES_PER_BYTE, _COMPRESSION = 12, 4
# of a text that is parsed at a time, and at the peak for each end of an edge that is in memory
_PIECE_BYTES, _BYTES_PER_END = 2**24, 400
_SMALLEST_LIMIT = 256 * MIB
_IS_INTEGER = "regexp_full_match(id, '[+-]?[0-9]{1,23}') AND try_cast(id AS BIGINT) NOT NULL"


def convert_graph(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    memory_limit: int = 2 * GIB,
    force: bool = False,
    **options: Any,
) -> csr.CSRGraph:
    """Convert a graph file to a graph folder, and return the graph.

    The ``options`` are those of :func:`gomkcn_dgl.io.reading.read_graph`. A file of edges that
    takes more than ``memory_limit`` bytes to read is sorted on disk, beside ``out``, for which
    DuckDB must be installed. The folder appears when it is complete; with ``force`` it replaces
    another graph folder.
    """
    path = Path(path)
    with new_folder(out, force) as folder:
        of_molecules = {name: options.pop(name, None) for name in ("smiles", "skip_invalid")}
        is_large = path.is_file() and _memory_of(path) > memory_limit
        is_large = is_large and not any(of_molecules.values())
        if is_large and options.get("format") is None:
            with named(path):
                options["format"] = reading.find_format(path)
        if is_large and options["format"] in reading.EDGE_FORMATS:
            with _database(folder / "sorted", path, memory_limit) as database:
                graph = _sort_file(path, database, folder / "sorted", memory_limit, **options)
        else:
            graph = reading.read_graph(path, **options, **of_molecules)
        store_graph(folder, graph)
        shutil.rmtree(folder / "sorted", ignore_errors=True)
    return graph


def _memory_of(path: Path) -> int:
    """Bytes that it takes to read a file of edges whole."""
    scale = _COMPRESSION if path.suffix.lower() == ".gz" else 1
    return _BYTES_PER_BYTE * scale * path.stat().st_size


@contextlib.contextmanager
def _database(scratch: Path, path: Path, limit: int) -> Iterator[Any]:
    """Yield a database in a new folder."""
    check_memory(_SMALLEST_LIMIT, limit, "sorting on disk")
    try:
        import duckdb
    except ImportError:
        raise InputError(
            f"memory_limit must be at least {format_size(_memory_of(path))} to read {path.name}, "
            f"got {format_size(limit)}; raise it, or install DuckDB, which sorts on disk: "
            "pip install 'gomkcn-dgl[large]'."
        ) from None
    scratch.mkdir()
    config: Any = {"memory_limit": f"{limit // 3}B", "temp_directory": str(scratch), "threads": 1}
    try:
        with duckdb.connect(scratch / "edges.db", config=config) as database:
            yield database
    except duckdb.OutOfMemoryException:
        raise InputError(f"memory_limit must be more to sort {path.name}; raise it.") from None
    except duckdb.IOException as error:
        raise OSError(str(error).splitlines()[0]) from None


def _sort_file(
    path: Path,
    database: Any,
    scratch: Path,
    limit: int,
    *,
    format: str,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    label_names: LabelNames | None = None,
    **edge_options: Any,
) -> csr.CSRGraph:
    """Read a file of edges as ``read_graph`` does, into arrays that are mapped to files."""
    repairs: Counter[str] = Counter()
    with named(path):
        # 1. the edges as the file names them, and the nodes in ascending order of their ids
        table = reading.find_features(path, format, features, feature_file)
        options = EdgeOptions(**edge_options)
        layout, pieces = open_edges(path, format, options, _PIECE_BYTES)
        _load(database, pieces)
        ids = _number_nodes(database, is_file=layout.dialect is not None)
        num_nodes = len(ids)
        if table is not None and rows_are_ids(table, ids):
            num_nodes = len(table.values)
        if num_nodes >= 2**31:
            raise InputError(f"a graph must have fewer than 2^31 nodes, got {num_nodes}.")
        is_plain = ids.dtype.kind == "i" and ids[0] >= 0 and ids[-1] < num_nodes
        # 2. edges between rows, without self-loops and edges of weight 0, by either end
        repairs[csr.CONSTANT] = num_nodes if table is None else 0
        repairs[csr.LOOPS] = _number(database, "count(*) FROM named WHERE source = target")
        repairs[csr.ZEROS] = _number(
            database, "count(*) FROM named WHERE source <> target AND weight = 0"
        )
        kinds = _sort_ends(database, is_plain)
        ends = _Ends(database, num_nodes, limit // _BYTES_PER_END // 3)
        # 3. directions; duplicates are merged, and every edge is stored in both rows
        count = functools.cache(ends.count)
        names, directions, notes = find_directions(layout, kinds, options.directed, count)
        different, both_ways = count(len(names))
        repairs[csr.DUPLICATES] = int(ends.bounds[-1]) // 2 - int(different.sum())
        repairs[csr.MIRRORED] = int((different - both_ways)[~np.array(directions)].sum())
        rows = ends.merge(scratch, relations_of(names, directions), "weight" in layout.roles)
        repairs[csr.CONFLICTS] = int(rows.conflicts)
        notes += csr.log_repairs(repairs)
        # 4. features
        matrix = np.broadcast_to(np.float32(1), (num_nodes, 1))
        columns: tuple[str, ...] = (csr.CONSTANT_FEATURE,)
        if table is not None:
            values = match_rows(table, np.arange(num_nodes) if is_plain else ids)
            matrix, columns = check_features(values, num_nodes, table.names)
    graph = csr.CSRGraph(
        indptr=rows.indptr,
        indices=rows.indices,
        features=matrix,
        weights=rows.weights,
        graph_ptr=np.array([0, num_nodes]),
        node_ids=None if is_plain else ids,
        feature_names=columns,
        relations=rows.relations,
        links=rows.links,
        notes=(*(table.notes if table else ()), *layout.notes, *notes),
    )
    return reading.call_names(path, graph, label_names)


def _number(database: Any, query: str) -> int:
    return int(database.execute(f"SELECT {query}").fetchone()[0])


def _load(database: Any, pieces: Callable[[pa.DataType], Iterator[pa.Table | None]]) -> None:
    """Fill the table ``named``: ids are integers if all of them are, or else words."""
    for ids, kind in ((INTEGERS, "BIGINT"), (WORDS, "VARCHAR")):
        database.execute(f"""CREATE OR REPLACE TABLE named
            (source {kind}, target {kind}, weight FLOAT, relation VARCHAR)""")
        for piece in pieces(ids):
            if piece is None:
                break
            columns = {name: piece[name] for name in piece.column_names}
            if "weight" in columns:
                weights = to_array(columns["weight"].combine_chunks())
                columns["weight"] = pa.array(as_float32("edge weights", weights))
            database.register("piece", pa.table(columns))
            database.execute("INSERT INTO named BY NAME SELECT * FROM piece")
            database.unregister("piece")
        else:
            break
    if not _number(database, "count(*) FROM named"):
        raise InputError(NO_EDGE)


def _number_nodes(database: Any, is_file: bool) -> np.ndarray:
    """Fill the table ``ids``, whose rows are the nodes, and return it."""
    database.execute("""CREATE OR REPLACE TABLE ids AS SELECT DISTINCT id FROM (
        SELECT source AS id FROM named UNION ALL SELECT target FROM named) ORDER BY id""")
    is_text = database.sql("SELECT id FROM ids").types[0] == "VARCHAR"
    # in a file of text, +7 and 07 are integers where all ids are
    if is_file and is_text and _number(database, f"bool_and({_IS_INTEGER}) FROM ids"):
        database.execute("""ALTER TABLE named ALTER source TYPE BIGINT;
            ALTER TABLE named ALTER target TYPE BIGINT""")
        return _number_nodes(database, is_file)
    ids = database.execute("SELECT id FROM ids ORDER BY rowid").fetchnumpy()["id"]
    return np.array(ids.tolist()) if is_text else np.asarray(ids)


def _sort_ends(database: Any, is_plain: bool) -> list[str] | None:
    """Fill the table ``ends``, both ends of each edge between rows; return the relations."""
    database.execute("""CREATE TABLE kinds AS SELECT DISTINCT relation FROM named
        WHERE relation NOT NULL ORDER BY relation""")
    query = f"SELECT relation FROM kinds ORDER BY rowid LIMIT {MAX_RELATIONS + 1}"
    kinds = [name for (name,) in database.execute(query).fetchall()]
    u, v, relation, tables = "source", "target", "0", "named"
    if kinds:
        relation, tables = "kinds.rowid", "named JOIN kinds USING (relation)"
    if not is_plain:
        u, v = "s.rowid", "t.rowid"
        tables += " JOIN ids s ON source = s.id JOIN ids t ON target = t.id"
    database.execute(f"""CREATE TABLE edges AS SELECT {u}::INTEGER AS u, {v}::INTEGER AS v,
            coalesce(weight, 1) AS weight, {relation}::INTEGER AS relation
        FROM {tables} WHERE source <> target AND coalesce(weight, 1) > 0;
        DROP TABLE named;
        CREATE TABLE ends AS SELECT u AS node, * FROM edges UNION ALL SELECT v, * FROM edges
        ORDER BY node; DROP TABLE edges""")
    return kinds or None


class _Ends:
    """Both ends of each edge in the order of the nodes; about ``at_once`` of them are in memory."""

    def __init__(self, database: Any, num_nodes: int, at_once: int) -> None:
        self._database, self._at_once = database, at_once
        found = database.execute("SELECT node, count(*) AS n FROM ends GROUP BY node").fetchnumpy()
        # those of node v are bounds[v]:bounds[v + 1]
        self.bounds = np.zeros(num_nodes + 1, np.int64)
        self.bounds[np.asarray(found["node"]) + 1] = found["n"]
        np.cumsum(self.bounds, out=self.bounds)

    def _pieces(self, num_relations: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield the bounds of some nodes, and the columns of their edges."""
        cuts = np.searchsorted(self.bounds, np.arange(0, self.bounds[-1], self._at_once))
        for first, last in itertools.pairwise([*np.unique(cuts).tolist(), len(self.bounds) - 1]):
            query = f"""SELECT u::BIGINT AS source, v::BIGINT AS target, weight AS weights,
                    relation
                FROM ends WHERE node >= {first} AND node < {last}"""
            edges: dict[str, Any] = self._database.execute(query).fetchnumpy()
            if num_relations == 1:
                edges["relation"] = None
            yield first, last, edges

    def count(self, num_relations: int) -> tuple[np.ndarray, np.ndarray]:
        """What :func:`gomkcn_dgl.csr.count_edges` returns of all edges."""
        total = np.zeros((2, num_relations), np.int64)
        for first, _, edges in self._pieces(num_relations):
            # an edge counts at its smaller node
            own = np.minimum(edges["source"], edges["target"]) >= first
            relation = None if edges["relation"] is None else edges["relation"][own]
            u, v = edges["source"][own], edges["target"][own]
            total += csr.count_edges(u, v, relation, num_relations)
        return total[0], total[1]

    def merge(self, scratch: Path, relations: Relations, is_weighted: bool) -> csr.Rows:
        """What :func:`gomkcn_dgl.csr.merge_edges` returns of all edges."""
        indptr, num_conflicts = np.zeros_like(self.bounds), 0
        room = max(1, int(self.bounds[-1]))
        kinds = {"indices": np.int32, "weights": np.float32, "links": np.int32}
        arrays: dict[str, np.ndarray] = {
            name: np.memmap(scratch / name, kind, "w+", shape=room) for name, kind in kinds.items()
        }
        tables = [relations.links[:0]]
        for first, last, edges in self._pieces(len(relations.names)):
            if not is_weighted:
                edges["weights"] = None
            rows = csr.merge_edges(**edges, relations=relations, num_nodes=len(indptr) - 1)
            start, stop = rows.indptr[[first, last]]
            here = slice(indptr[first], indptr[first] + stop - start)
            indptr[first : last + 1] = rows.indptr[first : last + 1] + (here.start - start)
            arrays["indices"][here] = rows.indices[start:stop]
            if rows.weights is not None:
                arrays["weights"][here] = rows.weights[start:stop]
            if rows.links is not None:
                # numbered piece by piece
                arrays["links"][here] = rows.links[start:stop] + np.int32(sum(map(len, tables)))
                tables.append(rows.relations.links)
            num_conflicts += int(rows.conflicts[start:stop].sum())
        arrays = {name: values[: indptr[-1]] for name, values in arrays.items()}
        links = None
        if not relations.is_simple:
            table = np.concatenate(tables)
            groups, channels = np.nonzero(table)
            numbers, relations = number_links(groups, channels, relations)
            final = np.zeros(len(table), numbers.dtype)
            final[table.any(axis=1)] = numbers
            links = np.memmap(scratch / "final", final.dtype, "w+", shape=room)[: indptr[-1]]
            for at in range(0, len(links), self._at_once):
                links[at : at + self._at_once] = final[arrays["links"][at : at + self._at_once]]
        weights = arrays["weights"] if is_weighted else None
        conflicts = np.array(num_conflicts)
        return csr.Rows(indptr, arrays["indices"], weights, links, relations, conflicts)
