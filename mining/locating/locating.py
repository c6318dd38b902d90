"""Locating: the patterns that filters learnt on a sample show, in the whole graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import broadcast_object, is_first
from mining.locating.frequencies import measure_frequency
from mining.locating.match_table import match_all
from mining.locating.occurrence_assignment import (
    AssignedRows,
    OccurrenceAssignment,
    OccurrenceRule,
)
from mining.locating.similarity_thresholds import choose_thresholds, draw_null_graph
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrences
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import map_nodes
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_source import SubgraphSource, SubgraphStream


@dataclass(frozen=True)
class LocatedPattern:
    """Occurrences of one pattern, the most similar first, and how often it occurs.

    The medoid is the most similar subgraph, and ``min_similarity`` the threshold that was applied.
    """

    occurrences: Occurrences
    medoid: Medoid
    frequency: Frequency
    min_similarity: float


@dataclass(frozen=True)
class LocatedPatterns:
    """The frequent patterns in a graph, the most frequent first: ``filters`` and ``located``.

    ``num_subgraphs`` were compared, and ``truncated_share`` of them had too many nodes. ``nearest``
    int32 ``[V]`` is the position of the most similar pattern of each node, and
    ``nearest_similarity`` float32 ``[V]`` its similarity; both are empty without patterns.
    """

    filters: DiscreteFilters
    located: list[LocatedPattern]
    num_subgraphs: int
    truncated_share: float
    nearest: np.ndarray
    nearest_similarity: np.ndarray


def locate_patterns(
    source: SubgraphSource,
    graph: CSRGraph,
    sample: RootedSubgraphs,
    filters: DiscreteFilters,
    rule: OccurrenceRule,
    checkpoints: CheckpointStore,
) -> LocatedPatterns:
    """Locate filters in all subgraphs of a graph.

    ``sample`` are the subgraphs that the filters were learnt on. All processes share the work; the
    first one gets the occurrences, and the others the same patterns without them.
    """

    def draw_thresholds() -> dict[str, np.ndarray]:
        null_graph = draw_null_graph(graph, source.seed)
        roots = np.unique(sample.batch.roots)
        return {"least": choose_thresholds(filters, source.subgraphs_around(null_graph, roots))}

    # 1. compare every subgraph with every filter; meanwhile draw the graph for the thresholds
    stream = source.stream(graph, sample)
    least: float | np.ndarray | None = rule.min_similarity
    tasks = {"thresholds": draw_thresholds} if least is None else {}
    tables = match_all(stream, [filters], checkpoints, tasks)
    if least is None:
        least = checkpoints.take_once("thresholds", draw_thresholds)["least"]
    numbers: list[int] = []
    rows: list[np.ndarray] = []
    # 2. assign the subgraphs to the filters, and drop rare ones
    if is_first():
        assignment = OccurrenceAssignment(tables[0], filters, rule.name, least)
        numbers, assigned = assignment.frequent(rule.min_support)
        rows = _rows_to_map(assignment, numbers, assigned)
    numbers, rows = broadcast_object((numbers, rows))
    # 3. map the nodes of each occurrence and medoid to those of the pattern
    nodes = _map_occurrences(stream, [filters.take([i]) for i in numbers], rows, checkpoints)
    if not is_first():
        return broadcast_object(None)  # type: ignore[return-value]
    # 4. count the occurrences, and sort the patterns: most distinct occurrences first, then most
    # assigned roots
    located = [
        _count(assignment, number, rows[i], assigned.assigned[i], nodes[i], graph, source.seed)
        for i, number in enumerate(numbers)
    ]
    order = sorted(
        range(len(located)),
        key=lambda i: (-located[i].frequency.distinct, -located[i].frequency.assigned),
    )
    numbers = [numbers[i] for i in order]
    result = LocatedPatterns(
        filters.take(numbers),
        [located[i] for i in order],
        len(assignment.table),
        float(assignment.table.truncated.mean()),
        *_nearest_of_nodes(assignment, numbers, source.num_views),
    )
    # the other processes get the patterns without occurrences
    without = [replace(one, occurrences=one.occurrences[:0]) for one in result.located]
    broadcast_object(replace(result, located=without))
    return result


def _rows_to_map(
    assignment: OccurrenceAssignment, numbers: Sequence[int], assigned: AssignedRows
) -> list[np.ndarray]:
    """Rows of the occurrences of each pattern, most similar first, and last of its medoid."""
    medoids = assignment.medoids(np.array(numbers, dtype=np.int64))
    rows_to_map = []
    for number, rows, medoid in zip(numbers, assigned.occurrences, medoids, strict=True):
        order = np.argsort(-assignment.table.similarity[rows, number], kind="stable")
        rows_to_map.append(np.append(rows[order], medoid))
    return rows_to_map


def _map_occurrences(
    stream: SubgraphStream,
    patterns: Sequence[DiscreteFilters],
    rows: Sequence[np.ndarray],
    checkpoints: CheckpointStore,
) -> list[np.ndarray]:
    """Graph node of each node of each pattern in its subgraphs, int32 ``[K, M]``; -1 for none.

    Each pattern has its own ``rows [K]``. All processes share the parts of the stream; the first
    one gets the arrays, the others an empty list.
    """
    last = max((int(one.max()) for one in rows if len(one)), default=-1)
    parts = [part for part in range(stream.num_parts) if stream.rows_of(part).start <= last]

    def map_part(part: int) -> dict[str, np.ndarray]:
        limits, mapped = stream.rows_of(part), {}
        for i, (pattern, every) in enumerate(zip(patterns, rows, strict=True)):
            inside = np.flatnonzero((every >= limits.start) & (every < limits.stop))
            mapped[f"position{i}"] = inside
            mapped[f"nodes{i}"] = _nodes_of_pattern(stream, pattern, every[inside])
        return mapped

    tasks = {f"node-mapping-{part:06d}": partial(map_part, part) for part in parts}
    checkpoints.share(tasks, least=len(tasks))
    if not is_first():
        return []
    nodes = [
        np.full((len(every), pattern.num_nodes[0]), -1, np.int32)
        for every, pattern in zip(rows, patterns, strict=True)
    ]
    for name in tasks:
        mapped = checkpoints.take(name, dict)
        for i, every in enumerate(nodes):
            every[mapped[f"position{i}"]] = mapped[f"nodes{i}"]
        checkpoints.drop(name)
    return nodes


def _nodes_of_pattern(
    stream: SubgraphStream, pattern: DiscreteFilters, rows: np.ndarray
) -> np.ndarray:
    """Graph node of each pattern node in some subgraphs, int32 ``[R, M]``; -1 for none."""
    nodes = np.full((len(rows), pattern.num_nodes[0]), -1, np.int32)
    if len(rows):
        subgraphs, positions = stream.take(rows)
        mapping = map_nodes(subgraphs, positions, pattern)
        row, node = np.nonzero(mapping >= 0)
        nodes[row, mapping[row, node]] = subgraphs.batch.nodes[positions[row], node]
    return nodes


def _count(
    assignment: OccurrenceAssignment,
    number: int,
    rows: np.ndarray,
    assigned: np.ndarray,
    nodes: np.ndarray,
    graph: CSRGraph,
    seed: int,
) -> LocatedPattern:
    """Occurrences of one pattern and how often it occurs; the last row is the medoid."""
    table = assignment.table
    mapped = Occurrences.at(nodes, table.similarity[rows, number], graph)
    medoid = mapped[len(rows) - 1]
    root = graph.original_ids(table.nodes[rows[-1:], 0])[0]
    # the subgraphs are in the order of their roots, so that the views of a root stand together
    roots = table.nodes[assigned, 0]
    roots = roots[np.diff(roots, prepend=-1) != 0]
    return LocatedPattern(
        mapped[:-1],
        Medoid(medoid.nodes, medoid.similarity, medoid.graph, root=root),
        measure_frequency(graph, roots, table.nodes[rows[:-1]], seed),
        float(assignment.min_similarity[number]),
    )


def _nearest_of_nodes(
    assignment: OccurrenceAssignment, numbers: Sequence[int], num_views: int
) -> tuple[np.ndarray, np.ndarray]:
    """Most similar pattern of each node, and how similar it is, ``[V]``."""
    if not numbers:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    nearest, similarity = assignment.nearest(np.array(numbers))
    # of several views of a node, the one that is most similar
    best = similarity.reshape(-1, num_views).argmax(axis=1)
    row = np.arange(len(best)) * num_views + best
    return nearest[row].astype(np.int32), similarity[row]
