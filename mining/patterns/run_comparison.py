"""Two runs side by side: every structure that either of them counted, and their profiles.

Networks of different size are compared by their profiles (R. Milo and others, Superfamilies of
evolved and designed networks, Science 2004): z of each structure, divided by the length of all z of
its family, which are the structures of a size, alone or with the kinds of their edges and nodes.
Where all random graphs have the same count there is no z, and no entry of the profile either: 0
would say "as many as expected", which is not known. The other entries are those of the paper, since
0 adds nothing to a length.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.choice import compare_structures
from gomkcn.mining.patterns.compared_structure import (
    BOTH,
    ComparedStructure,
    Family,
    Side,
    Sign,
    comparison_columns,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.settings.miner_settings import NONE
from gomkcn.mining.significance.null_models import NULL_MODELS
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.mined_graph import MinedGraph, refuse_no_edges
from gomkcn.mining.structures.pattern import (
    NOT_SHOWN,
    NullComparison,
    OccurrenceCount,
    Pattern,
)
from gomkcn.mining.structures.table_column import tabulate
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import count, tell_apart
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, relations_of
from gomkcn_dgl.runtime.output_folder import PROGRESS, RECORD
from gomkcn_dgl.runtime.run import SETTINGS
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Tabular

# of fewer structures a correlation says nothing: that of two is 1 or -1
LEAST_CORRELATED = 3


@dataclass(frozen=True, eq=False)
class Profile:
    """The significance profiles of a family of structures in two graphs.

    Attributes
    ----------
    family : Family
    rows : tuple of int
        Places of the structures in ``RunComparison.structures``: those that both runs compared and
        that have z in one at least.
    first, second : numpy.ndarray
        float64 ``[S]``: z of each structure, divided by the length of all z; NaN without z.
    """

    family: Family
    rows: tuple[int, ...]
    first: np.ndarray
    second: np.ndarray

    @property
    def in_both(self) -> np.ndarray:
        """Which structures have z in both graphs, bool ``[S]``."""
        return ~np.isnan(self.first + self.second)

    @property
    def correlation(self) -> float | None:
        """Pearson's, over those with z in both; None for two structures, or if all are equal."""
        first, second = self.first[self.in_both], self.second[self.in_both]
        if len(first) < LEAST_CORRELATED or not (np.ptp(first) and np.ptp(second)):
            return None
        return float(np.corrcoef(first, second)[0, 1])


@dataclass(frozen=True)
class ComparedRun:
    """What a comparison says of a run: its graph, and what its random graphs do not tell."""

    graph: GraphSummary
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class RunComparison(Tabular):
    """Two runs, and every structure that either of them counted.

    Attributes
    ----------
    first, second : ComparedRun
        The graph of each run, and the warnings of its comparison with random graphs.
    null : str
        The null model whose results are shown, the first that both runs have; empty without one.
    structures : tuple of ComparedStructure
        Structures alone before those with kinds, small ones first, and in each family those with
        the largest entry of either profile.
    profiles : tuple of Profile
        One for each family of which both runs compared all structures.
    """

    first: ComparedRun
    second: ComparedRun
    null: str
    structures: tuple[ComparedStructure, ...]
    profiles: tuple[Profile, ...]

    def __repr__(self) -> str:
        """What is compared, and how the profiles of each size correlate."""
        correlations = "".join(
            f", {profile.correlation:+.2f} for those of {profile.family.num_nodes} nodes"
            for profile in self.profiles
            if profile.correlation is not None
        )
        sources = f"{self.first.graph.source!r} and {self.second.graph.source!r}"
        return f"RunComparison({sources}: {count(len(self.structures), 'structure')}{correlations})"

    def with_signs(self, first: Sign, second: Sign) -> list[ComparedStructure]:
        """Structures of which the tests of both runs say this."""
        return [row for row in self.structures if row.signs == (first, second)]

    @property
    def in_a_set(self) -> list[ComparedStructure]:
        """Structures that are motifs of either run."""
        return [
            row
            for row in self.structures
            if any(side and side.copies is not None for side in (row.first, row.second))
        ]

    @property
    def that_follow(self) -> list[ComparedStructure]:
        """Called structures of 3 nodes whose counts follow from those of the others of 3 nodes.

        Where the random graphs keep degrees, the subgraphs that are two edges at a node are as many
        in each of them: so an unjoined pair is left as often as the third pair is not joined.
        """
        if not (self.null in NULL_MODELS and NULL_MODELS[self.null].keeps_degrees):
            return []
        return [
            row
            for row in self.structures
            if row.is_called
            and None not in row.signs
            and row.structure.num_nodes == 3
            and len(row.structure.pairs) == 2
        ]

    def plot(
        self,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        ax: Any = None,
        num_nodes: int | None = None,
    ) -> Any:
        """Draw the profiles of both graphs, as the page shows them.

        Parameters
        ----------
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches.
        ax : matplotlib.axes.Axes, optional
            An axis of a figure of your own.
        num_nodes : int, optional
            The size of the structures; by default the largest.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            If there is no profile of this size, or Matplotlib and seaborn are not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import compare_runs
        >>> from gomkcn.mining.patterns.run_comparison import mine_structures
        >>> clustered = mine_structures(nx.watts_strogatz_graph(60, 6, 0.1, seed=0))
        >>> found = compare_runs(clustered, mine_structures(nx.gnm_random_graph(90, 200, seed=1)))
        >>> found.plot(width=7, num_nodes=4).get_size_inches().tolist()
        [7.0, 4.8]
        """
        # figures need igraph, which nothing else here does
        from gomkcn.mining.patterns.run_figures import plot_comparison
        from gomkcn.mining.plots.paper_figure import FigureSize

        if not self.profiles:
            raise InputError(
                "the comparison has no profile, since no size has all its structures compared in "
                "both."
            )
        # those alone come before those with kinds
        of_size = {profile.family.num_nodes: profile for profile in reversed(self.profiles)}
        number = max(of_size) if num_nodes is None else num_nodes
        check_choice("num_nodes", str(number), map(str, of_size))
        profile = of_size[number]
        return plot_comparison(
            self.structures,
            profile.rows,
            list(zip(profile.first.tolist(), profile.second.tolist(), strict=True)),
            [run.graph.source for run in (self.first, self.second)],
            FigureSize(path, width, height, ax),
        )

    def columns(self) -> dict[str, list[Any]]:
        """A row for each structure: its name, edges, nodes, and what each run has of it.

        Columns of a run end in ``_first`` or ``_second``; the page on comparing networks says what
        they are. What is not known is missing.
        """
        return tabulate(comparison_columns(), self.structures).columns()


