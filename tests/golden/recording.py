"""Golden values: what the program computes, by name, so that a change that is no cleaning shows.

A section is a function from an empty folder to ``{name: plain value}``. ``python
tests/golden/recording.py`` records all of them in ``values.json.gz``; with names, ``section`` or
``section/name``, only those. A commit that changes one says which, and why.
"""

import gzip
import hashlib
import json
import os
import shlex
import sys
import tempfile
import warnings
from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from click.testing import CliRunner

import gomkcn
from gomkcn.commands.main import main
from gomkcn_dgl import GOMKCN, GOMKClassifier, GOMKConv, GOMKKernel, GraphCollection
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
from gomkcn_dgl.training.training_loop import TrainingSettings, predict_logits, train_classifier
from mining.pattern_miner import PatternMiner
from synthetic import PlantingSettings, barabasi_albert, plant_motifs

VALUES = Path(__file__).with_name("values.json.gz")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


class AbsentError(Exception):
    """What a section needs is not on this machine."""


def plain(value):
    """Numbers, text, lists and dictionaries of them; floats to nine digits."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return float(f"{value:.9g}") if isinstance(value, float) else value


def digest(value):
    """A short stand-in for integers and text that are long."""
    return hashlib.sha256(json.dumps(plain(value)).encode()).hexdigest()[:16]


def table(graph):
    """All of a graph; what joins two nodes by channels, not by numbers of links."""
    channels = None
    if graph.links is not None:
        channels = graph.relations.links[graph.links] @ 2 ** np.arange(
            len(graph.relations.channels)
        )
    return {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "weights": graph.weights,
        "graph_ptr": graph.graph_ptr,
        "ids": graph.original_ids(np.arange(graph.num_nodes)),
        "features": graph.features,
        "feature_names": graph.feature_names,
        "relations": graph.relations.kinds,
        "channels": channels,
        "notes": graph.notes,
    }


# ---------------------------------------------------------------- readers

PAIRS = np.random.default_rng(1).integers(0, 12, (2, 30))
LINES = "".join(f"{u} {v}\n" for u, v in PAIRS.T)
TYPED = "".join(f"{u},{v},{'abc'[u * v % 3]},{u % 4 + 0.5}\n" for u, v in PAIRS.T)
FEATURES = "id,size,kind\n" + "".join(f"{i},{i * 0.25},{'xy'[i % 2]}\n" for i in range(12))
GENES = "crp activates araC\naraC represses araB\ncrp binds araB\naraB binds crp\n"
TU = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n0\n2\n1\n",
    "edge_labels": "0\n0\n1\n1\n0\n0\n",
    "node_attributes": "0.5, 1\n1.5, 2\n0.25, 3\n4, 0\n0, 1\n",
}
# (name of the file, its text, options of read_graph)
TEXTS = [
    ("edges.txt", LINES, {}),
    ("edges.txt.gz", LINES, {}),
    ("directed.edgelist", LINES, {"directed": True}),
    ("commented.tsv", "# a b\n% c\n\n7\t9\n9\t-2\n7\t7\n9\t7\n", {}),
    ("words.txt", "b a\na c\nc b\nd é\n", {}),
    ("weights.txt", "0 1 2.5\n1 2 0.5\n2 0 1\n0 3 0\n", {}),
    ("genes.txt", GENES, {}),
    ("genes.tsv", GENES.replace(" ", "\t"), {"directed": False}),
    ("plain.csv", "0,1\n1,2\n2,4\n", {}),
    ("header.csv", "source,target\nx,y\ny,z\n", {}),
    ("header.csv.gz", "source,target\nx,y\ny,z\n", {"directed": True}),
    ("typed.csv", "source,target,type,weight\n" + TYPED, {}),
    ("typed-undirected.csv", "source,target,type,weight\n" + TYPED, {"directed": False}),
    ("no-relation.csv", "source,target,type,weight\n" + TYPED, {"relation": "none"}),
    ("chosen.csv", "a,b,c,d\n" + TYPED, {"source": "b", "target": "a", "weight": 4}),
    ("words.csv", "source,target,type\na,b,directed\nb,c,undirected\n", {}),
    ("quoted.csv", 'source,target\n"a, b","c ""d"""\n"c ""d""",e\n', {}),
    ("features.csv", "source,target\n" + LINES.replace(" ", ","), {}),
    ("features.csv", "source,target\n" + LINES.replace(" ", ","), {"features": ["kind=x"]}),
    ("crlf.txt", "0 1\r\n1 2\r\n", {}),
    ("tiny.json", json.dumps(nx.node_link_data(nx.path_graph(4), edges="links")), {}),
]


