"""A file of edges of any size → a graph folder: sorted by DuckDB on disk where memory is short.

A file that fits is read and written. Else its edges go through a database beside the folder, in the
steps of :func:`gomkcn_dgl.csr.csr_from_edges`, and the arrays are written piece by piece. Both ways
give the same folder, array for array.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import as_float32, check_int
from gomkcn_dgl.csr import CONSTANT_FEATURE
from gomkcn_dgl.edges import CONFLICTS, CONSTANT, DUPLICATES, LOOPS, MIRRORED, ZEROS, log_repairs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import (
    FolderHeader,
    new_folder,
    npy_file,
    read_node_ids,
    write_graph_folder,
    write_names,
)
from gomkcn_dgl.io.edge_directions import find_directions, log_relations
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions
from gomkcn_dgl.io.edge_tables import consume_edges, find_edge_layout
from gomkcn_dgl.io.feature_file import FeatureTable, match_rows
from gomkcn_dgl.io.reading import EDGE_FORMATS, find_features, find_format, read_graph
from gomkcn_dgl.io.tables import INTEGERS, to_array
from gomkcn_dgl.relations import (
    MAX_LINKS,
    MAX_RELATIONS,
    Relations,
    relations_of,
    relations_to_record,
)
from gomkcn_dgl.runtime.files import GIB, MIB, check_memory, memory_in_use, named

log = logging.getLogger("gomkcn_dgl")

# bytes at the peak for each byte of a file that is read whole; 10 to 13 were measured
_BYTES_PER_BYTE = 14
# of text under .gz
_COMPRESSION = 4
# bytes that a database needs for the smallest useful pieces
_SMALLEST_BUDGET = 128 * MIB
_BLOCK_BYTES, _ROWS = 2**22, 2**18
_INTEGER = "[+-]?[0-9]{1,19}"


def convert_edges(
    edges: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    memory_limit: int = 2 * GIB,
    force: bool = False,
    progress: bool = False,
    **edge_options: Any,
) -> FolderHeader:
    """Convert an edge list, a CSV (both also ``.gz``) or a parquet file to a graph folder.

    Files are read by the rules of :func:`gomkcn_dgl.io.reading.read_graph`, which also has the
    ``edge_options``: ``directed``, ``source``, ``target``, ``relation`` and ``weight``.
    The process may use ``memory_limit`` bytes, those in use before included; a file that needs more
    is sorted on disk, for which DuckDB must be installed. The folder appears when it is complete;
    with ``force`` it replaces another graph folder.
    """
    path, limit = Path(edges), check_int("memory_limit", memory_limit, 1)
    check_memory(memory_in_use() + _SMALLEST_BUDGET, limit, "reading a file of edges")
    if not path.exists():
        raise InputError(f"path must name a file that exists, got {str(path)!r}.")
    with named(path):
        format = find_format(path) if format is None else format
        if format not in EDGE_FORMATS:
            raise InputError(
                f"the format of a file to convert must be one of {', '.join(EDGE_FORMATS)}, got "
                f"{format}; read others into memory, and write them to a name that ends in .graph."
            )
    if _memory_of(path) <= limit:
        graph = read_graph(
            path, features=features, feature_file=feature_file, format=format, **edge_options
        )
        return write_graph_folder(out, graph, force=force)
    with new_folder(out, force) as folder, _database(folder, path, limit) as database, named(path):
        table = find_features(path, format, features, feature_file)
        layout = find_edge_layout(path, format, EdgeOptions(**edge_options))
        load = functools.partial(_load, database)
        consume_edges(path, layout, load, block_bytes=_BLOCK_BYTES, progress=progress)
        header = _sort(database, folder, layout, table, edge_options.get("directed"))
        header.write(folder)
    return header


def _memory_of(path: Path) -> int:
    """Bytes that a process needs to read a file whole."""
    scale = _COMPRESSION if path.suffix.lower() == ".gz" else 1
    return memory_in_use() + _BYTES_PER_BYTE * scale * path.stat().st_size


@contextlib.contextmanager
def _database(folder: Path, path: Path, limit: int) -> Iterator[Any]:
    """Yield a database in a folder, which is removed at the end."""
    try:
        import duckdb
    except ImportError:
        raise InputError(
            f"{path.name} needs about {_memory_of(path) / GIB:.1f} GiB to be read whole, and "
            "memory_limit is less; raise it, or install DuckDB, which sorts on disk: "
            "pip install 'gomkcn-dgl[large]'."
        ) from None
    scratch = folder / "scratch"
    scratch.mkdir()
    # about as much again is taken beside what DuckDB counts
    budget = max(limit - memory_in_use(), _SMALLEST_BUDGET) // 2
    options: Any = {"memory_limit": f"{budget}B", "temp_directory": str(scratch / "spilled")}
    options["threads"] = 1
    try:
        with duckdb.connect(scratch / "edges.db", config=options) as database:
            yield database
    except duckdb.OutOfMemoryException:
        raise InputError(f"memory_limit must be more to sort {path.name}; raise it.") from None
    except duckdb.IOException as error:
        raise OSError(str(error).splitlines()[0]) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sort(
    database: Any,
    folder: Path,
    layout: EdgeLayout,
    table: FeatureTable | None,
    directed: bool | None,
) -> FolderHeader:
    """Write the arrays of a graph folder, in the steps of ``csr_from_edges``."""
    repairs: Counter[str] = Counter()
    # 1. the ids of the nodes
    num_nodes, is_plain = _number_nodes(database, table)
    repairs[CONSTANT] = num_nodes if table is None else 0
    # from here on the order of rows is asked for, and keeping it takes memory
    database.execute("SET preserve_insertion_order = false")
    # 2. edges between rows, without loops and edges of weight 0
    ends, kind = "named.source AS u, named.target AS v FROM named", "0"
    if not is_plain:
        ends = """s.rowid AS u, t.rowid AS v FROM named
            JOIN ids s ON named.source = s.id JOIN ids t ON named.target = t.id"""
    if "relation" in layout.roles:
        kind, ends = "kinds.number", f"{ends} JOIN kinds ON named.relation = kinds.relation"
        database.execute("""CREATE TABLE kinds AS SELECT relation,
            row_number() OVER (ORDER BY relation) - 1 AS number FROM (
                SELECT DISTINCT relation FROM named)""")
    query = "SELECT count(*) FROM named WHERE source = target"
    repairs[LOOPS] = _number(database, query)
    repairs[ZEROS] = _number(database, query.replace("=", "<>") + " AND weight = 0")
    database.execute(f"""CREATE TABLE edges AS SELECT weight, {kind} AS kind, {ends}
        WHERE source <> target AND coalesce(weight, 1) > 0; DROP TABLE named""")
    # 3. relations, and which of them have a direction
    found = None
    if "relation" in layout.roles:
        query = f"SELECT relation FROM kinds ORDER BY number LIMIT {MAX_RELATIONS + 1}"
        found = [name for (name,) in database.execute(query).fetchall()]

    def count(num_relations: int) -> tuple[np.ndarray, np.ndarray]:
        pairs, both = _count_pairs(database, num_relations)
        return pairs + both, 2 * both

    names, directions, notes = find_directions(layout, found, directed, count)
    relations = relations_of(names, directions)
    # 4. duplicates are merged: what joins two nodes becomes an entry in the row of each
    pairs, both = _count_pairs(database, len(names))
    is_directed = np.array(directions)
    num_kept = _number(database, "SELECT count(*) FROM edges")
    repairs[DUPLICATES] = num_kept - int((pairs + both).sum())
    repairs[MIRRORED] = int((pairs - both)[~is_directed].sum())
    relations, repairs[CONFLICTS] = _link(database, relations)
    _write_arrays(database, folder, num_nodes, relations, "weight" in layout.roles)
    repaired = log_repairs(repairs)
    log_relations(relations)
    # 5. what belongs to the nodes
    if not is_plain:
        _write_ids(database, folder, num_nodes)
    if table is not None:
        ids = np.arange(num_nodes) if is_plain else read_node_ids(folder, num_nodes)
        _write_features(folder, match_rows(table, ids))
    files = {
        "weights": "weight" in layout.roles,
        "links": not relations.is_simple,
        "features": table is not None,
        "node_ids": not is_plain,
    }
    return FolderHeader(
        num_nodes=num_nodes,
        num_edges=int((pairs + both * is_directed).sum()),
        num_graphs=1,
        feature_names=[CONSTANT_FEATURE] if table is None else list(table.names),
        relations=relations_to_record(relations),
        notes=[*(() if table is None else table.notes), *layout.notes, *notes, *repaired],
        files=[name for name, is_there in files.items() if is_there],
    )


def _number(database: Any, query: str) -> int:
    ((number,),) = database.execute(query).fetchall()
    return int(number)


def _load(database: Any, tables: Iterator[pa.Table]) -> None:
    """Fill the table of edges as the file names them."""
    for number, table in enumerate(tables):
        weight = None
        if "weight" in table.column_names:
            weight = pa.array(as_float32("edge weights", to_array(table["weight"].chunk(0))))
        columns = [table["source"], table["target"], weight or pa.nulls(len(table), pa.float32())]
        relation = table["relation"] if "relation" in table.column_names else None
        columns.append(relation or pa.nulls(len(table), pa.string()))
        database.register("piece", pa.table(columns, ["source", "target", "weight", "relation"]))
        if not number:
            kind = "BIGINT" if table.schema.field("source").type == INTEGERS else "VARCHAR"
            database.execute(f"""CREATE OR REPLACE TABLE named
                (source {kind}, target {kind}, weight FLOAT, relation VARCHAR)""")
        database.execute("INSERT INTO named SELECT * FROM piece")
        database.unregister("piece")


def _number_nodes(database: Any, table: FeatureTable | None) -> tuple[int, bool]:
    """Return the number of nodes, and whether their ids are 0, 1, 2, …; else fill ``ids``."""
    database.execute("""CREATE TABLE ids AS SELECT DISTINCT id FROM (
        SELECT source AS id FROM named UNION ALL SELECT target FROM named) ORDER BY id""")
    # text that is integers everywhere, such as +7, counts as integers
    is_integer = f"regexp_full_match(id::VARCHAR, '{_INTEGER}') AND try_cast(id AS BIGINT) NOT NULL"
    is_text = database.sql("SELECT id FROM ids").types[0] == "VARCHAR"
    if is_text and _number(database, f"SELECT bool_and({is_integer}) FROM ids"):
        database.execute("""ALTER TABLE named ALTER source TYPE BIGINT;
            ALTER TABLE named ALTER target TYPE BIGINT; DROP TABLE ids""")
        return _number_nodes(database, table)
    ((num_ids, low, high),) = database.execute(
        "SELECT count(*), min(id), max(id) FROM ids"
    ).fetchall()
    num_nodes = num_ids
    if not is_text and low >= 0 and table is not None and table.ids is None:
        num_rows = len(table.values)
        if high < num_rows:
            log.info("features: row i is node i; %d nodes have no edge", num_rows - num_ids)
            num_nodes = num_rows
    if num_nodes >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {num_nodes}.")
    return num_nodes, not is_text and low >= 0 and high < num_nodes


def _count_pairs(database: Any, num_relations: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many pairs of nodes each relation joins, and how many of them both ways."""
    database.execute(f"""CREATE OR REPLACE TABLE pairs AS
        SELECT kind * {int(num_relations > 1)} AS kind, least(u, v) AS u, greatest(u, v) AS v,
            bit_or(CASE WHEN u < v THEN 1 ELSE 2 END) AS ways, max(weight) AS best
        FROM edges GROUP BY ALL""")
    counts = np.zeros((2, num_relations), np.int64)
    query = "SELECT kind, count(*), count_if(ways = 3) FROM pairs GROUP BY kind"
    for number, *found in database.execute(query).fetchall():
        counts[:, number] = found
    return counts[0], counts[1]


