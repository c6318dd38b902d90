"""The order in which patterns are reported by surprise: families, and what stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.occurrence_lists import list_places
from mining.judging.expected_counts import ExpectedCounts
from mining.judging.families import LEAST_Z, Excess, Families
from mining.mined_graph import MinedGraph
from mining.null_models.null_samples import NullSamples
from mining.records.pattern import Pattern
from mining.records.significance import MORE
from mining.structures.overlaps import pick_disjoint

# of more places, or what so many steps do not find, a sample is compared
_MOST_PLACES, _MOST_STEPS = 500, 1 << 24


def find_families(
    mined: MinedGraph,
    drawn: NullSamples,
    patterns: Sequence[Pattern],
    apart: Mapping[bytes, np.ndarray] = MappingProxyType({}),
    *,
    num_samples: int = 4,
    steps: Steps | None = None,
) -> Families:
    """Group patterns that were compared with the graphs of a null model into families.

    Their places are listed in the graph and in the first of those. Where the places that are set
    ``apart``, by the key of the pattern, are in excess, they stand for it. :meth:`Families.order`
    of what comes back is the order by surprise. All processes share the work.
    """
    num_nodes, null = mined.graph.num_nodes, drawn.null
    compared = {one.key: one.significance[null] for one in patterns}
    set_apart = {
        key: one.apart
        for key, one in compared.items()
        if one.apart is not None and one.apart.verdict == MORE
    }
    more = [one for one in patterns if compared[one.key].z > LEAST_Z and one.key not in set_apart]

    def list_in(sample: MinedGraph, structure: Structure) -> tuple[np.ndarray, bool]:
        return list_places(
            sample.graph,
            structure,
            sample.colors_of(structure),
            most=_MOST_PLACES,
            max_steps=_MOST_STEPS,
            seed=drawn.seed,
        )

    def list_here(pattern: Pattern) -> dict[str, np.ndarray]:
        places, is_complete = list_in(mined, pattern.structure)
        return {"places": places, "is_complete": np.array(is_complete)}

    def count_in_sample(number: int) -> dict[str, np.ndarray]:
        sample = mined.with_graph(drawn.draw(number))
        places = [list_in(sample, one.structure)[0] for one in rare]
        return {"disjoint": np.array([pick_disjoint(one, num_nodes).sum() for one in places])}

    steps = Steps() if steps is None else steps
    here = steps.each(f"grouping patterns ({null})", list_here, more, attrgetter("key"))
    listed = {one.key: found["places"] for one, found in zip(more, here, strict=True)}
    rare = [one for one, found in zip(more, here, strict=True) if found["is_complete"]]
    name = f"listing places in random graphs ({null})"
    done = steps.each(name, count_in_sample, range(num_samples), in_time=True)
    # 1. places that share no node, in the mean sample
    expected: dict[bytes, float] = {}
    if done:
        disjoint = np.mean([one["disjoint"] for one in done], axis=0)
        expected = {one.key: number for one, number in zip(rare, disjoint.tolist(), strict=True)}
    excess = []
    for one in patterns:
        own = set_apart.get(one.key)
        if own is not None:
            excess.append(Excess(apart[one.key], own.z, own.mean, own.num_samples, True))
            continue
        verdict = compared[one.key]
        places = listed.get(one.key, np.empty((0, one.num_nodes), np.int32))
        # 2. of too many places, or when time is up, by the ratio of all occurrences
        if one.key not in expected and one.key in listed:
            ratio = verdict.mean / max(verdict.observed, 1.0)
            scaled = _scale_disjoint(places, num_nodes, ratio, drawn.seed)
            # as many as there are, where these are few
            expected[one.key] = min(scaled, float(verdict.mean))
        usual, samples = float(expected.get(one.key, 0.0)), max(1, len(done))
        excess.append(Excess(places, verdict.z, usual, samples, verdict.stands_out))
    return Families(patterns, excess, ExpectedCounts(mined))


def _scale_disjoint(places: np.ndarray, num_nodes: int, ratio: float, seed: int) -> float:
    """Places that share no node where all places are ``ratio`` times as many.

    The more places there are, the more of them overlap: how the number grows is seen from a random
    half of them.

    >>> stars = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [5, 6], [5, 7], [5, 8], [5, 9]])
    >>> round(_scale_disjoint(stars, 10, 0.5, seed=0), 2)
    2.0
    >>> _scale_disjoint(np.arange(16).reshape(8, 2), 16, 0.5, seed=0)
    4.0
    """
    order = np.random.default_rng([seed, 13]).permutation(len(places))
    whole, half = (
        int(pick_disjoint(places[np.sort(some)], num_nodes).sum())
        for some in (order, order[: (len(order) + 1) // 2])
    )
    if not half:
        return whole * ratio
    growth = min(max(float(np.log2(whole / half)), 0.0), 1.0)
    return float(whole * ratio**growth)
