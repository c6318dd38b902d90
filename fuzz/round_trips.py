"""Random graphs, written by a library and read again: `python fuzz/round_trips.py [FORM ...]`.

A graph has the same nodes, names, edges, directions, relations and weights when it is read, or it
is refused in one sentence. What a library cannot write is counted and passed over.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import scipy.io

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_objects import from_csr
from gomkcn_dgl.io.formats import FORMATS
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph

# names of nodes by kind, of which those of a graph are drawn
NAMES: dict[str, list[Any]] = {
    "rows": list(range(8)),
    "numbers": [7, 3, 12, 100, 0, 55, 1, 2],
    "words": ["ann", "bob", "cy", "dd", "e1", "ff", "gg", "hh"],
    "blanks": ["a b", "a  b", "a", "b", " a", "c d e", "d", "x "],
    "quotes": ['a"b', '"q"', "it's", 'say "a b"', "b\\c", 'a" b "c', "#x", "[y]"],
    "languages": ["é", "日本", "ß", "Ω x", "naïve", "e\u0301", "🙂", "a&b<c>"],
    "number text": ["007", "7", "1", "01", "1e5", "1.0", "-3", "+3"],
    "odd": ["a\nb", "a\tb", "nan", "None", "true", "a,b", "a;b", "%c"],
}
# types of edges, and weights as libraries print them
TYPES = ("likes", "part of", "é", '"x"', "1")
WEIGHTS = (1.0, 2.5, 1e-05, 3e12, 0.1, 7.0)


@dataclass(frozen=True)
class Form:
    """A way to write a graph: the end of the file's name, the writer, and what it keeps."""

    suffix: str
    write: Callable[[nx.Graph, Path], object]
    keeps: str = "names direction isolated"
    options: Callable[[nx.Graph], dict[str, Any]] = lambda graph: {}
    # whether relations are read without being named
    is_typed: bool = False


def random_graph(seed: int) -> nx.Graph:
    """Draw a graph with loops, parallel edges, isolated nodes, and attributes that may lack."""
    draw = random.Random(seed)
    kinds = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
    graph: nx.Graph = draw.choice(kinds)()
    names = draw.sample(NAMES[draw.choice(list(NAMES))], draw.randint(1, 8))
    if draw.random() < 0.3:
        names.sort()
    graph.add_nodes_from(names)
    typed, weighted, gaps = (draw.random() < 0.5 for _ in range(3))
    for name in names:
        if gaps and draw.random() < 0.7:
            graph.nodes[name]["p"] = draw.choice([0.5, 1e-07, 31.0])
        if gaps and draw.random() < 0.5:
            graph.nodes[name]["note"] = draw.choice(["", "x", 'a "b"', "é"])
    for _ in range(draw.choice([0, 1, 4, 9])):
        record: dict[str, Any] = {}
        if typed:
            record["kind"] = draw.choice(TYPES)
        if weighted:
            record["weight"] = draw.choice(WEIGHTS)
        graph.add_edge(draw.choice(names), draw.choice(names), **record)
    return graph


def _igraph(graph: nx.Graph) -> igraph.Graph:
    """The same graph, nodes called by the attribute name."""
    rows = {name: row for row, name in enumerate(graph)}
    ends = [(rows[u], rows[v]) for u, v in graph.edges()]
    made = igraph.Graph(len(rows), ends, directed=graph.is_directed())
    if made.vcount():
        made.vs["name"] = list(map(str, graph))
    for name in sorted({name for _, record in graph.nodes(data=True) for name in record}):
        made.vs[name] = [
            record.get(name, math.nan if name == "p" else "")
            for _, record in graph.nodes(data=True)
        ]
    for name in ("kind", "weight"):
        values = [record.get(name) for *_, record in graph.edges(data=True)]
        if values and None not in values:
            made.es[name] = values
    return made


def _by_igraph(method: str, **options: Any) -> Callable[[nx.Graph, Path], object]:
    def write(graph: nx.Graph, path: Path) -> None:
        made = _igraph(graph)
        if method == "write_dimacs":
            made.es["capacity"] = made.es["weight"] if "weight" in made.es.attributes() else 1
            made.write_dimacs(str(path), 0, made.vcount() - 1, "capacity")
            return
        if "weights" in options and "weight" not in made.es.attributes():
            getattr(made, method)(str(path), **{**options, "weights": None})
            return
        getattr(made, method)(str(path), **options)

    return write


def _json(data: Callable[[nx.Graph], Any]) -> Callable[[nx.Graph, Path], object]:
    return lambda graph, path: path.write_text(json.dumps(data(graph)), "utf-8")


def _bytes(form: Callable[[nx.Graph], bytes]) -> Callable[[nx.Graph, Path], object]:
    def write(graph: nx.Graph, path: Path) -> None:
        if graph.is_directed():
            raise nx.NetworkXError("no directions")
        path.write_bytes(form(nx.convert_node_labels_to_integers(graph)))

    return write


def _matrix(graph: nx.Graph, path: Path) -> None:
    weight = "weight" if any("weight" in d for *_, d in graph.edges(data=True)) else None
    # a matrix holds an edge once
    scipy.io.mmwrite(path, nx.to_scipy_sparse_array(_simple(graph), weight=weight, dtype=float))