def compare_runs(first: MiningRun, second: MiningRun) -> RunComparison:
    """Compare all structures that two runs counted, directions, types and categories included.

    Parameters
    ----------
    first, second : MiningRun
        :func:`gomkcn.load` reads one of a folder, ``mine_structures`` of this module makes one of a
        graph. The graphs may have any sizes.

    Returns
    -------
    RunComparison
        A table with a row for each structure of either run.

    Raises
    ------
    InputError
        If one is no run, but a path or a graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import compare_runs
    >>> from gomkcn.mining.patterns.run_comparison import mine_structures
    >>> clustered = mine_structures(nx.watts_strogatz_graph(60, 6, 0.1, seed=0))
    >>> found = compare_runs(clustered, mine_structures(nx.gnm_random_graph(90, 200, seed=1)))
    >>> {one.name: one.signs for one in found.structures[:2]}
    {'triangle': (1, 0), 'path of 3 nodes': (-1, 0)}
    >>> found
    RunComparison('graph' and 'graph': ... structures, ... for those of 4 nodes, ...)
    """
    for which, run in (("first", first), ("second", second)):
        if not isinstance(run, MiningRun):
            raise InputError(
                f"compare_runs takes two runs, got {type(run).__name__} as the {which}; "
                "gomkcn.load(folder) reads a run, and "
                "mine_structures(graph) of gomkcn.mining.patterns.run_comparison makes one."
            )
    null = next((name for name in first.null_models if name in second.null_models), "")
    both = [_Counted.of(run, null) for run in (first, second)]
    structures: dict[bytes, Structure] = {}
    for counted in reversed(both):
        structures |= counted.structures
    feature_names = tuple(dict.fromkeys((*first.graph.feature_names, *second.graph.feature_names)))
    every = list(structures.values())
    names = tell_apart([describe_structure(structure, feature_names) for structure in every], every)
    rows = [
        ComparedStructure(name, structure, *(counted.side(key, structure) for counted in both))
        for name, (key, structure) in zip(names, structures.items(), strict=True)
    ]
    rows = _in_order(_with_entries([row for row in rows if row.is_held]))
    return RunComparison(
        ComparedRun(first.graph, first.warnings),
        ComparedRun(second.graph, second.warnings),
        null,
        tuple(rows),
        tuple(_profiles(rows)),
    )


def mine_structures(
    graph: Any, path: str | None = None, *, steps: Steps | None = None
) -> MiningRun:
    """Count all structures of few nodes and compare them with random graphs: a run without motifs.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
    path : str, optional
        Its file, for the name of the run.
    steps : Steps, optional
        Shows how much is done, and tells when to stop.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining.patterns.run_comparison import mine_structures
    >>> len(mine_structures(nx.karate_club_graph()).others)
    29
    """
    mined = MinedGraph.of(graph)
    csr: CSRGraph = mined.given
    refuse_no_edges(csr)
    miner = PatternMiner(filters=NONE)
    steps = Steps() if steps is None else steps
    compared = compare_structures(mined, miner.choice_rules(csr), steps)
    return MiningRun(
        GraphSummary.of(csr, path),
        patterns=[],
        motif_set=MotifSet((), 0.0, 0.0),
        settings={},
        provenance={},
        is_partial=steps.is_partial,
        notes=tuple(csr.notes),
        warnings=compared.warnings,
        null_models=compared.null_models,
        random_graphs=compared.random_graphs,
        others=tuple(compared.patterns.values()),
    )


