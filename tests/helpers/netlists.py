"""Netlists with repeated blocks whose places are known, and such netlists without any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges

GATES = ("AND", "NAND", "NOR", "OR", "XOR", "NOT", "DFF")
INPUTS = (2, 2, 2, 2, 2, 1, 1)
# of the inputs of a gate of a block, and of its gates, the share that is joined to others
_FREE_INPUTS, _FREE_OUTPUTS = 0.3, 0.25


def _decidable(
    wires: np.ndarray, free: list[int], outputs: np.ndarray
) -> tuple[list[int], np.ndarray]:
    """Inputs and outputs without those beside a gate with one wire, which others could replace."""
    ends, numbers = np.unique(wires, return_counts=True)
    leaves = ends[numbers == 1]
    readers = wires[np.isin(wires[:, 0], leaves), 1]
    sources = wires[np.isin(wires[:, 1], leaves), 0]
    return [gate for gate in free if gate not in readers], np.setdiff1d(outputs, sources)


@dataclass(frozen=True)
class BlockPlan:
    """Gates of a block, wires among them, gates with inputs that are free, and outputs."""

    kinds: np.ndarray
    wires: np.ndarray
    free: np.ndarray
    outputs: np.ndarray


@dataclass(frozen=True)
class Netlist:
    """A graph of gates, and the node sets ``[K, M]`` of the copies of each block."""

    graph: CSRGraph
    wires: np.ndarray
    kinds: np.ndarray
    truth: list[np.ndarray]


def draw_block(rng: np.random.Generator, size: int) -> BlockPlan:
    """A connected block: each gate but the first reads from one before it."""
    kinds = rng.integers(0, len(GATES), size)
    wires, free = [], []
    for gate in range(size):
        number = INPUTS[kinds[gate]]
        inner = [] if gate == 0 else rng.choice(gate, min(gate, number), replace=False).tolist()
        for at in range(number):
            if at < len(inner) and (at == 0 or rng.random() >= _FREE_INPUTS):
                wires.append((inner[at], gate))
            else:
                free.append(gate)
    is_read = np.zeros(size, bool)
    is_read[[source for source, _ in wires]] = True
    outputs = np.flatnonzero(~is_read | (rng.random(size) < _FREE_OUTPUTS))
    free, outputs = _decidable(np.array(wires), free, outputs)
    return BlockPlan(kinds, np.array(wires), np.array(free, int), outputs)


def chain(rng: np.random.Generator, block: BlockPlan, number: int) -> BlockPlan:
    """A block of several smaller ones, each of which reads from the one before it."""
    size = len(block.kinds)
    wires = [block.wires + at * size for at in range(number)]
    free = [block.free + at * size for at in range(number)]
    outputs = [block.outputs + at * size for at in range(number)]
    source, place = rng.integers(len(block.outputs)), rng.integers(len(block.free))
    for at in range(1, number):
        wires.append(np.array([[outputs[at - 1][source], free[at][place]]]))
        free[at] = np.delete(free[at], place)
    return BlockPlan(
        np.tile(block.kinds, number), np.concatenate(wires), np.concatenate(free),
        np.concatenate(outputs),
    )  # fmt: skip


def draw_netlist(
    seed: int,
    blocks: list[tuple[BlockPlan, int]],
    num_others: int,
    num_errors: int = 0,
) -> Netlist:
    """Join copies of blocks and other gates at random; of each copy some wires are left out."""
    rng = np.random.default_rng(seed)
    kinds, wires, needs, reads, owner, truth = [], [], [], [], [], []
    first = 0
    for block, number in blocks:
        size = len(block.kinds)
        rows = []
        for _ in range(number):
            kept = np.ones(len(block.wires), bool)
            kept[rng.choice(len(kept), num_errors, replace=False)] = False
            kinds.append(block.kinds)
            wires.append(block.wires[kept] + first)
            needs.append(block.free + first)
            reads.append(block.outputs + first)
            rows.append(np.arange(first, first + size))
            owner.append(np.full(size, len(owner)))
            first += size
        truth.append(np.array(rows))
    other = rng.integers(0, len(GATES), num_others)
    kinds.append(other)
    here = np.arange(first, first + num_others)
    needs.append(np.repeat(here, np.array(INPUTS)[other]))
    reads.append(here)
    owner.append(-1 - np.arange(num_others))
    owners = np.concatenate(owner)
    # each free input reads from a random gate that may be read, of another copy
    targets = np.concatenate(needs)
    readable = np.concatenate(reads)
    sources = rng.choice(readable, len(targets))
    while (inner := owners[sources] == owners[targets]).any():
        sources[inner] = rng.choice(readable, int(inner.sum()))
    joined = np.concatenate([*wires, np.column_stack([sources, targets])])
    joined = np.unique(joined, axis=0)
    # numbers of gates say nothing of blocks
    order = rng.permutation(first + num_others)
    numbered = np.empty(len(order), int)
    numbered[order] = np.concatenate(kinds)
    joined = order[joined]
    return Netlist(as_graph(joined, numbered), joined, numbered, [order[rows] for rows in truth])


def as_graph(wires: np.ndarray, kinds: np.ndarray) -> CSRGraph:
    """The graph of wires ``[E, 2]`` from gate to gate, with their kinds as categories."""
    names = tuple(f"gate={name}" for name in GATES)
    return csr_from_edges(
        wires[:, 0], wires[:, 1], len(kinds), directed=True,
        features=np.eye(len(GATES), dtype=np.float32)[kinds], feature_names=names,
    )  # fmt: skip


def kept_back(seed: int) -> Netlist:
    """A netlist with two blocks of 12 to 40 gates in 4 to 20 copies; in odd ones one is nested.

    A nested one is a chain of two or three smaller blocks of at least six gates.
    """
    rng = np.random.default_rng([seed, 1])
    blocks = []
    for at in range(2):
        size, number = int(rng.integers(12, 41)), int(rng.integers(4, 21))
        if at == 0 and seed % 2:
            parts = int(rng.integers(2, 4))
            block = chain(rng, draw_block(rng, max(6, size // parts)), parts)
        else:
            block = draw_block(rng, size)
        blocks.append((block, number))
    return draw_netlist(seed, blocks, int(rng.integers(300, 901)))
