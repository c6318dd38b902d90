"""Small runs made by hand, and what every page about a run has to satisfy."""

import base64
import dataclasses
import json
import zlib

import networkx as nx
import numpy as np
from self_contained import Page

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.occurrences import Occurrence, Occurrences
from gomkcn.mining.structures.pattern import (
    LEVEL,
    NOT_SHOWN,
    ClassContrast,
    ClassDifference,
    ClassSearch,
    Frequency,
    MotifPart,
    NullComparison,
    OccurrenceCount,
    Pattern,
)
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import edge_channels, relations_of


def pattern_of(graph, number=0, count=3, **changes):
    """A pattern with the edges of a NetworkX graph, whose other values are made up."""
    graph = nx.convert_node_labels_to_integers(graph)
    structure = Structure.of_edges(len(graph), list(graph.edges))
    return pattern_with(structure, number, count, **changes)


def pattern_with(structure, number=0, count=3, ids=None):
    size = structure.num_nodes
    ids = tuple(ids or range(100, 100 + size))
    return Pattern(
        structure,
        Occurrences.of([Occurrence(ids)] * count, size),
        sources=("filters",),
        frequency=frequency_of(count),
        id=number,
    )


def frequency_of(count):
    """An exact count whose places are all listed."""
    return Frequency(OccurrenceCount.exact(count), 1, listed=count, disjoint=min(count, 2))


def typed_pattern_of(size, edges, directed, **changes):
    """A pattern from ``(relation, u, v)``; ``directed`` says which relations have a direction."""
    names = list(directed)
    relations = relations_of(names, list(directed.values()))
    pairs, numbers = [(u, v) for _, u, v in edges], [names.index(one) for one, *_ in edges]
    channels = edge_channels(size, pairs, numbers, relations)
    return pattern_with(Structure.of_channels(channels, relations), **changes)


def signed_loops(number=6):
    """Feed-forward loops: a node activates one, both repress a third; the last ones bind."""
    first = 3 * np.arange(number)
    source, target = np.repeat(first, 3), np.repeat(first, 3)
    source, target = source + np.tile([0, 0, 1], number), target + np.tile([1, 2, 2], number)
    binds = first[1:]
    # the first self-loop is dropped, and noted
    return csr_from_edges(
        np.concatenate([source, binds - 1, [0]]),
        np.concatenate([target, binds, [0]]),
        3 * number,
        node_ids=np.array([f"gene{i}" for i in range(3 * number)]),
        relation=np.array([0, 1, 1] * number + [2] * (number - 1) + [0]),
        relation_names=["activates", "represses", "binds"],
        directed=[True, True, False],
    )


def significance_of(
    null="degree", p_adjusted=0.0775, observed=3.0, mean=0.5, sd=0.75, z=3.25, verdict=NOT_SHOWN
):
    return NullComparison(null, 100, observed, mean, sd, 2.0, z, 0.04, p_adjusted, verdict)


def difference_of(*names, p_adjusted=0.001, p=3e-5, group=None, follows=None):
    """Nine of ten graphs of the first class have the pattern, and two of twenty of the second."""
    rows = [(9, 10, 2, 20, 46.75, 5.75, 383.0, p), (2, 20, 9, 10, 0.0215, 0.0026, 0.174, p)]
    contrasts = (ClassContrast(name, *row) for name, row in zip(names, rows, strict=True))
    if group is None and p_adjusted <= LEVEL:
        group = 0
    return ClassDifference(tuple(contrasts), p_adjusted, group, follows)


def run_of(patterns, recovery=None, motifs=(), **changes):
    """A run made by hand; ``motifs`` are a pattern, rows of its copies, and parts of its motif."""
    summary = GraphSummary("graph.csv", 1, 40, 60, ("x0",))
    names = {f.name for f in dataclasses.fields(GraphSummary)}
    summary = dataclasses.replace(summary, **{k: v for k, v in changes.items() if k in names})
    in_set = [
        dataclasses.replace(
            one,
            motif=MotifPart(
                Occurrences(np.array(rows), np.zeros(len(rows), int)),
                100.5 - number,
                "uniform",
                **{"num_copies": len(rows), "share": 90.25 - number, **dict(*more)},
            ),
        )
        for number, (one, rows, *more) in enumerate(motifs)
    ]
    bits = {"bits_base": 500.25, "bits_total": 300.5} if motifs else {}
    shares = {"nodes_covered": 0.25, "edges_covered": 0.5} if motifs else {}
    found = MotifSet(tuple(in_set), **{"bits_base": 99.0, "bits_total": 99.0, **bits, **shares})
    nulls = {null: "degrees" for one in patterns for null in one.significance}
    return MiningRun(
        summary,
        list(patterns),
        changes.get("motif_set", found),
        changes.get("settings", {"miner": {"null_samples": 99, "tau": 0.75}, "path": None}),
        changes.get("provenance", {"version": "0.1.0", "seconds": 12.5}),
        recovery,
        null_models=nulls,
        class_search=changes.get("class_search", class_search_of(patterns)),
    )


