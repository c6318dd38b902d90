"""The pictures that the package itself draws while the site is built, for light and dark pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import torch
from take_pictures import dark_path

from gomkcn import GOMKKernel, MiningRun, get_motif, gomk
from gomkcn_dgl.embeddings import level_embeddings

LEVELS = 2
BLUE, GREY = "#3b6ea8", "#8b949e"
# colours of matched pairs, told apart without red and green
PAIRS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


# a character of each copy, what a reader of the novel calls them all, and where that stands
CIRCLES = (
    ("Fantine", "Fantine's circle", "center", "top"),
    ("Combeferre", "students of the ABC", "center", "bottom"),
    ("Champmathieu", "trial at Arras", "center", "bottom"),
    ("Montparnasse", "Patron-Minette gang", "left", "top"),
)


@dataclass(frozen=True)
class Palette:
    """Colours of letters, of what is in no copy, and of motifs 0 and 1: those of a report."""

    ink: str
    node: str
    edge: str
    motifs: tuple[str, str]


LIGHT = Palette("#15181c", "#aeb7c1", "#cbd2d9", ("#0f5fae", "#e36c0a"))
DARK = Palette("#e7eaed", "#56616d", "#363e48", ("#3b82f6", "#e07b28"))


def draw_pictures(folder: Path, run: MiningRun, novel: nx.Graph) -> None:
    """Write the pictures of the kernel, and the ``novel`` with the copies that a run found in it.

    They are ``levels.svg``, ``similarities.svg``, ``matching.svg`` and ``novel.svg``, each with one
    for a dark page.
    """
    draw: dict[str, Callable[[Palette], plt.Figure]] = dict(_kernel_pictures())
    draw["novel"] = lambda palette: _draw_found(run, novel, palette)
    style = {"svg.hashsalt": "gomkcn", "svg.fonttype": "path", "font.size": 10}
    for name, figure_in in draw.items():
        path = folder / f"{name}.svg"
        for palette, target in ((LIGHT, path), (DARK, dark_path(path))):
            inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
            with plt.rc_context({**style, **dict.fromkeys(inks, palette.ink)}):
                figure = figure_in(palette)
                figure.savefig(target, metadata={"Date": None}, transparent=True)
                plt.close(figure)


def _kernel_pictures() -> dict[str, Callable[[Palette], plt.Figure]]:
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
    table = _similarities(changed_adj, house_adj, ones)
    kernel = GOMKKernel(num_levels=LEVELS, tau=1.0)
    score, matching = gomk(
        changed_adj, ones, house_adj, ones, kernel=kernel, normalize=True, return_matching=True
    )
    mapping = matching[0, 0].tolist()
    return {
        "levels": lambda _: _draw_levels(house, position, house_adj, ones),
        "similarities": lambda _: _draw_similarities(table, mapping),
        "matching": lambda _: _draw_matching(changed, house, position, mapping, score.item()),
    }


def _draw_found(run: MiningRun, graph: nx.Graph, palette: Palette) -> plt.Figure:
    """The graph of a run as its page draws it, with the copies of its motifs in colour."""
    graph = run.to_networkx(nx.Graph(graph.edges))
    position = dict(zip(run.map.names, run.map.positions, strict=True))
    figure, ax = plt.subplots(figsize=(5.6, 3.3), layout="constrained")

    # what is in a copy lies above what is in none
    edges = sorted(graph.edges(data="motif", default=-1), key=lambda edge: edge[2])
    nodes = sorted(graph.nodes(data="motif", default=-1), key=lambda node: node[1])
    colors = {-1: palette.node} | dict(enumerate(palette.motifs))
    nx.draw_networkx_edges(
        graph,
        position,
        [edge[:2] for edge in edges],
        ax=ax,
        edge_color=[colors[motif] if motif >= 0 else palette.edge for *_, motif in edges],
        width=[0.7 if motif < 0 else 1.4 for *_, motif in edges],
    )
    nx.draw_networkx_nodes(
        graph,
        position,
        [node for node, _ in nodes],
        ax=ax,
        node_color=[colors[motif] for _, motif in nodes],
        node_size=[30 if motif < 0 else 90 for _, motif in nodes],
        linewidths=0,
    )
    for member, circle, across, along in CIRCLES:
        marks = [graph.nodes[member][mark] for mark in ("motif", "copy")]
        copy = np.array(
            [
                position[node]
                for node, other in graph.nodes(data=True)
                if [other.get(mark) for mark in ("motif", "copy")] == marks
            ]
        )
        end = copy.max(axis=0) if along == "bottom" else copy.min(axis=0)
        ax.annotate(
            circle,
            (copy.mean(axis=0)[0], end[1]),
            (0, 10 if along == "bottom" else -10),
            textcoords="offset points",
            ha=across,
            va=along,
            color=palette.motifs[marks[0]],
            weight="bold",
        )
    ax.set_aspect("equal")
    ax.axis("off")
    return figure


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
