"""Significance: how the frequency of each pattern compares with null-model graphs.

The patterns of a fitted miner are counted in samples of a null model, by the procedure that counted
them in the graph: the same subgraphs, rule and thresholds. Only typical occurrences count: the
distinct ones that are at least as similar as nine tenths of those in the graph. So features matter
even where the rule asks for structure alone. Where all nodes have the same features and patterns
were counted exactly, the induced occurrences in the whole graph are counted instead, in the samples
as well; a pattern of very many occurrences keeps the count among subgraphs. z is the distance of
the graph's own count from the mean of the samples, in standard deviations.

The patterns were mined because this graph has many of them, which alone makes their counts larger
than in the samples. p corrects for that with decoys (as in target-decoy analysis): the patterns
that the same miner finds in further samples, counted in the same samples as the patterns in
question. If the graph came from the null model, its patterns and the decoys would have the same
distribution of z. So p is the share of decoys whose z is at least that of the pattern, with 1 added
to numerator and denominator, and q is its Benjamini–Hochberg value over the patterns.
``benchmarks/results/significance.md`` shows which p is calibrated.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from mining.counting.exact_counts import count_exact
from mining.locating.build_patterns import add_exact_counts
from mining.locating.match_table import MatchTable, match_all
from mining.locating.occurrence_assignment import TIE, OccurrenceAssignment
from mining.miner import PatternMiner
from mining.null_models.null_models import NULL_MODELS, sample_null
from mining.records.occurrence import Occurrences
from mining.records.pattern import Pattern
from mining.records.significance import LEVEL, MORE, UNDECIDED, Significance
from mining.structures.discrete_filters import DiscreteFilters

log = logging.getLogger("gomkcn_dgl")

# share of a pattern's occurrences that are less similar than a typical one
_UNTYPICAL_SHARE = 0.1
# patterns of more occurrences in the whole graph are counted among subgraphs, which is quicker
_MOST_COUNTED = 100_000
# least standard deviation, for counts that hardly vary over the samples
_MIN_STD = 1.0


@dataclass(frozen=True)
class PatternCounter:
    """Counts the F patterns of a fitted miner in other graphs.

    ``min_similarity [F]`` are the thresholds of an occurrence, ``typical [F]`` those of a typical
    one, and ``exact [F]`` says which are counted in the whole graph.
    """

    filters: DiscreteFilters
    rule: str
    min_similarity: np.ndarray
    typical: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, miner: PatternMiner, exact: bool = False) -> PatternCounter:
        """Take the patterns of a fitted miner; ``exact``: exact counts where they are known."""
        typical = [_typical_similarity(pattern) for pattern in miner.patterns_]
        thresholds = [pattern.min_similarity for pattern in miner.patterns_]
        known = [pattern.frequency.exact for pattern in miner.patterns_]
        counted = [exact and count is not None and count <= _MOST_COUNTED for count in known]
        return cls(
            miner.filters_,
            miner.occurrence_rule,
            np.array(thresholds),
            np.array(typical),
            np.array(counted, dtype=np.bool_),
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Arrays by name, for a checkpoint."""
        own = {"min_similarity": self.min_similarity, "typical": self.typical}
        return {**self.filters.to_arrays(), **own, "exact": self.exact}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], rule: str) -> PatternCounter:
        """The inverse of :meth:`to_arrays`."""
        filters = DiscreteFilters.from_arrays(arrays)
        own = (arrays[name] for name in ("min_similarity", "typical", "exact"))
        return cls(filters, rule, *own)

    def count(self, graph: CSRGraph, table: MatchTable) -> np.ndarray:
        """Number of occurrences of each pattern, int64 ``[F]``.

        They are all of the graph, or the typical ones in the match table of its subgraphs.
        """
        assignment = OccurrenceAssignment(table, self.filters, self.rule, self.min_similarity)
        occurrences = assignment.assign(range(len(self.typical))).occurrences
        counts = [
            (table.similarity[rows, number] >= self.typical[number] - TIE).sum()
            for number, rows in enumerate(occurrences)
        ]
        for number in np.flatnonzero(self.exact):
            size = self.filters.num_nodes[number]
            counts[number] = count_exact(
                graph, self.filters.adj[number, :size, :size].numpy()
            ).count
        return np.array(counts, dtype=np.int64)


