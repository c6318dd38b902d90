"""Step 5: where the patterns occur.

Under the rule ``"isomorphic"`` a subgraph shows a pattern when its structure is exactly the
pattern's, whatever its features; among patterns of the same structure it counts for the most
similar one. Under ``"similar"`` it does when the pattern is its nearest and at least
``min_similarity`` similar, so that inexact occurrences count as well. Subgraphs with the same nodes
are one occurrence; so are, under ``"similar"``, those that share more than half of their nodes. How
often that is, ``mining/counting/frequencies.py`` says.

A pattern of which few copies are intact (``mining/noisy_templates/noisy_patterns.py``) has similar
occurrences under both rules: under ``"isomorphic"`` the subgraphs of which it is the nearest such
pattern, and that show none of the other patterns exactly.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import is_first
from mining.counting.match_table import MatchTable, SubgraphStream, first_of_structure
from mining.records.occurrence import Medoid, Occurrences
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import find_roles
from mining.structures.overlaps import best_of_each_set

log = logging.getLogger("gomkcn_dgl")

OCCURRENCE_RULES = ("isomorphic", "similar")

# what decides between two patterns of equal similarity
TIE = 1e-5
# rows that are compared at once
_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class PatternOccurrences:
    """Where one pattern occurs.

    Attributes
    ----------
    roots : numpy.ndarray
        Different roots assigned to the pattern, ``[R]`` nodes of the graph.
    occurrences : Occurrences
        One for each distinct node set, most similar first.
    node_sets : numpy.ndarray
        ``[K, N]`` nodes of the graph in each occurrence, row for row; -1 = padding.
    medoid : Medoid
        The nearest real subgraph.
    min_similarity : float
        The threshold that was applied.
    """

    roots: np.ndarray
    occurrences: Occurrences
    node_sets: np.ndarray
    medoid: Medoid
    min_similarity: float

    @property
    def assigned(self) -> int:
        """Roots assigned to the pattern."""
        return len(self.roots)


@dataclass(frozen=True)
class Shares:
    """How several patterns share the subgraphs of a graph.

    Attributes
    ----------
    assigned : list of numpy.ndarray
        Subgraphs assigned to each pattern.
    shown : list of numpy.ndarray
        Subgraphs that show each pattern, one for each node set.
    """

    assigned: list[np.ndarray]
    shown: list[np.ndarray]


class OccurrenceAssignment:
    """Patterns compete for the subgraphs of a graph.

    Parameters
    ----------
    sightings : MatchTable
        Of the graph, beside F patterns.
    snapped : DiscreteFilters
        The patterns.
    rule : {"isomorphic", "similar"}
    min_similarity : float or numpy.ndarray
        One threshold, or one for each pattern ``[F]``.
    """

    def __init__(
        self,
        sightings: MatchTable,
        snapped: DiscreteFilters,
        rule: str,
        min_similarity: float | np.ndarray,
    ) -> None:
        self.sightings, self.rule = sightings, rule
        self.least = np.broadcast_to(min_similarity, len(snapped.num_nodes))
        self.noisy = np.array(snapped.noisy, bool)
        self.first = first_of_structure(snapped)

    def frequent(self, min_support: int) -> tuple[list[int], Shares]:
        """Drop the patterns with fewer than ``min_support`` occurrences; share among the rest.

        The rarest pattern is dropped first, and then all are counted anew: a pattern of the same
        structure takes over the occurrences of the one dropped.
        """
        kept = list(range(len(self.least)))
        shares = self.share(kept)
        while kept:
            counts = [len(rows) for rows in shares.shown]
            if min(counts) >= min_support:
                break
            kept.pop(counts.index(min(counts)))
            shares = self.share(kept)
        if len(kept) < len(self.least):
            log.info(
                "dropped %d patterns with fewer than %d distinct occurrences",
                len(self.least) - len(kept),
                min_support,
            )
        return kept, shares

    def share(self, kept: Sequence[int]) -> Shares:
        """Give each subgraph to one of the patterns ``kept``, or to none."""
        if not len(kept):
            return Shares([], [])
        columns = np.array(kept)
        nearest, held = self.nearest(columns)
        passed = held >= self.least[columns][nearest]
        assigned = [np.flatnonzero((nearest == i) & passed) for i in range(len(columns))]
        if self.rule == "isomorphic":
            shown = self._isomorphic(columns)
            for i, rows in self._noisy(columns):
                shown[i] = self.one_of_each_place(rows, self.sightings.similarity[rows, columns[i]])
        else:
            shown = [
                self.one_of_each_place(rows, self.sightings.similarity[rows, number])
                for rows, number in zip(assigned, kept, strict=True)
            ]
        return Shares(assigned, shown)

    def wanted(self, kept: Sequence[int], shares: Shares) -> list[np.ndarray]:
        """Subgraphs to describe for each pattern, int64 ``[K + 1]`` each.

        Those that show it, most similar first, and last the one that is nearest to it.
        """
        found: list[np.ndarray] = []
        best = self.best_rows(np.array(kept, dtype=np.int64))
        for number, rows, medoid in zip(kept, shares.shown, best, strict=True):
            order = np.argsort(-self.sightings.similarity[rows, number], kind="stable")
            found.append(np.append(rows[order], medoid))
        return found

    def nearest(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position in ``columns`` of each subgraph's nearest pattern, and its similarity, ``[S]``.

        Patterns that the kernel cannot tell apart are told apart by their structure.
        """
        nearest = np.empty(len(self.sightings), np.int64)
        held = np.empty(len(self.sightings), np.float32)
        for part, similarity, own in self._parts(columns):
            nearest[part] = (similarity + TIE * own).argmax(axis=1)
            held[part] = np.take_along_axis(similarity, nearest[part, None], axis=1)[:, 0]
        return nearest, held

    def best_rows(self, columns: np.ndarray) -> np.ndarray:
        """Subgraph that is nearest to each pattern, int64 ``[P]``."""
        row, value = np.zeros(len(columns), np.int64), np.full(len(columns), -np.inf)
        for part, similarity, own in self._parts(columns):
            fit = similarity + TIE * own
            here = fit.argmax(axis=0)
            reached = fit[here, np.arange(len(columns))]
            better = reached > value
            row[better], value[better] = part.start + here[better], reached[better]
        return row

    def _parts(self, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Similarity to the patterns, and whether a subgraph has their structure, ``[s, P]``."""
        for start in range(0, len(self.sightings), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            own = self.sightings.structure[part, None] == self.first[columns]
            yield part, self.sightings.similarity[part][:, columns], own

    def _isomorphic(self, columns: np.ndarray) -> list[np.ndarray]:
        """Subgraphs of a pattern's structure, each node set for its most similar pattern."""
        shown = [np.empty(0, np.int64)] * len(columns)
        first = self.first[columns]
        for structure in dict.fromkeys(first.tolist()):
            numbers = np.flatnonzero(first == structure)
            rows = np.flatnonzero(self.sightings.structure == structure)
            among = self.sightings.similarity[rows[:, None], columns[numbers]]
            kept = best_of_each_set(self.sightings.nodes[rows], among.max(axis=1))
            best = among[kept].argmax(axis=1)
            for position, number in enumerate(numbers):
                shown[number] = rows[kept[best == position]]
        return shown

    def _noisy(self, columns: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Subgraphs that are nearest to a noisy pattern, and have the structure of no other."""
        noisy = np.flatnonzero(self.noisy[columns])
        if not len(noisy):
            return
        taken = np.isin(self.sightings.structure, self.first[columns[~self.noisy[columns]]])
        similarity = self.sightings.similarity[:, columns[noisy]]
        best = similarity.max(axis=1)
        for i, number in enumerate(noisy.tolist()):
            mine = (similarity[:, i] >= self.least[columns[number]]) & (similarity[:, i] >= best)
            yield number, np.flatnonzero(mine & ~taken)

    def one_of_each_place(self, rows: np.ndarray, similarity: np.ndarray) -> np.ndarray:
        """One row for each place: of those that share more than half their nodes, the most similar.

        The subgraphs around the nodes of one inexact occurrence are seldom the same node set.
        """
        kept: list[int] = []
        # kept rows at each node
        at: dict[int, list[int]] = defaultdict(list)
        nodes_of: dict[int, list[int]] = {}
        every = self.sightings.nodes[rows]
        often = np.bincount(every[every >= 0], minlength=1)
        for position in np.argsort(-similarity, kind="stable").tolist():
            row, nodes = int(rows[position]), every[position]
            nodes = nodes[nodes >= 0]
            size = len(nodes)
            # what shares more than half of the nodes stands at one of the rarer half as well
            rare = nodes[np.argsort(often[nodes], kind="stable")][: size - size // 2].tolist()
            mine = set(nodes.tolist())
            near = {other for node in rare for other in at[node]}
            if any(2 * len(mine.intersection(nodes_of[other])) > size for other in near):
                continue
            kept.append(row)
            nodes_of[row] = nodes.tolist()
            for node in mine:
                at[node].append(row)
        return np.sort(np.array(kept, np.int64))


def map_nodes(
    stream: SubgraphStream,
    patterns: Sequence[DiscreteFilters],
    wanted: Sequence[np.ndarray],
    steps: CheckpointStore,
) -> list[np.ndarray]:
    """Say which node of the graph plays which pattern node.

    Parameters
    ----------
    stream : SubgraphStream
        Of the graph; its parts are shared by all processes.
    patterns : sequence of DiscreteFilters
        One pattern each.
    wanted : sequence of numpy.ndarray
        int64 ``[K]`` subgraphs for each pattern.
    steps : CheckpointStore
        Keeps the parts.

    Returns
    -------
    list of numpy.ndarray
        int32 ``[K, M]`` for each pattern; -1 where no node plays. Of several processes the first
        one gets them, the others nothing.
    """
    last = max((int(rows.max()) for rows in wanted if len(rows)), default=-1)
    parts = [part for part in range(stream.num_parts) if stream.rows_of(part).start <= last]

    def find(part: int) -> dict[str, np.ndarray]:
        limits, found = stream.rows_of(part), {}
        for i, rows in enumerate(wanted):
            mine = np.flatnonzero((rows >= limits.start) & (rows < limits.stop))
            found[f"position{i}"] = mine
            found[f"players{i}"] = _play(stream, patterns[i], rows[mine])
        return found

    makers = {f"players-{part:06d}": partial(find, part) for part in parts}
    steps.share(makers, least=len(makers))
    if not is_first():
        return []
    players = [
        np.full((len(rows), pattern.num_nodes[0]), -1, np.int32)
        for rows, pattern in zip(wanted, patterns, strict=True)
    ]
    for name in makers:
        kept = steps.take(name, dict)
        for i, played in enumerate(players):
            played[kept[f"position{i}"]] = kept[f"players{i}"]
        steps.drop(name)
    return players


def describe_places(
    competition: OccurrenceAssignment,
    kept: Sequence[int],
    shares: Shares,
    wanted: Sequence[np.ndarray],
    players: Sequence[np.ndarray],
    graph: CSRGraph,
) -> list[PatternOccurrences]:
    """Say where each pattern occurs.

    Parameters
    ----------
    competition : OccurrenceAssignment
        For the subgraphs of ``graph``.
    kept : sequence of int
        The patterns in question.
    shares : Shares
        What they got.
    wanted : sequence of numpy.ndarray
        From :meth:`OccurrenceAssignment.wanted`.
    players : sequence of numpy.ndarray
        From :func:`map_nodes`, for the subgraphs ``wanted``.
    graph : CSRGraph
    """
    sightings, places = competition.sightings, []
    for i, rows in enumerate(wanted):
        found = Occurrences.at(players[i], sightings.similarity[rows, kept[i]], graph)
        nearest = found[len(rows) - 1]
        root = graph.original_ids(sightings.nodes[rows[-1:], 0])[0]
        places.append(
            PatternOccurrences(
                roots=_unique_of_sorted(sightings.nodes[shares.assigned[i], 0]),
                occurrences=found[:-1],
                node_sets=sightings.nodes[rows[:-1]],
                medoid=Medoid(nearest.nodes, nearest.similarity, nearest.graph, root=root),
                min_similarity=float(competition.least[kept[i]]),
            )
        )
    return places


def _unique_of_sorted(values: np.ndarray) -> np.ndarray:
    return values[np.append(True, values[1:] != values[:-1])] if len(values) else values


def _play(stream: SubgraphStream, pattern: DiscreteFilters, rows: np.ndarray) -> np.ndarray:
    """Node of the graph that plays each pattern node in some subgraphs, int32 ``[R, M]``."""
    players = np.full((len(rows), pattern.num_nodes[0]), -1, np.int32)
    if not len(rows):
        return players
    around, here = stream.at(rows)
    roles = find_roles(
        around.batch, here, around.features, around.forms, pattern, around.kernel, around.backend
    )
    row, node = np.nonzero(roles >= 0)
    players[row, roles[row, node]] = around.batch.nodes[here[row], node]
    return players
