"""What each null model keeps and does not, and whether a graph has more than that by its nature.

A clustered graph, of friends or of points in space, has many times the triangles that its degrees
explain. Beside a null model without them every pattern with a triangle stands out, whether any
motif was there or not, and the reader is to know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gomkcn_dgl.runtime.steps import Steps
from mining.null_models.null_samples import NullSamples

# what each null model keeps and what it does not, in words that follow "It keeps"
WHAT_IS_KEPT = {
    "degree": (
        "the degree of each node, how many edges join nodes of each two degrees, and the connected "
        "components",
        "triangles and other clustering, groups of nodes, and distances",
    ),
    "configuration": (
        "the degree of each node and the connected components",
        "which degrees are joined, triangles and other clustering, and groups of nodes",
    ),
    "reciprocity": (
        "for each node, how many edges lead out, come in, and do both",
        "which degrees are joined, triangles and other clustering, and groups of nodes",
    ),
    "features": (
        "all edges, and how many nodes have each feature",
        "which node has which feature",
    ),
    "communities": (
        "the degree of each node, and how many edges join each two communities",
        "clustering inside a community, and which degrees are joined",
    ),
}

NUM_SAMPLES = 4
# a graph has other triangles than a null model if their numbers differ by so many standard
# deviations and by this factor, and if so many of the nodes with two neighbours are in one
_DISTANCE, _FACTOR, _SHARE = 5.0, 1.5, 0.6


@dataclass(frozen=True)
class NullFit:
    """Triangles of a graph and of graphs of a null model.

    ``share`` is that of the nodes of at least two neighbours that are in a triangle: where copies
    of a motif are planted, few nodes have many triangles.
    """

    null: str
    triangles: int
    mean: float
    std: float
    share: float
    num_graphs: int = 1

    @property
    def fits(self) -> bool:
        """Whether the null model has about as many triangles, or few nodes make the difference."""
        difference = abs(self.triangles - self.mean)
        if difference <= _DISTANCE * max(self.std, np.sqrt(self.mean), 1.0):
            return True
        few = min(self.triangles, self.mean)
        if difference <= (_FACTOR - 1) * few:
            return True
        return self.triangles > self.mean and self.share < _SHARE

    @property
    def warning(self) -> str:
        """One sentence where patterns stand out for their triangles alone, else empty."""
        if self.fits:
            return ""
        if self.triangles > self.mean:
            ratio = self.triangles / max(self.mean, 1.0)
            much = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
            difference = f"{much} times the triangles of the random graphs"
        else:
            difference = (
                f"{self.triangles:,} triangles and not {self.mean:,.0f} as the random graphs"
            )
        one = self.num_graphs == 1
        graph, own = ("This graph has", "it is") if one else ("These graphs have", "they are")
        return (
            f"{graph} {difference} that {own} compared with (null model {self.null}): "
            "patterns with triangles differ for that reason alone."
        )


def count_triangles(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Triangles at each node, int64 ``[V]``; rows need not be sorted."""
    shape = (len(indptr) - 1,) * 2
    rows = csr_array((np.ones(len(indices), np.int64), indices, indptr), shape=shape)
    paths = (rows @ rows).multiply(rows)
    return np.asarray(paths.sum(axis=1)).reshape(-1) // 2


def fit_of(drawn: NullSamples, steps: Steps | None = None) -> NullFit | None:
    """Compare the triangles of a graph with those of the first graphs of a null model.

    Directions and types of edges do not count. A null model that keeps all edges fits. All
    processes share the work; None where time was up before it was done.
    """
    null, num_graphs = drawn.null, drawn.graph.num_graphs

    def count_here() -> dict[str, np.ndarray]:
        at_nodes = count_triangles(drawn.graph.indptr, drawn.graph.indices)
        able = drawn.graph.degrees > 1
        share = (at_nodes[able] > 0).mean() if able.any() else 0.0
        return {"number": np.array(at_nodes.sum() // 3), "share": np.array(share)}

    def count_in(number: int) -> dict[str, np.ndarray]:
        sample = drawn.draw(number)
        return {"number": np.array(count_triangles(sample.indptr, sample.indices).sum() // 3)}

    # a process counts in the graphs that it has drawn before
    number = 0 if null == "features" else NUM_SAMPLES
    name = f"counting triangles ({null})"
    steps = Steps() if steps is None else steps
    samples = steps.each(name, count_in, range(number), in_time=True)
    if len(samples) < number:
        return None
    here = steps.once(name, count_here)
    triangles, share = int(here["number"]), float(here["share"])
    if not samples:
        return NullFit(null, triangles, float(triangles), 0.0, share, num_graphs)
    counts = [int(one["number"]) for one in samples]
    mean, std = float(np.mean(counts)), float(np.std(counts, ddof=1))
    return NullFit(null, triangles, mean, std, share, num_graphs)