def _typical_similarity(pattern: Pattern) -> float:
    similarity = Occurrences.of(pattern.occurrences, pattern.num_nodes).similarity
    if not len(similarity):
        return 1.0
    # nine tenths of the occurrences are at least as similar
    return float(np.quantile(similarity, _UNTYPICAL_SHARE, method="lower"))


def count_all(
    miner: PatternMiner, graph: CSRGraph, counters: Sequence[PatternCounter]
) -> np.ndarray:
    """Counts of the patterns of all counters in a graph, concatenated, int64 ``[F]``."""
    counters = [counter for counter in counters if len(counter.typical)]
    if not counters:
        return np.zeros(0, np.int64)
    # each process has a graph of its own
    with single_process():
        filter_sets = [counter.filters for counter in counters]
        tables = match_all(miner.source_.stream(graph), filter_sets, CheckpointStore())
    return np.concatenate(
        [counter.count(graph, table) for counter, table in zip(counters, tables, strict=True)]
    )


def add_significance(
    miner: PatternMiner,
    graph: Any,
    nulls: Sequence[str],
    *,
    num_samples: int = 100,
    num_decoys: int = 20,
    exact_seconds: float | None = None,
    progress: bool = False,
    checkpoints: CheckpointStore | None = None,
) -> None:
    """Compare the patterns of a fitted miner with null models; each gets its ``significance``.

    Mines ``num_decoys`` graphs as large as ``graph`` for each null model, and counts the patterns
    in ``num_samples`` more.

    Parameters
    ----------
    miner : PatternMiner
        Fitted to ``graph``; its ``patterns_`` are replaced.
    graph : anything :func:`gomkcn.as_csr` takes
    nulls : sequence of {"configuration", "degree", "features", "reciprocity"}
    num_samples : int
        Samples to count in, at least 2.
    num_decoys : int
        Samples to mine, at least 1.
    exact_seconds : float, optional
        Most seconds to count a pattern in the whole graph, as in :func:`add_exact_counts`. Where
        all nodes have the same features, patterns that are counted in time are compared by that
        count with all null models that change edges.
    progress : bool
        Show a progress bar.
    checkpoints : CheckpointStore, optional
        Stores intermediate results, as in :meth:`PatternMiner.fit`. When time is up, the patterns
        are compared with the samples so far.

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
    # patterns without features of their own are structures, which can be counted
    is_structure = bool((csr.features == csr.features[:1]).all())
    if exact_seconds is None or not is_structure or miner.occurrence_rule != "isomorphic":
        exact_seconds = None
    elif is_first() and any(p.frequency.exact_state == "not asked" for p in miner.patterns_):
        miner.patterns_ = add_exact_counts(miner.patterns_, csr, exact_seconds)
    records: list[dict[str, Significance]] = [{} for _ in miner.patterns_]
    total = len(nulls) * (num_samples + num_decoys)
    with (
        shared_store(checkpoints) as checkpoints,
        tqdm(total=total, desc="null models", unit="sample", disable=not progress) as bar,
    ):
        for null in dict.fromkeys(nulls):
            seconds = None if null == "features" else exact_seconds
            counts = _count_in_samples(
                miner, csr, null, num_samples, num_decoys, seconds, checkpoints, bar
            )
            if counts is None:
                log.warning("time was up before null model %s had enough samples", null)
                continue
            significance = compute_significance(null, *counts, len(records))
            for record, entry in zip(records, significance, strict=True):
                record[null] = entry
    miner.patterns_ = [
        replace(pattern, significance=record)
        for pattern, record in zip(miner.patterns_, records, strict=True)
    ]


def check_samples(nulls: Sequence[str], num_samples: int, num_decoys: int) -> None:
    """Refuse what :func:`add_significance` cannot take, before anything is mined."""
    for null in nulls:
        check_choice("null", null, NULL_MODELS)
    check_int("num_samples", num_samples, 2)
    check_int("num_decoys", num_decoys, 1)


def _count_in_samples(
    miner: PatternMiner,
    csr: CSRGraph,
    null: str,
    num_samples: int,
    num_decoys: int,
    exact_seconds: float | None,
    checkpoints: CheckpointStore,
    bar: tqdm[Any],
) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Count the patterns of the miner and of decoys under one null model.

    Returns the counts ``[F]`` of all patterns, each in the graph that it was mined from, their
    counts ``[S, F]`` in the samples, and the number of samples that were mined. If time is up, the
    samples so far; None if they are too few.
    """
    rng = np.random.default_rng([miner.random_state, NULL_MODELS.index(null)])
    seeds = rng.choice(2**31, size=num_samples + num_decoys, replace=False).tolist()
    # decoys are mined with the size and number of patterns that were selected for the graph
    decoy_miner = clone(miner).set_params(
        num_patterns=miner.num_patterns_, pattern_size=miner.pattern_size_
    )
    exact = exact_seconds is not None
    own = broadcast_object(PatternCounter.of(miner, exact) if is_first() else None)
    assert own is not None

    def mine_decoys(number: int) -> dict[str, np.ndarray]:
        sample = sample_null(csr, null, seeds[num_samples + number])
        mined = clone(decoy_miner).fit(sample, quiet=True)
        if exact:
            mined.patterns_ = add_exact_counts(mined.patterns_, sample, exact_seconds)
        decoys = PatternCounter.of(mined, exact)
        return {**decoys.to_arrays(), "observed": count_all(miner, sample, [decoys])}

    # first the decoys: mine samples as the graph was mined, and count what was mined
    mined = checkpoints.do_all(f"{null}-decoy", num_decoys, mine_decoys, bar.update)
    counters = [own, *(PatternCounter.from_arrays(arrays, own.rule) for arrays in mined)]

    def count_in_sample(number: int) -> dict[str, np.ndarray]:
        return {"counts": count_all(miner, sample_null(csr, null, seeds[number]), counters)}

    # then count the patterns and the decoys together in further samples
    samples = checkpoints.do_all(f"{null}-sample", num_samples, count_in_sample, bar.update)
    if not mined or len(samples) < 2:
        return None
    graph_counts = checkpoints.take_once(
        f"{null}-observed", lambda: {"counts": count_all(miner, csr, [own])}
    )
    observed = [graph_counts["counts"], *(arrays["observed"] for arrays in mined)]
    counts = np.stack([sample["counts"] for sample in samples])
    return np.concatenate(observed), counts, len(mined)


