"""Two graphs side by side: every structure of both, how far they differ, and their profiles.

The share of each structure, of all of its size, is set against that in the other graph; its error
is that of :mod:`gomkcn.mining.patterns.measured_graph`.

Networks of different size are compared by their profiles as well (R. Milo and others, Superfamilies
of evolved and designed networks, Science 2004): z of each structure, divided by the length of all z
of its family, which are the structures of a size, alone or with the kinds of their edges and nodes.
Where all random graphs have the same count there is no z, and no entry of the profile either: 0
would say "as many as expected", which is not known. The other entries are those of the paper, since
0 adds nothing to a length.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from gomkcn.mining.counting.census import check_channels
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.choice import ChoiceRules, ComparedStructures, compare_structures
from gomkcn.mining.patterns.compared_structure import (
    BOTH,
    ComparedStructure,
    Family,
    Side,
    Sign,
    comparison_columns,
)
from gomkcn.mining.patterns.graph_distances import GraphDistances
from gomkcn.mining.patterns.measured_distances import NamedGraph, measure_distances, named_graphs
from gomkcn.mining.patterns.measured_graph import NODES, Influence, MeasuredGraph, measure_graph
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.role_changes import ROLE_COLUMNS, RoleChanges, changed_roles
from gomkcn.mining.settings.comparison_settings import (
    NULL_SAMPLES,
    NULL_SAMPLES_OF_MANY,
    NULL_SAMPLES_OF_MANY_DIRECTED,
)
from gomkcn.mining.settings.miner_settings import AUTO, NONE
from gomkcn.mining.significance.jackknife import holm
from gomkcn.mining.significance.null_models import NULL_MODELS
from gomkcn.mining.significance.profile_distance import profile_distances
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
from gomkcn_dgl.checks import as_seed, check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import count, tell_apart
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, relations_of
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.output_folder import PROGRESS, RECORD
from gomkcn_dgl.runtime.run import SETTINGS
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table, Tabular

_NOTHING_COMPARED = ComparedStructures({}, {}, {}, ())


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
        (apart,) = profile_distances(self.first, self.second[None]).tolist()
        return None if math.isnan(apart) else 1.0 - apart


@dataclass(frozen=True)
class ComparedRun:
    """What a comparison says of a run: its graph, and what its random graphs do not tell.

    ``unit`` is what the errors of its shares are from, "nodes" or "graphs", and ``num_units`` how
    often some were left out; 0 where there are no errors. ``influence`` is the node that most of
    them is from, if there is one. ``null_models`` are those whose random graphs it is compared
    with; ``missing`` says what it has too few of since the comparison ended early, such as "37 of
    1,999 random graphs".
    """

    graph: GraphSummary
    warnings: tuple[str, ...] = ()
    unit: str = NODES
    num_units: int = 0
    influence: Influence | None = None
    null_models: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class RunComparison(Tabular):
    """Two graphs or runs, and every structure that either of them counted.

    Attributes
    ----------
    first, second : ComparedRun
        The graph of each run, and the warnings of its comparison with random graphs.
    null : str
        The null model whose results are shown: the first that both runs have, or that of one, if
        the other has none; empty without one.
    structures : tuple of ComparedStructure
        Structures alone before those with kinds, small ones first, and in each family those with
        the largest entry of either profile.
    profiles : tuple of Profile
        One for each family of which both runs compared all structures.
    roles : RoleChanges
        The nodes that both graphs have by name and that changed their roles most, and those that
        one of them has alone.
    """

    first: ComparedRun
    second: ComparedRun
    null: str
    structures: tuple[ComparedStructure, ...]
    profiles: tuple[Profile, ...]
    roles: RoleChanges = field(default_factory=RoleChanges)

    def __repr__(self) -> str:
        """What is compared, how many structures differ or are called in one, the correlations."""
        correlations = "".join(
            f", {profile.correlation:+.2f} for those of {profile.family.num_nodes} nodes"
            for profile in self.profiles
            if profile.correlation is not None
        )
        sources = f"{self.first.graph.source!r} and {self.second.graph.source!r}"
        tested = self.tested
        sure = sum(row.is_sure for row in tested)
        differ = f", shares of {sure} of {len(tested)} differ" if tested else ""
        alone = len(self.called_apart)
        differ += f", {alone} called by random graphs in one graph alone" if self.null else ""
        number = count(len(self.structures), "structure")
        return f"RunComparison({sources}: {number}{differ}{correlations})"

    @property
    def tested(self) -> list[ComparedStructure]:
        """Structures that a graph has and whose difference has an error."""
        return [row for row in self.structures if not math.isnan(row.p_difference)]

    @property
    def by_difference(self) -> list[ComparedStructure]:
        """All structures, the surest difference first; those without an error come last."""
        return sorted(self.structures, key=lambda row: -row.sureness)

    def num_random(self, which: str) -> int:
        """How many random graphs the "first" or the "second" graph is compared with."""
        sides: Iterable[Side | None] = (getattr(row, which) for row in self.structures)
        return max((side.result.num_samples for side in sides if side and side.result), default=0)

    def with_signs(self, first: Sign, second: Sign) -> list[ComparedStructure]:
        """Structures of which the tests of both runs say this."""
        return [row for row in self.structures if row.signs == (first, second)]

    @property
    def called_apart(self) -> list[ComparedStructure]:
        """Structures that the tests call in one graph alone, or the other way in the other one.

        What does not follow from others comes first, then what has a name that people know, fewer
        nodes, and a larger distance from random graphs.
        """
        follow = {row.structure.key for row in self.that_follow}

        def place(row: ComparedStructure) -> tuple[Any, ...]:
            z = [abs(side.z) for side in (row.first, row.second) if side and side.sign]
            distance = max(math.inf if math.isnan(value) else value for value in z)
            return (
                row.structure.key in follow,
                not row.has_name,
                row.structure.alone is not row.structure,
                row.structure.num_nodes,
                -distance,
            )

        apart = [
            row
            for row in self.structures
            if row.is_called and None not in row.signs and row.signs[0] != row.signs[1]
        ]
        return sorted(apart, key=place)

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
        model = NULL_MODELS.get(self.null)
        if model is None or model.permutes or not model.keeps_degrees:
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
        >>> from gomkcn import compare
        >>> found = compare(
        ...     nx.watts_strogatz_graph(60, 6, 0.1, seed=0), nx.gnm_random_graph(90, 200, seed=1)
        ... )
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
            profile.family.name,
            FigureSize(path, width, height, ax),
        )

    def columns(self) -> dict[str, list[Any]]:
        """A row for each structure, the surest difference first.

        Columns of a graph end in ``_first`` or ``_second``; the page on comparing networks says
        what they are. What is not known is missing.
        """
        return tabulate(comparison_columns(), self.by_difference).columns()

    def table(self, which: str = "structures") -> Table:
        """A row for each structure or, if ``which`` is "roles", for each node that changed most.

        Nodes that one graph alone has come after those that both have.
        """
        tables = {
            "structures": Table(self.columns()),
            "roles": tabulate(ROLE_COLUMNS, self.roles.every_row),
        }
        check_choice("which", which, tables)
        return tables[which]


class ComparedInput(NamedTuple):
    """A run, or a graph whose structures are to be counted, and its path.

    ``graph`` is that of a run, where it is at hand; without it the shares of a run have no error.
    """

    given: Any
    path: str | None = None
    graph: CSRGraph | None = None


@overload
def compare(
    first: Any,
    second: Any,
    /,
    *,
    null: Any = AUTO,
    null_samples: int | None = None,
    seed: int = 0,
    steps: Steps | None = None,
    progress: bool = False,
) -> RunComparison: ...


@overload
def compare(
    *graphs: Any,
    null: Any = AUTO,
    null_samples: int | None = None,
    seed: int = 0,
    steps: Steps | None = None,
    progress: bool = False,
) -> RunComparison | GraphDistances: ...


def compare(
    *graphs: Any,
    null: Any = AUTO,
    null_samples: int | None = None,
    seed: int = 0,
    steps: Steps | None = None,
    progress: bool = False,
) -> RunComparison | GraphDistances:
    """Compare two graphs structure by structure, or many graphs by their distances.

    Of two graphs, the share of each structure, of all of its size, is set against that in the other
    graph, with the standard error of the difference: the delete-one jackknife over the nodes, or
    over the graphs of a collection of 20 or more. Both are compared with random graphs as well, and
    so are their profiles, and the roles of nodes that both have. Directions, edge types and
    categories count.

    Three graphs or more give a matrix of distances: the graphlet correlation distance (Yaveroğlu et
    al. 2014), which leads where edges have no directions, and 1 − the correlation of their
    significance profiles (Milo et al. 2004), which leads where they have.

    Parameters
    ----------
    *graphs : MiningRun, or anything :func:`gomkcn.as_csr` takes
        Two, or more; or one list of them, one mapping of names to them, or one collection, whose
        graphs are compared. :func:`gomkcn.load` reads a run of a folder, which two graphs alone may
        be. The shares of a run have no error, since it keeps no counts at its nodes: give its
        graph. The graphs may have any sizes.
    null : str or NullModel
        The null model, as for :class:`gomkcn.PatternMiner`; "none" leaves random graphs out.
    null_samples : int, optional
        Random graphs of each graph. By default 199 of two, which leave the z of a profile an error
        of a twentieth; of each of more 20, and 50 where edges have directions.
    seed : int
        Seed of the random graphs, and of the groups of nodes that are left out together.
    steps : Steps, optional
        Keeps what is done, shows how much that is, and tells when to stop.
    progress : bool
        Whether to show a progress bar; that of ``steps``, where they are given.

    Returns
    -------
    RunComparison or GraphDistances
        Of two a table with a row for each structure, the surest difference first; its table "roles"
        has the nodes that changed most. Of more
        :class:`~gomkcn.mining.patterns.graph_distances.GraphDistances`: matrices, tables, a heat
        map.

    Raises
    ------
    InputError
        For fewer than two graphs, one of two without edges, many of which some have directions and
        some have none, or settings out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import compare
    >>> found = compare(
    ...     nx.watts_strogatz_graph(60, 6, 0.1, seed=0), nx.gnm_random_graph(90, 200, seed=1)
    ... )
    >>> found.by_difference[0].name, found.by_difference[0].is_sure
    ('...', True)
    >>> sorted((one.name, one.signs) for one in found.structures[:2])
    [('path of 3 nodes', (-1, 0)), ('triangle', (1, 0))]
    >>> found
    RunComparison('graph' and 'graph': ... structures, ... differ, ... for those of 4 nodes, ...)
    >>> lattices = {f"lattice {k}": nx.watts_strogatz_graph(60, 6, 0.1, seed=k) for k in (1, 2)}
    >>> compare({**lattices, "random": nx.gnm_random_graph(60, 180, seed=0)}, null="none")
    GraphDistances(3 graphs, GCD-11: 'lattice 1' and 'lattice 2' are nearest, ...)
    """
    given: Any = graphs[0] if len(graphs) == 1 else list(graphs)
    if isinstance(given, list) and len(given) == 2:
        inputs = [ComparedInput(graph) for graph in given]
    else:
        inputs = [ComparedInput(graph, name) for name, graph in named_graphs(given)]
    miner = comparing_miner(inputs, null, null_samples, seed)
    with JobProgress("bar" if progress else "") as bar:
        steps = Steps(progress=bar) if steps is None else steps
        return compare_inputs(inputs, miner, steps)


def comparing_miner(
    inputs: Sequence[ComparedInput], null: Any, null_samples: int | None, seed: int
) -> PatternMiner:
    """What counts in graphs that are compared, and draws their random graphs."""
    if len(inputs) == 2:
        usual = NULL_SAMPLES
    elif any(compared.given.is_directed for compared in inputs):
        usual = NULL_SAMPLES_OF_MANY_DIRECTED
    else:
        usual = NULL_SAMPLES_OF_MANY
    miner = PatternMiner(
        filters=NONE,
        null=null,
        null_samples=usual if null_samples is None else null_samples,
        random_state=seed,
    )
    miner.check()
    return miner


def compare_inputs(
    inputs: Sequence[ComparedInput], miner: PatternMiner, steps: Steps
) -> RunComparison | GraphDistances:
    """What :func:`gomkcn.compare` does with inputs and the miner that counts in them."""
    if len(inputs) == 2:
        return _compare_two(inputs, miner, steps)
    named = [NamedGraph(compared.path or "", compared.given) for compared in inputs]
    return measure_distances(named, miner, steps)


def _compare_two(
    inputs: Sequence[ComparedInput], miner: PatternMiner, steps: Steps
) -> RunComparison:
    """Two graphs or runs side by side."""
    # 1. the graphs, in an order of their own
    graphs = [_graph_of(compared) for compared in inputs]
    mined = [None if graph is None else MinedGraph.of(graph) for graph in graphs]
    for known in filter(None, mined):
        refuse_no_edges(known.given)
        check_channels(known.given)
    # 2. what both have, which is known soon: counts and their errors, and the roles of nodes
    measured: list[MeasuredGraph | None] = []
    for which, ordered in zip(BOTH, mined, strict=True):
        with steps.part(f"{which} graph"):
            measured.append(
                None if ordered is None else measure_graph(ordered, _rules(miner, ordered), steps)
            )
    first, second = mined
    if first is None or second is None:
        roles = RoleChanges(note="Roles of nodes are compared where both graphs are at hand.")
    else:
        roles = changed_roles(first.given, second.given, _rules(miner, first), steps)
    # 3. the random graphs of each, which take longest
    runs: list[MiningRun] = []
    for which, compared, ordered, counted in zip(BOTH, inputs, mined, measured, strict=True):
        if isinstance(compared.given, MiningRun):
            runs.append(compared.given)
            continue
        assert ordered is not None, "a graph was given"
        if counted is not None and counted.measured.structures and steps.is_late():
            # no random graph is drawn any more, and the structures are counted
            runs.append(_run_of(ordered.given, compared.path, steps, _NOTHING_COMPARED))
            continue
        with steps.part(f"{which} graph"):
            runs.append(_mine(ordered, miner, compared.path, steps))
    # 4. those of runs are left out as well where none are wanted
    if not miner.settings.nulls:
        runs = [replace(run, null_models={}, warnings=()) for run in runs]
    found = _compare(runs, measured, roles)
    if not steps.is_partial:
        return found
    first_run, second_run = (
        of_run
        if isinstance(compared.given, MiningRun)
        else replace(of_run, missing=_missing(found, which, miner))
        for which, compared, of_run in zip(BOTH, inputs, (found.first, found.second), strict=True)
    )
    return replace(found, first=first_run, second=second_run)


def _null_of(first: MiningRun, second: MiningRun) -> str:
    """The first null model that both runs have; where one has none at all, that of the other."""
    names = [name for name in first.null_models if name in second.null_models]
    if not (first.null_models and second.null_models):
        names = [*first.null_models, *second.null_models]
    return names[0] if names else ""


def _missing(found: RunComparison, which: str, miner: PatternMiner) -> tuple[str, ...]:
    """What a graph has too few of where a comparison ended early."""
    missing = [] if getattr(found, which).num_units else ["no errors of its shares"]
    wanted = miner.null_samples
    drawn = found.num_random(which)
    if miner.settings.nulls and wanted and drawn < wanted:
        missing.append(f"{f'{drawn:,} of {wanted:,}' if drawn else 'no'} random graphs")
    return tuple(missing)


def _graph_of(compared: ComparedInput) -> Any:
    """The graph of an input; None where a run has it no longer."""
    return compared.graph if isinstance(compared.given, MiningRun) else compared.given


def _rules(miner: PatternMiner, mined: MinedGraph) -> ChoiceRules:
    return miner.choice_rules(mined.given, as_seed("random_state", miner.random_state))


def _compare(
    runs: Sequence[MiningRun], measured: Sequence[MeasuredGraph | None], roles: RoleChanges
) -> RunComparison:
    """Pair the structures of two runs."""
    first, second = runs
    null = _null_of(first, second)
    both = [_Counted.of(run, null, of_graph) for run, of_graph in zip(runs, measured, strict=True)]
    structures: dict[bytes, Structure] = {}
    for counted in reversed(both):
        structures |= counted.structures
    feature_names = tuple(dict.fromkeys((*first.graph.feature_names, *second.graph.feature_names)))
    every = list(structures.values())
    names = tell_apart([describe_structure(structure, feature_names) for structure in every], every)
    rows = [
        ComparedStructure(
            name, structure, both[0].side(key, structure), both[1].side(key, structure)
        )
        for name, (key, structure) in zip(names, structures.items(), strict=True)
    ]
    rows = _in_order(_with_p(_with_entries([row for row in rows if row.is_held])))
    rows = [replace(row, number=number) for number, row in enumerate(rows)]
    compared = [
        ComparedRun(
            run.graph,
            run.warnings,
            *_units_of(of_graph),
            influence=_influence_of(of_graph),
            null_models=tuple(run.null_models),
        )
        for run, of_graph in zip(runs, measured, strict=True)
    ]
    return RunComparison(compared[0], compared[1], null, tuple(rows), tuple(_profiles(rows)), roles)


def _units_of(measured: MeasuredGraph | None) -> tuple[str, int]:
    if measured is None or not measured.measured.structures:
        return NODES, 0
    return measured.unit, measured.num_units


def _influence_of(measured: MeasuredGraph | None) -> Influence | None:
    """The node that most errors are from, with its structure as it stands in the table."""
    if measured is None or measured.influence is None:
        return None
    structure = _without_single_relation(measured.influence.structure)
    return replace(measured.influence, structure=structure)


def _with_p(rows: Sequence[ComparedStructure]) -> list[ComparedStructure]:
    """The structures with the p of their difference, corrected for all that have one."""
    z = np.array([row.difference_z for row in rows])
    # the survival function of the normal distribution, on both sides
    p = np.array([math.erfc(abs(value) / math.sqrt(2)) for value in z])
    adjusted = holm(p).tolist()
    return [replace(row, p_difference=value) for row, value in zip(rows, adjusted, strict=True)]


def mine_structures(
    graph: Any,
    path: str | None = None,
    *,
    null: Any = AUTO,
    null_samples: int = NULL_SAMPLES,
    seed: int = 0,
    steps: Steps | None = None,
) -> MiningRun:
    """Count all structures of few nodes and compare them with random graphs: a run without motifs.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
    path : str, optional
        Its file, for the name of the run.
    null, null_samples, seed
        As for :func:`gomkcn.compare`.
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
    refuse_no_edges(mined.given)
    miner = PatternMiner(filters=NONE, null=null, null_samples=null_samples, random_state=seed)
    return _mine(mined, miner, path, Steps() if steps is None else steps)