def networkx_graph(kind=nx.Graph):
    graph = kind()
    for node in range(8):
        graph.add_node(node, size=node * 0.5, kind="ab"[node % 2])
    for number, (u, v) in enumerate(PAIRS.T[PAIRS.max(axis=0) < 8].tolist()):
        graph.add_edge(u, v, weight=number + 0.5, sign="+-"[number % 2])
    return graph


def readers(folder):
    found = {}

    def read(path, number="", **options):
        said = "".join(f" {name}={value}" for name, value in options.items())
        found[f"{Path(path).name}{number}{said}"] = table(gomkcn.read_graph(path, **options))

    os.chdir(folder)
    Path("features.features.csv").write_text(FEATURES)
    for name, text, options in TEXTS:
        data = text.encode()
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        if options.get("features"):
            options = {"features": ["size"]}
        read(name, **options)
    frame = pd.DataFrame({"source": PAIRS[0], "target": PAIRS[1], "weight": PAIRS[0] + 0.5})
    frame.to_parquet("frame.parquet")
    read("frame.parquet")
    read("frame.parquet", weight="none", directed=True)
    frame.astype({"source": str, "target": str}).assign(type="a").to_parquet("words.parquet")
    read("words.parquet")
    writers = {
        "graphml": nx.write_graphml,
        "gml": nx.write_gml,
        "gexf": nx.write_gexf,
        "net": lambda graph, path: nx.write_pajek(nx.relabel_nodes(graph, str), path),
        "json": lambda graph, path: Path(path).write_text(
            json.dumps(nx.node_link_data(graph, edges="links"))
        ),
    }
    for kind in (nx.Graph, nx.DiGraph):
        for ending, write in writers.items():
            name = f"{kind.__name__}.{ending}"
            graph = networkx_graph(kind)
            if ending == "net":
                # Pajek holds text only
                for _, _, values in graph.edges(data=True):
                    values.pop("sign")
                graph = kind(graph.edges(data=True))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                write(graph, name)
            read(name)
            if ending not in ("net", "gexf"):
                read(name, features=["size", "kind"], relation="sign")
    sp.save_npz("matrix.npz", sp.csr_array(np.arange(16.0).reshape(4, 4) % 5))
    read("matrix.npz")
    read("matrix.npz", directed=False)
    Path("TU").mkdir()
    for ending, text in TU.items():
        Path("TU", f"TU_{ending}.txt").write_text(text)
    read("TU")
    read("TU", features=["labels", "attributes"], directed=True)
    read("TU", features=["labels"], relation="none", label_names={"0": "C", "1": "N", "2": "O"})
    typed = gomkcn.read_graph("typed.csv")
    several = gomkcn.as_csr([nx.cycle_graph(3), nx.star_graph(4)])
    plain, featured = gomkcn.read_graph("edges.txt"), gomkcn.read_graph("features.csv")
    written = {"0.csv": featured, "0.graph": plain, "1.csv": typed, "1.graph": typed}
    for name, graph in {**written, "2.graph": several}.items():
        gomkcn.write_graph(f"written{name}", graph)
        read(f"written{name}")
    return found


# ---------------------------------------------------------------- scores


def random_graphs(number, seed, directed=False):
    rng = np.random.default_rng(seed)
    graphs = []
    for size in rng.integers(6, 12, number).tolist():
        source, target = rng.integers(0, size, (2, 2 * size))
        features = rng.random((size, 3), dtype=np.float32)
        graphs.append(csr_from_edges(source, target, size, features=features, directed=directed))
    return graphs