def _adjacency(graph: nx.Graph, path: Path) -> None:
    weight = "weight" if any("weight" in d for *_, d in graph.edges(data=True)) else None
    nx.to_pandas_adjacency(_simple(graph), weight=weight).to_csv(path)


def _simple(graph: nx.Graph) -> nx.Graph:
    return nx.DiGraph(graph) if graph.is_directed() else nx.Graph(graph)


def _sif(graph: nx.Graph, path: Path) -> None:
    """Write the tabs of Cytoscape, relations in the middle."""
    lines = [f"{u}\t{data.get('kind', 'pp')}\t{v}" for u, v, data in graph.edges(data=True)]
    lines += [str(node) for node in nx.isolates(graph)]
    if any(mark in f"{name}" for name in graph for mark in "\n\t\r"):
        raise ValueError("names that SIF cannot hold")
    # a file of lone nodes has no tab to tell that blanks are parts of names
    if "\t" not in "".join(lines) and any(" " in line for line in lines):
        raise ValueError("names that SIF cannot hold")
    path.write_text("\n".join([*lines, ""]), "utf-8")


def _pajek(graph: nx.Graph, path: Path) -> None:
    kinds = [str(data.get("kind")) for *_, data in graph.edges(data=True)]
    names = [str(name) for name in graph]
    # NetworkX leaves quotes in values, and tabs outside of quotes
    if any('"' in text for text in kinds) or any("\t" in n or n[0] == n[-1] == '"' for n in names):
        raise ValueError("text that NetworkX does not quote")
    nx.write_pajek(graph, path)


# what a table takes for a comment, a quoted cell, another number, or leaves out around a name
_NO_NAME = re.compile(r'[#%].*|".*"|\s.*|.*\s|[+-]?\d+\.0+|[+-]?\d+e\d+|.*[\t\n\r].*', re.DOTALL)


def _table(write: Callable[[nx.Graph, Path], object]) -> Callable[[nx.Graph, Path], object]:
    def checked(graph: nx.Graph, path: Path) -> None:
        if any(_NO_NAME.fullmatch(str(name)) for name in graph):
            raise ValueError("names that a table does not keep")
        write(graph, path)

    return checked


def _rows(graph: nx.Graph, path: Path) -> None:
    if list(nx.isolates(graph)):
        raise ValueError("nodes without an edge")
    _igraph(graph).write_edgelist(str(path))


def _write_graph(graph: nx.Graph, path: Path) -> None:
    kinds = all("kind" in data for *_, data in graph.edges(data=True)) and graph.size()
    weights = all("weight" in data for *_, data in graph.edges(data=True)) and graph.size()
    options = {"relation": "kind" if kinds else None, "weight": "weight" if weights else None}
    write_graph(path, as_csr(graph, **options))


def _direction(graph: nx.Graph) -> dict[str, Any]:
    """The direction, which the file does not tell."""
    return {"directed": graph.is_directed()}


ALL = "names direction isolated kind weight"
FORMS = {
    "graphml, NetworkX": Form(".graphml", nx.write_graphml, ALL),
    "gml, NetworkX": Form(".gml", nx.write_gml, ALL),
    "gexf, NetworkX": Form(".gexf", nx.write_gexf, ALL),
    "pajek, NetworkX": Form(".net", _pajek, ALL),
    "node-link, NetworkX": Form(".json", _json(nx.node_link_data), ALL),
    "adjacency, NetworkX": Form(".json", _json(nx.adjacency_data), ALL),
    "Cytoscape, NetworkX": Form(".cyjs", _json(nx.cytoscape_data), ALL),
    "graph6, NetworkX": Form(".g6", _bytes(nx.to_graph6_bytes), "direction isolated"),
    "sparse6, NetworkX": Form(".s6", _bytes(nx.to_sparse6_bytes), "direction isolated"),
    "Matrix Market, SciPy": Form(".mtx", _matrix, "isolated weight", _direction),
    "matrix, pandas": Form(".csv", _table(_adjacency), "names isolated weight", _direction),
    "graphml, igraph": Form(".graphml", _by_igraph("write_graphml"), ALL),
    "graphml.gz, igraph": Form(".graphml.gz", _by_igraph("write_graphmlz"), ALL),
    "gml, igraph": Form(".gml", _by_igraph("write_gml"), ALL),
    "pajek, igraph": Form(".net", _by_igraph("write_pajek"), "names direction isolated weight"),
    "ncol, igraph": Form(
        ".ncol", _by_igraph("write_ncol", weights="weight"), "names weight", _direction
    ),
    "lgl, igraph": Form(
        ".lgl", _by_igraph("write_lgl", weights="weight"), "names weight isolated", _direction
    ),
    "dimacs, igraph": Form(".dimacs", _by_igraph("write_dimacs"), "isolated", _direction),
    "edge list, NetworkX": Form(
        ".edgelist",
        _table(lambda graph, path: nx.write_edgelist(graph, path, delimiter="\t")),
        "names kind weight",
        _direction,
    ),
    "edge list, igraph": Form(".edges", _rows, "", _direction),
    "csv, pandas": Form(
        ".csv",
        _table(lambda graph, path: nx.to_pandas_edgelist(graph).to_csv(path, index=False)),
        "names kind weight",
        _direction,
    ),
    "sif, Cytoscape": Form(".sif", _sif, "names isolated kind", _direction, is_typed=True),
    **{
        f"{row.name}, write_graph": Form(row.endings[0], _write_graph, ALL, is_typed=True)
        for row in FORMATS.values()
        if row.write is not None
    },
}