def _link(database: Any, relations: Relations) -> tuple[Relations, int]:
    """Make entries of the edges; return the links that occur, and how many weights conflict."""
    if relations.is_simple:
        database.execute("""CREATE VIEW entries AS
            SELECT u, v, best FROM pairs UNION ALL SELECT v, u, best FROM pairs""")
        return relations, 0
    channels = {"number": np.arange(len(relations.names)), "out": relations.outgoing}
    channels["back"] = relations.opposite[relations.outgoing]
    database.register("channels", pa.table(channels))
    database.execute(f"""
        CREATE TABLE entries AS SELECT u, v, list_sort(list(DISTINCT channel)) AS link,
            max(weight) FILTER (leads) AS outward, min(weight) FILTER (leads) AS worst,
            coalesce(outward, max(weight)) AS best
        FROM (SELECT u, v, out AS channel, true AS leads, weight FROM edges JOIN channels ON
                kind * {int(len(relations.names) > 1)} = number
            UNION ALL SELECT v, u, back, back = out, weight FROM edges JOIN channels ON
                kind * {int(len(relations.names) > 1)} = number) GROUP BY u, v""")
    query = f"SELECT DISTINCT link FROM entries LIMIT {MAX_LINKS}"
    links = [link for (link,) in database.execute(query).fetchall()]
    if len(links) == MAX_LINKS:
        raise InputError(
            f"pairs of nodes may be joined in up to {MAX_LINKS} different ways, got more; use "
            "fewer relations."
        )
    # numbered in ascending order of their channels, after the empty one
    table = np.zeros((len(links) + 1, len(relations.channels)), dtype=bool)
    for row, link in zip(table[1:], links, strict=True):
        row[link] = True
    order = np.lexsort(table.T[::-1])
    numbers = np.argsort(order)[1:].astype(np.uint16)
    database.register("numbers", pa.table({"link": links, "number": numbers}))
    conflicts = _number(database, "SELECT count(*) FROM entries WHERE outward > worst")
    return Relations(relations.names, relations.directed, table[order]), conflicts


