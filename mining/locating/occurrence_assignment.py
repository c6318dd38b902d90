"""Which subgraphs are occurrences of which pattern.

Under the rule ``"isomorphic"`` a subgraph is an occurrence of a pattern when it is isomorphic to
it, whatever its features; among patterns of the same structure it belongs to the most similar one.
Under ``"similar"`` it is one when the pattern is the most similar of all and the similarity reaches
``min_similarity``, so that inexact occurrences count as well. Subgraphs with the same nodes are one
occurrence; under ``"similar"``, so are those that share more than half of their nodes. The readings
of how often a pattern occurs are in ``mining/locating/frequencies.py``.

A pattern of which few copies are intact (``mining/noisy_templates``) has similar occurrences under
both rules. Under ``"isomorphic"`` these are the subgraphs for which it is the most similar of such
patterns, and that are not isomorphic to any other pattern.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mining.locating.match_table import MatchTable
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.overlaps import best_of_each_set

OCCURRENCE_RULES = ("isomorphic", "similar")

# between patterns whose similarities differ by less than this, the structure decides
TIE = 1e-5
# rows of the match table that are compared at once
_PART_SIZE = 1 << 18


@dataclass(frozen=True)
class OccurrenceRule:
    """When a subgraph is an occurrence, and how many occurrences make a pattern.

    ``min_similarity`` None means a threshold for each pattern from a null-model graph.
    """

    name: str = "isomorphic"
    min_similarity: float | None = None
    min_support: int = 5


@dataclass(frozen=True)
class AssignedRows:
    """Rows of the match table that belong to each of several patterns.

    ``assigned`` has the rows whose most similar pattern it is, and ``occurrences`` those that are
    occurrences, one for each node set; both are lists of int64 ``[K]``.
    """

    assigned: list[np.ndarray]
    occurrences: list[np.ndarray]


class OccurrenceAssignment:
    """Assigns the subgraphs in the match table of a graph to F patterns.

    ``min_similarity`` is one threshold, or one for each pattern ``[F]``.
    """

    def __init__(
        self,
        table: MatchTable,
        filters: DiscreteFilters,
        rule: str,
        min_similarity: float | np.ndarray,
    ) -> None:
        self.table, self.rule = table, rule
        self.min_similarity = np.broadcast_to(min_similarity, len(filters.num_nodes))
        self.noisy = np.array(filters.noisy, bool)
        # the first pattern of the structure of each pattern, as the match table numbers them
        certificates = filters.certificates()
        self.structure = np.array([certificates.index(one) for one in certificates], np.int64)

    def frequent(self, min_support: int) -> tuple[list[int], AssignedRows]:
        """Drop the patterns with fewer than ``min_support`` occurrences.

        The rarest pattern is dropped first, and then all are assigned again, because another
        pattern of the same structure takes over its occurrences.
        """
        numbers = list(range(len(self.min_similarity)))
        rows = self.assign(numbers)
        while numbers:
            counts = [len(occurrences) for occurrences in rows.occurrences]
            if min(counts) >= min_support:
                break
            numbers.pop(counts.index(min(counts)))
            rows = self.assign(numbers)
        return numbers, rows

    def assign(self, numbers: Sequence[int]) -> AssignedRows:
        """Assign each subgraph to one of the patterns with these numbers, or to none."""
        if not len(numbers):
            return AssignedRows([], [])
        patterns = np.array(numbers)
        # a root is assigned to its most similar pattern, where that is similar enough
        nearest, similarity = self.nearest(patterns)
        reached = similarity >= self.min_similarity[patterns][nearest]
        assigned = [np.flatnonzero((nearest == i) & reached) for i in range(len(patterns))]
        # under "similar" the assigned rows are occurrences; under "isomorphic" the isomorphic rows
        # are, and similar ones only for noisy patterns
        if self.rule == "similar":
            inexact = dict(enumerate(assigned))
            occurrences = [np.empty(0, np.int64)] * len(patterns)
        else:
            inexact = dict(self._noisy_rows(patterns))
            occurrences = self._isomorphic_rows(patterns)
        for i, rows in inexact.items():
            similar = self.table.similarity[rows, patterns[i]]
            occurrences[i] = self._without_overlaps(rows, similar)
        return AssignedRows(assigned, occurrences)

    def nearest(self, patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position in ``patterns`` of each subgraph's most similar one, and its similarity, [S]."""
        nearest = np.empty(len(self.table), np.int64)
        reached = np.empty(len(self.table), np.float32)
        for part, similarity, isomorphic in self._parts(patterns):
            nearest[part] = (similarity + TIE * isomorphic).argmax(axis=1)
            reached[part] = np.take_along_axis(similarity, nearest[part, None], axis=1)[:, 0]
        return nearest, reached

    def medoids(self, patterns: np.ndarray) -> np.ndarray:
        """Row of the subgraph that is most similar to each pattern, int64 ``[P]``."""
        row, best = np.zeros(len(patterns), np.int64), np.full(len(patterns), -np.inf)
        for part, similarity, isomorphic in self._parts(patterns):
            similarity = similarity + TIE * isomorphic
            candidate = similarity.argmax(axis=0)
            reached = similarity[candidate, np.arange(len(patterns))]
            better = reached > best
            row[better], best[better] = part.start + candidate[better], reached[better]
        return row

    def _parts(self, patterns: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Similarity to the patterns, and whether a subgraph is isomorphic to them, ``[s, P]``."""
        for start in range(0, len(self.table), _PART_SIZE):
            part = slice(start, start + _PART_SIZE)
            isomorphic = self.table.structure[part, None] == self.structure[patterns]
            yield part, self.table.similarity[part][:, patterns], isomorphic

    def _isomorphic_rows(self, patterns: np.ndarray) -> list[np.ndarray]:
        """Isomorphic subgraphs of each pattern, each node set for its most similar pattern."""
        occurrences = [np.empty(0, np.int64)] * len(patterns)
        structures = self.structure[patterns]
        for structure in dict.fromkeys(structures.tolist()):
            positions = np.flatnonzero(structures == structure)
            rows = np.flatnonzero(self.table.structure == structure)
            similarity = self.table.similarity[rows[:, None], patterns[positions]]
            # one row for each node set, which goes to its most similar pattern
            distinct = best_of_each_set(self.table.nodes[rows], similarity.max(axis=1))
            best = similarity[distinct].argmax(axis=1)
            for i, position in enumerate(positions):
                occurrences[position] = rows[distinct[best == i]]
        return occurrences

    def _noisy_rows(self, patterns: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Subgraphs similar to each noisy pattern, and not isomorphic to any other pattern."""
        noisy = np.flatnonzero(self.noisy[patterns])
        if not len(noisy):
            return
        regular = patterns[~self.noisy[patterns]]
        isomorphic = np.isin(self.table.structure, self.structure[regular])
        similarity = self.table.similarity[:, patterns[noisy]]
        best = similarity.max(axis=1)
        for i, position in enumerate(noisy.tolist()):
            least = self.min_similarity[patterns[position]]
            nearest = (similarity[:, i] >= least) & (similarity[:, i] >= best)
            yield position, np.flatnonzero(nearest & ~isomorphic)

    def _without_overlaps(self, rows: np.ndarray, similarity: np.ndarray) -> np.ndarray:
        """Of the rows that share more than half of their nodes, keep only the most similar one.

        The subgraphs around the nodes of one inexact occurrence seldom have the same nodes.
        """
        selected: list[int] = []
        selected_at: dict[int, list[int]] = defaultdict(list)
        nodes_of: dict[int, set[int]] = {}
        all_nodes = self.table.nodes[rows]
        degree = np.bincount(all_nodes[all_nodes >= 0], minlength=1)
        for position in np.argsort(-similarity, kind="stable").tolist():
            row, nodes = int(rows[position]), all_nodes[position]
            nodes = nodes[nodes >= 0]
            size, own = len(nodes), set(nodes.tolist())
            # a selected row that shares more than half of these nodes shares one of the rarer half
            # as well, so that only the rows at those nodes need to be compared
            rarer = nodes[np.argsort(degree[nodes], kind="stable")][: size - size // 2].tolist()
            candidates = {other for node in rarer for other in selected_at[node]}
            if any(2 * len(own & nodes_of[other]) > size for other in candidates):
                continue
            selected.append(row)
            nodes_of[row] = own
            for node in own:
                selected_at[node].append(row)
        return np.sort(np.array(selected, np.int64))
