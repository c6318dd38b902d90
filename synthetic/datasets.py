"""The graph to mine of the GOMKCN paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gomkcn.synthetic.base_graphs import Seed, as_generator, barabasi_albert, orient_edges
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn.synthetic.planting import check_motifs, plant_motifs
from gomkcn.synthetic.planting_settings import PlantingSettings, as_settings
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.graphs.structure import Structure

MINING_MOTIFS = ("house6", "cup", "wheel", "crown")


def planted_motif_graph(
    num_base_nodes: int = 760,
    num_base_edges_per_node: int = 1,
    copies: int = 10,
    motifs: Sequence[str | Structure] | Mapping[str | Structure, int] = MINING_MOTIFS,
    seed: Seed = 0,
    settings: PlantingSettings | None = None,
) -> PlantedGraph:
    """One graph to mine: motifs planted in a Barabási–Albert graph, as in the GOMKCN paper.

    The paper (arXiv:2504.16360, "Frequent Subgraph Pattern Mining") has 1000 nodes: 760 of the
    background and ten copies each of House, Cup, Wheel and Crown (240 nodes), every copy joined by
    one edge. It draws features for each node, and leaves open the edges that a new base node brings
    (here 1, so that no motif occurs by chance).
    With the defaults: 1000 nodes, 759 base edges, 10 (8 + 7 + 10 + 9) = 340 motif edges and 40
    attaching edges. Node types: 760 of the background, 60 of each motif.

    Parameters
    ----------
    num_base_nodes : int
        Nodes of the background.
    num_base_edges_per_node : int
        Edges that each new node of the background brings.
    copies : int
        Copies of every motif, unless ``motifs`` is a mapping.
    motifs : sequence of (str or Structure), or mapping from them to int
        Which motifs; a mapping gives each its own number of copies and ``copies`` is not used.
    seed : int, RandomState, Generator or None
        The same seed gives the same result. None: one is drawn, which the log says.
    settings : PlantingSettings, optional
        How copies are planted; with ``directed``, the background's edges have random directions.

    Returns
    -------
    PlantedGraph
        The graph with its truth.

    Examples
    --------
    >>> planted = planted_motif_graph(num_base_nodes=20, copies=2, motifs=("square",), seed=1)
    >>> planted.num_nodes, int(planted.node_mask.sum())
    (28, 8)
    >>> planted.truth()["motifs"][0]["copies"]
    2
    """
    settings = as_settings(settings)
    rng = as_generator(seed)
    if not isinstance(motifs, Mapping):
        motifs = dict.fromkeys(check_motifs(motifs, Sequence), check_int("copies", copies, 0))
    base_edges = barabasi_albert(num_base_nodes, num_base_edges_per_node, rng)
    if settings.directed:
        base_edges = orient_edges(base_edges, rng)
    return plant_motifs(base_edges, num_base_nodes, motifs, settings, seed=rng)
