"""The order in which patterns are reported by surprise: families, from places in random graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.occurrence_lists import list_places
from mining.judging.expected_counts import ExpectedCounts
from mining.judging.families import LEAST_Z, Families, JudgedPattern
from mining.null_models.null_samples import NullSamples
from mining.records.significance import MORE, Significance
from mining.structures.categories import Categories
from mining.structures.overlaps import pick_disjoint

# of more places, or what so many steps do not find, a sample is compared
_MOST_PLACES, _MOST_STEPS = 500, 1 << 24


def find_families(
    drawn: NullSamples,
    structures: Sequence[Structure],
    categories: Categories,
    significance: Sequence[Significance],
    apart: Mapping[int, np.ndarray] = MappingProxyType({}),
    *,
    num_samples: int = 4,
    steps: Steps | None = None,
) -> Families:
    """Group patterns that were compared with the graphs of a null model into families.

    Their places are listed in the graph and in the first of those. Where the places that are set
    ``apart`` are in excess, they stand for the pattern. :meth:`Families.order` of what comes back
    is the order by surprise. All processes share the work.
    """
    graph, null = drawn.graph, drawn.null
    set_apart = {
        i: one.apart
        for i, one in enumerate(significance)
        if one.apart is not None and one.apart.verdict == MORE
    }
    more = [i for i, one in enumerate(significance) if one.z > LEAST_Z and i not in set_apart]

    def list_in(sample: CSRGraph, number: int) -> tuple[np.ndarray, bool]:
        return list_places(
            sample,
            structures[number],
            categories.colors_in(structures[number], sample),
            most=_MOST_PLACES,
            max_steps=_MOST_STEPS,
            seed=drawn.seed,
        )

    def list_here(number: int) -> dict[str, np.ndarray]:
        places, is_complete = list_in(graph, number)
        return {"places": places, "is_complete": np.array(is_complete)}

    def count_in_sample(number: int) -> dict[str, np.ndarray]:
        places = [list_in(drawn.draw(number), i)[0] for i in rare]
        return {"disjoint": np.array([pick_disjoint(one, graph.num_nodes).sum() for one in places])}

    steps = Steps() if steps is None else steps
    here = steps.each(f"grouping patterns ({null})", list_here, more, lambda i: structures[i].key)
    listed = {i: one["places"] for i, one in zip(more, here, strict=True)}
    rare = [i for i, one in zip(more, here, strict=True) if one["is_complete"]]
    name = f"listing places in random graphs ({null})"
    done = steps.each(name, count_in_sample, range(num_samples), in_time=True)
    # 1. places that share no node, in the mean sample
    expected: dict[int, float] = {}
    if done:
        disjoint = np.mean([one["disjoint"] for one in done], axis=0)
        expected = dict(zip(rare, disjoint.tolist(), strict=True))
    patterns = []
    for i, (structure, compared) in enumerate(zip(structures, significance, strict=True)):
        if i in set_apart:
            own = set_apart[i]
            judged = JudgedPattern(structure, apart[i], own.z, own.mean, own.num_samples, True)
            patterns.append(judged)
            continue
        places = listed[i] if i in listed else np.empty((0, structure.num_nodes), np.int32)
        # 2. of too many places, or when time is up, by the ratio of all occurrences
        if i not in expected and i in listed:
            ratio = compared.mean / max(compared.observed, 1.0)
            scaled = _scale_disjoint(places, graph.num_nodes, ratio, drawn.seed)
            # as many as there are, where these are few
            expected[i] = min(scaled, float(compared.mean))
        patterns.append(
            JudgedPattern(
                structure,
                places,
                compared.z,
                float(expected.get(i, 0.0)),
                max(1, len(done)),
                compared.stands_out,
            )
        )
    return Families(patterns, ExpectedCounts(graph, categories))


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