def check(form: Form, graph: nx.Graph, folder: Path) -> str:
    """Write and read a graph: ``same``, ``unwritable``, or the sentence of the refusal."""
    path = folder / f"g{form.suffix}"
    edges = [(u, v, data) for u, v, data in graph.edges(data=True)]
    if not edges and "isolated" not in form.keeps:
        return "unwritable"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            form.write(graph, path)
        except InputError as error:
            return str(error)
        # whatever a library says to a graph that it cannot write
        except Exception:
            return "unwritable"
    typed = "kind" in form.keeps and bool(edges) and all("kind" in data for *_, data in edges)
    weighted = "weight" in form.keeps and bool(edges) and all("weight" in d for *_, d in edges)
    options = form.options(graph) if edges else {}
    if typed and not form.is_typed:
        options["relation"] = "kind"
    try:
        if not weighted and form.suffix != ".graph":
            options["weight"] = "none"
        found = read_graph(path, **options)
    except InputError as error:
        sentence = str(error)
        assert sentence.endswith(".") and sentence.isprintable() and len(sentence) < 2000
        return sentence
    _compare(form, graph, found, typed, weighted)
    return "same"


def _compare(form: Form, graph: nx.Graph, found: CSRGraph, typed: bool, weighted: bool) -> None:
    """Compare a graph with what was read of it, by the names of nodes, or by their rows."""
    own = {name: str(name) if "names" in form.keeps else row for row, name in enumerate(graph)}
    ids = found.original_ids(range(found.num_nodes))
    if "names" not in form.keeps:
        ids = list(range(found.num_nodes))
    ids = [str(one) if "names" in form.keeps else one for one in ids]
    touched = {name for edge in graph.edges() for name in edge}
    expected = {own[name] for name in graph if "isolated" in form.keeps or name in touched}
    assert set(ids) == expected and len(ids) == len(expected), (ids, expected)

    is_directed = graph.is_directed()
    wanted = Counter[Any]()
    for u, v, data in graph.edges(data=True):
        if u != v:
            kind = str(data["kind"]) if typed else ""
            wanted[_key(own[u], own[v], kind, is_directed)] += 1
    content = from_csr(found)
    seen: dict[Any, float] = {}
    names = found.relations.names
    for at, (u, v) in enumerate(zip(content.source.tolist(), content.target.tolist(), strict=True)):
        kind = names[content.codes[at]] if typed else ""
        weight = float(content.edges["weight"][at]) if "weight" in content.edges else 1.0
        seen[_key(ids[u], ids[v], kind, is_directed)] = weight
        if not is_directed:
            assert not found.relations.directed[content.codes[at]], "a direction was added"
    assert seen.keys() == wanted.keys(), (seen.keys(), wanted.keys())
    if is_directed and ("direction" in form.keeps or "directed" in form.options(graph)):
        one_way = {key for key in wanted if (key[1], key[0], key[2]) not in wanted}
        assert found.is_directed or not one_way, "a direction was lost"
    if weighted and not graph.is_multigraph():
        for u, v, data in graph.edges(data=True):
            if u != v:
                weight = seen[_key(own[u], own[v], str(data["kind"]) if typed else "", is_directed)]
                assert math.isclose(weight, data["weight"], rel_tol=1e-5), (u, v, weight)


def _key(u: Any, v: Any, kind: str, is_directed: bool) -> tuple[Any, Any, str]:
    return (u, v, kind) if is_directed else (*sorted((u, v)), kind)


def run(form: Form, seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Count the outcomes of random graphs, and list those that are read wrongly by their seeds."""
    outcomes, wrong = Counter[str](), []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome = check(form, random_graph(seed), Path(folder))
            # a traceback of a reader is as wrong as another graph
            except Exception as error:
                wrong.append(f"seed {seed}: {error!r}")
                continue
        outcomes[outcome if outcome in ("same", "unwritable") else "refused"] += 1
    return outcomes, wrong


def main() -> None:
    """Try the named forms, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("forms", nargs="*", metavar="FORM", default=list(FORMS))
    parser.add_argument("--examples", type=int, default=500, help="for each form [500]")
    given = parser.parse_args()
    print(f"{'':22} {'same':>6} {'refused':>8} {'not written':>12} {'wrong':>6}")
    for name in given.forms:
        found, wrong = run(FORMS[name], range(given.examples))
        counts = f"{found['same']:6} {found['refused']:8} {found['unwritable']:12} {len(wrong):6}"
        print(f"{name:22} {counts}", *wrong[:1], flush=True)


if __name__ == "__main__":
    main()
