"""`gomkcn generate`: graphs whose answer is known, written with their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import EXPERT, OUTPUT, Group, add_options, show_log, truth_path_of
from gomkcn_dgl.errors import InputError

# The libraries are imported inside the commands, so that --help answers at once.

# More copies would hold more nodes than a graph may have.
MAX_COPIES = 10**8
# the options of each base graph, in the order of its function's parameters
_BASE_OPTIONS = {
    "ba": ("edges_per_node",),
    "er": ("edge_prob",),
    "ws": ("neighbors", "rewire_prob"),
    "regular": ("degree",),
    "tree": (),
    "configuration": ("edges_per_node",),
    "scale-free": (),
    "layered": ("layers", "edges_per_node"),
}
# options of both commands
_FEATURES = (
    "--features",
    "per_type",
    "Give nodes features: constant, per_type, per_node or per_type_noise.",
)
_SEED = ("--seed", 0, "Draw at random from this seed.")
_MOTIFS = ("house=10", "cup=10", "wheel=10", "crown=10")
_DIRECTED_MOTIFS = ("feed-forward-loop=10", "three-cycle=10", "bi-fan=10", "bi-parallel=10")


@click.group(cls=Group)
def generate() -> None:
    """Write graphs whose answer is known.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate classification --out motifs.bin
    """


@generate.command()
@add_options(
    ("--out", ..., "Write this graph file; the places of the motifs are written beside it."),
    group=OUTPUT,
)
@add_options(
    (
        "--base",
        "ba",
        "Plant into a graph of this kind: ba, er, ws, regular or tree; or configuration, "
        "scale-free or layered, whose edges have a direction.",
    ),
    ("--nodes", 760, "Give the base graph N nodes."),
    ("--edges-per-node", 1, "Give each new node N edges, for ba and directed graphs."),
    ("--directed", bool, "Give each edge a direction."),
    (
        "--motif motifs",
        list,
        "Plant NAME=COPIES, or FILE=COPIES for an edge list of your own; may be repeated. "
        "[house, cup, wheel, crown: 10 each] Where edges have a direction, as many of "
        "[feed-forward-loop, three-cycle, bi-fan, bi-parallel].",
    ),
    ("--embedded", bool, "Plant copies onto nodes of the base graph, which keep their edges."),
    _FEATURES,
    _SEED,
)
@add_options(
    ("--edge-prob", 0.005, "Join two nodes with probability X, for er."),
    ("--neighbors", 4, "Join each node with N neighbours on a ring, for ws."),
    ("--rewire-prob", 0.1, "Rewire an edge with probability X, for ws."),
    ("--degree", 3, "Give each node N edges, for regular."),
    ("--layers", 5, "Make N layers, for layered."),
    ("--relations", 1, "Use N types of edges; those that the motifs name are among them."),
    (
        "--extra-degree",
        2,
        "Plant on nodes with at most N edges more than the median of the base graph, for "
        "--embedded.",
    ),
    ("--feature-dim", 3, "Give each node N features."),
    ("--noise", 0.0, "Add noise of standard deviation X, for per_type_noise."),
    ("--remove-prob", 0.0, "Remove an edge of a motif with probability X."),
    ("--add-prob", 0.0, "Add an edge between two nodes of a motif with probability X."),
    group=EXPERT,
    rare=True,
)
def planted(
    out: str,
    base: str,
    nodes: int,
    motifs: tuple[str, ...],
    directed: bool,
    seed: int,
    **options: Any,
) -> None:
    """Plant motifs in a base graph; the defaults are the 1000-node graph of the GOMKCN paper.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate planted --out big.npz --nodes 10000 --motif wheel=50 --motif mine.txt=50
    gomkcn generate planted --out huge.graph --nodes 10000000 --edges-per-node 2 --features constant
    gomkcn generate planted --out regulation.csv --directed --motif feed-forward-loop=20
    gomkcn generate planted --out typed.graph --relations 3 --features constant
    gomkcn generate planted --out embedded.bin --edges-per-node 2 --embedded
    """
    show_log(quiet=False)
    import json

    import numpy as np

    from gomkcn_dgl.checks import check_choice, check_int
    from gomkcn_dgl.io.dgl_file import write_dgl_graphs
    from gomkcn_dgl.io.writing import write_graph
    from gomkcn_dgl.runtime.files import atomic_write
    from synthetic import BASE_GRAPHS, DIRECTED_BASE_GRAPHS, orient_edges, plant_motifs

    base_graphs = {**BASE_GRAPHS, **DIRECTED_BASE_GRAPHS}
    check_choice("base", base, base_graphs)
    known = {name for names in _BASE_OPTIONS.values() for name in names}
    arguments = {name: options.pop(name) for name in known}
    rng = np.random.default_rng(check_int("seed", seed, 0))
    edges = base_graphs[base](nodes, *(arguments[name] for name in _BASE_OPTIONS[base]), seed=rng)
    if directed and base in BASE_GRAPHS:
        edges = orient_edges(edges, rng)
    directed = directed or base in DIRECTED_BASE_GRAPHS
    copies = _parse_motifs(motifs or (_DIRECTED_MOTIFS if directed else _MOTIFS))
    graph = plant_motifs(edges, nodes, copies, directed=directed, seed=rng, **options)
    path = Path(out)
    if path.suffix == ".bin":
        several = len(graph.relations.names) > 1
        write_dgl_graphs(path, [graph.to_heterograph() if several else graph.to_dgl()])
    else:
        write_graph(path, graph.to_csr())
    truth = graph.truth()
    atomic_write(truth_path_of(path), json.dumps(truth) + "\n")
    edges_text = f"{len(graph.edges)} {'arcs' if directed else 'edges'}"
    if len(graph.relations.names) > 1:
        edges_text += f" of the relations {', '.join(graph.relations.names)}"
    planted = ", ".join(f"{entry['copies']} {entry['name']}" for entry in truth["motifs"])
    click.echo(f"{path}: {graph.num_nodes} nodes, {edges_text}, planted {planted}")
    click.echo(f"{truth_path_of(path)}: where they are")


@generate.command()
@add_options(
    ("--out", ..., "Write this .bin file of DGL graphs with their labels."),
    ("--graphs num_graphs", 8000, "Write N graphs."),
    ("--nodes num_base_nodes", 25, "Give each base graph N nodes."),
    ("--edges-per-node num_base_edges_per_node", 1, "Give each new node N edges."),
    _FEATURES,
    _SEED,
)
def classification(out: str, **options: Any) -> None:
    """Write graphs that each hold one of four motifs, which is their label.

    \b
    gomkcn generate classification --out motifs.bin --graphs 800 --features constant
    """
    show_log(quiet=False)
    from gomkcn_dgl.io.dgl_file import write_dgl_graphs
    from synthetic import MotifClassificationDataset

    dataset = MotifClassificationDataset(**options)
    write_dgl_graphs(out, [graph for graph, _ in dataset], dataset.labels)
    names = ", ".join(dataset.motif_names)
    click.echo(f"{out}: {len(dataset)} graphs, labels 0 to {dataset.num_classes - 1} = {names}")


def _parse_motifs(given: tuple[str, ...]) -> dict[Any, int]:
    """``NAME=COPIES`` or ``FILE=COPIES`` each, as a mapping."""
    from gomkcn_dgl.checks import check_int
    from gomkcn_dgl.graphs.structure import Structure
    from synthetic import MOTIFS

    motifs: dict[Any, int] = {}
    for text in given:
        name, _, copies = text.rpartition("=")
        if not name or not copies.isdecimal():
            raise InputError(f"--motif must be NAME=COPIES or FILE=COPIES, got {text!r}.")
        motif = name if name in MOTIFS or not Path(name).is_file() else Structure.read(name)
        if motif in motifs:
            raise InputError(f"--motif must name each motif once, got {name!r} twice.")
        motifs[motif] = check_int("--motif copies", int(copies), 0, MAX_COPIES)
    return motifs
