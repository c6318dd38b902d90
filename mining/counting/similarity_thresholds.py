"""How similar an occurrence must be: more than what chance makes of another structure.

One graph is drawn by chance: the features shuffled over the nodes, the edges rewired as by the null
model ``"degree"``, or, of many edges, their ends joined anew in one go. Its subgraphs that have a
pattern's own structure are left out: a star is there as well, and is an occurrence. The threshold
of the pattern is the smallest similarity that at most one in a thousand of the others reach. With
constant features it is the structure alone that decides, with telling ones both; where every
subgraph has the pattern's structure nothing can be mistaken for it, and the threshold is 0.

Measured under the rule ``"similar"`` on planted graphs (feature noise 0, .05, .1 and .2 by flipped
edges 0, 2 and 5 %; three graphs each, ten copies of each of four motifs): 142 of 144 motifs were
found, with a mean error of ``distinct`` of 1.2 copies; with .8 for all patterns 122 and 2.3, with
.9 104 motifs. A share of 5 % instead of a thousandth lets in more of the background (mean error 2.5
against 1.6 on eight such cells, constant features among them).
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.null_models.null_models import erased_configuration, permute_features, rewire
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs

# a graph of more edges is matched anew, since to rewire it would take longer than all else; between
# the two thresholds differ about as much as from seed to seed: by .001 and .004 on planted graphs
# of 50,000 nodes, by .016 on email-Enron (means over patterns; spread over seeds .002 to .04)
_MOST_REWIRED = 500_000
# bytes that either takes at most: an edge, and a node beside its features
_REWIRED, _MATCHED, _NODE = 128, 60, 80
# of the subgraphs of another structure, those that may reach the threshold
_MISTAKEN = 0.001


def sample_chance(graph: CSRGraph, seed: int) -> CSRGraph:
    """Draw the graph that thresholds are taken from: shuffled features and rewired edges."""
    # a stream apart from those of the null models
    rng = np.random.default_rng([seed, 5])
    shuffled = permute_features(graph, rng)
    if graph.num_edges > _MOST_REWIRED:
        return erased_configuration(shuffled, rng)
    return rewire(shuffled, rng, keep_joint_degrees=True)


def memory_of_chance(graph: CSRGraph) -> int:
    """Bytes that :func:`sample_chance` takes at most."""
    of_edge = _MATCHED if graph.num_edges > _MOST_REWIRED else _REWIRED
    return graph.num_edges * of_edge + graph.num_nodes * (_NODE + 4 * graph.features.shape[1])


def choose_thresholds(snapped: DiscreteFilters, chance: RootedSubgraphs) -> np.ndarray:
    """Least similarity of each pattern's occurrences.

    Parameters
    ----------
    snapped : DiscreteFilters
        F patterns.
    chance : RootedSubgraphs
        Of a graph drawn by :func:`sample_chance`.

    Returns
    -------
    numpy.ndarray
        float64 ``[F]`` in [0, 1].
    """
    similarity, own = chance.similarity(snapped), chance.same_structure(snapped)
    return np.array(
        [
            smallest_rarely_reached(similarity[~own[:, number], number])
            for number in range(similarity.shape[1])
        ]
    )


def smallest_rarely_reached(similarity: np.ndarray, share: float = _MISTAKEN) -> float:
    """Return the smallest number in [0, 1] that at most a share of the values reach.

    Examples
    --------
    >>> smallest_rarely_reached(np.array([0.5, 0.25, 0.125, 0.75]), share=0.25)
    0.5000...
    """
    if not len(similarity):
        return 0.0
    ordered = np.sort(similarity.astype(np.float64))
    # the largest value that too many reach, and what comes next to it
    too_often = ordered[len(ordered) - int(share * len(ordered)) - 1]
    return float(min(1.0, np.nextafter(too_often, 2.0)))