def class_search_of(patterns, **changes):
    """What was searched, where patterns have classes; all sizes that were asked for."""
    compared = [one.classes for one in patterns if one.classes is not None]
    if not compared:
        return None
    search = ClassSearch(
        num_searched=40,
        num_compared=len(compared),
        num_tests=30,
        num_differing=sum(one.differs for one in compared),
        num_without_class=0,
        support=0.1,
        least_nodes=2,
        most_nodes=8,
        wanted_nodes=8,
        left_out="",
        is_complete_enough=True,
    )
    return dataclasses.replace(search, **changes)


def run_with_variant(num_occurrences=300):
    """A motif, another one and a near variant of the first, on a ring; and many occurrences."""
    ring, path = nx.cycle_graph(4), nx.path_graph(4)
    copies = {ring: [[0, 1, 2, 3], [4, 5, 6, 7]], nx.star_graph(3): [[8, 9, 10, 11]],
              path: [[12, 13, 14, 15]]}  # fmt: skip
    rows = np.arange(num_occurrences)[:, None] + [0, 1, 2, 3]
    places = Occurrences(rows, np.zeros(len(rows), int))
    run = run_of(
        [dataclasses.replace(pattern_of(path), occurrences=places)],
        motifs=[(pattern_of(shape), places) for shape, places in copies.items()],
    )
    found = dataclasses.replace(run.motif_set, near=((0, 2),))
    drawn = GraphMap.of(as_csr(nx.cycle_graph(400)), found, run.patterns)
    return dataclasses.replace(run, motif_set=found, map=drawn)


def recovery_of(name="house6", pattern_ids=(0,), copies=10, planted_found=9):
    return MotifRecovery(name, 6, 8, copies, tuple(pattern_ids), 12, planted_found)


def block_of(html):
    """What the script of a page works on; None where there is nothing."""
    blocks = [script for script in Page(html).scripts if not script.startswith("//")]
    return json.loads(zlib.decompress(base64.b64decode(blocks[0]))) if blocks else None


def files_of_run(run):
    """The records that a page about ``run`` takes its numbers from."""
    records = {"patterns.json": run.to_dict()}
    if run.filters is not None:
        records["filters/filters.json"] = run.filters.to_dict()
    return json.loads(json.dumps(records))


def look_up(record, pointer):
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        record = record[key if isinstance(record, dict) else int(key)]
    return record


def assert_numbers(html, files):
    """Every number that names its source is that of its file, or a rounding of it."""
    page = Page(html)
    for file, path, value, text in page.marked:
        true = look_up(files[file], path)
        assert json.loads(value) == true, path
        if path.endswith("/inside"):
            pattern = look_up(files[file], path.removesuffix("/inside"))
            true = sum(true) / pattern["frequency"]["listed"]
        assert is_rounding(text, true), (path, text, true)
    return {path for _, path, *_ in page.marked}


def is_rounding(text, true):
    """Whether a text is a number, or that number with fewer digits."""
    text = text.replace(",", "").replace("−", "-").replace("+", "").partition(" block")[0]
    if text.endswith("%"):
        text, true = text[:-1], 100 * true
    # "7.807 · 10⁹" is 7.807e9
    text = text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")).replace(" · 10", "e")
    if isinstance(true, int):
        return text == str(true)
    if true >= 1000 and text.isdigit():
        # to four digits at least
        return abs(int(text) - true) <= 0.0005 * true
    digits = text.partition("e")
    decimals = len(digits[0].partition(".")[2]) - int(digits[2] or 0)
    return abs(float(text) - true) <= 0.5000001 * 10.0**-decimals


def change(record, path, value):
    """The record with another value at a path."""
    *parents, last = path
    part = record
    for key in parents:
        part = part[key]
    part[last] = value
    return record
