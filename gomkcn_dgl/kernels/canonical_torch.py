"""Which of many small graphs are isomorphic, on any device: the least reading over all orders.

A graph of N nodes is read in an order of its nodes: their colours, and then what joins the first
node to the second, to the third and so on, the second to the third, …. Each is a digit, and the
digits are one number or a few. The least of the readings in all N! orders is the same for two
graphs if and only if they are isomorphic.

A reading is a sum of digits times powers of their base, so that the readings of S graphs in all
orders are a product of matrices, ``[S, N + N^2]`` with ``[N + N^2, N!]``: what a GPU does best. All
are whole numbers below 2^53, which double precision adds up without an error. A digit more than
fits into 53 bits begins another number; of the orders whose first number is the least, the second
decides.

``graphs/canonical_form.py`` is the definition for graphs of any size. It finds an order by refining
cells of nodes, in steps that differ from graph to graph; here all graphs take the same steps, and
40,320 orders of 8 nodes are the most.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.errors import BackendError

MAX_NODES = 8
# 2^64 divided by the golden ratio, and the multipliers of `search_numba.mix64`, as int64
_GOLDEN, _MIX_A, _MIX_B = (
    bits - 2**64 for bits in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
# a number in double precision holds whole numbers up to here
_EXACT = 2**53
# most readings in memory at a time: 256 MiB
MOST_READINGS = 2**25


def canonical_hashes(links: Tensor, colors: Tensor, num_links: int, num_colors: int = 1) -> Tensor:
    """A number for each graph that two of them share if and only if they are isomorphic.

    Where a reading is one number (of 8 nodes without colours, ``num_links`` of up to 3; all
    undirected simple graphs) the hash is that number, and the sentence above is exact. Else the
    numbers are hashed to 64 bits: of k structures some two share a hash by chance with a
    probability of at most k^2 / 2^65, 3e-8 for a million.

    Parameters
    ----------
    links : Tensor
        ``[S, N, N]`` whole numbers from 0 to ``num_links - 1``, what joins node i to node j, 0 for
        nothing; from the other node they are joined by what follows from that. N is at most 8.
    colors : Tensor
        ``[S, N]`` numbers from 0 to ``num_colors - 1`` that an isomorphism keeps; -1 = padding,
        which is joined to nothing.
    num_links, num_colors : int
        Hashes are comparable where these and N are the same.

    Returns
    -------
    Tensor
        int64 ``[S]``.

    Examples
    --------
    >>> paths = torch.tensor([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> canonical_hashes(paths, torch.zeros(2, 3), 2).tolist()
    [59, 59]
    """
    codes = canonical_codes(links, colors, num_links, num_colors)
    if codes.shape[1] == 1:
        return codes[:, 0]
    hashes = torch.zeros_like(codes[:, 0])
    for part in codes.unbind(dim=1):
        hashes = mix64((hashes ^ part) + _GOLDEN)
    return hashes


def canonical_codes(
    links: Tensor,
    colors: Tensor,
    num_links: int,
    num_colors: int = 1,
    most_readings: int = MOST_READINGS,
) -> Tensor:
    """The least reading of each graph, int64 ``[S, Q]``; :func:`canonical_hashes` has the rest.

    Equal rows are isomorphic graphs, without exception. ``most_readings`` are in memory at a time.
    """
    size = links.shape[1]
    if not 1 <= size <= MAX_NODES:
        raise BackendError(
            f"graphs are compared on a device where they have from 1 to {MAX_NODES} nodes, got "
            f"{size}; use canonical_forms."
        )
    weights = _weights(size, num_links, num_colors + 1, links.device)
    digits = torch.cat([colors + 1, links.flatten(1)], dim=1).double()  # [S, N + N^2]
    # graphs that read the same as they are have the same least reading, which is found once
    as_given = torch.stack([digits @ weight[:, 0] for weight in weights], dim=1)  # [S, Q]
    as_given, place = as_given.unique(dim=0, return_inverse=True)
    first = torch.empty(len(as_given), dtype=torch.int64, device=links.device)
    first[place] = torch.arange(len(place), device=links.device)
    at_once = max(1, most_readings // weights[0].shape[1])
    parts = [_least_readings(part, weights) for part in digits[first].split(at_once)]
    return torch.cat(parts)[place] if parts else place.new_zeros(0, len(weights))


def _least_readings(digits: Tensor, weights: tuple[Tensor, ...]) -> Tensor:
    """The least over all orders of the digits ``[U, N + N^2]`` of each graph, int64 ``[U, Q]``."""
    least: list[Tensor] = []
    # orders in which a number before is not the least are out
    out: Tensor | float = 0.0
    for weight in weights:
        readings = digits @ weight + out  # [U, N!]
        least.append(readings.amin(dim=1))
        out = torch.where(readings > least[-1].unsqueeze(1), torch.inf, 0.0)
    return torch.stack(least, dim=1).long()


# graphs of each size from 1 to `MAX_NODES` may be asked for in turn
@lru_cache(maxsize=MAX_NODES)
def _weights(
    size: int, num_links: int, num_colors: int, device: torch.device
) -> tuple[Tensor, ...]:
    """What each digit counts in each number of a reading, in all orders: Q times ``[N + N^2, N!]``.

    The first order is that of the numbers of the nodes.
    """
    orders = np.array(list(permutations(range(size))))  # [N!, N]
    # the digit that is read at each place, and its base
    places = [(orders[:, i], num_colors) for i in range(size)]
    places += [
        (size + size * orders[:, i] + orders[:, j], num_links)
        for i, j in combinations(range(size), 2)
    ]
    parts: list[np.ndarray] = []
    largest = _EXACT
    for digit, base in places:
        # another number begins where this digit does not fit any more
        if largest * base > _EXACT:
            parts.append(np.zeros((size + size**2, len(orders))))
            largest = 1
        largest *= base
        parts[-1] *= base
        parts[-1][digit, np.arange(len(orders))] = 1
    return tuple(torch.from_numpy(part).to(device) for part in parts)


def mix64(values: Tensor) -> Tensor:
    """Hash int64 values of any shape one to one, 0 to 0, as ``search_numba.mix64`` does uint64.

    Products of int64 are those of uint64, modulo 2^64; a shift to the right must clear the bits
    that the sign would fill.

    >>> mix64(torch.tensor([0, 1])).tolist()
    [0, 6238072747940578789]
    """
    values = (values ^ _shifted(values, 30)) * _MIX_A
    values = (values ^ _shifted(values, 27)) * _MIX_B
    return values ^ _shifted(values, 31)


def _shifted(values: Tensor, by: int) -> Tensor:
    return (values >> by) & (2 ** (64 - by) - 1)
