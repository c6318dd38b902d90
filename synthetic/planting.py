"""Planting: a background graph and motifs in, one graph and its truth masks out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gomkcn.synthetic.base_graphs import Seed, as_generator, orient_edges
from gomkcn.synthetic.motifs import get_motif
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn.synthetic.planting_settings import PlantingSettings, as_settings
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, relations_of
from gomkcn_dgl.runtime.memory import check_memory

# about the bytes that a node takes until a planted graph is written, as was measured
_BYTES_OF_NODE = 40
# an edge
_BYTES_OF_EDGE = 80
# a feature of a node
_BYTES_OF_FEATURE = 8
# edges that a base node of an embedded copy may have beyond the median
_EXTRA_DEGREE = 2


def plant_motifs(
    base_edges: np.ndarray,
    num_base_nodes: int,
    motifs: Mapping[str | Structure, int],
    settings: PlantingSettings | None = None,
    *,
    seed: Seed,
) -> PlantedGraph:
    """Plant copies of motifs into a background graph, as in the GOMKCN paper's mining experiment.

    Every copy is joined to the background by an edge from a random node of the copy to a random
    base node. Base nodes come first, then the copies in order. Feature modes but ``"per_node"``,
    noise, edge perturbation and copies on base nodes are ours.

    Parameters
    ----------
    base_edges : numpy.ndarray
        Integer ``[E, 2]``, each edge once, no self-loops; with ``directed`` from the first node to
        the second.
    num_base_nodes : int
        Number of nodes of the background; they keep their ids.
    motifs : mapping from str or Structure to int
        Number of copies of each motif, at least 0. The order numbers the types and the copies.
    settings : PlantingSettings, optional
        ``PlantingSettings()`` when left out.
    seed : int, RandomState, Generator or None
        The same seed gives the same result. None: one is drawn, which the log says.

    Returns
    -------
    PlantedGraph

    Raises
    ------
    InputError
        For a value out of range, an unknown or repeated motif name, or edges that are not simple.
    InputTypeError
        For a value of the wrong type.

    Examples
    --------
    >>> planted = plant_motifs([[0, 1], [1, 2]], 3, {"square": 2}, seed=0)
    >>> planted.num_nodes, len(planted.edges)
    (11, 12)
    >>> planted.instances
    (('square', (3, 4, 5, 6)), ('square', (7, 8, 9, 10)))
    >>> ring = [[v, (v + 1) % 9] for v in range(9)]
    >>> planted = plant_motifs(ring, 9, {"square": 1}, PlantingSettings(embedded=True), seed=0)
    >>> planted.num_nodes, len(planted.instances)
    (9, 1)

    """
    settings = as_settings(settings)
    rng = as_generator(seed)
    num_base_nodes = check_int("num_base_nodes", num_base_nodes, 1)
    base_edges = _check_edges(base_edges, num_base_nodes, settings.directed)
    table = check_motifs(motifs, Mapping)
    copies = tuple(
        check_int(f"motifs[{motif.name!r}]", count, 0)
        for motif, count in zip(table, motifs.values(), strict=True)
    )
    hosts = np.tile([0, num_base_nodes], (sum(copies), 1))
    return plant_copies(base_edges, num_base_nodes, table, copies, hosts, settings, rng)


def plant_copies(
    base_edges: np.ndarray,
    num_base_nodes: int,
    motifs: tuple[Structure, ...],
    copies: tuple[int, ...],
    hosts: np.ndarray,
    settings: PlantingSettings,
    rng: np.random.Generator,
) -> PlantedGraph:
    """Plant with checked arguments; copy c attaches to base nodes ``first .. first + count - 1``.

    ``hosts`` ``[C, 2]`` holds (first, count) of each copy, so that a forest of backgrounds can be
    planted in one pass.
    The draws are relations and directions where there are any, attaching edges or base nodes for
    the copies, alterations, features, in this order and of sizes that no probability changes: a
    sweep over noise keeps everything else.
    """
    relations = name_relations(motifs, settings.directed, settings.relations)
    sizes = np.repeat([motif.num_nodes for motif in motifs], copies).astype(np.int64)
    num_nodes = num_base_nodes + (0 if settings.embedded else int(sizes.sum()))
    num_within = sum(
        len(motif.edges) * number for motif, number in zip(motifs, copies, strict=True)
    )
    _check_size(num_nodes, num_within, settings.feature_dim)
    motifs = tuple(assign_relations(motif, relations, rng) for motif in motifs)
    base_relation = np.zeros(len(base_edges), np.int64)
    if len(relations.names) > 1:
        base_relation = rng.integers(len(relations.names), size=len(base_edges))
    # 1. the nodes of the copies of each motif, and what each node is
    if settings.embedded:
        degrees = np.bincount(base_edges.reshape(-1), minlength=num_base_nodes)
        members, attaching = embed_copies(degrees, sizes, hosts, rng), np.empty((0, 2), np.int64)
    else:
        members, attaching = attach_copies(num_base_nodes, sizes, hosts, rng)
    nodes = nodes_of_motifs(members, motifs, copies)
    node_type, instance, role = np.tile([[0], [-1], [-1]], num_nodes)
    node_type[members] = np.repeat(1 + np.arange(len(motifs)), [rows.size for rows in nodes])
    instance[members] = np.repeat(np.arange(len(sizes)), sizes)
    role[members] = np.concatenate([np.empty(0, int), *map(np.arange, sizes)])
    # 2. base edges between two nodes of one copy make way for the edges of the motif
    outside = ~_is_within_copy(base_edges, instance)
    base_edges, base_relation = base_edges[outside], base_relation[outside]
    # 3. edges of the background, inside the copies of each motif, and between both
    joining = draw_links(attaching, base_relation, relations, rng)
    altered = settings.remove_prob, settings.add_prob
    within = [
        draw_copy_edges(motif, rows, relations, altered, rng)
        for motif, rows in zip(motifs, nodes, strict=True)
    ]
    parts = [(base_edges, base_relation), *within, joining]
    edges = np.concatenate([ends for ends, _ in parts])
    if not relations.is_directed:
        edges.sort(axis=1)
    num_within = sum(len(ends) for ends, _ in within)
    return PlantedGraph(
        num_nodes=num_nodes,
        edges=edges,
        features=_draw_features(node_type, len(motifs), settings, rng),
        node_type=node_type,
        node_instance=instance,
        node_role=role,
        edge_mask=np.repeat([False, True, False], [len(base_edges), num_within, len(joining[0])]),
        instances=_instances(motifs, nodes),
        motifs=motifs,
        relations=relations,
        edge_relation=np.concatenate([relation for _, relation in parts]),
    )


def _check_size(num_nodes: int, num_within: int, width: int) -> None:
    """Refuse what does not fit into memory: nodes with D features, and edges of motifs."""
    size = num_nodes * (_BYTES_OF_NODE + _BYTES_OF_FEATURE * width)
    check_memory(
        f"{num_nodes:,} nodes with {width} features and {num_within:,} edges of motifs",
        size + num_within * _BYTES_OF_EDGE,
        "give fewer nodes, features or copies",
    )


def _is_within_copy(edges: np.ndarray, instance: np.ndarray) -> np.ndarray:
    """Whether both ends of each edge are nodes of one copy, bool ``[E]``."""
    owner = instance[edges]
    inside: np.ndarray = (owner[:, 0] >= 0) & (owner[:, 0] == owner[:, 1])
    return inside


def _instances(
    motifs: Sequence[Structure], nodes: Sequence[np.ndarray]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The name of the motif and the nodes of each copy, from the nodes ``[C, M]`` of each motif."""
    return tuple(
        (motif.name, tuple(copy))
        for motif, rows in zip(motifs, nodes, strict=True)
        for copy in rows.tolist()
    )


