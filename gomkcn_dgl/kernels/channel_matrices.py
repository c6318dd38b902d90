"""A fixed orthogonal matrix for each way in which nodes can be joined; ``embeddings`` says why."""

from __future__ import annotations

from functools import cache

import numpy as np

# rows of the matrices of two channels, and of more
_TWO = 2
_MORE = 4


@cache
def channel_matrices(num_channels: int) -> np.ndarray:
    """One orthogonal matrix for each channel, float64 ``[C, K, K]``; K is 1, 2 or 4.

    A single channel has the number 1, so that an embedding is what it is in the paper. Of two
    channels, one turns by 30° and the other reflects, so that out- and in-degree stand at right
    angles and the order along a walk is not lost. More channels have four rows, and the numbers of
    neighbours over the first four of them stand at right angles.

    >>> channel_matrices(2).round(2).tolist()
    [[[0.87, -0.5], [0.5, 0.87]], [[0.5, -0.87], [-0.87, -0.5]]]
    """
    if num_channels == 1:
        return np.ones((1, 1, 1))
    if num_channels == _TWO:
        long, short = np.sqrt(3) / 2, 0.5
        return np.array([[[long, -short], [short, long]], [[short, -long], [-long, -short]]])
    rng = np.random.default_rng(0)
    base = np.linalg.qr(rng.normal(size=(_MORE, _MORE)))[0]
    matrices = np.empty((num_channels, _MORE, _MORE))
    for channel in range(num_channels):
        # the first column is where level 1 of a neighbour goes, the others only complete it
        first = base[:, channel] if channel < _MORE else rng.normal(size=_MORE)
        columns = np.column_stack([first, rng.normal(size=(_MORE, _MORE - 1))])
        matrix = np.linalg.qr(columns)[0]
        matrices[channel] = matrix * np.sign(matrix[:, 0] @ first)
    return matrices
