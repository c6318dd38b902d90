"""`gomkcn generate`: graphs whose answer is known, written with their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Group, truth_path_of
from gomkcn.commands.option_types import Number, OutputPath
from gomkcn.commands.options import features_option, force_option, none_if_empty, seed_option
from gomkcn.commands.printing import say, show_log
from gomkcn_dgl.errors import InputError

# more copies would hold more nodes than a graph may have
MAX_COPIES = 10**8
# the options of each base graph, in the order of its function's parameters
_BASE_OPTIONS = {
    "ba": ("edges_per_node",),
    "er": ("edge_prob",),
    "ws": ("neighbors", "rewire_prob"),
    "regular": ("degree",),
    "tree": (),
}
_MOTIFS = ("house6=10", "cup=10", "wheel=10", "crown=10")
_DIRECTED_MOTIFS = ("feed-forward-loop=10", "three-cycle=10", "bi-fan=10", "bi-parallel=10")


@click.group(cls=Group)
def generate() -> None:
    """Generate graphs with planted motifs.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate classification --out motifs.bin
    """


@generate.command()
@option_group(
    "Options",
    option("--base", default="ba", help="Base graph: ba, er, ws, regular or tree [ba]"),
    option(
        "--nodes",
        type=Number(int),
        default=760,
        help="Number of nodes of the base graph [760]",
    ),
    option("--edges-per-node", type=Number(int), default=1, help="Edges per new node: ba [1]"),
    option(
        "--directed",
        is_flag=True,
        help="Assign a random direction to each edge of the base graph",
    ),
    option(
        "--motif",
        "motifs",
        multiple=True,
        callback=none_if_empty,
        help="Motif or edge-list file and copies, as NAME=10; may be repeated [10 each of house6, "
        "cup, wheel, crown; directed: feed-forward-loop, three-cycle, bi-fan, bi-parallel]",
    ),
    option(
        "--embedded",
        is_flag=True,
        help="Plant copies on existing nodes, which keep their other edges",
    ),
    features_option,
    seed_option,
)
@option_group(
    "Output",
    option(
        "--out",
        required=True,
        help="Graph file to write; the copies of the motifs are written beside it",
    ),
    force_option,
)
@option_group(
    "Graph filters and other details",
    option(
        "--edge-prob",
        type=Number(float),
        default=0.005,
        hidden=True,
        help="Edge probability: er [0.005]",
    ),
    option(
        "--neighbors",
        type=Number(int),
        default=4,
        hidden=True,
        help="Number of ring neighbors per node: ws [4]",
    ),
    option(
        "--rewire-prob",
        type=Number(float),
        default=0.1,
        hidden=True,
        help="Rewiring probability: ws [0.1]",
    ),
    option(
        "--degree",
        type=Number(int),
        default=3,
        hidden=True,
        help="Degree of each node: regular [3]",
    ),
    option(
        "--relations",
        type=Number(int),
        default=1,
        hidden=True,
        help="Number of edge types, including those of the motifs [1]",
    ),
    option(
        "--feature-dim",
        type=Number(int),
        default=3,
        hidden=True,
        help="Number of features per node [3]",
    ),
    option(
        "--noise",
        type=Number(float),
        default=0.0,
        hidden=True,
        help="Standard deviation of the noise: per_type_noise [0.0]",
    ),
    option(
        "--remove-prob",
        type=Number(float),
        default=0.0,
        hidden=True,
        help="Probability of removing a motif edge [0.0]",
    ),
    option(
        "--add-prob",
        type=Number(float),
        default=0.0,
        hidden=True,
        help="Probability of adding an edge inside a copy [0.0]",
    ),
)
@click.pass_context
def planted(
    ctx: click.Context,
    /,
    out: str,
    force: bool,
    base: str,
    nodes: int,
    motifs: tuple[str, ...] | None,
    directed: bool,
    seed: int,
    **options: Any,
) -> None:
    """Plant motifs in a base graph; the defaults are the 1000-node graph of the GOMKCN paper.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate planted --out big.bin --nodes 10000 --motif wheel=50 --motif mine.txt=50
    gomkcn generate planted --out huge.graph --nodes 10000000 --edges-per-node 2 --features constant
    gomkcn generate planted --out regulation.csv --directed --motif feed-forward-loop=20
    gomkcn generate planted --out typed.graph --relations 3 --features constant
    gomkcn generate planted --out embedded.bin --edges-per-node 2 --embedded
    """
    show_log()
    import json

    import numpy as np

    from gomkcn.synthetic import PlantingSettings, plant_motifs
    from gomkcn.synthetic.base_graphs import BASE_GRAPHS, orient_edges
    from gomkcn_dgl.checks import check_choice, check_int
    from gomkcn_dgl.graph_folder import check_graph_folder
    from gomkcn_dgl.io.features import SUFFIXES
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.io.writing import write_graph
    from gomkcn_dgl.runtime.files import atomic_write, check_outputs

    path = Path(out)
    check_choice("base", base, BASE_GRAPHS)
    for given in ctx.command.params:
        of = [name for name, needed in _BASE_OPTIONS.items() if given.name in needed]
        if of and base not in of and _is_given(ctx, str(given.name)):
            raise InputError(f"{given.opts[0]} is for --base {of[0]}, got {base}; leave it out.")
    copies = _parse_motifs(motifs or (_DIRECTED_MOTIFS if directed else _MOTIFS))
    files = [text.rpartition("=")[0] for text in motifs or ()]
    beside = [truth_path_of(path), path.with_name(stem(path) + SUFFIXES[1])]
    if path.suffix == ".graph":
        check_graph_folder(path, force, files)
    else:
        check_outputs([path], files, force=force)
    check_outputs(beside if path.suffix == ".csv" else beside[:1], files, force=force)
    known = {name for names in _BASE_OPTIONS.values() for name in names}
    arguments = {name: options.pop(name) for name in known}
    rng = np.random.default_rng(check_int("seed", seed, 0))
    edges = BASE_GRAPHS[base](nodes, *(arguments[name] for name in _BASE_OPTIONS[base]), seed=rng)
    if directed:
        edges = orient_edges(edges, rng)
    settings = PlantingSettings(directed=directed, **options)
    graph = plant_motifs(edges, nodes, copies, settings, seed=rng)
    if path.suffix == ".bin":
        from gomkcn_dgl.io.dgl_files import write_dgl_graphs

        if len(graph.relations.names) > 1:
            raise InputError("--out must be .graph or .csv for several relations, got .bin.")
        write_dgl_graphs(path, [graph.to_typed()])
    else:
        write_graph(path, graph.to_csr())
    truth = graph.truth()
    atomic_write(truth_path_of(path), json.dumps(truth) + "\n")
    edges_text = f"{len(graph.edges)} {'directed edges' if directed else 'edges'}"
    if len(graph.relations.names) > 1:
        edges_text += f" of the relations {', '.join(graph.relations.names)}"
    planted = ", ".join(f"{entry['copies']} {entry['name']}" for entry in truth["motifs"])
    say(f"{path}: {graph.num_nodes} nodes, {edges_text}, planted {planted}")
    say(f"{truth_path_of(path)}: where they are")


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE


@generate.command()
@option_group(
    "Options",
    option("--out", type=OutputPath(), required=True, help="DGL .bin file to write"),
    force_option,
    option(
        "--graphs",
        "num_graphs",
        type=Number(int),
        default=8000,
        help="Number of graphs [8000]",
    ),
    option(
        "--nodes",
        "num_base_nodes",
        type=Number(int),
        default=25,
        help="Number of nodes of each base graph [25]",
    ),
    option(
        "--edges-per-node",
        "num_base_edges_per_node",
        type=Number(int),
        default=1,
        help="Edges per new node [1]",
    ),
    features_option,
    seed_option,
)
def classification(out: str, force: bool, features: str, **options: Any) -> None:
    """Write graphs that each hold one of four motifs, which is their class.

    The names of the classes are written beside them, where `gomkcn train` finds them.

    \b
    gomkcn generate classification --out motifs.bin --graphs 800 --features constant
    """
    show_log()
    from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
    from gomkcn_dgl.io.dgl_files import write_dgl_graphs
    from gomkcn_dgl.io.graph_classes import class_names_path, write_class_names
    from gomkcn_dgl.runtime.files import check_outputs

    check_outputs([class_names_path(Path(out))], [], force=force)
    dataset = MotifClassificationDataset(**options, settings=PlantingSettings(features))
    write_dgl_graphs(out, dataset.to_typed(), {"labels": dataset.labels.numpy()})
    names = write_class_names(Path(out), dataset.motif_names)
    say(f"{out}: {len(dataset)} graphs of {dataset.num_classes} classes")
    say(f"{names}: what the classes are called, {', '.join(dataset.motif_names)}")


def _parse_motifs(given: tuple[str, ...]) -> dict[Any, int]:
    """``NAME=COPIES`` or ``FILE=COPIES`` each, as a mapping."""
    from gomkcn.synthetic import MOTIFS
    from gomkcn_dgl.checks import check_int, read_number
    from gomkcn_dgl.graphs.structure import Structure

    motifs: dict[Any, int] = {}
    for text in given:
        name, _, copies = text.rpartition("=")
        if not name or not (copies.isascii() and copies.isdecimal()):
            raise InputError(f"--motif must be NAME=COPIES or FILE=COPIES, got {text!r}.")
        motif = name if name in MOTIFS or not Path(name).is_file() else Structure.read(name)
        if motif in motifs:
            raise InputError(f"--motif must name each motif once, got {name!r} twice.")
        motifs[motif] = check_int(
            "--motif copies", read_number("--motif copies", copies, int), 0, MAX_COPIES
        )
    return motifs
