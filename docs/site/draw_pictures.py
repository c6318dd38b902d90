"""The pictures of the kernel, drawn by the package itself while the site is built."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import torch

from gomkcn import GOMKKernel, get_motif, gomk
from gomkcn_dgl.embeddings import level_embeddings

LEVELS = 2
BLUE, GREY = "#3b6ea8", "#8b949e"
# colours of matched pairs, told apart without red and green
PAIRS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def draw_pictures(folder: Path) -> None:
    """Write ``levels.svg``, ``similarities.svg`` and ``matching.svg``."""
    plt.rcParams.update({"svg.hashsalt": "gomkcn", "svg.fonttype": "path", "font.size": 10})
    house = nx.from_numpy_array(get_motif("house6").joined)
    changed = house.copy()
    # another subgraph: one edge of the house is gone
    changed.remove_edge(0, 3)
    position = nx.kamada_kawai_layout(house)
    house_adj, changed_adj = (
        torch.tensor(nx.to_numpy_array(graph, range(6)), dtype=torch.float32)[None]
        for graph in (house, changed)
    )
    ones = torch.ones(1, 6, 1)
    _save(_draw_levels(house, position, house_adj, ones), folder / "levels.svg")
    table = _similarities(changed_adj, house_adj, ones)
    kernel = GOMKKernel(num_levels=LEVELS, tau=1.0)
    score, matching = gomk(
        changed_adj, ones, house_adj, ones, kernel=kernel, normalize=True, return_matching=True
    )
    mapping = matching[0, 0].tolist()
    _save(_draw_similarities(table, mapping), folder / "similarities.svg")
    _save(_draw_matching(changed, house, position, mapping, score.item()), folder / "matching.svg")


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def _draw_levels(graph: nx.Graph, position: dict, adj: torch.Tensor, ones: torch.Tensor):
    """The number that each node has at each level."""
    levels = level_embeddings(adj, ones, num_levels=LEVELS)[0, :, :, 0].int().tolist()
    figure, axes = plt.subplots(1, LEVELS + 1, figsize=(8, 2.8), layout="constrained")
    titles = ("level 0: its feature", "level 1: sum over neighbours", "level 2: once more")
    for ax, values, title in zip(axes, levels, titles, strict=True):
        nx.draw(graph, position, ax=ax, node_color=BLUE, edge_color=GREY, node_size=420)
        nx.draw_networkx_labels(
            graph, position, dict(enumerate(values)), ax=ax, font_color="white", font_size=11
        )
        ax.set_title(title, fontsize=10)
        ax.margins(0.2)
    return figure


def _similarities(changed: torch.Tensor, house: torch.Tensor, ones: torch.Tensor) -> torch.Tensor:
    """How similar each node of one graph is to each of the other, over all levels."""
    first, second = (level_embeddings(adj, ones, LEVELS)[0, :, :, 0] for adj in (changed, house))
    return torch.exp(-((first[:, :, None] - second[:, None, :]) ** 2)).sum(dim=0)


def _draw_similarities(table: torch.Tensor, mapping: list[int]):
    """The table, with the entries that the best matching picks in a frame."""
    figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
    image = ax.imshow(table, cmap="Blues", vmin=0, vmax=LEVELS + 1)
    for row, values in enumerate(table.tolist()):
        for column, value in enumerate(values):
            color = "white" if value > 0.6 * (LEVELS + 1) else "black"
            ax.text(column, row, f"{value:.1f}", ha="center", va="center", color=color)
        ax.add_patch(
            plt.Rectangle((mapping[row] - 0.47, row - 0.47), 0.94, 0.94, fill=False, ec="#d55e00",
                          lw=2.5)
        )  # fmt: skip
    ax.set(xlabel="node of the filter", ylabel="node of the subgraph")
    figure.colorbar(image, ax=ax, label="similarity")
    return figure


def _draw_matching(
    changed: nx.Graph, house: nx.Graph, position: dict, mapping: list[int], score: float
):
    """Both graphs; nodes that are matched have the same colour."""
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3), layout="constrained")
    colors = ([PAIRS[mapping[node]] for node in changed], [PAIRS[node] for node in house])
    titles = (f"a subgraph, score {score:.2f}", "a filter: the house")
    for ax, graph, color, title in zip(axes, (changed, house), colors, titles, strict=True):
        nx.draw(graph, position, ax=ax, node_color=color, edge_color=GREY, node_size=420)
        nx.draw_networkx_labels(graph, position, ax=ax, font_color="white", font_size=11)
        ax.set_title(title, fontsize=10)
        ax.margins(0.2)
    return figure