def _write_arrays(
    database: Any, folder: Path, num_nodes: int, relations: Relations, weighted: bool
) -> None:
    """Write the sorted rows of the adjacency matrix, about as many entries at a time."""
    indptr = np.zeros(num_nodes + 1, np.int64)
    for batch in database.sql("SELECT u, count(*) FROM entries GROUP BY u").to_arrow_reader(_ROWS):
        indptr[to_array(batch.column(0)) + 1] = to_array(batch.column(1))
    np.cumsum(indptr, out=indptr)
    np.save(folder / "indptr.npy", indptr)
    np.save(folder / "graph_ptr.npy", np.array([0, num_nodes]))
    columns: dict[str, tuple[str, Any]] = {"indices": ("v::INTEGER", np.int32)}
    if weighted:
        columns["weights"] = ("best", np.float32)
    if not relations.is_simple:
        columns["links"] = ("number", relations.code_type)
    query = f"SELECT {', '.join(column for column, _ in columns.values())} FROM entries"
    query += " JOIN numbers USING (link)" * ("links" in columns)
    cuts = np.searchsorted(indptr, np.arange(0, indptr[-1], 16 * _ROWS))
    with contextlib.ExitStack() as stack:
        shape = (int(indptr[-1]),)
        opened = [npy_file(folder / f"{n}.npy", kind, shape) for n, (_, kind) in columns.items()]
        files = list(map(stack.enter_context, opened))
        for first, last in itertools.pairwise([*np.unique(cuts).tolist(), num_nodes]):
            part = f"{query} WHERE u >= {first} AND u < {last} ORDER BY u, v"
            for batch in database.sql(part).to_arrow_reader(_ROWS):
                for file, (_, kind), column in zip(
                    files, columns.values(), batch.columns, strict=True
                ):
                    file.write(to_array(column).astype(kind, copy=False))


def _write_ids(database: Any, folder: Path, num_nodes: int) -> None:
    """Write the ids of the nodes in the order of their rows."""
    batches = database.sql("SELECT id FROM ids ORDER BY rowid").to_arrow_reader(_ROWS)
    columns = (batch.column(0) for batch in batches)
    if pa.types.is_string(batches.schema.field(0).type):
        write_names(folder, columns)
        return
    with npy_file(folder / "node_ids.npy", np.int64, (num_nodes,)) as file:
        for column in columns:
            file.write(to_array(column))


def _write_features(folder: Path, values: np.ndarray) -> None:
    """Write the features of the nodes ``[V, D]``, some at a time."""
    step = max(1, 4 * _ROWS // values.shape[1])
    with npy_file(folder / "features.npy", np.float32, values.shape) as file:
        for first in range(0, len(values), step):
            part = as_float32("features", values[first : first + step])
            file.write(np.ascontiguousarray(part))