def subgraphs(folder):
    tree = barabasi_albert(60, 2, seed=0)
    graphs = {
        "tree": csr_from_edges(*tree.T, 60),
        "lesmis": gomkcn.as_csr(nx.les_miserables_graph()),
        "directed": csr_from_edges(*tree.T, 60, directed=True),
        "collection": gomkcn.as_csr(random_graphs(6, 0)),
    }
    found = {}
    for name, graph in graphs.items():
        for policy, hops, size in (("bfs", 2, 8), ("bfs", 1, 4), ("dense", 2, 6)):
            batch = extract_subgraphs(graph, SubgraphSettings(hops, size, policy, seed=3))
            found[f"{name} {policy} {hops} {size}"] = {
                "nodes": batch.nodes,
                "counts": batch.num_nodes,
                "bits": digest(batch.bits.astype(np.int64)),
                "links": None if batch.links is None else digest(batch.links.astype(np.int64)),
            }
    return found


KERNELS = {
    "default": {},
    "deep": {"num_levels": 4, "tau": 0.25},
    "widths": {"tau": (0.5, 1.0, 2.0)},
    "greedy": {"matching": "greedy"},
    "anchored": {"anchor_root": True},
    "mean": {"aggregation": "mean"},
    "sym": {"aggregation": "sym", "level_scale": 2.0},
    "masked": {"padding": "mask"},
}


def scores(folder):
    found = {}
    for name, options in KERNELS.items():
        for channels in (1, 2):
            torch.manual_seed(0)
            adj, filter_adj = ((torch.rand(4, n, n) < 0.4).float() for n in (7, 5))
            adj, filter_adj = adj.triu(1), filter_adj.triu(1)
            sides = [[one, one.transpose(1, 2)] for one in (adj, filter_adj)]
            merge = sum if channels == 1 else lambda both: torch.stack(both, dim=3)
            inputs = [merge(sides[0]), torch.rand(4, 7, 3), merge(sides[1]), torch.rand(4, 5, 3)]
            for backend in ("reference", "numba"):
                tensors = [one.clone().requires_grad_() for one in inputs]
                options_of_run = {"num_nodes": torch.tensor([7, 6, 5, 7]), "backend": backend}
                score = gomkcn.gomk(*tensors, kernel=GOMKKernel(**options), **options_of_run)
                (score * torch.arange(16.0).reshape(4, 4)).sum().backward()
                gradients = {f"gradient {i}": one.grad for i, one in enumerate(tensors)}
                found[f"{name} {channels} {backend}"] = {"scores": score.detach(), **gradients}
    return found


def grams(folder):
    graphs = random_graphs(8, 5)
    return {
        name: np.asarray(gomkcn.gomk_gram(graphs, **options))
        for name, options in (
            ("default", {}),
            ("levels", {"kernel": GOMKKernel(3, tau=0.5, padding="mask"), "normalize": False}),
            ("greedy", {"kernel": GOMKKernel(matching="greedy", padding="mask")}),
        )
    }


def layers(folder):
    found = {}
    for name, directed in (("undirected", False), ("directed", True)):
        graph = gomkcn.as_csr(random_graphs(5, 7, directed))
        relations = graph.relations if directed else None
        torch.manual_seed(1)
        convolution = GOMKConv(3, 4, filter_size=4, num_hops=1, relations=relations)
        model = GOMKCN(3, 2, filter_size=4, pooling="sum", num_layers=2, relations=relations).eval()
        batch = GraphCollection(graph, SubgraphSettings(1, 4)).whole()
        with torch.no_grad():
            found[f"convolution {name}"] = convolution(batch.subgraphs, batch.feat)
            found[f"network {name}"] = model(batch)
    return found


# ---------------------------------------------------------------- training