class _Counted(NamedTuple):
    """What a run counted, by the keys of structures that do not name a single relation."""

    patterns: Mapping[bytes, Pattern]
    structures: Mapping[bytes, Structure]
    null: str
    # families of which all structures were compared, with the number of random graphs
    families: Mapping[Family, int]
    # all relations and categories that its structures have
    words: frozenset[str]

    @classmethod
    def of(cls, run: MiningRun, null: str) -> _Counted:
        patterns: dict[bytes, Pattern] = {}
        structures: dict[bytes, Structure] = {}
        for pattern in run.counted:
            structure = _without_single_relation(pattern.structure)
            patterns[structure.key] = pattern
            structures[structure.key] = structure
        return cls(
            patterns,
            structures,
            null,
            {
                Family.of(structures[key]): pattern.significance[null].num_samples
                for key, pattern in patterns.items()
                if null in pattern.significance
            },
            frozenset(word for structure in structures.values() for word in _words(structure)),
        )

    def side(self, key: bytes, structure: Structure) -> Side | None:
        """What the run has of a structure; None where it did not look for it."""
        pattern = self.patterns.get(key)
        if pattern is None:
            # where all of a family were compared, neither the graph nor a random graph has it
            num_samples = self.families.get(Family.of(structure))
            if num_samples is None or not self.words >= _words(structure):
                return None
            return Side(OccurrenceCount.exact(0), _none_anywhere(self.null, num_samples))
        copies = None if pattern.motif is None else pattern.motif.num_copies
        return Side(pattern.frequency.occurrences, pattern.significance.get(self.null), copies)


def _none_anywhere(null: str, num_samples: int) -> NullComparison:
    """The comparison of what neither the graph nor a random graph has."""
    return NullComparison(
        null=null,
        num_samples=num_samples,
        observed=0.0,
        mean=0.0,
        sd=0.0,
        largest=0.0,
        z=None,
        p=1.0,
        p_adjusted=1.0,
        verdict=NOT_SHOWN,
    )


def _without_single_relation(structure: Structure) -> Structure:
    """The structure with a relation that has no name, where there is no other one."""
    relations = structure.relations
    if len(relations.names) != 1 or relations.names == (PLAIN,):
        return structure
    plain = relations_of((PLAIN,), relations.directed)
    return Structure.of_channels(structure.channels, plain, structure.categories)


def _words(structure: Structure) -> frozenset[str]:
    """The relations of its edges and the categories of its nodes, by name."""
    relations = (structure.relations.names[number] for number in structure.edge_relations)
    return frozenset(relations) | frozenset(
        name for of_node in structure.categories for name in of_node
    )


def _with_entries(rows: Sequence[ComparedStructure]) -> list[ComparedStructure]:
    """The structures with their entries of the profile of each run."""
    squares: defaultdict[tuple[Family, str], float] = defaultdict(float)
    for row in rows:
        for which in BOTH:
            side: Side | None = getattr(row, which)
            if side is not None and not math.isnan(side.z):
                squares[Family.of(row.structure), which] += side.z**2

    def with_entry(row: ComparedStructure, which: str) -> Side | None:
        side: Side | None = getattr(row, which)
        length = math.sqrt(squares[Family.of(row.structure), which]) or 1.0
        return side and replace(side, entry=side.z / length)

    return [
        replace(row, first=with_entry(row, "first"), second=with_entry(row, "second"))
        for row in rows
    ]


def _in_order(rows: Iterable[ComparedStructure]) -> list[ComparedStructure]:
    """Families one after the other; in each the largest entry of either profile first."""

    def place(row: ComparedStructure) -> tuple[Any, ...]:
        family = Family.of(row.structure)
        entries = [abs(side.entry) for side in (row.first, row.second) if side is not None]
        largest = max((entry for entry in entries if not math.isnan(entry)), default=0.0)
        return (family.has_kinds, family, -largest, row.structure.key)

    return sorted(rows, key=place)


def _profiles(rows: Sequence[ComparedStructure]) -> list[Profile]:
    """The profiles of each family that both runs compared."""
    of_family: dict[Family, list[int]] = {}
    for number, compared in enumerate(rows):
        sides = (compared.first, compared.second)
        if all(side and side.result for side in sides) and any(
            side and not math.isnan(side.entry) for side in sides
        ):
            of_family.setdefault(Family.of(compared.structure), []).append(number)
    found = []
    for family, numbers in of_family.items():
        entries = [np.array([getattr(rows[row], which).entry for row in numbers]) for which in BOTH]
        if len(numbers) > 1:
            found.append(Profile(family, tuple(numbers), *entries))
    return found


def is_run(path: str | Path) -> bool:
    """Whether a folder is that of a run, finished or not, and no graph."""
    folder = Path(path)
    names = (RECORD, SETTINGS, PROGRESS)
    return folder.is_dir() and any((folder / name).exists() for name in names)
