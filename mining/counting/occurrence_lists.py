"""The places of a pattern in a graph: all of them, or a uniform sample of different ones."""

from __future__ import annotations

import time

import numpy as np

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_counts import ExactSearch
from mining.counting.occurrence_counts import choose_sampler
from mining.counting.root_sampler import list_from_roots
from mining.counting.sought import Colors

_LARGEST_BATCH = 64
# places that are held while all are searched for, to draw a sample from
_MOST_HELD = 1 << 18
# steps of a search in about the time of one block of draws
_STEPS_OF_A_BLOCK = 1 << 17


def list_places(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    *,
    most: int = 10_000,
    seconds: float = 5.0,
    max_steps: int | None = None,
    known: float = 0.0,
    seed: int = 0,
) -> tuple[np.ndarray, bool]:
    """List the induced occurrences of a connected pattern: all, or a sample of different ones.

    Parameters
    ----------
    graph, structure, colors
        As for :func:`count_exact`.
    most : int
        All occurrences are listed if there are at most so many.
    seconds : float
        Most seconds to search for all, and then again to draw a sample.
    max_steps : int, optional
        Most steps of the search, and as much work to draw, in place of ``seconds``, so that the
        places are the same on any machine. A step takes about 10 ns.
    known : float
        So many occurrences are known to be there. Where they are too many to list, some are drawn
        at once.
    seed : int
        Of the sample.

    Returns
    -------
    nodes : numpy.ndarray
        int32 ``[K, M]``: the graph node of each pattern node. Of the mappings that differ by a
        symmetry of the pattern it is always the same one.
    complete : bool
        Whether these are all. If not, they are a uniform random sample of ``most`` of them, or of
        as many as were drawn in time; where none was drawn, those at random nodes.

    Raises
    ------
    InputError
        If relations or ``colors`` do not fit to the graph, ``most`` is below 1 or ``seconds`` is
        not above 0.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> wedge = Structure.parse("path-3")
    >>> places, complete = list_places(as_csr(nx.path_graph(4)), wedge)
    >>> places.tolist(), complete
    ([[0, 1, 2], [1, 2, 3]], True)
    """
    check_int("most", most, 1)
    check_float("seconds", seconds, 0, open_minimum=True)
    if max_steps is not None:
        check_int("max_steps", max_steps, 1)
    search = ExactSearch(graph, structure, colors)
    held = max(most, _MOST_HELD)
    if known > held:
        # the first ones, in case that none is drawn
        held = most
    places = search.list_places(held, seconds if max_steps is None else None, max_steps)
    if not search.unfinished and len(places) > most:
        chosen = np.random.default_rng(seed).choice(len(places), most, replace=False)
        return places[np.sort(chosen)], False
    places = places[:most]
    if not search.unfinished:
        return places, True
    if search.structure.num_nodes == 1:
        return places, False
    # there are more: a sample of them
    sampler = choose_sampler(search, seed)
    found: dict[bytes, np.ndarray] = {}
    # the first call in a process compiles, which is not part of the search
    sampler.draw_places(0, 0, seed)
    start, num_blocks, size = time.perf_counter(), 0, 1

    def goes_on() -> bool:
        if max_steps is not None:
            return num_blocks * _STEPS_OF_A_BLOCK < max_steps
        return time.perf_counter() - start < seconds

    while len(found) < most and goes_on():
        drawn = search.structure.choose_mappings(sampler.draw_places(num_blocks, size, seed))
        for place in drawn:
            found.setdefault(place.tobytes(), place)
        num_blocks += size
        size = min(2 * size, _LARGEST_BATCH)
    if not found:
        # too rare to be drawn: those that a search meets at random nodes, or from the first one on
        limits = {"seconds": seconds} if max_steps is None else {"max_steps": max_steps}
        met = list_from_roots(search, most, seed, **limits)
        return met if len(met) else places, False
    return np.array(list(found.values())[:most]), False
