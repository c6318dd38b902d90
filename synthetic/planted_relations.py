"""Directions and relations of a planted graph: of motifs, background and attaching edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, relations_of


def name_relations(
    motifs: Sequence[Structure], directed: bool, relations: int | Sequence[str]
) -> Relations:
    """The relations that the motifs name, and more up to a number; or those given."""
    named = [name for motif in motifs for name in motif.relations.names if name != PLAIN]
    if isinstance(relations, int):
        names = list(dict.fromkeys(named))
        if relations > 1:
            others = [f"relation{k}" for k in range(relations) if f"relation{k}" not in names]
            names += others[: max(relations - len(names), 0)]
        names = names or [PLAIN]
    else:
        names = list(relations)
        if len(set(names)) < len(names) or not names:
            raise InputError(f"relations must be at least one and all different, got {names}.")
        unknown = set(named) - set(names)
        if unknown:
            raise InputError(f"relations must hold those of the motifs, got no {min(unknown)!r}.")
    if names == [PLAIN] and not directed:
        return SIMPLE
    return relations_of(names, [directed] * len(names))


def assign_relations(motif: Structure, relations: Relations, rng: np.random.Generator) -> Structure:
    """The motif with relations of the graph and, if those of the graph have any, with directions.

    What it does not say is drawn at random.
    """
    if not relations.is_directed and motif.relations.is_directed:
        raise InputError(
            f"directed must be True for motif {motif.name!r}, whose edges have a direction, "
            "got False."
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


def draw_base_relation(
    given: np.ndarray | None, num_edges: int, relations: Relations, rng: np.random.Generator
) -> np.ndarray:
    """Relation of each edge of the background, int64 ``[E]``: checked, or drawn at random."""
    number = len(relations.names)
    if given is None:
        if number == 1:
            return np.zeros(num_edges, np.int64)
        return rng.integers(number, size=num_edges)
    given = np.asarray(given)
    if given.shape != (num_edges,) or given.dtype.kind not in "iu":
        raise InputError(
            f"base_relation must be one whole number for each of the {num_edges} base edges, "
            f"got {given.dtype} of shape {list(given.shape)}."
        )
    if num_edges and not 0 <= given.min() <= given.max() < number:
        raise InputError(
            f"base_relation must be numbers of the relations, 0 to {number - 1}, got "
            f"{given.min()} to {given.max()}."
        )
    return given.astype(np.int64)


def draw_links(
    edges: np.ndarray, base_relation: np.ndarray, relations: Relations, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Edges ``[E, 2]`` with a direction and a relation ``[E]`` like those of the background."""
    relation = np.zeros(len(edges), np.int64)
    if len(relations.names) > 1:
        choices = base_relation if len(base_relation) else np.arange(len(relations.names))
        relation = rng.choice(choices, size=len(edges))
    if relations.is_directed:
        turned = rng.random(len(edges)) < 0.5
        edges = np.where(turned[:, None], edges[:, ::-1], edges)
    return edges, relation


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
    size, number = motif.num_nodes, len(relations.names)
    pairs = ~np.eye(size, dtype=bool)
    if not relations.is_directed:
        pairs = np.triu(pairs)
    relation, i, j = np.nonzero(np.broadcast_to(pairs, (number, size, size)))
    # 2. which of them the motif has; an added edge has any relation and direction
    is_edge = np.zeros((number, size, size), dtype=bool)
    number_of = [relations.names.index(name) for name in motif.relations.names]
    kinds = [number_of[own] for own in motif.edge_relations]
    rows, columns = np.array(motif.edges).T
    is_edge[kinds, rows, columns] = True
    remove_prob, add_prob = probabilities
    add_prob /= number * (2 if relations.is_directed else 1)
    is_joined = motif.joined[i, j]
    flip_prob = np.where(is_edge[relation, i, j], remove_prob, np.where(is_joined, 0, add_prob))
    flipped = rng.random((len(nodes), len(i))) < flip_prob
    copy, slot = np.nonzero(is_edge[relation, i, j] ^ flipped)
    return np.stack([nodes[copy, i[slot]], nodes[copy, j[slot]]], axis=1), relation[slot]
