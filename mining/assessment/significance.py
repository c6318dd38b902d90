"""Would chance alone have made the patterns? Counts in graphs drawn from a null model.

The patterns of a fitted miner are counted in each sample by the procedure that counted them in the
graph: the same subgraphs, the same rule, the same thresholds. What is counted are the distinct
occurrences that are at least as similar as nine tenths of those found in the graph, so that
features matter even where the rule asks for structure alone. z says how many standard deviations
the graph's own count lies above the mean of the samples.

The patterns were chosen because this graph has many of them, which alone makes their counts larger
than in other samples. So the miner is run with the same settings on further samples, and the
patterns found there, the decoys, are counted in the same samples: if the graph came from the null
model, its patterns and the decoys would stand out alike. p is the share of decoys whose z is at
least that of the pattern, with 1 added on both sides, and q its Benjamini–Hochberg value over the
patterns of a null model. ``benchmarks/results/significance.md`` shows which is calibrated.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from gomkcn_dgl.runtime.processes import broadcast_object, is_first, single_process
from mining.counting.match_table import MatchTable, match_all
from mining.counting.occurrence_assignment import TIE, OccurrenceAssignment
from mining.null_models.null_models import NULL_MODELS, sample_null
from mining.records.occurrence import Occurrences
from mining.records.significance import Significance
from mining.structures.discrete_filters import DiscreteFilters

if TYPE_CHECKING:
    from mining.miner import PatternMiner
    from mining.records.pattern import Pattern

log = logging.getLogger("gomkcn_dgl")

# the share of a pattern's occurrences that are less similar than a typical one
_UNTYPICAL = 0.1
# a count that never varies in the samples is taken to vary by one
_LEAST_STD = 1.0


@dataclass(frozen=True)
class CountedPatterns:
    """Patterns of one fitted miner, ready to be counted in other graphs.

    Attributes
    ----------
    filters : DiscreteFilters
        F patterns.
    rule : str
        What an occurrence is.
    min_similarity, typical : numpy.ndarray
        ``[F]`` threshold, and the similarity that nine tenths of the occurrences reach.
    """

    filters: DiscreteFilters
    rule: str
    min_similarity: np.ndarray
    typical: np.ndarray

    @classmethod
    def of(cls, miner: PatternMiner) -> CountedPatterns:
        """Take the patterns of a fitted miner."""
        typical = [_typical(pattern) for pattern in miner.patterns_]
        least = [pattern.min_similarity for pattern in miner.patterns_]
        return cls(miner.filters_, miner.occurrence_rule, np.array(least), np.array(typical))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Arrays by name, from which :meth:`from_arrays` makes the same."""
        own = {"min_similarity": self.min_similarity, "typical": self.typical}
        return {**self.filters.to_arrays(), **own}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], rule: str) -> CountedPatterns:
        """The inverse of :meth:`to_arrays`."""
        filters = DiscreteFilters.from_arrays(arrays)
        return cls(filters, rule, arrays["min_similarity"], arrays["typical"])

    def count(self, seen: MatchTable) -> np.ndarray:
        """Count the typical occurrences of each pattern, int64 ``[F]``, where they compete."""
        competition = OccurrenceAssignment(seen, self.filters, self.rule, self.min_similarity)
        shown = competition.assign(range(len(self.typical))).occurrences
        return np.array(
            [
                (seen.similarity[rows, number] >= self.typical[number] - TIE).sum()
                for number, rows in enumerate(shown)
            ],
            dtype=np.int64,
        )


def _typical(pattern: Pattern) -> float:
    found = Occurrences.of(pattern.occurrences, pattern.num_nodes).similarity
    return float(np.quantile(found, _UNTYPICAL, method="lower")) if len(found) else 1.0


def count_in(miner: PatternMiner, graph: CSRGraph, rivals: Sequence[CountedPatterns]) -> np.ndarray:
    """Count the patterns of several miners in a graph, one after the other, int64 ``[F]``."""
    known = [rival for rival in rivals if len(rival.typical)]
    if not known:
        return np.zeros(0, np.int64)
    stream = miner.source_.stream(graph)
    with single_process():
        seen = match_all(stream, [rival.filters for rival in known], CheckpointStore())
    return np.concatenate([rival.count(one) for rival, one in zip(known, seen, strict=True)])


def add_significance(
    miner: PatternMiner,
    graph: Any,
    nulls: Sequence[str],
    *,
    num_samples: int = 100,
    num_decoys: int = 20,
    progress: bool = False,
    steps: CheckpointStore | None = None,
) -> None:
    """Compare the patterns of a fitted miner with null models; each gets its ``significance``.

    Mines ``num_decoys`` graphs as large as ``graph`` for each null model, and counts in
    ``num_samples`` more.

    Parameters
    ----------
    miner : PatternMiner
        Fitted to ``graph``; its ``patterns_`` are replaced.
    graph : anything :func:`gomkcn_dgl.as_csr` takes
    nulls : sequence of {"configuration", "degree", "features"}
    num_samples : int
        Samples counted in, at least 2.
    num_decoys : int
        Samples mined, at least 1.
    progress : bool
        Show a progress bar.
    steps : CheckpointStore, optional
        Keeps what was done, as in :meth:`PatternMiner.fit`. When time is up, the samples so far
        are compared with.

    Raises
    ------
    InputError
        For an unknown null model or a number out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import PatternMiner
    >>> ring = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
    >>> graph = nx.compose(ring, nx.path_graph(32))
    >>> miner = PatternMiner(num_patterns=2, pattern_size=4, num_epochs=0).fit(graph)
    >>> add_significance(miner, graph, ["degree"], num_samples=20, num_decoys=5)
    >>> sorted(miner.patterns_[0].significance)
    ['degree']
    """
    check_is_fitted(miner)
    check_samples(nulls, num_samples, num_decoys)
    if not nulls:
        return
    csr = as_csr(graph)
    found: list[dict[str, Significance]] = [{} for _ in miner.patterns_]
    total = len(nulls) * (num_samples + num_decoys)
    with (
        shared_store(steps) as steps,
        tqdm(total=total, desc="null models", unit="sample", disable=not progress) as bar,
    ):
        for null in dict.fromkeys(nulls):
            judged = _compare(miner, csr, null, num_samples, num_decoys, steps, bar)
            for entry, significance in zip(found, judged, strict=False):
                entry[null] = significance
    miner.patterns_ = [
        replace(pattern, significance=entry)
        for pattern, entry in zip(miner.patterns_, found, strict=True)
    ]