def compute_significance(
    null: str, observed: np.ndarray, counts: np.ndarray, num_mined: int, num_patterns: int
) -> list[Significance]:
    """Significance of the first ``num_patterns`` of F patterns; the others are decoys.

    ``observed [F]`` is the count of each in the graph that it was mined from, and ``counts [S, F]``
    those in the samples. Decoys come from ``num_mined`` samples. Where fewer decoys than samples
    were found, p counts the samples: that nothing was found there is evidence as well.
    """
    mean, std = counts.mean(axis=0), counts.std(axis=0, ddof=1)
    # z of the patterns and of the decoys, both of which were mined before they were counted
    z = (observed - mean) / np.maximum(std, _MIN_STD)
    z, decoy_z = z[:num_patterns], z[num_patterns:]
    num_decoys = max(len(decoy_z), num_mined)
    p = np.array([(1 + (decoy_z >= value).sum()) / (1 + num_decoys) for value in z])
    q = false_discovery_control(p) if num_patterns else p
    return [
        Significance(
            null=null,
            num_samples=len(counts),
            observed=int(observed[i]),
            mean=float(mean[i]),
            std=float(std[i]),
            z=float(z[i]),
            p=float(p[i]),
            q=float(q[i]),
            verdict=MORE if q[i] <= LEVEL else UNDECIDED,
        )
        for i in range(num_patterns)
    ]
