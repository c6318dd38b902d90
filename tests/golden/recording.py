"""Golden values: what the program computes, by name, so that a change that is no cleaning shows.

They are of what no small test fixes: the numbers of a training, graphs of a seed, and patterns from
the graph to the report. A section is a function to ``{name: plain value}``. ``python
tests/golden/recording.py`` records all of them in ``values.json.gz``; with names, ``section`` or
``section/name``, only those. A commit that changes one says which, and why.
"""

import gzip
import hashlib
import json
import sys
from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import torch

import gomkcn
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.synthetic import PlantingSettings, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl import GOMKCN, GOMKClassifier, GraphCollection
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.subgraphs import SubgraphSettings
from gomkcn_dgl.training.training_loop import TrainingSettings, predict_logits, train_classifier

VALUES = Path(__file__).with_name("values.json.gz")


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


def random_graphs(number, seed):
    rng = np.random.default_rng(seed)
    graphs = []
    for size in rng.integers(6, 12, number).tolist():
        source, target = rng.integers(0, size, (2, 2 * size))
        features = rng.random((size, 3), dtype=np.float32)
        graphs.append(csr_from_edges(source, target, size, features=features))
    return graphs


def training():
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


def planting():
    found = {}
    for seed in range(3):
        for name, options in {
            "plain": {"motifs": {"house6": 4, "clique4": 3}, "features": "per_type"},
            "directed": {
                **{"motifs": {"feed-forward-loop": 5}, "directed": True},
                "features": "per_type",
            },
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


def mined(graph, **options):
    """What is reported, in its order, without positions and numbers of nodes."""
    miner = PatternMiner(null_samples=99, random_state=0, **options).fit(graph)
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
    places = miner.patterns_[0].occurrences
    sets = sorted([one.graph, *sorted(map(str, one.nodes))] for one in places)
    return {**found, "places of the first": digest(sets)}


def mining():
    base = barabasi_albert(90, 1, seed=1)
    planted = plant_motifs(
        base, 90, {"house6": 8, "clique4": 6}, PlantingSettings("constant"), seed=1
    )
    loops = plant_motifs(
        base, 90, {"feed-forward-loop": 12}, PlantingSettings("per_type", directed=True), seed=1
    )
    return {
        "planted": mined(planted.to_csr()),
        "planted directed": mined(
            loops.to_csr(),
            pattern_size=(3, 4),
            sources="grown,filters",
            filters=gomkcn.FilterMiner(4, filter_size=4),
        ),
        "lesmis": mined(nx.les_miserables_graph(), pattern_size=(3, 5)),
    }


SECTIONS = {section.__name__: section for section in (training, planting, mining)}


def compute(section):
    """The values of a section, as they are stored."""
    # through JSON, so that both sides of a comparison went the same way
    return json.loads(json.dumps(plain(SECTIONS[section]())))


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
