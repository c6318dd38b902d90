"""Draw null-model graphs and count in them until each verdict is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.steps import Arrays, Steps
from mining.judging.verdicts import judge, undecided
from mining.null_models.null_samples import NullSamples
from mining.records.occurrence_count import OccurrenceCount
from mining.records.significance import Significance

# an interval of 95 % is so many standard errors wide
_WIDTH = 2 * 1.96


def compare_with_null(
    drawn: NullSamples,
    count: Callable[[CSRGraph, np.ndarray], Sequence[OccurrenceCount]],
    observed: Sequence[OccurrenceCount],
    *,
    num_tested: np.ndarray | int | None = None,
    clumps: np.ndarray | float = 1.0,
    least_dispersion: np.ndarray | float = 0.0,
    least: int = 8,
    most: int = 64,
    steps: Steps | None = None,
) -> list[Significance]:
    """Compare K counts in a graph with those in graphs of a null model.

    ``least`` graphs are drawn first. While any verdict is undecided, their number is doubled, up to
    ``most``, and what is undecided is counted in them. The samples are shared among processes and
    kept in ``steps``; where time is up, those that are there are judged. Nothing comes back
    from fewer than two.

    Parameters
    ----------
    drawn : NullSamples
        The graph that is compared, one or a collection, and those of the null model.
    count : callable
        Counts the patterns with some numbers in a graph, as they were counted in the one compared.
    observed : sequence of OccurrenceCount
        The counts in that.
    num_tested, clumps, least_dispersion
        As for :func:`mining.judging.verdicts.judge`.
    least, most : int
        Numbers of samples, at least 2.

    Raises
    ------
    InputError
        For a number out of range.
    """
    check_int("least", least, 2)
    check_int("most", most, least)
    null = drawn.null

    def count_in_sample(number: int) -> dict[str, np.ndarray]:
        counts = count(drawn.draw(number), open_)
        return {"counts": _values(counts), "numbers": open_}

    values, errors = _values(observed), standard_errors(observed)
    verdicts: list[Significance] = []
    done: list[Arrays] = []
    open_ = np.arange(len(observed))
    steps = Steps() if steps is None else steps
    for number in _numbers_of_samples(least, most):
        name, further = f"counting in random graphs ({null})", range(len(done), number)
        done += steps.each(name, count_in_sample, further, in_time=True)
        if len(done) < 2:
            return []
        # what was decided before a sample was drawn was not counted in it
        samples = np.full((len(done), len(observed)), np.nan)
        for row, one in zip(samples, done, strict=True):
            row[one["numbers"]] = one["counts"]
        verdicts = judge(
            null,
            values,
            samples,
            num_tested,
            errors=errors,
            clumps=clumps,
            least_dispersion=least_dispersion,
        )
        open_ = undecided(verdicts)
        if steps.is_partial or not len(open_):
            break
    return verdicts


def _numbers_of_samples(least: int, most: int) -> Iterator[int]:
    """How many random graphs are drawn, in turn, while verdicts are undecided.

    >>> list(_numbers_of_samples(8, 20))
    [8, 16, 20]
    """
    while least < most:
        yield least
        least *= 2
    yield most


def standard_errors(counts: Sequence[OccurrenceCount]) -> np.ndarray:
    """Standard error of each count, float64 ``[K]``; 0 for exact ones."""
    return np.array([(one.high - one.low) / _WIDTH for one in counts], np.float64)


def _values(counts: Sequence[OccurrenceCount]) -> np.ndarray:
    return np.array([one.value for one in counts], np.float64)
