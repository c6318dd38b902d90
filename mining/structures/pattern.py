"""The record of a pattern, the same from the first sight of a structure to the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import inf, isfinite, log
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from gomkcn.mining.structures.occurrences import (
    NONE,
    Occurrence,
    Occurrences,
    StoredOccurrences,
)
from gomkcn.mining.structures.records import (
    Amount,
    Count,
    Positive,
    Share,
    StructureRecord,
    as_record,
    read_as,
)
from gomkcn_dgl.graphs.structure import Edge, Structure
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime import html_module_of, html_of

# estimates from here on are given in units of a power of ten
_LARGE = 1e9
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# the largest adjusted p at which a structure is called more or less frequent
LEVEL = 0.05
MORE, LESS, NOT_SHOWN = "more frequent", "less frequent", "not shown to differ"
Verdict = Annotated[str, Meta(pattern=f"^({MORE}|{LESS}|{NOT_SHOWN})$")]
# what is compared with random graphs
COUNT, INTENSITY, COHERENCE = "count", "intensity", "coherence"
Measure = Annotated[str, Meta(pattern=f"^({COUNT}|{INTENSITY}|{COHERENCE})$")]
_OF_MEASURE = {MORE: "higher", LESS: "lower"}
# what is said of structures that lie above and below the random graphs
RESULT_WORDS = {
    COUNT: ("over-represented", "under-represented"),
    INTENSITY: ("of higher intensity", "of lower intensity"),
    COHERENCE: ("of higher coherence", "of lower coherence"),
}
# what saw a structure
Source = Annotated[str, Meta(pattern="^(grown|filters|frequent|census|given)$")]
# strengths of two classes are equal but for rounding, of records too
_SAME = 1 - 1e-4
# of patterns.json
SCHEMA_VERSION = 13
# occurrences in patterns.json; all are in a table of their own
MOST_LISTED = 20


# ends of the interval that holds 95 % of a normal distribution, in standard deviations
_Z = 1.959964


@dataclass(frozen=True)
class OccurrenceCount:
    """Induced occurrences of a pattern in a whole graph: node sets, each counted once.

    Attributes
    ----------
    value : float
        The number, or the unbiased estimate of it.
    low, high : float
        The 95 % interval of an estimate; the number itself where it is exact.
    is_exact : bool
        Whether all occurrences were counted.

    Examples
    --------
    >>> OccurrenceCount.exact(1612010).state
    'exact'
    >>> OccurrenceCount(0.0, 0.0, 31.5, is_exact=False).state
    'bounded'
    """

    value: Amount
    low: Amount
    high: Amount
    is_exact: bool

    @classmethod
    def exact(cls, number: int) -> OccurrenceCount:
        """The count of all occurrences."""
        return cls(number, number, number, is_exact=True)

    @classmethod
    def sum(cls, counts: Iterable[OccurrenceCount]) -> OccurrenceCount:
        """The count of different occurrences together; the ends of the intervals are added up."""
        each = list(counts)
        value, low, high = (
            sum(getattr(count, of) for count in each) for of in ("value", "low", "high")
        )
        return cls(value, low, high, all(count.is_exact for count in each))

    @classmethod
    def of_sample(cls, hits: int, drawn: int, total: int) -> OccurrenceCount:
        """How many of ``total`` are of a kind, where ``hits`` of ``drawn`` are, drawn at random.

        The interval is Wilson's (E. B. Wilson, 1927), for as many draws with replacement as tell as
        much as these without (the finite population correction). Without a hit its upper end is
        the largest number that the draws would miss with a probability of 5 %.

        >>> OccurrenceCount.of_sample(30, 60, 60), str(OccurrenceCount.of_sample(500, 1000, 4000))
        (OccurrenceCount(value=30, low=30, high=30, is_exact=True), '2,000 (1,893 to 2,107)')
        """
        if drawn == total:
            return cls.exact(hits)
        draws = drawn * (total - 1) / (total - drawn)
        if not hits:
            return cls(0.0, 0.0, total * (1 - 0.05 ** (1 / draws)), is_exact=False)
        share = hits / drawn
        center = (share + _Z**2 / (2 * draws)) / (1 + _Z**2 / draws)
        half = _Z / (1 + _Z**2 / draws)
        half *= (share * (1 - share) / draws + _Z**2 / (4 * draws**2)) ** 0.5
        low = max(center - half, 0.0)
        high = min(center + half, 1.0)
        # those that were drawn are there, or are not
        low = max(low * total, hits)
        high = min(high * total, total - (drawn - hits))
        return cls(share * total, low, high, is_exact=False)

    @property
    def state(self) -> str:
        """How the number is known: "exact", "estimated", or "bounded" where no draw found one."""
        if self.is_exact:
            return "exact"
        return "estimated" if self.value else "bounded"

    @property
    def short(self) -> str:
        """The number alone."""
        if self.is_exact:
            return f"{int(self.value):,}"
        return digits(self.value) if self.value else f"fewer than {digits(self.high)}"

    def __str__(self) -> str:
        """The number in words and digits; an estimate with its interval."""
        if self.state != "estimated":
            return self.short
        if self.value < _LARGE:
            return f"{digits(self.value)} ({digits(self.low)} to {digits(self.high)})"
        power = _power_of_ten(self.value)
        value, low, high = (f"{end / 10**power:.4g}" for end in (self.value, self.low, self.high))
        return f"{value} ({low} to {high}) · 10{str(power).translate(_RAISED)}"


def digits(number: float) -> str:
    """Four digits of an estimate; a large one in units of a power of ten.

    >>> digits(61250), digits(9286.4e9)
    ('61,250', '9.286 · 10¹²')
    """
    if number < _LARGE:
        return f"{float(f'{number:.4g}'):,.0f}" if number >= 100 else f"{number:.3g}"
    power = _power_of_ten(number)
    return f"{number / 10**power:.4g} · 10{str(power).translate(_RAISED)}"


def _power_of_ten(number: float) -> int:
    return int(f"{number:.3e}".partition("e")[2])


UNCOUNTED = OccurrenceCount(0.0, 0.0, inf, is_exact=False)


@dataclass(frozen=True)
class Frequency:
    """How often a pattern occurs.

    Attributes
    ----------
    occurrences : OccurrenceCount
        Induced occurrences in the whole graph: node sets that have the structure of the pattern,
        directions and types of the edges and categories of the nodes included.
    graphs : int
        Graphs of the collection that hold a place of the pattern.
    listed : int
        Places that are listed: all, or a random sample of very many.
    disjoint : int
        Listed places that share no node, selected greedily; a lower bound.

    Examples
    --------
    >>> Frequency(OccurrenceCount.exact(2), graphs=1, listed=2, disjoint=2)
    Frequency(occurrences=..., graphs=1, listed=2, disjoint=2)
    """

    occurrences: OccurrenceCount = UNCOUNTED
    graphs: Count = 0
    listed: Count = 0
    disjoint: Count = 0

    @property
    def count(self) -> float:
        """The number of occurrences, or the estimate of it."""
        return self.occurrences.value


@dataclass(frozen=True)
class NullComparison:
    """How often a structure occurs in a graph, and in random graphs of a null model.

    All numbers but ``p_adjusted`` are of this structure alone, and none is modelled: they are those
    of the counts in the graphs that were drawn.

    Attributes
    ----------
    null : str
        Name of the null model; with the measure behind it where that is no count.
    num_samples : int
        Random graphs that were drawn, N.
    observed : float
        Occurrences in the graph, or what else is measured.
    mean, sd, largest : float
        Mean, standard deviation (over N - 1) and maximum of the counts in the random graphs.
    z : float or None
        ``(observed - mean) / sd``; None where all random graphs have the same count.
    p : float
        ``(1 + random graphs with at least as many) / (N + 1)``, or with at most as many where the
        graph has fewer than is usual; so at least 1 / (N + 1).
    p_adjusted : float
        The probability that any structure of the family differs as much in either direction, from
        the same ranks (step-down max-T, Westfall and Young 1993).
    verdict : {"more frequent", "less frequent", "not shown to differ"}
        The first two where ``p_adjusted`` is at most .05.
    measure : {"count", "intensity", "coherence"}
        What is compared. Of what is no count, "more frequent" means higher, and "less frequent"
        lower.
    """

    null: str
    num_samples: Count
    observed: Positive
    mean: Positive
    sd: Positive
    largest: Positive
    z: float | None
    p: Share
    p_adjusted: Share
    verdict: Verdict
    measure: Measure = COUNT

    @property
    def is_called(self) -> bool:
        """Whether the graph has clearly more or fewer than the random graphs."""
        return self.verdict != NOT_SHOWN

    @property
    def result(self) -> str:
        """The verdict in the words of what is compared: "higher" or "lower" of what is no count."""
        return self.verdict if self.measure == COUNT else _OF_MEASURE.get(self.verdict, NOT_SHOWN)


@dataclass(frozen=True)
class Weighing:
    """The weights of the edges of a structure, over its induced occurrences (Onnela et al. 2005).

    Attributes
    ----------
    intensity : float
        The sum of the geometric means of the weights of the edges of each occurrence.
    coherence : float
        The mean, over the occurrences, of the geometric mean over the arithmetic one.
    """

    intensity: Positive
    coherence: Positive


@dataclass(frozen=True)
class ClassContrast:
    """A pattern among the graphs of one class and among all others.

    Attributes
    ----------
    name : str
        Name of the class.
    containing, num_graphs : int
        Graphs of the class that contain the pattern, and all graphs of the class.
    others_containing, num_others : int
        The same of all other classes together.
    odds_ratio : float or None
        Odds that a graph of the class contains the pattern, over the odds of the others, with ½
        added to each of the four numbers of graphs (Haldane and Anscombe), so that it is finite.
        None where no graph contains it, or each one does.
    low, high : float or None
        Its 95 % interval, normal on the scale of the logarithm (Gart).
    p : float
        The probability of a table that is no more probable than this one, where classes do not
        matter (Fisher's exact test, two-sided); of this pattern and this class alone.
    """

    name: str
    containing: Count
    num_graphs: Count
    others_containing: Count
    num_others: Count
    odds_ratio: Positive | None
    low: Positive | None
    high: Positive | None
    p: Share

    @property
    def strength(self) -> float:
        """Distance of the odds ratio from 1 in widths of its interval, as logarithms."""
        if self.odds_ratio is None or self.low is None or self.high is None:
            return 0.0
        return abs(log(self.odds_ratio)) / log(self.high / self.low)

    @property
    def is_more_frequent(self) -> bool:
        """Whether the share of the graphs that contain it is larger in the class."""
        return self.containing * self.num_others > self.others_containing * self.num_graphs

    def __str__(self) -> str:
        """Both shares and the odds ratio with its interval."""
        return (
            f"{_share(self.containing, self.num_graphs)} of class {self.name}, "
            f"{_share(self.others_containing, self.num_others)} of the others; "
            + ("" if self.odds_ratio is None
               else f"odds ratio {odds(self.odds_ratio)} ({self.interval}), ")
            + f"p = {self.p:.2g}"
        )  # fmt: skip

    @property
    def interval(self) -> str:
        """The interval of the odds ratio, such as "2.98 to 12.8"; "-" where there is none."""
        return "-" if self.low is None else f"{odds(self.low)} to {odds(self.high)}"


@dataclass(frozen=True)
class Following:
    """How a pattern that differs between classes follows from the patterns that lead.

    Attributes
    ----------
    shared : int
        Graphs that contain both the pattern and the one that leads its group.
    p : float
        The exact p of what is left of its difference among graphs that are alike in all stronger
        patterns that lead.
    """

    shared: Count
    p: Share


@dataclass(frozen=True)
class WholeRings:
    """A fragment of molecules that cuts aromatic rings, with the whole rings.

    Attributes
    ----------
    smiles : str
        The fragment with its aromatic rings, as most molecules that contain it have them.
    graphs, num_graphs : int
        Molecules that contain the fragment with these rings, of those that contain the fragment.
    """

    smiles: str
    graphs: Count
    num_graphs: Count


@dataclass(frozen=True)
class ClassSearch:
    """What was searched for differences between the classes of graphs.

    Attributes
    ----------
    num_searched : int
        Subgraphs in as many graphs as the smallest class asks for, whichever these are.
    num_compared : int
        Those among them that a class has often enough, of several in the same graphs the largest.
    num_tests : int
        Over how many of those that were searched p is adjusted: that can reach the level at all.
    num_differing, num_without_class : int
        Subgraphs that differ between the classes, and graphs that have none.
    support : float
        The least share of the graphs of a class.
    least_nodes, most_nodes, wanted_nodes : int
        Sizes that were searched completely, from the least to the most, and the largest that was
        asked for. The most is 0 where none was searched whole.
    left_out : str
        Why larger ones were not searched; empty where all were.
    is_complete_enough : bool
        Whether these are what was compared; else the structures that were counted were.
    num_beside, num_beside_tests, num_beside_differing : int
        Motifs and structures that were counted and are none of those that were compared: a family
        of their own, whose p is adjusted over so many tests; and those of them that differ.
    """

    num_searched: Count
    num_compared: Count
    num_tests: Count
    num_differing: Count
    num_without_class: Count
    support: Share
    least_nodes: Count
    most_nodes: Count
    wanted_nodes: Count
    left_out: str
    is_complete_enough: bool
    num_beside: Count = 0
    num_beside_tests: Count = 0
    num_beside_differing: Count = 0

    @property
    def is_complete(self) -> bool:
        """Whether all sizes that were asked for were searched completely."""
        return self.most_nodes == self.wanted_nodes

    def __str__(self) -> str:
        """What was searched, how far, and over how many tests p is adjusted, in sentences."""
        ended = f" ({self.left_out})" if self.left_out else ""
        if not self.is_complete_enough:
            return (
                f"A complete search for subgraphs takes too long here{ended}: the "
                f"{self.num_compared:,} structures that were counted are compared, and p is "
                "adjusted over all of them (step-down max-T)."
            )
        more = ""
        if not self.is_complete:
            larger = f"those of up to {self.wanted_nodes}"
            more = f" Larger ones, {larger}, were not searched whole{ended}."
        if self.num_beside:
            more += (
                f" The {self.num_beside:,} motifs and counted structures that are none of these "
                f"are a family of their own: {self.num_beside_differing:,} differ, with p over "
                f"{self.num_beside_tests:,} tests."
            )
        return (
            f"Searched completely: the {self.num_searched:,} subgraphs of {self.least_nodes} to "
            f"{self.most_nodes} nodes in as many graphs as {self.support:.0%} of the smallest "
            f"class. p is adjusted over the {self.num_tests:,} tests that could reach the level "
            f"(Tarone).{more}"
        )


@dataclass(frozen=True)
class ClassDifference:
    """Whether classes of graphs differ in how many of their graphs contain a pattern.

    Attributes
    ----------
    contrasts : tuple of ClassContrast
        Each class beside all others, in the order of the classes.
    p_adjusted : float
        p of all patterns that were tested taken together: of subgraphs that were searched
        completely, and of motifs and structures that were counted beside them, each by the number
        of tests of its family (Tarone); without such a search the probability that any of the
        patterns differs as much where labels are permuted (step-down max-T, Westfall and Young
        1993).
    group : int or None
        Patterns of one group differ for one reason, as far as the graphs tell, see
        :func:`gomkcn.mining.significance.verdicts.group_differences`; groups are numbered by their
        strongest pattern. None for what does not differ.
    follows : Following or None
        What is left of the difference beyond the patterns that lead; None for these, and for what
        does not differ.
    rings : WholeRings or None
        The whole rings of a fragment of molecules that cuts some, where it leads or follows.

    Examples
    --------
    >>> contrast = ClassContrast("toxic", 9, 10, 2, 20, 46.8, 5.7, 383.0, 3e-5)
    >>> shares, _, ratio = str(contrast).partition("; ")
    >>> shares
    '9 of 10 (90%) of class toxic, 2 of 20 (10%) of the others'
    >>> ratio
    'odds ratio 46.8 (5.7 to 383), p = 3e-05'
    >>> ClassDifference((contrast,), 0.001).strongest.is_more_frequent
    True
    """

    contrasts: Annotated[tuple[ClassContrast, ...], Meta(min_length=2)]
    p_adjusted: Share
    group: Count | None = None
    follows: Following | None = None
    rings: WholeRings | None = None

    @property
    def strongest(self) -> ClassContrast:
        """The class that the pattern separates most surely from the others.

        Of two classes, which it separates alike, it is the one that contains it more often.
        """
        least = min(contrast.p for contrast in self.contrasts) / _SAME
        equal = [contrast for contrast in self.contrasts if contrast.p <= least]
        return max(equal, key=lambda contrast: (contrast.is_more_frequent, contrast.strength))

    @property
    def rank(self) -> tuple[float, float]:
        """What comes first where patterns are sorted: the exact p, which permutations do not bound.

        Where it is too small for a number, the strength decides.
        """
        best = self.strongest
        return best.p, -best.strength

    @property
    def differs(self) -> bool:
        """Whether classes differ, all patterns that were tested taken together."""
        return self.p_adjusted <= LEVEL


def odds(ratio: float | None) -> str:
    """An odds ratio in three digits, without a power of ten where it is large; "-" for None.

    >>> odds(3102.7), odds(6.19), odds(None)
    ('3,100', '6.19', '-')
    """
    if ratio is None:
        return "-"
    return f"{float(f'{ratio:.3g}'):,.0f}" if ratio >= 1000 else f"{ratio:.3g}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})"


# orbits and features of a motif that are recorded
_MOST_FEATURES = 100
# share of the copies from which on a missing or an added edge is drawn
OFTEN = 0.15
# of a motif whose copies all have its edges and no others
NO_EDITS = np.zeros((0, 4), np.int64)


@dataclass(frozen=True)
class OrbitFeature:
    """A numeric feature of the nodes of an orbit of a motif, over its copies and over the graph.

    Attributes
    ----------
    feature : str
        Its name.
    nodes : tuple of int
        The nodes of the motif that are alike, an orbit.
    mean, sd : float
        Mean and standard deviation (over N) at these nodes of all copies.
    mean_all, sd_all : float
        The same over all nodes of the graph, or of all graphs of a collection.
    """

    feature: str
    nodes: Annotated[tuple[Count, ...], Meta(min_length=1)]
    mean: float
    sd: Positive
    mean_all: float
    sd_all: Annotated[float, Meta(gt=0)]

    @property
    def distance(self) -> float:
        """How far the mean is from that of all nodes, in their standard deviations."""
        return abs(self.mean - self.mean_all) / self.sd_all


def orbit_features(
    features: np.ndarray, columns: Mapping[int, str], structure: Structure, copies: np.ndarray
) -> tuple[OrbitFeature, ...]:
    """Some columns of ``[V, D]``, which vary, at each orbit of a structure with copies ``[K, M]``.

    Those that differ most from all nodes come first, and no more than a hundred.

    >>> values, star = np.array([[1.0], [4.0], [3.0], [8.0]]), Structure.parse("path-3")
    >>> first, second = orbit_features(values, {0: "x"}, star, np.array([[1, 0, 2]]))
    >>> first.nodes, first.mean, second.nodes, second.mean, second.mean_all
    ((1,), 1.0, (0, 2), 3.5, 4.0)
    """
    found = []
    orbits = [np.flatnonzero(structure.orbits == first) for first in np.unique(structure.orbits)]
    for column, name in columns.items():
        whole = _mean_and_sd(features[:, column])
        for nodes in orbits:
            of_copies = _mean_and_sd(features[copies[:, nodes], column])
            found.append(OrbitFeature(name, tuple(nodes.tolist()), *of_copies, *whole))
    return tuple(sorted(found, key=lambda feature: -feature.distance)[:_MOST_FEATURES])


def _mean_and_sd(values: np.ndarray) -> tuple[float, float]:
    """Over all values, in units in which no square overflows."""
    unit = float(np.abs(values).max()) or 1.0
    scaled = values.astype(np.float64) / unit
    return float(scaled.mean()) * unit, float(scaled.std()) * unit


# share of the copies of a motif that are exact, at least: where fewer than one of twenty are, no
# node set, or hardly one, is what would be drawn
LEAST_EXACT = 0.05
# share of the pairs of nodes of all copies that differ from the drawing, at most, where hardly a
# copy equals it: where a tenth of the edges of planted copies is changed it is .11, and the drawing
# is the planted one; in what C. elegans has without an exact copy, .23 and .29
MOST_EDITED = 0.2


def is_dense_group(num_nodes: int, num_copies: int, num_exact: int, num_edits: int) -> bool:
    """Whether copies are alike in being dense alone: hardly one is what is drawn, nor near to it.

    >>> is_dense_group(8, 30, 0, 90), is_dense_group(8, 30, 0, 240), is_dense_group(8, 30, 9, 240)
    (False, True, False)
    """
    num_pairs = num_copies * (num_nodes * (num_nodes - 1) // 2)
    return num_exact < LEAST_EXACT * num_copies and num_edits > MOST_EDITED * num_pairs


@dataclass(frozen=True, eq=False)
class MotifPart:
    """What a pattern is in the motif set of a graph, see :class:`gomkcn.MotifSet`.

    Attributes
    ----------
    copies : Occurrences
        The copies that are named in place of their edges; they share no edge with each other and
        with those of the other motifs.
    bits : float
        What the description of the graph grows by when the motif is dropped and nothing is put in
        its place. These do not add up to the bits that the set saves.
    share : float
        What the motif shortens the description with the motifs before it by, in the order in which
        they were chosen. These add up to the bits that the set saves.
    address : str
        The code that says cheapest where the copies are.
    num_copies : int
        How many copies there are, also where they are not at hand.
    starts : int or None
        Of the starts of the search, those whose sets have the motif; None where it was looked for
        once.
    edits : numpy.ndarray
        int64 ``[E, 4]``, where copies differ from the structure: the copy, two nodes of the
        structure, and -1 for an edge that the copy lacks or 1 for one that it has beside. An edge
        of another relation or direction is one of each.
    features : tuple of OrbitFeature
        Numeric features at the orbits, those that differ most from all nodes first.

    Examples
    --------
    >>> part = MotifPart(NONE, 40.0, "uniform", num_copies=5, edits=np.array([[3, 0, 1, -1]]))
    >>> part.missing, part.added, part.copies_exact
    (1, 0, 4)
    """

    copies: Occurrences
    bits: float
    address: str
    _: KW_ONLY
    num_copies: int
    share: float = 0.0
    starts: int | None = None
    edits: np.ndarray = field(default_factory=lambda: NO_EDITS)
    features: tuple[OrbitFeature, ...] = ()

    @property
    def missing(self) -> int:
        """Edges that copies lack, in all."""
        return int((self.edits[:, 3] < 0).sum())

    @property
    def added(self) -> int:
        """Edges that copies have beside, in all."""
        return int((self.edits[:, 3] > 0).sum())

    @property
    def copies_exact(self) -> int:
        """Copies that do not differ from the structure."""
        return self.num_copies - len(np.unique(self.edits[:, 0]))

    def totals(self, structure: Structure) -> tuple[int, int]:
        """The edges of all copies before any edit, and the other pairs of their nodes."""
        size = structure.num_nodes
        edges = int(structure.joined.sum()) // 2
        return self.num_copies * edges, self.num_copies * (size * (size - 1) // 2 - edges)

    def rates(self, structure: Structure) -> tuple[float, float]:
        """The share of edges of all copies that is missing, and of other pairs that is added."""
        edges, others = self.totals(structure)
        return self.missing / max(1, edges), self.added / max(1, others)

    def often(self, structure: Structure) -> dict[str, list[Edge]]:
        """Edges "missing" in at least 15 % of the copies, and other pairs "added" in so many.

        These are arguments of :func:`gomkcn.mining.plots.structure_drawing.draw_structure`.
        """
        ends = np.sort(self.edits[:, 1:3], axis=1)
        signs = self.edits[:, 3]
        found: dict[str, list[Edge]] = {}
        for name, has_sign in {"missing": signs < 0, "added": signs > 0}.items():
            pairs, counts = np.unique(ends[has_sign], axis=0, return_counts=True)
            often = pairs[counts >= OFTEN * self.num_copies].tolist()
            # an edge of another kind is drawn as one that is missing
            found[name] = [
                (u, v) for u, v in often if name == "missing" or not structure.joined[u, v]
            ]
        return found

    def pairs(self, structure: Structure) -> np.ndarray:
        """What is drawn between the nodes of each copy, int64 ``[X, 4]``.

        The copy, two nodes of the structure, and 0 for an edge of it, -1 for one that the copy
        lacks, 1 for one that it has beside.
        """
        u, v = np.nonzero(np.triu(structure.joined))
        ends = np.tile(np.stack([u, v], axis=1), (self.num_copies, 1))
        every = np.column_stack([np.repeat(np.arange(self.num_copies), len(u)), ends])
        edits = self.edits.copy()
        edits[:, 1:3].sort(axis=1)
        # an edge of another kind takes the place of the one that is missing
        size = structure.num_nodes
        numbers = [edges[:, :3] @ [size * size, size, 1] for edges in (every, edits)]
        kept = ~np.isin(numbers[0], numbers[1])
        plain = np.column_stack([every[kept], np.zeros(kept.sum(), np.int64)])
        found: np.ndarray = np.concatenate([plain, edits])
        return found[np.argsort(found[:, 0], kind="stable")]


class PatternRecord(StructureRecord):
    """A pattern in ``patterns.json``, with the first few occurrences."""

    # -1 for what was counted and is not reported
    id: Annotated[int, Meta(ge=-1)]
    description: str
    sources: tuple[Source, ...]
    frequency: Frequency
    classes: ClassDifference | None
    # by the name of the null model
    significance: dict[str, NullComparison]
    # listed occurrences inside the copies of each motif, by number
    inside: tuple[Count, ...]
    occurrences: list[Occurrence]
    # None where edges have no weights, or the structure is too large for them
    weighing: Weighing | None = None


@dataclass(frozen=True, eq=False)
class Pattern:
    """A small graph that occurs again and again.

    Each step of mining fills in fields of this record with ``dataclasses.replace``. What is
    known of one structure is in one record, and steps find it by ``key``.

    Attributes
    ----------
    structure : Structure
        Nodes, edges, directions, relations and categories.
    occurrences : Occurrences
        The places that are listed, as many as ``frequency.listed``; of what is not reported none.
    sources : tuple of str
        What saw it: "grown" sets of nodes, "filters", "frequent" subgraphs, the "census",
        or the user, where it was "given".
    frequency : Frequency
        How often it occurs, in several readings.
    significance : mapping from str to NullComparison
        How its count compares with each null model that was asked for, by the model's name; empty
        for structures that random graphs were not searched for.
    classes : ClassDifference or None
        How often graphs of each class contain it, where classes are known.
    id : int
        Position among the patterns of a run; -1 for what was counted and is not reported.
    description : str
        Its shape and features in words; empty where not asked for, see ``MiningRun.of``.
    motif : MotifPart or None
        Its copies in the motif set; None for what is not in the set.
    inside : tuple of int
        How many of its listed places lie inside a copy of each motif of the set, a number for each
        motif; a place counts for the first of them. Empty without motifs.
    weighing : Weighing or None
        Intensity and coherence, where the weights of edges are used and it has 3 or 4 nodes.

    Examples
    --------
    >>> path = Pattern(Structure.parse("a--b, b--c")).counted(OccurrenceCount.exact(7))
    >>> path.num_nodes, path.edges, path.frequency.count
    (3, ((0, 1), (1, 2)), 7)
    >>> path
    Pattern(path of 3 nodes, 3 nodes, 2 edges, 7 occurrences)
    """

    structure: Structure
    occurrences: Occurrences = field(default_factory=lambda: NONE)
    sources: tuple[str, ...] = ()
    frequency: Frequency = field(default_factory=Frequency)
    significance: Mapping[str, NullComparison] = field(default_factory=dict)
    classes: ClassDifference | None = None
    id: int = -1
    description: str = ""
    motif: MotifPart | None = None
    inside: tuple[int, ...] = ()
    weighing: Weighing | None = None

    def __repr__(self) -> str:
        """In one line: its number, name, nodes, edges and occurrences, as far as it has them."""
        from gomkcn_dgl.graphs.shapes import count

        number = f"{self.id}: " if self.id >= 0 else ""
        size = f"{count(self.num_nodes, 'node')}, {count(len(self.edges), 'edge')}"
        # of a structure without a name they are said already
        name = self.name if self.name.startswith(size) else f"{self.name}, {size}"
        found = self.frequency.occurrences
        plural = "s" * (found.value != 1)
        counted = f", {found} occurrence{plural}" if isfinite(found.high) else ""
        return f"Pattern({number}{name}{counted})"

    @property
    def name(self) -> str:
        """Its shape and labels in words, without the features that differ."""
        name = self._structure_name
        return f"dense group ({name})" if self.is_dense_group else name

    @property
    def _structure_name(self) -> str:
        from gomkcn.mining.structures.fragments import describe_fragment
        from gomkcn_dgl.graphs.shapes import describe_shape

        description = self.description.split(";")[0] or describe_fragment(self.structure)
        return description or describe_shape(self.structure)

    @property
    def label(self) -> str:
        """What it is called beside its drawing: its shape, where people know a name for it.

        Else it is "structure 2" by its number, or its size where it has none; relations and
        categories are left out, which :attr:`name` has.

        >>> Pattern(Structure.parse("a->b, b->c, c->a, d->a, d->b"), id=2).label
        'structure 2'
        """
        from gomkcn_dgl.graphs.shapes import counted_size

        shape, _, _ = self._structure_name.partition(": ")
        size = counted_size(shape)
        if self.is_dense_group:
            return f"dense group ({size or shape})"
        return shape if not size else f"structure {self.id}" if self.id >= 0 else size

    @property
    def is_dense_group(self) -> bool:
        """Whether it is a motif whose structure stands for no node set."""
        motif = self.motif
        return motif is not None and is_dense_group(
            self.num_nodes, motif.num_copies, motif.copies_exact, len(motif.edits)
        )

    @property
    def key(self) -> bytes:
        """The key of its structure."""
        return self.structure.key

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return self.structure.num_nodes

    @property
    def edges(self) -> tuple[Edge, ...]:
        """``(i, j)`` from node i to node j, or with ``i < j`` where the edge has no direction."""
        return self.structure.edges

    @property
    def relations(self) -> Relations:
        """The relations of the graph: their names, and whether their edges have a direction."""
        return self.structure.relations

    @property
    def edge_relations(self) -> tuple[int, ...]:
        """Relation of each edge, a number of ``relations.names``."""
        return self.structure.edge_relations

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """The categorical features of each node, by name, which its places have as well."""
        return self.structure.categories

    @property
    def is_called(self) -> bool:
        """Whether the first null model calls it more or less frequent."""
        return any(comparison.is_called for comparison in list(self.significance.values())[:1])

    @property
    def finding(self) -> str:
        """What a run says of it: "motif", "called", "motif and called", or "counted" and no more.

        A motif is in the motif set, and what is called differs from the random graphs of the first
        null model.
        """
        named = {"motif": self.motif is not None, "called": self.is_called}
        return " and ".join(name for name, is_so in named.items() if is_so) or "counted"

    def counted(self, count: OccurrenceCount) -> Pattern:
        """The same with a count of its occurrences."""
        return replace(self, frequency=replace(self.frequency, occurrences=count))

    @property
    def measures(self) -> dict[str, Any]:
        """Its counts, and how they compare with random graphs, by the name of the column in tables.

        What is not known is left out, and so are the shape and the classes, which
        ``structure`` and ``classes`` say. ``docs/numbers.md`` says what each column is.
        """
        count = self.frequency.occurrences
        # not "id", which networkx takes for the id of the graph element in GraphML
        found = {"pattern": self.id, "finding": self.finding}
        found |= {"occurrences": count.value, "occurrences_are": count.state}
        found |= {"occurrences_low": count.low, "occurrences_high": count.high}
        found |= {name: getattr(self.frequency, name) for name in ("graphs", "listed", "disjoint")}
        if self.motif is not None:
            motif = self.motif
            found |= {"copies": motif.num_copies, "bits_saved": motif.share}
            found["bits_longer_without"] = motif.bits
        if self.weighing is not None:
            found |= as_record(self.weighing)
        for null, significance in self.significance.items():
            for name in ("mean", "sd", "z", "p", "p_adjusted", "verdict"):
                said = "result" if name == "verdict" else name
                if (value := getattr(significance, said)) is not None:
                    found[f"{null_column(null)}_{name}"] = value
        return found

    def plot(
        self,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the structure as the page does, for a notebook or a paper.

        Parameters
        ----------
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches; one of them keeps the proportions.
        ax : matplotlib.axes.Axes, optional
            An axis of a figure of your own.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            For another ending, or if Matplotlib and seaborn are not installed.

        Examples
        --------
        >>> Pattern(Structure.parse("triangle")).plot(width=2).get_size_inches().tolist()
        [2.0, 1.6]
        """
        return html_module_of(self).plot_pattern(self, path, width, height, ax)

    def to_networkx(self) -> Any:
        """The pattern as a NetworkX graph, see :meth:`gomkcn.Structure.to_networkx`.

        Its :attr:`measures` are attributes of the graph.
        """
        graph = self.structure.to_networkx()
        graph.graph = self.measures
        return graph

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``, with the first few occurrences."""
        return {
            "id": self.id,
            "description": self.description,
            **self.structure.to_dict(),
            "sources": list(self.sources),
            "frequency": as_record(self.frequency),
            "classes": as_record(self.classes),
            "significance": as_record(dict(self.significance)),
            "inside": list(self.inside),
            "weighing": as_record(self.weighing),
            "occurrences": as_record(list(self.occurrences[:MOST_LISTED])),
        }

    @classmethod
    def of_record(cls, record: PatternRecord, occurrences: Occurrences | None = None) -> Pattern:
        """Read a record of ``patterns.json``, with all its occurrences or those listed there.

        Raises a ValueError for occurrences or edges that the nodes do not have.
        """
        if any(len(listed.nodes) != record.num_nodes for listed in record.occurrences):
            size = record.num_nodes
            raise ValueError(f"an occurrence of pattern {record.id} does not have {size} nodes")
        if occurrences is None:
            occurrences = Occurrences.of(record.occurrences, record.num_nodes)
        try:
            structure = Structure.from_dict(record.structure())
        except ValueError as error:
            raise ValueError(f"pattern {record.id}: {error}") from None
        return cls(
            structure,
            occurrences,
            sources=record.sources,
            frequency=record.frequency,
            significance=record.significance,
            classes=record.classes,
            id=record.id,
            description=record.description,
            inside=record.inside,
            weighing=record.weighing,
        )

    def _repr_html_(self) -> str | None:
        """Drawing and counts, for a notebook."""
        return html_of(self)


@dataclass(frozen=True, eq=False)
class StoredPatterns:
    """Patterns that were counted, as a plain value: their records, and all their occurrences."""

    records: list[PatternRecord]
    occurrences: StoredOccurrences

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> StoredPatterns:
        """The plain value of patterns, without what they are in a motif set."""
        records = [
            read_as(PatternRecord, {**pattern.to_dict(), "occurrences": []}) for pattern in patterns
        ]
        return cls(records, StoredOccurrences.of([pattern.occurrences for pattern in patterns]))

    def read(self, parts: Mapping[bytes, MotifPart | None]) -> list[Pattern]:
        """The patterns, with what they are in a motif set by their key; a ValueError for others."""
        listed = self.occurrences.read([record.num_nodes for record in self.records])
        found = map(Pattern.of_record, self.records, listed)
        return [replace(pattern, motif=parts.get(pattern.key)) for pattern in found]


def in_order(patterns: Iterable[Pattern], null: str) -> list[Pattern]:
    """Patterns as they are listed beside random graphs of a null model: in files, tables and pages.

    What there is more of than in random graphs stands before what there is less of, and that before
    what is not called. Of each, structures alone stand before those with kinds, fewer nodes before
    more, then larger ``|z|`` first, and larger counts of what was not compared.
    """

    def place(pattern: Pattern) -> tuple[int, bool, int, float, float]:
        result = pattern.significance.get(null)
        called = (MORE, LESS).index(result.verdict) if result and result.is_called else 2
        far = -1.0
        if result is not None:
            # where all random graphs have the same count there is no z
            far = inf if result.z is None and result.is_called else abs(result.z or 0.0)
        has_kinds = pattern.structure.alone is not pattern.structure
        return called, has_kinds, pattern.num_nodes, -far, -pattern.frequency.count

    return sorted(patterns, key=place)


def differing_groups(patterns: Iterable[Pattern]) -> list[list[Pattern]]:
    """Patterns that differ between classes, by groups: the strongest one leads, and its group.

    See :func:`gomkcn.mining.significance.verdicts.group_differences`.
    """
    groups: dict[int, list[Pattern]] = {}
    ranked = []
    for pattern in patterns:
        if pattern.classes is not None and pattern.classes.group is not None:
            ranked.append(
                (pattern.classes.rank, -pattern.num_nodes, pattern.classes.group, pattern)
            )
    for *_, group, pattern in sorted(ranked, key=lambda row: row[:-2]):
        groups.setdefault(group, []).append(pattern)
    return list(groups.values())


def null_column(null: str) -> str:
    """How the columns of a null model begin in tables, such as ``null_joint_degree``."""
    return f"null_{null.replace('-', '_').replace(' ', '_')}"


def measure_of(null: str) -> str:
    """What the comparison of this name compares.

    >>> measure_of("weights intensity"), measure_of("degree")
    ('intensity', 'count')
    """
    measure = null.rpartition(" ")[2]
    return measure if measure in (INTENSITY, COHERENCE) else COUNT


def merge(patterns: Iterable[Pattern]) -> list[Pattern]:
    """One pattern for each structure, in the order in which they come first; a join on the key.

    >>> one, other = (Pattern(Structure.parse(text), sources=(text,))
    ...               for text in ("a--b, b--c", "a--c, a--b"))
    >>> [pattern.sources for pattern in merge([one, other])]
    [('a--b, b--c', 'a--c, a--b')]
    """
    found: dict[bytes, Pattern] = {}
    for pattern in patterns:
        known = found.setdefault(pattern.key, pattern)
        if known is not pattern:
            sources = tuple(dict.fromkeys(known.sources + pattern.sources))
            found[pattern.key] = replace(known, sources=sources)
    return list(found.values())