def training(folder):
    """What is alike on all processors: losses of small steps, and gradients at the first weights.

    The first step of Adam is as large for a gradient that is 0 but for rounding as for any other,
    and rounding differs by the instructions that torch, MKL and Numba find: weights after the
    training are those of one kind of processor.
    """
    graphs = [maker(size) for size in range(4, 16) for maker in (nx.cycle_graph, nx.star_graph)]
    labels = np.tile([0, 1], 12)
    rows = np.random.default_rng(0).permutation(24)
    torch.manual_seed(0)
    data = GraphCollection(gomkcn.as_csr(graphs), SubgraphSettings(1, 4))
    model = GOMKCN(1, 2, filter_size=4, num_filters=4, pooling="mean")
    logits = model(data.whole())
    torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels)).backward()
    gradients = {name: one.grad.norm() for name, one in model.named_parameters()}
    logits = predict_logits(model, data, rows)
    settings = TrainingSettings(3, None, learning_rate=0.001, batch_size=6)
    parts = rows[:16], rows[16:]
    history = train_classifier(model, data, torch.from_numpy(labels), *parts, settings)
    random = random_graphs(24, 3)
    machine = GOMKClassifier(num_levels=(1, 2), tau=(1.0,), num_folds=3)
    classes = [str(int(graph.num_nodes > 8)) for graph in random]
    machine.fit(random[:16], classes[:16])
    return {
        "network gradients": gradients,
        "network logits": logits,
        "network losses": history.train_loss,
        "machine settings": machine.best_params_,
        "machine accuracy": machine.best_score_,
        "machine decisions": machine.decision_function(random[16:]),
        "machine predictions": machine.predict(random[16:]),
    }


# ---------------------------------------------------------------- counts


def run(command):
    """What a command prints, or the sentence with which it refuses."""
    result = CliRunner().invoke(main, shlex.split(command), catch_exceptions=False)
    said = result.stdout if result.exit_code == 0 else result.stderr.splitlines()[-1]
    return said.replace(os.getcwd(), "FOLDER")


def write_graphs():
    """Small graphs in the current folder: plain, directed, typed, a collection, a larger one."""
    tree = barabasi_albert(200, 3, seed=2)
    np.savetxt("ba.txt", tree, "%d")
    np.savetxt("arcs.csv", tree, "%d", ",", header="source,target", comments="")
    nx.write_edgelist(nx.karate_club_graph(), "karate.txt", data=False)
    kinds = np.random.default_rng(4).integers(0, 2, len(tree))
    rows = [f"{u},{v},{'ab'[kind]}" for (u, v), kind in zip(tree.tolist(), kinds, strict=True)]
    Path("typed.csv").write_text("\n".join(["source,target,type", *rows]))
    Path("TU").mkdir()
    for ending, text in TU.items():
        Path("TU", f"TU_{ending}.txt").write_text(text)
    Path("motif.txt").write_text("a b\nb c\nc a\nc d\n")


COUNTS = [
    *(f"{name} ba.txt" for name in ("triangle", "clique-4", "ring-4", "ring-5", "path-4")),
    *(f"{name} ba.txt" for name in ("star-5", "house", "motif.txt", "'a--b, b--c, c--a, c--d'")),
    *(f"{name} karate.txt" for name in ("clique-5", "ring-6", "wheel", "path-3")),
    *(f"{name} arcs.csv --directed" for name in ("feed-forward-loop", "bi-fan", "'a->b, a->c'")),
    "'a-[a]->b, b-[b]->c' typed.csv",
    "'a-[a]->b, a-[a]->c' typed.csv",
    "'a-[b]-b, b-[b]-c, c-[b]-a' typed.csv --undirected",
    "triangle typed.csv --undirected",
    "path-3 TU --relation none",
    "'a:0--b:1' TU --relation none --features labels",
    "'a-[edge=0]-b' TU",
]


def counts(folder):
    os.chdir(folder)
    write_graphs()
    # behind the lines that say what pattern and graph are
    return {command: run(f"count {command}").splitlines()[2:] for command in COUNTS}


# ---------------------------------------------------------------- planted and found


def planting(folder):
    found = {}
    for seed in range(3):
        for name, options in {
            "plain": {"motifs": {"house": 4, "clique4": 3}},
            "directed": {"motifs": {"feed-forward-loop": 5}, "directed": True},
            "noisy": {
                "motifs": {"wheel": 4},
                "features": "per_type_noise",
                **{"noise": 0.1, "remove_prob": 0.1, "add_prob": 0.1},
            },
            "embedded": {"motifs": {"circle": 4}, "embedded": True, "features": "constant"},
        }.items():
            base = barabasi_albert(80, 1, seed=seed)
            motifs, settings = options.pop("motifs"), PlantingSettings(**options)
            planted = plant_motifs(base, 80, motifs, settings, seed=seed)
            found[f"{name} {seed}"] = {
                "edges": digest(planted.edges),
                "truth": digest(planted.instances),
                "sums of features": planted.features.sum(axis=0, dtype=float),
            }
    return found


