"""`gomkcn generate`: graphs whose answer is known, written with their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Group, truth_path_of
from gomkcn.commands.option_types import Number, OutputPath
from gomkcn.commands.options import (
    force_option,
    none_if_empty,
    number_option,
    option_name,
    seed_option,
    setting_options,
)
from gomkcn.commands.printing import say, show_log
from gomkcn.commands.spelling import RenamedOption
from gomkcn.synthetic.base_models import BASE_GRAPHS
from gomkcn.synthetic.planting_settings import PlantingSettings
from gomkcn_dgl.bounds import LARGEST_COUNT
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.settings import settings_of

# more copies would hold more nodes than a graph may have
MAX_COPIES = 10**8
_MOTIFS = ("house6=10", "cup=10", "wheel=10", "crown=10")
_DIRECTED_MOTIFS = ("feed-forward-loop=10", "three-cycle=10", "bi-fan=10", "bi-parallel=10")


@click.group(cls=Group)
def generate() -> None:
    """Generate graphs with planted motifs.

    \b
    gomkcn generate planted --out planted.bin
    gomkcn generate classification --out motifs.bin
    """


_SHOWN = ("features", "directed", "embedded")


@generate.command()
@option_group(
    "Options",
    option("--base", default="ba", help=f"Base graph: {', '.join(BASE_GRAPHS)} [ba]"),
    option(
        "--nodes",
        cls=RenamedOption,
        parameters=("num_nodes", "num_base_nodes"),
        type=Number(int, 1, LARGEST_COUNT),
        default=760,
        help="Number of nodes of the base graph [760]",
    ),
    option(
        "--motif",
        "motifs",
        multiple=True,
        callback=none_if_empty,
        help="Motif or edge-list file and copies, as NAME=10; may be repeated [10 each of house6, "
        "cup, wheel, crown; directed: feed-forward-loop, three-cycle, bi-fan, bi-parallel]",
    ),
    setting_options(PlantingSettings, *_SHOWN, shown=_SHOWN),
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
    "Base graphs and other details",
    *(setting_options(model) for model in BASE_GRAPHS.values()),
    setting_options(PlantingSettings, without=_SHOWN),
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

    from gomkcn.synthetic import plant_motifs
    from gomkcn.synthetic.base_graphs import orient_edges
    from gomkcn_dgl.checks import check_choice
    from gomkcn_dgl.graph_folder import check_graph_folder
    from gomkcn_dgl.io.features import SUFFIXES
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.io.writing import write_graph
    from gomkcn_dgl.runtime.files import atomic_write, check_outputs

    path = Path(out)
    check_choice("base", base, BASE_GRAPHS)
    given = {name: value for name, value in options.items() if value is not None}
    model = BASE_GRAPHS[base](**_options_of(base, given))
    settings = PlantingSettings(**given)
    directed = settings.directed
    copies = _parse_motifs(motifs or (_DIRECTED_MOTIFS if directed else _MOTIFS))
    files = [text.rpartition("=")[0] for text in motifs or ()]
    beside = [truth_path_of(path), path.with_name(stem(path) + SUFFIXES[1])]
    if path.suffix == ".graph":
        check_graph_folder(path, force, files)
    else:
        check_outputs([path], files, force=force)
    check_outputs(beside if path.suffix == ".csv" else beside[:1], files, force=force)
    rng = np.random.default_rng(seed)
    edges = model.draw(nodes, rng)
    if directed:
        edges = orient_edges(edges, rng)
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


def _options_of(base: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of a base graph, taken out of all; those of another one are refused."""
    taken = {}
    for name, model in BASE_GRAPHS.items():
        for known in settings_of(model):
            if known.name not in given:
                continue
            if name != base:
                option = option_name(known)
                raise InputError(f"{option} is for --base {name}, got {base}; leave it out.")
            taken[known.name] = given.pop(known.name)
    return taken


@generate.command()
@option_group(
    "Options",
    option("--out", type=OutputPath(), required=True, help="DGL .bin file to write"),
    force_option,
    number_option("--num-graphs", int, 1, LARGEST_COUNT, "Number of graphs", 8000),
    option(
        "--num-base-nodes",
        cls=RenamedOption,
        parameters=("num_nodes",),
        type=Number(int, 1, LARGEST_COUNT),
        default=25,
        help="Number of nodes of each base graph [25]",
    ),
    option(
        "--num-base-edges-per-node",
        cls=RenamedOption,
        parameters=("num_edges_per_node",),
        type=Number(int, 1, LARGEST_COUNT),
        default=1,
        help="Edges per new node [1]",
    ),
    setting_options(PlantingSettings, "features", shown=("features",)),
    seed_option,
)
def classification(out: str, force: bool, features: str | None, **options: Any) -> None:
    """Write graphs that each hold one of four motifs, which is their class.

    The names of the classes are written beside them, where `gomkcn train` finds them.

    \b
    gomkcn generate classification --out motifs.bin --num-graphs 800 --features constant
    """
    show_log()
    from gomkcn.synthetic import MotifClassificationDataset
    from gomkcn_dgl.io.dgl_files import write_dgl_graphs
    from gomkcn_dgl.io.graph_classes import class_names_path, write_class_names
    from gomkcn_dgl.runtime.files import check_outputs

    check_outputs([class_names_path(Path(out))], [], force=force)
    settings = PlantingSettings() if features is None else PlantingSettings(features)
    dataset = MotifClassificationDataset(**options, settings=settings)
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