def _check_edges(base_edges: np.ndarray, num_nodes: int, directed: bool) -> np.ndarray:
    """Return int64 ``[E, 2]``, without direction ``u < v``, or refuse what is no simple graph."""
    edges = np.asarray(base_edges)
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise InputError("base_edges", "must have the shape [E, 2]", got=list(edges.shape))
    if edges.dtype.kind not in "iu":
        raise InputTypeError("base_edges", "must hold integers", got=edges.dtype)
    edges = edges.astype(np.int64)
    if not directed:
        edges.sort(axis=1)
    if edges.min() < 0 or edges.max() >= num_nodes:
        raise InputError(
            "base_edges",
            f"must hold node ids from 0 to {num_nodes - 1}",
            got=f"{edges.min()} to {edges.max()}",
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        raise InputError("base_edges", "must have no self-loop", got=f"one in row {loops[0]}")
    # sorted in place, which takes a fraction of the time and memory of np.unique
    keys = edges[:, 0] * num_nodes + edges[:, 1]
    keys.sort()
    num_repeated = int((keys[1:] == keys[:-1]).sum())
    if num_repeated:
        raise InputError("base_edges", "must hold each edge once", got=f"{num_repeated} repeated")
    return edges


def check_motifs(motifs: Iterable[str | Structure], kind: type) -> tuple[Structure, ...]:
    """Return the motifs of a sequence or mapping (``kind``), which must have different names."""
    # A single name is also a sequence, of letters.
    if isinstance(motifs, (str, Structure)) or not isinstance(motifs, kind):
        what = "map motifs to numbers of copies" if kind is Mapping else "be a sequence of motifs"
        raise InputTypeError("motifs", f"must {what}", got=repr(motifs))
    table = tuple(get_motif(motif) for motif in motifs)
    names = [motif.name for motif in table]
    if len(set(names)) < len(names) or not (names or kind is Mapping):
        raise InputError("motifs", "must be at least one and have different names", got=names)
    if not all(motif.name and motif.edges for motif in table):
        raise InputError("motifs", "must have names and edges", way_out="give a Structure its name")
    return table


def _draw_features(
    node_type: np.ndarray, num_motifs: int, settings: PlantingSettings, rng: np.random.Generator
) -> np.ndarray:
    """Return the node features ``[V, D]``, float32 in [0, 1]."""
    shape = (len(node_type), settings.feature_dim)
    if settings.features == "constant":
        return np.ones((len(node_type), 1), dtype=np.float32)
    if settings.features == "per_node":
        return rng.random(shape, dtype=np.float32)
    # Row 0 is the base nodes' vector, row 1 + i that of motif i.
    vectors = rng.random((1 + num_motifs, settings.feature_dim))[node_type]
    if settings.features == "per_type_noise":
        vectors = np.clip(vectors + settings.noise * rng.standard_normal(shape), 0.0, 1.0)
    return vectors.astype(np.float32)


def name_relations(motifs: Sequence[Structure], directed: bool, number: int) -> Relations:
    """The relations that the motifs name, and more up to a number."""
    names = list(dict.fromkeys(name for motif in motifs for name in motif.relations.names))
    names = [name for name in names if name != PLAIN]
    if number > 1:
        others = [f"relation{k}" for k in range(number) if f"relation{k}" not in names]
        names += others[: max(number - len(names), 0)]
    if not names and not directed:
        return SIMPLE
    names = names or [PLAIN]
    return relations_of(names, [directed] * len(names))


def assign_relations(motif: Structure, relations: Relations, rng: np.random.Generator) -> Structure:
    """The motif with relations and directions of the graph; those it lacks are drawn at random."""
    if not relations.is_directed and motif.relations.is_directed:
        raise InputError(
            "directed",
            f"must be True for motif {motif.name!r}, whose edges have a direction",
            got="False",
        )
    given = [motif.relations.names[number] for number in motif.edge_relations]
    kinds = np.array(given, dtype=object)
    if PLAIN not in relations.names:
        drawn = rng.choice(relations.names, size=len(kinds))
        kinds = np.where(kinds == PLAIN, drawn, kinds)
    edges = list(motif.edges)
    if relations.is_directed and not all(motif.relations.directed):
        turned = rng.random(len(edges)) < 0.5
        edges = [
            (j, i) if turn and not motif.relations.directed[number] else (i, j)
            for (i, j), turn, number in zip(edges, turned, motif.edge_relations, strict=True)
        ]
    return Structure.of_edges(
        motif.num_nodes,
        edges,
        list(map(str, kinds)),
        relations.is_directed,
        name=motif.name,
        roles=motif.roles,
    )


def draw_links(
    edges: np.ndarray, base_relation: np.ndarray, relations: Relations, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Edges ``[E, 2]`` with a direction and a relation ``[E]`` like those of the background."""
    relation = np.zeros(len(edges), np.int64)
    if len(relations.names) > 1:
        choices = base_relation if len(base_relation) else np.arange(len(relations.names))
        relation = rng.choice(choices, size=len(edges))
    return orient_edges(edges, rng) if relations.is_directed else edges, relation


def draw_copy_edges(
    motif: Structure,
    nodes: np.ndarray,
    relations: Relations,
    probabilities: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Edges inside all copies of one motif ``[E, 2]``, with some changes, and relations ``[E]``.

    ``nodes`` ``[C, M]`` are those of each copy, ``probabilities`` those of deleting an edge and of
    adding one between two nodes that are not joined.
    """
    # 1. all edges that a copy can have: relation and pair of motif nodes, [P]
    size = motif.num_nodes
    number = len(relations.names)
    pairs = ~np.eye(size, dtype=bool)
    if not relations.is_directed:
        pairs = np.triu(pairs)
    relation, i, j = np.nonzero(np.broadcast_to(pairs, (number, size, size)))
    # 2. which of them the motif has; an added edge has any relation and direction
    is_edge = np.zeros((number, size, size), dtype=bool)
    number_of = [relations.names.index(name) for name in motif.relations.names]
    kinds = [number_of[relation] for relation in motif.edge_relations]
    rows, columns = np.array(motif.edges).T
    is_edge[kinds, rows, columns] = True
    remove_prob, add_prob = probabilities
    add_prob /= number * (2 if relations.is_directed else 1)
    is_joined = motif.joined[i, j]
    flip_prob = np.where(is_edge[relation, i, j], remove_prob, np.where(is_joined, 0, add_prob))
    flipped = rng.random((len(nodes), len(i))) < flip_prob
    copy, slot = np.nonzero(is_edge[relation, i, j] ^ flipped)
    return np.stack([nodes[copy, i[slot]], nodes[copy, j[slot]]], axis=1), relation[slot]


def nodes_of_motifs(
    members: np.ndarray, motifs: Sequence[Structure], copies: Sequence[int]
) -> list[np.ndarray]:
    """The nodes of all copies of each motif, int64 ``[C, M]``, from those of all."""
    sizes = [motif.num_nodes for motif in motifs]
    ends = np.cumsum(np.multiply(sizes, copies), dtype=np.int64)
    parts = np.split(members, ends[:-1]) if len(ends) else []
    return [part.reshape(-1, size) for part, size in zip(parts, sizes, strict=True)]


def attach_copies(
    num_base_nodes: int, sizes: np.ndarray, hosts: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of the copies ``[sum of sizes]`` after those of the base, and edges that attach them.

    Each copy is joined to its host, (first, count), by one of the edges ``[C, 2]``.
    """
    # pairs of a base node and a node of the copy, numbered base node first
    pairs = rng.integers(0, sizes * hosts[:, 1])
    starts = num_base_nodes + np.cumsum(sizes) - sizes
    attaching = np.stack([hosts[:, 0] + pairs // sizes, starts + pairs % sizes], axis=1)
    return np.arange(num_base_nodes, num_base_nodes + int(sizes.sum())), attaching


def embed_copies(
    degrees: np.ndarray, sizes: np.ndarray, hosts: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Nodes of copies on random base nodes of their host, none of which is in two copies.

    ``degrees`` ``[V]`` are those of the base nodes; the nodes taken have at most the median of them
    and ``_EXTRA_DEGREE`` more.
    """
    most = np.median(degrees) + _EXTRA_DEGREE
    members = np.empty(sizes.sum(), np.int64)
    copy_of_member = np.repeat(np.arange(len(sizes)), sizes)
    different, host_of_copy = np.unique(hosts, axis=0, return_inverse=True)
    host_of_member = host_of_copy.reshape(-1)[copy_of_member]
    # members are in the order of the copies, those of one host are taken from it in that order
    by_host = np.argsort(host_of_member, kind="stable")
    wanted = np.split(by_host, np.cumsum(np.bincount(host_of_member, minlength=len(different))))
    for (first, count), slots in zip(different.tolist(), wanted, strict=False):
        nodes = first + np.flatnonzero(degrees[first : first + count] <= most)
        if len(slots) > len(nodes):
            raise InputError(
                "motifs",
                (
                    f"must have at most {len(nodes)} nodes in all their copies, the base nodes of "
                    f"at most {most:g} edges"
                ),
                got=len(slots),
                way_out="plant fewer copies",
            )
        members[slots] = rng.choice(nodes, size=len(slots), replace=False)
    return members
