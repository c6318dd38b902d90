"""`gomkcn generate`: graphs whose answer is known, written with their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import Group, option_table, say, show_log, truth_path_of
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
_MOTIFS = ("house=10", "cup=10", "wheel=10", "crown=10")
_DIRECTED_MOTIFS = ("feed-forward-loop=10", "three-cycle=10", "bi-fan=10", "bi-parallel=10")


@click.group(cls=Group)
def generate() -> None:
    """Generate graphs with planted motifs.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate classification --out motifs.bin
    """


@generate.command()
@option_table("""
Output
    --out             NEEDED      Graph file to write; the copies of the motifs are written beside
        it
    --force           FLAG        Overwrite files that exist
Options
    --base            TEXT=ba     Base graph: ba, er, ws, regular or tree
    --nodes           N=760       Number of nodes of the base graph
    --edges-per-node  N=1         Edges per new node: ba
    --directed        FLAG        Assign a random direction to each edge of the base graph
    --motif motifs    LIST        Motif or edge-list file and copies, as NAME=10; may be repeated
        [10 each of house, cup, wheel, crown; directed: feed-forward-loop, three-cycle, bi-fan,
        bi-parallel]
    --embedded        FLAG        Plant copies on existing nodes, which keep their other edges
    --features  TEXT=per_node     Node features: constant, per_type, per_node or per_type_noise
    --seed            N=0         Random seed
Graph filters and other details
    * --edge-prob     X=0.005     Edge probability: er
    * --neighbors     N=4         Number of ring neighbors per node: ws
    * --rewire-prob   X=0.1       Rewiring probability: ws
    * --degree        N=3         Degree of each node: regular
    * --relations     N=1         Number of edge types, including those of the motifs
    * --feature-dim   N=3         Number of features per node
    * --noise         X=0.0       Standard deviation of the noise: per_type_noise
    * --remove-prob   X=0.0       Probability of removing a motif edge
    * --add-prob      X=0.0       Probability of adding an edge inside a copy
""")
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

    from gomkcn_dgl.checks import check_choice, check_int
    from gomkcn_dgl.graph_folder import check_graph_folder
    from gomkcn_dgl.io.features import SUFFIXES
    from gomkcn_dgl.io.writing import write_graph
    from gomkcn_dgl.runtime.files import atomic_write, check_outputs, stem
    from synthetic import BASE_GRAPHS, PlantingSettings, orient_edges, plant_motifs

    path = Path(out)
    check_choice("base", base, BASE_GRAPHS)
    for option in ctx.command.params:
        of = [name for name, own in _BASE_OPTIONS.items() if option.name in own]
        if of and base not in of and _is_given(ctx, str(option.name)):
            raise InputError(f"{option.opts[0]} is for --base {of[0]}, got {base}; leave it out.")
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
        from gomkcn_dgl.io.foreign_files import write_dgl_graphs

        if len(graph.relations.names) > 1:
            raise InputError("--out must be .graph or .csv for several relations, got .bin.")
        write_dgl_graphs(path, [graph.to_dgl()])
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
@option_table("""
Options
    --out                   NEEDED WRITE  DGL .bin file to write
    --force                 FLAG    Overwrite files that exist
    --graphs num_graphs     N=8000  Number of graphs
    --nodes num_base_nodes  N=25    Number of nodes of each base graph
    --edges-per-node num_base_edges_per_node  N=1  Edges per new node
    --features      TEXT=per_node   Node features: constant, per_type, per_node or per_type_noise
    --seed                  N=0     Random seed
""")
def classification(out: str, force: bool, features: str, **options: Any) -> None:
    """Write graphs that each hold one of four motifs, which is their class.

    The names of the classes are written beside them, where `gomkcn train` finds them.

    \b
    gomkcn generate classification --out motifs.bin --graphs 800 --features constant
    """
    show_log()
    from gomkcn_dgl.io.foreign_files import write_dgl_graphs
    from gomkcn_dgl.io.graph_classes import class_names_path, write_class_names
    from gomkcn_dgl.runtime.files import check_outputs
    from synthetic import MotifClassificationDataset, PlantingSettings

    check_outputs([class_names_path(Path(out))], [], force=force)
    dataset = MotifClassificationDataset(**options, settings=PlantingSettings(features))
    write_dgl_graphs(out, [graph for graph, _ in dataset], dataset.labels)
    names = write_class_names(Path(out), dataset.motif_names)
    say(f"{out}: {len(dataset)} graphs of {dataset.num_classes} classes")
    say(f"{names}: what the classes are called, {', '.join(dataset.motif_names)}")


def _parse_motifs(given: tuple[str, ...]) -> dict[Any, int]:
    """``NAME=COPIES`` or ``FILE=COPIES`` each, as a mapping."""
    from gomkcn_dgl.checks import check_int, read_number
    from gomkcn_dgl.graphs.structure import Structure
    from synthetic import MOTIFS

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