def check_samples(nulls: Sequence[str], num_samples: int, num_decoys: int) -> None:
    """Refuse what :func:`add_significance` cannot take, before anything is mined."""
    for null in nulls:
        check_choice("null", null, NULL_MODELS)
    check_int("num_samples", num_samples, 2)
    check_int("num_decoys", num_decoys, 1)


def _compare(
    miner: PatternMiner,
    csr: CSRGraph,
    null: str,
    num_samples: int,
    num_decoys: int,
    steps: CheckpointStore,
    bar: tqdm[Any],
) -> list[Significance]:
    """Significance of each pattern of a miner under one null model.

    From the samples that there are when time is up; nothing if they are too few.
    """
    rng = np.random.default_rng([miner.random_state, NULL_MODELS.index(null)])
    seeds = rng.choice(2**31, size=num_samples + num_decoys, replace=False).tolist()
    # what a decoy's miner reports about its own patterns beyond their count is not needed
    blind = clone(miner)
    blind.set_params(num_patterns=miner.num_patterns_, pattern_size=miner.pattern_size_)
    own = broadcast_object(CountedPatterns.of(miner) if is_first() else None)
    assert own is not None

    def mine(number: int) -> dict[str, np.ndarray]:
        sample = sample_null(csr, null, seeds[num_samples + number])
        with _no_log():
            rival = CountedPatterns.of(clone(blind).fit(sample))
        return {**rival.to_arrays(), "observed": count_in(miner, sample, [rival])}

    decoys = steps.do_all(f"{null}-decoy", num_decoys, mine, bar.update)
    rivals = [own, *(CountedPatterns.from_arrays(decoy, own.rule) for decoy in decoys)]

    def count(number: int) -> dict[str, np.ndarray]:
        return {"counts": count_in(miner, sample_null(csr, null, seeds[number]), rivals)}

    counts = steps.do_all(f"{null}-sample", num_samples, count, bar.update)
    if not decoys or len(counts) < 2:
        log.warning("time was up before null model %s had samples enough", null)
        return []
    observed = steps.take_once(f"{null}-observed", lambda: {"counts": count_in(miner, csr, [own])})
    return judge(
        null,
        np.concatenate([observed["counts"], *(decoy["observed"] for decoy in decoys)]),
        np.stack([sample["counts"] for sample in counts]),
        len(own.typical),
        len(decoys),
    )


@contextmanager
def _no_log() -> Iterator[None]:
    """What a miner says about a decoy is no news about the user's graph."""
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def judge(
    null: str, observed: np.ndarray, counts: np.ndarray, num_patterns: int, num_mined: int
) -> list[Significance]:
    """Turn counts into significance.

    Parameters
    ----------
    null : str
        Name of the null model.
    observed : numpy.ndarray
        Integer ``[F]`` count of each pattern in the graph that it was mined from: first the
        patterns in question, then the decoys.
    counts : numpy.ndarray
        Integer ``[S, F]`` their counts in the samples.
    num_patterns : int
        How many are not decoys.
    num_mined : int
        Samples that the decoys come from; where fewer decoys were found than that, p counts the
        samples, since finding nothing there says something as well.

    Returns
    -------
    list of Significance
        One for each pattern in question.

    Examples
    --------
    >>> counts = np.array([[3, 4], [5, 4], [4, 6], [4, 2]])
    >>> one = judge("degree", np.array([9, 5]), counts, num_patterns=1, num_mined=1)[0]
    >>> one.mean, one.z, one.p_count, one.p
    (4.0, 5.0, 0.2, 0.5)
    """
    mean, std = counts.mean(axis=0), counts.std(axis=0, ddof=1)
    z = (observed - mean) / np.maximum(std, _LEAST_STD)
    decoys = z[num_patterns:]
    num_decoys = max(len(decoys), num_mined)
    p = np.array([(1 + (decoys >= value).sum()) / (1 + num_decoys) for value in z[:num_patterns]])
    q = false_discovery_control(p) if num_patterns else p
    reached = (counts >= observed).sum(axis=0)
    return [
        Significance(
            null=null,
            num_samples=len(counts),
            num_decoys=num_decoys,
            observed=int(observed[i]),
            mean=float(mean[i]),
            std=float(std[i]),
            z=float(z[i]),
            p_count=float((1 + reached[i]) / (1 + len(counts))),
            p=float(p[i]),
            q=float(q[i]),
        )
        for i in range(num_patterns)
    ]