def key(pattern):
    """The smallest matrix over all numberings of the nodes: equal if and only if isomorphic."""
    size, names = pattern.num_nodes, pattern.relations.kinds
    categories = [" ".join(one) for one in pattern.categories] or [""] * size
    kinds = sorted({*categories})
    matrix = np.diag([1 + kinds.index(one) for one in categories])
    for (u, v), relation in zip(pattern.edges, pattern.edge_relations, strict=True):
        matrix[u, v] += 2**relation
        matrix[v, u] += 0 if names[relation][1] else 2**relation
    orders = np.array([*permutations(range(size))])
    forms = matrix[orders[:, :, None], orders[:, None, :]].reshape(len(orders), -1)
    least = forms[np.lexsort(forms.T[::-1])[0]]
    return f"{size} nodes, {names}, {kinds}: {''.join(map(str, least.tolist()))}"


def mined(graph, first=True, **options):
    """What is reported, in its order, without positions and numbers of nodes."""
    miner = PatternMiner(random_state=0, **options).fit(graph, quiet=True)
    found = {
        str(place): {
            "structure": key(one),
            "occurrences": one.frequency.count,
            "exact": one.frequency.occurrences.is_exact,
            "graphs": one.frequency.graphs,
            "listed": one.frequency.listed,
            "disjoint": one.frequency.disjoint,
            "significance": {
                null: [None if entry.z is None else round(entry.z, 3), entry.verdict]
                for null, entry in one.significance.items()
            },
        }
        for place, one in enumerate(miner.patterns_)
    }
    if first:
        places = miner.patterns_[0].occurrences
        sets = sorted([one.graph, *sorted(map(str, one.nodes))] for one in places)
        found["places of the first"] = digest(sets)
    return found


def mining(folder):
    base = barabasi_albert(180, 1, seed=1)
    planted = plant_motifs(
        base, 180, {"house": 8, "clique4": 6}, PlantingSettings("constant"), seed=1
    )
    loops = plant_motifs(
        base, 180, {"feed-forward-loop": 12}, PlantingSettings(directed=True), seed=1
    )
    return {
        "planted": mined(planted.to_csr()),
        "planted directed": mined(
            loops.to_csr(),
            pattern_size=(3, 5),
            sources="grown,filters",
            learning=gomkcn.FilterLearning(num_filters=4),
        ),
        "lesmis": mined(nx.les_miserables_graph(), pattern_size=(3, 6)),
    }


def mutag(folder):
    places = [*DATA.glob("MUTAG_*/MUTAG")] if DATA.is_dir() else []
    if not places:
        raise AbsentError(f"MUTAG is not in {DATA}")
    return mined(gomkcn.read_graph(places[0]), pattern_size=(3, 6))


SECTIONS = {
    section.__name__: section
    for section in (
        *(readers, subgraphs, scores, grams, layers, training),
        *(counts, planting, mining, mutag),
    )
}


def compute(section):
    """The values of a section, as they are stored."""
    here = Path.cwd()
    try:
        with tempfile.TemporaryDirectory() as folder:
            # through JSON, so that both sides of a comparison went the same way
            return json.loads(json.dumps(plain(SECTIONS[section](Path(folder)))))
    finally:
        os.chdir(here)


def stored():
    return json.loads(gzip.decompress(VALUES.read_bytes())) if VALUES.exists() else {}


def record(*names):
    """Record sections, or single values of them as ``section/name``; all without names."""
    values = stored()
    for name in names or SECTIONS:
        section, _, value = name.partition("/")
        found = compute(section)
        values[section] = {**values[section], value: found[value]} if value else found
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    VALUES.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    record(*sys.argv[1:])