def _mine(mined: MinedGraph, miner: PatternMiner, path: str | None, steps: Steps) -> MiningRun:
    """The run of a graph that is in order."""
    compared = compare_structures(mined, _rules(miner, mined), steps)
    return _run_of(mined.given, path, steps, compared)


def _run_of(
    csr: CSRGraph, path: str | None, steps: Steps, compared: ComparedStructures
) -> MiningRun:
    """What was counted in a graph, as a run without motifs."""
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
    # its nodes and edges
    size: tuple[int, int]
    # count, share and its error of what was measured, and the families of which all are
    measured: Mapping[bytes, tuple[int, float, float]]
    whole: frozenset[Family]

    @classmethod
    def of(cls, run: MiningRun, null: str, of_graph: MeasuredGraph | None) -> _Counted:
        patterns: dict[bytes, Pattern] = {}
        structures: dict[bytes, Structure] = {}
        for pattern in run.counted:
            structure = _without_single_relation(pattern.structure)
            patterns[structure.key] = pattern
            structures[structure.key] = structure
        families = {
            Family.of(structures[key]): pattern.significance[null].num_samples
            for key, pattern in patterns.items()
            if null in pattern.significance
        }
        measured = _shares_of_run(patterns, structures, families)
        whole = {Family.of(structures[key]) for key in measured}
        if of_graph is not None:
            rows = of_graph.measured
            for structure, *numbers in zip(
                rows.structures, rows.counts, rows.shares.tolist(), rows.errors.tolist(),
                strict=True,
            ):  # fmt: skip
                named = _without_single_relation(structure)
                measured[named.key] = (numbers[0], numbers[1], numbers[2])
                structures.setdefault(named.key, named)
                whole.add(Family.of(named))
        return cls(
            patterns,
            structures,
            null,
            families,
            frozenset(word for structure in structures.values() for word in _words(structure)),
            (run.graph.num_nodes, run.graph.num_edges),
            measured,
            frozenset(whole),
        )

    def side(self, key: bytes, structure: Structure) -> Side | None:
        """What the run has of a structure; None where it did not look for it."""
        family = Family.of(structure)
        # where all of a family were compared, neither the graph nor a random graph has it
        is_known = self.words >= _words(structure)
        num_samples = self.families.get(family) if is_known else None
        is_whole = is_known and family in self.whole
        number, share, error = self.measured.get(key, (0, math.nan, math.nan))
        if is_whole and key not in self.measured:
            # NaN where the others have no error either
            some = next(key for key in self.measured if Family.of(self.structures[key]) == family)
            share, error = 0.0, 0.0 * self.measured[some][2]
        pattern = self.patterns.get(key)
        if pattern is not None:
            copies = None if pattern.motif is None else pattern.motif.num_copies
            side = Side(pattern.frequency.occurrences, pattern.significance.get(self.null), copies)
        elif num_samples is not None:
            side = Side(OccurrenceCount.exact(0), _none_anywhere(self.null, num_samples))
        elif is_whole:
            side = Side(OccurrenceCount.exact(number))
        else:
            return None
        num_nodes, num_edges = self.size
        occurrences = side.count.value
        return replace(
            side,
            share=share,
            share_error=error,
            per_node=occurrences / num_nodes,
            per_edge=occurrences / max(num_edges, 1),
        )


def _shares_of_run(
    patterns: Mapping[bytes, Pattern],
    structures: Mapping[bytes, Structure],
    families: Mapping[Family, int],
) -> dict[bytes, tuple[int, float, float]]:
    """Count and share of the structures of each family that a run has whole, without an error."""
    totals: defaultdict[Family, int] = defaultdict(int)
    counted = {
        key: int(pattern.frequency.occurrences.value)
        for key, pattern in patterns.items()
        if Family.of(structures[key]) in families
    }
    for key, number in counted.items():
        totals[Family.of(structures[key])] += number
    return {
        key: (number, number / total, math.nan)
        for key, number in counted.items()
        if (total := totals[Family.of(structures[key])])
    }


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
