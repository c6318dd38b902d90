"""What tells the classes of graphs apart: all frequent subgraphs, searched completely.

The subgraphs of some sizes that a share of the graphs of a class contains are searched by gSpan. A
larger size is searched where that takes a bounded number of steps, so that what is said of a size
is said of all its subgraphs. Of those that are in the same graphs the largest are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.frequent.gspan import FrequentSubgraphs, search_subgraphs
from gomkcn.mining.significance.verdicts import (
    adjust_for_family,
    class_contrasts,
    correction_of_family,
    group_differences,
)
from gomkcn.mining.structures.class_columns import differing
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import LEVEL, ClassDifference, ClassSearch, Pattern
from gomkcn.mining.structures.whole_rings import RingCompletion
from gomkcn_dgl.graphs.shapes import count as number_of
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

# least share of the graphs of a class that contain a subgraph
SUPPORT = 0.1
# steps of a search: 1,513 molecules of 34 atoms take a quarter of them up to eight nodes, in five
# seconds
MOST_STEPS = 150_000_000
# four nodes more take a hundred times as many steps at most, usually; so it pays where there are
# more sizes than these
_MANY_TIMES = 100
_FEW_SIZES = 2
# a search that ends at fewer nodes says less than the structures that are counted anyway
_ENOUGH_NODES = 4
# structures that the first answer names: a line of the terminal
_MOST_SAID = 3
# structures whose rings are completed, of those that follow from one that leads: a table that is
# read
MOST_FOLLOWING = 9


@dataclass(frozen=True, eq=False)
class ClassAnswer:
    """The subgraphs that were compared, what they differ by, and what was searched.

    ``shown`` are the numbers of those that lead, and of some that follow from each: these have
    their whole rings.
    """

    structures: list[Structure]
    differences: list[ClassDifference]
    shown: list[int]
    search: ClassSearch

    def __str__(self) -> str:
        """How many differ, and the surest ones: the first answer of a run, which goes on."""
        search = self.search
        if not search.is_complete_enough:
            return str(search)
        verb = "differs" if search.num_differing == 1 else "differ"
        sentence = (
            f"{search.num_differing:,} of {number_of(search.num_compared, 'subgraph')} of "
            f"{search.least_nodes} to {search.most_nodes} nodes {verb} between the classes "
            f"(adjusted p ≤ {LEVEL})"
        )
        shown = []
        for leader, *_ in differing(self.patterns)[:_MOST_SAID]:
            best = leader.strongest
            shown.append(
                f"{leader.name} (in {best.containing} of {best.num_graphs} graphs of class "
                f"{best.name}, and in {best.others_containing} of {best.num_others} others)"
            )
        return f"{sentence}; first {', '.join(shown)}" if shown else sentence

    def difference_of(self, key: bytes) -> ClassDifference | None:
        """How a structure differs between the classes; None where it was not compared."""
        return self._by_key.get(key)

    @property
    def _by_key(self) -> dict[bytes, ClassDifference]:
        pairs = zip(self.structures, self.differences, strict=True)
        return {structure.key: difference for structure, difference in pairs}

    @property
    def patterns(self) -> list[Pattern]:
        """Those that differ."""
        return [
            Pattern(
                structure.with_nodes(structure.reading_order),
                sources=("frequent",),
                classes=difference,
            )
            for structure, difference in zip(self.structures, self.differences, strict=True)
            if difference.group is not None
        ]


@dataclass(frozen=True, eq=False)
class _Searched:
    """What a search found, in the order of the graphs, and how far it came."""

    structures: list[Structure]
    contains: np.ndarray
    family: np.ndarray
    most_nodes: int
    left_out: str


def search_classes(
    mined: MinedGraph, sizes: range, steps: Steps, most_steps: int = MOST_STEPS
) -> ClassAnswer:
    """Compare the classes of the graphs in all frequent subgraphs of some sizes."""
    classes = mined.classes
    assert classes is not None, "the graphs have classes"
    sizes = range(max(2, sizes[0]), max(2, sizes[-1]) + 1)
    found = steps.once(
        "searching all that tells the classes apart", _Searched, _search, mined, sizes, steps,
        most_steps,
    )  # fmt: skip
    # 1. each class beside the others, with p for all that were searched
    contrasts = class_contrasts(found.contains, classes.labels, classes.names)
    least = np.array([min(contrast.p for contrast in row) for row in contrasts])
    p_adjusted = adjust_for_family(least, found.family, classes.sizes)
    differences = [
        ClassDifference(row, p) for row, p in zip(contrasts, p_adjusted.tolist(), strict=True)
    ]
    # 2. what a stronger one implies stands below it
    structures = found.structures

    def is_tied(first: int, second: int) -> bool:
        return structures[first].is_part_of(structures[second])

    differences = group_differences(
        differences,
        found.contains,
        classes.labels,
        [structure.num_nodes for structure in structures],
        is_tied,
    )
    # 3. those that are shown, with whole rings
    shown = _shown(differences, structures)
    rings = RingCompletion(mined)
    for at in shown:
        inside = np.flatnonzero(found.contains[:, at]).tolist()
        whole = rings.complete(structures[at], inside)
        differences[at] = replace(differences[at], rings=whole)
    search = ClassSearch(
        num_searched=len(found.family),
        num_compared=len(structures),
        num_tests=correction_of_family(found.family, classes.sizes),
        num_differing=sum(difference.differs for difference in differences),
        num_without_class=int((classes.labels < 0).sum()),
        support=SUPPORT,
        least_nodes=sizes[0],
        most_nodes=found.most_nodes,
        wanted_nodes=sizes[-1],
        left_out=found.left_out,
        is_complete_enough=found.most_nodes >= min(_ENOUGH_NODES, sizes[-1]),
    )
    return ClassAnswer(structures, differences, shown, search)


def _search(mined: MinedGraph, sizes: range, steps: Steps, most_steps: int) -> _Searched:
    """The subgraphs of the largest sizes that can be searched completely."""
    best = _Searched([], np.zeros((mined.graph.num_graphs, 0), bool), np.zeros(0, np.int64), 0, "")
    # every other size, so that what is searched again is a fraction of the last search
    every = sorted(range(sizes[-1], sizes[0] - 1, -2))
    if len(every) > _FEW_SIZES:
        # where the smaller ones take few steps the largest comes at once
        found = _search_up_to(every[1], mined, sizes, steps, most_steps // _MANY_TIMES)
        if not found.left_out:
            best = found
            found = _search_up_to(every[-1], mined, sizes, steps, most_steps)
            if not found.left_out:
                return found
    for most in every:
        found = _search_up_to(most, mined, sizes, steps, most_steps)
        if found.left_out:
            steps.is_late()
            return replace(best, left_out=found.left_out)
        best = found
    return best


def _search_up_to(
    most: int, mined: MinedGraph, sizes: range, steps: Steps, most_steps: int
) -> _Searched:
    """The subgraphs of up to so many nodes; ``left_out`` says why these are not all."""
    # what comes of parts of a search is not kept, and one process counts its steps
    alone = Steps(interrupts=steps.interrupts, n_jobs=1)
    found: FrequentSubgraphs = search_subgraphs(
        mined.graph, mined.classes, SUPPORT, (sizes[0], most), closed=True, steps=alone,
        most_steps=most_steps,
    )  # fmt: skip
    return _Searched(found.structures, found.contains, found.family, most, found.left_out)


def _shown(differences: list[ClassDifference], structures: list[Structure]) -> list[int]:
    """The numbers of what leads, and of the strongest that follow from each."""
    order = sorted(
        (at for at, difference in enumerate(differences) if difference.group is not None),
        key=lambda at: (differences[at].rank, -structures[at].num_nodes),
    )
    taken: dict[int, list[int]] = {}
    for at in order:
        group = differences[at].group
        assert group is not None, "what differs is in a group"
        if len(taken.setdefault(group, [])) <= MOST_FOLLOWING:
            taken[group].append(at)
    return [at for group in taken.values() for at in group]
