"""Repeated blocks of a graph: large subgraphs that occur several times, up to their boundary.

A block has from five to some hundred nodes. What joins two nodes of a copy, and what they are, is
the same in all copies; what joins them to others is free. Circuits, software, infrastructure and
process models are made of such blocks, which no search for motifs of ten nodes sees, and which a
code by their copies does not see either: to name the nodes of a copy takes more bits than its edges
save.

Whether a block is more than chance is said by the same search in random graphs. Small blocks cover
many edges there, too, so that blocks of all sizes are compared by what they are worth, see
:mod:`~gomkcn.mining.repeats.chance`: the adjusted p of a block is the share of all graphs,
the given one included, whose best block is worth as much.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.repeats.block_columns import BLOCK_COLUMNS, BlockRow
from gomkcn.mining.repeats.block_search import (
    SearchSettings,
    copies_inside,
    search_blocks,
)
from gomkcn.mining.repeats.growth import MOST_DEGREE, Candidate
from gomkcn.mining.repeats.repeated_block import RepeatedBlock
from gomkcn.mining.settings.block_settings import BlockTable
from gomkcn.mining.significance.null_models import check_null, null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.mined_graph import MinedGraph, refuse_no_edges
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn.mining.structures.table_column import tabulate
from gomkcn_dgl.checks import RandomState, as_seed, check_choice
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.runtime.job import Interrupts, TimeUpError
from gomkcn_dgl.runtime.saved_run import SavedRun
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table

if TYPE_CHECKING:
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.relations import Relations

log = logging.getLogger("gomkcn_dgl")

# a block of which more copies lie in those of another one is nested in it
_MOST_INSIDE = 0.5
# so many random graphs with a block that is worth as much as the best one are enough; one more are
# drawn before it is asked whether there are
_ENOUGH = 3


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedBlocks(SavedRun):
    """The repeated blocks of a graph: those that are called first, and those that cover most edges.

    Attributes
    ----------
    blocks : list of RepeatedBlock
    relation_names, directed : tuple
        Name of each relation of the edges, and whether these have a direction.
    keeps : str
        What the random graphs keep.
    num_random_graphs : int
        How many random graphs were searched.
    num_graphs, num_nodes, num_edges : int
        Of the graph.
    notes : tuple of str
        What was not searched, a sentence each.
    """

    blocks: list[RepeatedBlock]
    relation_names: tuple[str, ...]
    directed: tuple[bool, ...]
    keeps: str
    num_random_graphs: int
    num_graphs: int
    num_nodes: int
    num_edges: int
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """How many there are, and how many are called."""
        return f"RepeatedBlocks({self.lead})"

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self.blocks)

    @property
    def called(self) -> list[RepeatedBlock]:
        """The blocks whose p is at most 0.05."""
        return [block for block in self.blocks if block.is_called]

    @property
    def lead(self) -> str:
        """How many there are, and how many random graphs do not have."""
        text = count(len(self), "repeated block")
        if self.blocks and self.num_random_graphs:
            # with many random graphs some may have a block that is worth as much as one here
            least = 1 / (1 + self.num_random_graphs)
            quantity = "all" if all(block.p == least for block in self.called) else "most"
            text += (
                f"; {len(self.called):,} of them are worth more than {quantity} of "
                f"{count(self.num_random_graphs, 'random graph')} (adjusted p ≤ {LEVEL})"
            )
        return text

    @cached_property
    def rows(self) -> list[BlockRow]:
        """The rows of the table."""
        return [BlockRow(number, block) for number, block in enumerate(self.blocks, 1)]

    def table(self, which: str = "blocks") -> Table:
        """A row for each block, or for each node of each copy.

        Parameters
        ----------
        which : {"blocks", "places"}

        Raises
        ------
        InputError
            For another name.
        """
        check_choice("which", which, ("blocks", "places"))
        if which == "blocks":
            return tabulate(BLOCK_COLUMNS, self.rows)
        number, copy, graph, role, node = [], [], [], [], []
        for row in self.rows:
            shape = row.block.copies.shape
            number.append(np.full(row.block.copies.size, row.number))
            copy.append(np.repeat(np.arange(shape[0]), shape[1]))
            graph.append(np.repeat(row.block.graphs, shape[1]))
            role.append(np.tile(np.arange(shape[1]), shape[0]))
            node += row.block.copies.reshape(-1).tolist()
        columns = {"block": number, "copy": copy, "graph": graph, "node_of_block": role}
        if self.num_graphs == 1:
            del columns["graph"]
        none = [np.empty(0, np.int64)]
        places: dict[str, Any] = {
            name: np.concatenate([*none, *parts]) for name, parts in columns.items()
        }
        return Table({**places, "node": node})

    def plot(
        self,
        block: int = 1,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
    ) -> Any:
        """Draw a block in layers, its ports as rings.

        Parameters
        ----------
        block : int
            Its number, from 1.
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            For a block that is not there, or if Matplotlib and seaborn are not installed.
        """
        from gomkcn.mining.plots.paper_figure import FigureSize
        from gomkcn.mining.repeats.block_figure import plot_block

        if not 1 <= block <= len(self):
            raise InputError(
                "block", f"must be the number of a block, of which there are {len(self)}", got=block
            )
        size = FigureSize(path, width, height)
        return plot_block(self.blocks[block - 1], self.directed, size)


def repeated_blocks(
    graph: Any,
    *,
    copies: int = BlockTable.copies,
    least_nodes: int = BlockTable.least_nodes,
    most_nodes: int = BlockTable.most_nodes,
    errors: int = BlockTable.errors,
    most: int = BlockTable.most,
    null: Any = BlockTable.null,
    null_samples: int = BlockTable.null_samples,
    random_state: RandomState = 0,
    time_limit: float | None = None,
    steps: Steps | None = None,
) -> RepeatedBlocks:
    """Find the large subgraphs that occur several times, up to their boundary.

    Categories of nodes, types and directions of edges count. Numbers of nodes do not: copies that
    may be taken in several ways are told apart by what surrounds them.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or a collection.
    copies : int
        Least number of copies, which share no node; at least 2.
    least_nodes, most_nodes : int
        Of a block.
    errors : int
        Pairs of nodes that a copy may have joined otherwise than the block has.
    most : int
        Blocks that are reported.
    null : str, callable or NullModel
        The null model of the random graphs, see :func:`gomkcn.sample_null`.
    null_samples : int
        Number of random graphs; 0 for none, and 19 or more for a p of 0.05.
    random_state : int, RandomState or Generator
        Seed of the random graphs.
    time_limit : float, optional
        Seconds. What is found by then is returned, and ``notes`` says what was not searched.
    steps : Steps, optional
        Those of a job, which shows how much is done and has a limit of its own.

    Returns
    -------
    RepeatedBlocks

    Raises
    ------
    InputError
        For a graph without edges, and for a parameter out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> ladders = nx.disjoint_union_all([nx.ladder_graph(5)] * 4)
    >>> found = repeated_blocks(ladders, null_samples=0)
    >>> found.blocks[0].copies.shape, found.blocks[0].covered
    ((4, 10), 52)
    """
    table = BlockTable(
        copies=copies,
        least_nodes=least_nodes,
        most_nodes=most_nodes,
        errors=errors,
        most=most,
        null=null if isinstance(null, str) else BlockTable.null,
        null_samples=null_samples,
        seed=as_seed("random_state", random_state),
    )
    check_blocks(table)
    csr = as_unweighted(graph)
    refuse_no_edges(csr)
    # refused before the search
    null_model(null, csr)
    if steps is None:
        steps = Steps(interrupts=Interrupts(time_limit))
    settings = SearchSettings(copies, least_nodes, most_nodes, errors, most)
    return blocks_of(MinedGraph.of(csr), settings, null, null_samples, table.seed, steps)


def blocks_of(
    mined: MinedGraph,
    settings: SearchSettings,
    null: Any,
    null_samples: int,
    seed: int,
    steps: Steps,
    of_random: Steps | None = None,
    limit: str = "the time limit",
    enough: int = _ENOUGH,
) -> RepeatedBlocks:
    """The blocks of a graph that was read; :func:`repeated_blocks` says the rest.

    The search of random graphs is ``of_random``, where that has another ``limit``; none are
    searched where the search of the graph did not come to its end. ``enough`` random graphs whose
    best block is worth as much as the best one here end it.
    """
    of_random = of_random or steps
    kinds = np.zeros(mined.graph.num_nodes, np.int64)
    if mined.colors is not None:
        kinds = np.unique(mined.colors, return_inverse=True)[1].reshape(-1)
    found = steps.once(
        "searching for blocks", list[Candidate], search_blocks, mined.graph, kinds, settings,
        steps.check_time,
    )  # fmt: skip
    notes = _notes(mined, steps, limit)
    sizes: list[np.ndarray] = []
    if found and null_samples and not steps.is_partial:
        best = max(block.worth for block in found)
        sizes = _search_random(
            mined, kinds, settings, null, null_samples, seed, of_random, best, enough
        )
        if of_random.is_partial:
            notes.append(f"{limit} ended the search after {count(len(sizes), 'random graph')}")
    blocks = _compared(mined, found, sizes)
    given = mined.given
    return RepeatedBlocks(
        blocks, given.relations.names, given.relations.directed, null_model(null, given).keeps,
        len(sizes), given.num_graphs, given.num_nodes, given.num_edges, tuple(notes),
    )  # fmt: skip


def check_blocks(table: BlockTable) -> None:
    """Refuse settings that do not belong together, and what is no null model."""
    check_null(table.null)
    if table.most_nodes < table.least_nodes:
        raise InputError(
            "most_nodes",
            f"must be at least the {table.least_nodes} nodes of the smallest block",
            got=table.most_nodes,
        )


def _notes(mined: MinedGraph, steps: Steps, limit: str) -> list[str]:
    """What was not searched."""
    notes = []
    if steps.is_partial:
        notes.append(f"{limit} ended the search: there may be more blocks, and larger ones")
    hubs = int((mined.graph.degrees > MOST_DEGREE).sum())
    if hubs:
        nodes = "node has" if hubs == 1 else "nodes have"
        notes.append(
            f"{hubs:,} {nodes} more than {MOST_DEGREE} neighbours: no block grows through them"
        )
    notes += mined.categories.notes
    return notes


def _search_random(
    mined: MinedGraph,
    kinds: np.ndarray,
    settings: SearchSettings,
    null: Any,
    number: int,
    seed: int,
    steps: Steps,
    best: float,
    enough: int,
) -> list[np.ndarray]:
    """Nodes, covered edges and worth of the blocks of random graphs, float64 ``[B, 3]`` each.

    None are drawn after ``enough`` whose best block is worth as much as the ``best`` one here: p is
    large then (J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991).
    """
    try:
        random = RandomGraphs(null_model(null, mined.graph), mined.graph, seed, steps.check_time)
    except TimeUpError:
        return []

    def search(at: int) -> np.ndarray:
        # in an order of its own, as the graph is: of nodes that look alike the first one is taken
        order = NodeOrder.of(random.draw(at))
        found = search_blocks(
            order.graph, kinds[order.nodes], settings, steps.check_time, in_time=False
        )
        return _numbers(found)

    drawn: list[np.ndarray] = []
    while len(drawn) < number:
        numbers = range(len(drawn), min(number, len(drawn) + enough + 1))
        some = steps.each("searching random graphs", np.ndarray, search, numbers, in_time=True)
        drawn += some
        as_much = sum(rows[:, 2].max(initial=-np.inf) >= best for rows in drawn)
        if len(some) < len(numbers) or as_much >= enough:
            break
    return drawn


def _numbers(blocks: list[Candidate]) -> np.ndarray:
    rows = [(len(block.kinds), block.covered, block.worth) for block in blocks]
    return np.array(rows, np.float64).reshape(-1, 3)


def _compared(
    mined: MinedGraph, found: list[Candidate], random: list[np.ndarray]
) -> list[RepeatedBlock]:
    """The blocks in their order, with what random graphs say of them."""
    here = _numbers(found)
    means, p = compare_worth(here, random)
    called = p <= LEVEL if random else np.zeros(len(here), bool)
    order = np.lexsort((-here[:, 2], -here[:, 1], ~called)).tolist()
    ranked = [found[at] for at in order]
    blocks = [_described(mined, block) for block in ranked]
    parents = _parents(mined.graph.num_nodes, ranked)
    return [
        replace(
            block,
            mean=float(means[at]) if random else None,
            p=float(p[at]) if random else None,
            parent=parent,
        )
        for block, at, parent in zip(blocks, order, parents, strict=True)
    ]


def compare_worth(here: np.ndarray, random: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """What random graphs say of blocks, by nodes, covered edges and worth ``[B, 3]``.

    Returns the mean of the edges that the best block of at least as many nodes covers, and p: the
    share of all graphs, the given one included, whose best block is worth as much. For the best
    block that is an exact test, whichever sizes the blocks have; for the others it is adjusted for
    all of them (step-wise it would be less).

    >>> here, random = np.array([[20, 200, 90.0], [5, 30, 4]]), np.array([[5, 33, 6.0]])
    >>> means, p = compare_worth(here, [random])
    >>> means.tolist(), p.tolist()
    ([0.0, 33.0], [0.5, 1.0])
    """
    covered = np.array(
        [[rows[rows[:, 0] >= size, 1].max(initial=0) for size in here[:, 0]] for rows in random]
    ).reshape(len(random), len(here))
    best = np.array([rows[:, 2].max(initial=-np.inf) for rows in random])
    p = (1 + (best[:, None] >= here[:, 2]).sum(axis=0)) / (1 + len(random))
    means = covered.mean(axis=0) if random else np.zeros(len(here))
    return means, p


def _parents(num_nodes: int, blocks: list[Candidate]) -> list[int | None]:
    """The number, from 1, of the smallest larger block that holds most copies of each."""
    owners = []
    for block in blocks:
        owner = np.full(num_nodes, -1)
        owner[block.copies] = np.arange(len(block.copies))[:, None]
        owners.append(owner)
    found: list[int | None] = []
    for block in blocks:
        size = len(block.kinds)
        able = [
            (len(other.kinds), at)
            for at, (other, owner) in enumerate(zip(blocks, owners, strict=True))
            if len(other.kinds) > size and copies_inside(block.copies, owner).mean() > _MOST_INSIDE
        ]
        found.append(min(able)[1] + 1 if able else None)
    return found


def _described(mined: MinedGraph, block: Candidate) -> RepeatedBlock:
    """A block in the words of the graph as it was given."""
    graph = mined.graph
    links = CompiledGraph.of(graph).links_of(block.copies)
    errors = np.count_nonzero(links != block.links, axis=(1, 2)) // 2
    # edges that the block and its copies have
    edges = edges_of_links(block.links, graph.relations)
    u, v = np.triu_indices(len(block.kinds), 1)
    channels = graph.relations.links
    covered = int((channels[links[:, u, v]] & channels[block.links[u, v]]).sum())
    occurrences = mined.occurrences(block.copies)
    colors = np.zeros(len(block.kinds), np.int64)
    if mined.colors is not None:
        colors = mined.colors[block.copies[0]]
    return RepeatedBlock(
        edges=edges,
        kinds=list(mined.palette_of(colors)),
        copies=np.asarray(occurrences.ids),
        graphs=np.asarray(occurrences.graph, np.int64),
        outside=_outside(graph, block.copies),
        errors=errors,
        covered=covered,
        worth=block.worth,
        mean=None,
        p=None,
        parent=None,
    )


def edges_of_links(links: np.ndarray, relations: Relations) -> list[tuple[int, int, int]]:
    """The edges of a block, ``links [M, M]``: both nodes and the number of the relation.

    >>> from gomkcn_dgl.relations import SIMPLE
    >>> edges_of_links(np.array([[0, 1], [1, 0]]), SIMPLE)
    [(0, 1, 0)]
    """
    edges = []
    for channel in relations.outgoing.tolist():
        number, side = relations.channels[channel]
        for u, v in np.argwhere(relations.links[links][..., channel]).tolist():
            if side == "out" or u < v:
                edges.append((u, v, number))
    return sorted(edges)


def _outside(graph: CSRGraph, copies: np.ndarray) -> np.ndarray:
    """The share of copies ``[K, M]`` in which each node is joined to the rest, float64 ``[M]``."""
    owner = np.full(graph.num_nodes, -1)
    owner[copies] = np.arange(len(copies))[:, None]
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    is_out = np.zeros(graph.num_nodes, bool)
    is_out[row[owner[row] != owner[graph.indices]]] = True
    share: np.ndarray = is_out[copies].mean(axis=0)
    return share
