"""Filters are chosen where a graph has more of a structure than random graphs with its degrees.

Each root shows a subgraph of each size, and each subgraph is a structure. A filter is a structure
that comes back, and covers a root as well as it explains what is around it:

    value(root, filter) = similarity * min(1, surprise(filter) / surprise(root))²

The similarity is that of the kernel, above what any two structures share, of the filter and of the
subgraph of its size around the root. The surprise of a structure is how improbable it is that a
root lies in such a structure by chance, and that of a root is the largest of its subgraphs. So a
part of a motif does not explain the motif, and a motif with a node that hangs from it explains no
more than the motif alone.

Filters are added greedily (facility location), each time the structure that adds most to the values
of the roots of the graph and least to those of the roots of random graphs, until what is added to
the graph is what is added to random graphs, within three standard deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from gomkcn.mining.filters.instances import choose_disjoint
from gomkcn.mining.filters.neighbourhoods import Neighbourhoods
from gomkcn_dgl._torch import torch
from gomkcn_dgl.graphs.canonical_form import canonical_form
from gomkcn_dgl.matching import GOMKKernel

# the kernel whose similarities the constants below were measured with
_KERNEL = GOMKKernel(3, tau=0.5)
# what two structures share that have little in common: the median similarity of two different
# connected graphs of six nodes is .41
_UNLIKE = 0.4
# another structure that is as similar as an exact copy, but for rounding: the kernel cannot tell
# them apart, though isomorphism does. It is taken for as similar as one edge more or less makes it
AS_EXACT, _TWIN = 1 - 1e-4, 0.5
# surprise of a structure that is none, such as a tree, in nats: so that those can be filters, too,
# and explain nothing of a root that lies on cycles
_LEAST_SURPRISE = 0.5
# standard deviations of random graphs that a filter exceeds
_MARGIN = 3.0
# and roots, so that a structure that none of the random graphs has is seen more than a few times
_LEAST_ROOTS = 3.0
# another filter that adds less to the similarity of all subgraphs together is the same but for
# rounding
_LEAST_GAIN = 1e-4
# values are multiples of its inverse
_STEPS = 2**20
# most filters where their number is not given: more than a dozen are not read
MOST_FILTERS = 12
# structures that are compared, where a number of filters is given, the most frequent ones
_MOST_CANDIDATES = 200


class Structures(NamedTuple):
    """The K different structures of one size around S roots of a graph and of R random graphs.

    ``of_root`` int64 ``[1 + R, S]`` is the structure of each root, the graph first. Of each
    structure ``links [K, N, N]``, ``colors [K, N]`` (-1 = padding; None without colours), its
    ``num_nodes [K]``, and ``counts`` int64 ``[1 + R, K]``, the roots that show it.
    """

    of_root: np.ndarray
    links: np.ndarray
    colors: np.ndarray | None
    num_nodes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, sampled: Sequence[Neighbourhoods]) -> Structures:
        """Number the structures of a graph and of random graphs."""
        codes = np.concatenate([part.codes for part in sampled])
        _, first, number = np.unique(codes, return_index=True, return_inverse=True)
        of_root = number.reshape(len(sampled), -1)

        def joined(arrays: list[np.ndarray]) -> np.ndarray:
            return np.concatenate(arrays)[first]

        return cls(
            of_root,
            joined([part.batch.links for part in sampled]),
            None
            if sampled[0].colors is None
            else joined([part.colors for part in sampled if part.colors is not None]),
            joined([part.batch.num_nodes for part in sampled]),
            np.stack([np.bincount(row, minlength=len(first)) for row in of_root]),
        )

    def embed(self, channels: np.ndarray) -> np.ndarray:
        """Level embeddings of the structures, whose features are their colours, one-hot."""
        adj = channels[self.links].astype(np.float32)
        if self.colors is None:
            feat = (np.arange(adj.shape[1]) < self.num_nodes[:, None])[:, :, None]
        else:
            used = np.unique(self.colors[self.colors >= 0])
            feat = self.colors[:, :, None] == used
        levels: np.ndarray = _KERNEL.embed(
            adj[..., 0] if adj.shape[3] == 1 else adj, feat.astype(np.float32)
        )
        return levels


class Candidate(NamedTuple):
    """A structure that may become a filter."""

    size: int  # of the subgraphs that show it
    number: int  # of the structures of this size
    row: int  # of a subgraph that is it


class Chosen(NamedTuple):
    """Candidates, those furthest beyond chance first, and which of them exceed random graphs."""

    candidates: list[Candidate]
    exceeds: list[bool]


def choose_contrasting(
    sampled: dict[int, list[Neighbourhoods]],
    channels: np.ndarray,
    num_graph_nodes: float,
    mean_degree: float,
    number: int | None,
    device: str = "cpu",
) -> Chosen:
    """Choose the structures that a graph has more of than random graphs have.

    Parameters
    ----------
    sampled : dict
        For each size the subgraphs around the same roots of the graph, and of each of R random
        graphs, R at least 2.
    channels : numpy.ndarray
        bool ``[links, C]``, the channels of each link.
    num_graph_nodes, mean_degree : float
        Nodes of a graph, and the mean degree of a node.
    number : int or None
        How many are chosen; None: as many as exceed random graphs, at most ``MOST_FILTERS``.
    device : str
        Where candidates are compared; PyTorch is loaded for another one than the CPU.

    Returns
    -------
    Chosen
    """
    structures = {size: Structures.of(graphs) for size, graphs in sampled.items()}
    candidates: list[Candidate] = []
    for size, known in structures.items():
        for kind in _recurring(known, sampled[size][0], size, number):
            candidates.append(Candidate(size, kind, int((known.of_root[0] == kind).argmax())))
    candidates = _without_pendant(candidates, structures, sampled)
    if not candidates:
        return Chosen([], [])
    # 1. roots that show the same structures at each size are the same root
    chains = np.stack([known.of_root for known in structures.values()], axis=2)
    alike, same = np.unique(chains.reshape(-1, len(structures)), axis=0, return_inverse=True)
    same = same.reshape(chains.shape[:2])
    weights = np.stack([np.bincount(row, minlength=len(alike)) for row in same]).astype(np.float64)
    # 2. how well each candidate explains each of them
    surprises = {
        size: surprise(known.links, known.num_nodes, num_graph_nodes, mean_degree)
        for size, known in structures.items()
    }
    columns = dict(zip(structures, alike.T, strict=True))
    of_root = np.max([surprises[size][columns[size]] for size in structures], axis=0)
    values = np.empty((len(alike), len(candidates)))
    for size, known in structures.items():
        places = [place for place, candidate in enumerate(candidates) if candidate.size == size]
        if not places:
            continue
        rows = np.array([candidates[place].number for place in places])
        likeness = _likeness(known, rows, channels)[columns[size]]
        share = np.minimum(1, surprises[size][rows] / of_root[:, None])
        values[:, places] = likeness * share**2
    # 3. greedily
    compared, here, random = _on_device(device, values, weights[0], weights[1:])
    order, exceeds = cover(compared, here, random, number)

    # 4. first what is furthest beyond chance: a star that hundreds of roots show is less than a
    # motif that few random graphs would have anywhere
    def nats_beyond_chance(place: int) -> float:
        size, kind, _ = candidates[place]
        counts = structures[size].counts[:, kind]
        return float((counts[0] - counts[1:].mean()) * surprises[size][kind])

    pairs = zip(order, exceeds, strict=True)
    ranked = sorted(pairs, key=lambda pair: (not pair[1], -nats_beyond_chance(pair[0])))
    return Chosen([candidates[place] for place, _ in ranked], [beyond for _, beyond in ranked])


def choose_of_size(
    known: Structures, sampled: Neighbourhoods, size: int, channels: np.ndarray, most: int
) -> list[int]:
    """The structures of one size that a graph has more of than random graphs have, by number.

    They are covers as those of :func:`choose_contrasting`, each size by itself: a part of a motif
    stands beside it.
    """
    rows = np.array(_recurring(known, sampled, size, None), np.int64)
    if not len(rows):
        return []
    counts = known.counts.astype(np.float64)
    order, exceeds = cover(_likeness(known, rows, channels), counts[0], counts[1:], most)
    return [int(rows[place]) for place, beyond in zip(order, exceeds, strict=True) if beyond]


def _on_device(device: str, *arrays: np.ndarray) -> tuple[Any, ...]:
    """Arrays as they are on the CPU, and tensors on another device."""
    if device == "cpu":
        return arrays
    return tuple(torch.from_numpy(array).to(device) for array in arrays)


def cover(
    values: Any, weights: Any, random_weights: Any, number: int | None
) -> tuple[list[int], list[bool]]:
    """Greedy facility location, of which what random graphs gain as well is left out.

    Parameters
    ----------
    values : numpy.ndarray or Tensor
        float64 ``[U, C]``, how well each of C candidates covers each of U kinds of roots, in
        [0, 1].
    weights, random_weights : numpy.ndarray or Tensor
        Roots of each kind in the graph, float64 ``[U]``, and in random graphs, ``[R, U]``; R may be
        0, and is not 1.
    number : int or None
        How many are chosen; None: those that exceed the random graphs. Where fewer exceed them,
        the others are those that come nearest to it.

    Returns
    -------
    list of int, list of bool
        The candidates in the order in which they are chosen, and whether each exceeds the random
        graphs.

    Notes
    -----
    The law is a few operations that NumPy and PyTorch share: tensors are worked on on their device.
    Values are rounded to multiples of 2^-20, so that sums are without an error in whatever order a
    device adds them up, and of candidates that are equally good every device takes the first.

    Where the number is not given, what has become superfluous is left out at the end.

    A candidate exceeds R random graphs if the graph gains more than their mean by three standard
    deviations and three roots. Of few random graphs the standard deviation is not well known: three
    of a normal distribution become those of Student's distribution for another draw.

    Examples
    --------
    >>> values = np.eye(3)
    >>> weights, random = np.array([9.0, 7.0, 5.0]), np.array([[9.0, 0.0, 0.0]] * 2)
    >>> cover(values, weights, random, None)
    ([1, 2], [True, True])
    >>> cover(values, weights, random, 3)
    ([1, 2, 0], [True, True, False])
    >>> cover(values, weights, random[:0], 2)
    ([0, 1], [True, True])
    """
    values = (values * _STEPS).round() / _STEPS
    covered = values[:, :1].sum(1) * 0
    chosen: list[int] = []
    exceeds: list[bool] = []
    margin = margin_of(len(random_weights))
    most = min(values.shape[1], MOST_FILTERS if number is None else number)
    while len(chosen) < most:
        excess = _excess(values, covered, weights, random_weights, margin)
        best = int(excess.argmax())
        beyond = float(excess[best])
        if beyond == -np.inf or (number is None and beyond <= 0):
            break
        chosen.append(best)
        exceeds.append(beyond > 0)
        covered = _cover_more(covered, values[:, best])
    if number is None:
        chosen = _without_superfluous(chosen, values, weights, random_weights)
        exceeds = [True] * len(chosen)
    return chosen, exceeds


def _cover_more(covered: Any, values: Any) -> Any:
    """The larger of what is covered and of what another filter covers."""
    return covered + (values - covered).clip(min=0)


def _excess(values: Any, covered: Any, weights: Any, random_weights: Any, margin: float) -> Any:
    """By how much each candidate adds more to the graph than to random graphs, float ``[C]``.

    It is more than their mean by ``margin`` standard deviations and a few roots. A candidate that
    adds nothing, such as a chosen one, has minus infinity.
    """
    up = (values - covered[:, None]).clip(min=0)
    gain = weights @ up
    excess = gain * 1
    if len(random_weights):
        random = random_weights @ up
        mean = random.mean(0)
        # written out: NumPy and PyTorch do not divide by the same number
        spread = (((random - mean) ** 2).sum(0) / (len(random) - 1)) ** 0.5
        excess = gain - mean - margin * spread - _LEAST_ROOTS
    excess[gain <= _LEAST_GAIN] = -np.inf
    return excess


def _without_superfluous(
    chosen: list[int], values: Any, weights: Any, random_weights: Any
) -> list[int]:
    """Leave out, the least first, what adds no more to the others than to random graphs.

    An early choice may cover a part of several structures that are chosen later. It was beyond
    chance, so that only what it adds counts, without a margin.
    """
    chosen = list(chosen)
    while len(chosen) > 1:
        added = []
        for number in chosen:
            covered = values[:, number] * 0
            for other in chosen:
                if other != number:
                    covered = _cover_more(covered, values[:, other])
            (excess,) = _excess(values[:, [number]], covered, weights, random_weights, 0.0)
            added.append(float(excess))
        if min(added) > 0:
            break
        chosen.pop(int(np.argmin(added)))
    return chosen


def margin_of(num_random: int) -> float:
    """By how many standard deviations of R random graphs the graph has to exceed their mean.

    >>> round(margin_of(10), 2), round(margin_of(10_000), 2)
    (4.29, 3.0)
    """
    if num_random < 2:
        return 0.0
    chance = ndtr(-_MARGIN)
    return float(-stdtrit(num_random - 1, chance) * (1 + 1 / num_random) ** 0.5)


def surprise(
    links: np.ndarray, num_nodes: np.ndarray, num_graph_nodes: float, mean_degree: float
) -> np.ndarray:
    """How improbable it is that a root lies in each structure by chance, in nats, float ``[K]``.

    In a random graph of V nodes whose mean degree is k, a root lies in about V^(M - 1) (k / V)^E
    copies of a structure with M nodes and E edges. The surprise is minus the logarithm of that, and
    a small positive number at least.

    >>> triangle = np.ones((1, 3, 3)) - np.eye(3)
    >>> surprise(triangle, np.array([3]), 1000, 3.0).round(2).tolist()
    [3.61]
    """
    num_edges = (links > 0).sum(axis=(1, 2)) / 2
    cycles = num_edges - num_nodes + 1
    nats = cycles * np.log(max(num_graph_nodes, 2.0)) - num_edges * np.log(max(mean_degree, 1.01))
    return np.maximum(nats, _LEAST_SURPRISE)


def _recurring(
    known: Structures, sampled: Neighbourhoods, size: int, number: int | None
) -> list[int]:
    """The structures of a size that may become filters.

    They come back on other nodes, and there are more of them than in random graphs; or, where a
    number of filters is given, they are the most frequent ones beside. What is smaller than its
    size is a whole component, which is no structure of this size.
    """
    counts, random = known.counts[0], known.counts[1:]
    spread = random.std(axis=0, ddof=1)
    excess = counts - random.mean(axis=0) - margin_of(len(random)) * spread - _LEAST_ROOTS
    may_be = (counts > 1) & (known.num_nodes == size)
    rows = np.flatnonzero(may_be & (excess > 0))
    if number is not None:
        others = np.flatnonzero(may_be & (excess <= 0))
        rows = np.concatenate([rows, others[np.argsort(-counts[others], kind="stable")]])
        rows = rows[:_MOST_CANDIDATES]

    def comes_back(row: int) -> bool:
        node_sets, _ = sampled.node_sets(np.flatnonzero(known.of_root[0] == row))
        return len(choose_disjoint(node_sets, most=2)) > 1

    return [row for row in rows.tolist() if comes_back(row)]


def _likeness(known: Structures, rows: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """How similar each structure is to some of them, above what all share, float ``[K, C]``."""
    levels = known.embed(channels)
    scores, _ = _KERNEL.match_levels(levels, levels[rows])
    # each structure is there once
    is_same = np.arange(len(levels))[:, None] == rows
    similarity = tell_twins(scores / _KERNEL.largest_score(levels.shape[2]), is_same)
    return np.maximum(0, (similarity - _UNLIKE) / (1 - _UNLIKE))


def tell_twins(similarity: np.ndarray, is_same: np.ndarray) -> np.ndarray:
    """Lower the similarity of structures that the kernel takes for the same, and that are not.

    >>> tell_twins(np.array([[1.0, 1.0, 0.4]]), np.array([[True, False, False]])).tolist()
    [[1.0, 0.5, 0.4]]
    """
    told: np.ndarray = np.where((similarity > AS_EXACT) & ~is_same, _TWIN, similarity)
    return told


def _without_pendant(
    candidates: list[Candidate],
    structures: dict[int, Structures],
    sampled: dict[int, list[Neighbourhoods]],
) -> list[Candidate]:
    """Leave out what another candidate is with nodes that hang from it, as chance would have it.

    A copy of a motif is joined to the rest somewhere, so that the motif with one node more comes
    back as well. A single node is more than that if, of all nodes that hang from copies, those at
    its place exceed a draw of the places by three standard deviations.
    """
    cores = {
        _core_code(structures[candidate.size], candidate.number, None): candidate
        for candidate in candidates
    }
    kept = []
    for candidate in candidates:
        known = structures[candidate.size]
        core, removed = _core_of(known.links[candidate.number] > 0)
        smaller = cores.get(_core_code(known, candidate.number, core)) if removed else None
        if smaller is None:
            kept.append(candidate)
            continue
        if removed > 1:
            continue
        of_size = sampled[candidate.size][0]
        copies = _num_instances(
            sampled[smaller.size][0], structures[smaller.size], [smaller.number]
        )
        hanging = _num_instances(of_size, known, _with_other_place(known, candidate.number, core))
        draws = max(copies, hanging)
        share = _share_of_place(known, candidate.number, core)
        chance = draws * share + _MARGIN * (draws * share * (1 - share)) ** 0.5
        if _num_instances(of_size, known, [candidate.number]) > chance:
            kept.append(candidate)
    return kept


def _core_of(joined: np.ndarray) -> tuple[np.ndarray, int]:
    """The nodes that stay where those of degree 1 go until there are none, and how many go.

    A tree has no core: nothing is removed.
    """
    stays = joined.any(axis=1)
    size = int(stays.sum())
    while True:
        degree = (joined & stays).sum(axis=1)
        leaves = stays & (degree <= 1)
        if not leaves.any():
            break
        stays &= ~leaves
    if not stays.any():
        return np.flatnonzero(joined.any(axis=1)), 0
    return np.flatnonzero(stays), size - int(stays.sum())


def _core_code(known: Structures, row: int, nodes: np.ndarray | None) -> bytes:
    """The same for isomorphic structures of any size, and for no others."""
    if nodes is None:
        nodes = np.arange(known.num_nodes[row])
    links = known.links[row][np.ix_(nodes, nodes)].astype(np.int64)
    colors = np.zeros(len(nodes), np.int64) if known.colors is None else known.colors[row][nodes]
    order = canonical_form(links.tolist(), colors.tolist()).order
    return colors[order].tobytes() + links[np.ix_(order, order)].tobytes()


def _num_instances(sampled: Neighbourhoods, known: Structures, rows: Sequence[int]) -> int:
    """The different node sets at which a graph shows some structures of equally many nodes."""
    node_sets, _ = sampled.node_sets(np.flatnonzero(np.isin(known.of_root[0], rows)))
    return len(node_sets)


def _with_other_place(known: Structures, number: int, core: np.ndarray) -> list[int]:
    """The structures of a graph that are a core with a node that hangs from it, at any place."""
    code = _core_code(known, number, core)
    # of as many nodes and edges, with one node of degree 1: few are left whose core is looked at
    degrees = (known.links > 0).sum(axis=2)
    is_alike = (known.counts[0] > 0) & (known.num_nodes == known.num_nodes[number])
    is_alike &= ((degrees == 1).sum(axis=1) == 1) & (degrees.sum(axis=1) == degrees[number].sum())
    return [
        other
        for other in np.flatnonzero(is_alike).tolist()
        if _core_code(known, other, _core_of(known.links[other] > 0)[0]) == code
    ]


def _share_of_place(known: Structures, number: int, core: np.ndarray) -> float:
    """The share of the nodes of a core that are like that from which a single node hangs."""
    links = known.links[number]
    outside = np.setdiff1d(np.arange(known.num_nodes[number]), core)[0]
    colors = [0] * len(core) if known.colors is None else known.colors[number][core].tolist()
    orbits = np.array(canonical_form(links[np.ix_(core, core)].tolist(), colors).orbits)
    place = links[outside, core].argmax()
    return float((orbits == orbits[place]).mean())
