"""How often listed sets show each structure with categories, as these are permuted over the nodes.

A set keeps its edges, so that its structure alone stays, and the categories of its nodes say which
structure with categories it is: a code with a digit for each node. Codes that a symmetry of the
structure alone exchanges are the same one, and the least of them has the number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.census import Names
from gomkcn.mining.counting.listed_sets import ListedSets
from gomkcn.mining.counting.watching import UncountableError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, run_blocks

# ways to give the nodes of all structures of a size categories: a table of 64 MiB, and as many
# numbers for each graph that is counted
MOST_CODES = 1 << 23
_NANOSECONDS = 6.0


class KindTable(NamedTuple):
    """The structures with categories that listed sets may show.

    Columns are numbered by ``of_code``, of the code ``start[s]`` and more for structure number s
    alone.
    """

    sets: ListedSets  # without categories
    num_colors: int
    start: np.ndarray  # int64 [S]
    of_code: np.ndarray  # int32, the column of each code
    first: np.ndarray  # int64 [C], the least code of each column

    @classmethod
    def of(cls, sets: ListedSets, num_colors: int) -> KindTable:
        """The table of listed sets whose nodes have so many different categories.

        Raises an UncountableError where there are too many codes.
        """
        cls.check(sets, num_colors)
        size = sets.nodes.shape[1]
        each = num_colors**size
        digits = np.indices((num_colors,) * size).reshape(size, -1)
        powers = num_colors ** np.arange(size)[::-1]
        of_code = []
        first = []
        count = 0
        for number, structure in enumerate(sets.structures):
            # the least code among those that the symmetries exchange
            least = np.min([powers @ digits[order] for order in structure.symmetries], axis=0)
            different, column = np.unique(least, return_inverse=True)
            of_code.append(count + column.reshape(-1))
            first.append(number * each + different)
            count += len(different)
        start = each * np.arange(len(sets.structures), dtype=np.int64)
        none = np.empty(0, np.int64)
        return cls(
            sets,
            num_colors,
            start,
            np.concatenate([none, *of_code]).astype(np.int32),
            np.concatenate([none, *first]),
        )

    @staticmethod
    def check(sets: ListedSets, num_colors: int) -> None:
        """Raise an UncountableError where there are too many codes for a table."""
        size = sets.nodes.shape[1]
        if num_colors**size * len(sets.structures) > MOST_CODES:
            raise UncountableError(
                "graph",
                f"must have fewer categories for structures of {size} nodes to be counted after "
                "each permutation",
                got=num_colors,
            )

    def count_sets(self, colors: np.ndarray) -> np.ndarray:
        """Count the sets of each column, for each of some colourings ``[W, V]`` of the nodes.

        Returns int64 ``[N, 3]``: colouring, column and number, where there are any.

        >>> import networkx as nx
        >>> from gomkcn import as_csr
        >>> from gomkcn.mining.counting.listed_sets import list_sets
        >>> table = KindTable.of(list_sets(as_csr(nx.path_graph(3)), 2), 2)
        >>> table.count_sets(np.array([[0, 1, 1]])).tolist()
        [[0, 1, 1], [0, 2, 1]]
        """
        counts = np.zeros((len(colors), len(self.first)), np.int32)
        run_blocks(
            count_kinds,
            len(colors),
            _NANOSECONDS * len(colors) * len(self.sets.number),
            *(self.sets.nodes, self.sets.number, self.start, self.of_code, self.num_colors),
            np.ascontiguousarray(colors, np.int32),
            counts,
        )
        row, column = np.nonzero(counts)
        return np.stack([row, column, counts[row, column]], axis=1).astype(np.int64)

    def structures(self, columns: np.ndarray, names: Names) -> list[Structure]:
        """The structures of some columns; ``names`` are those of the categories of each colour."""
        size = self.sets.nodes.shape[1]
        found = []
        for code in self.first[columns].tolist():
            number, code = divmod(code, self.num_colors**size)
            colors = [code // self.num_colors**place % self.num_colors for place in range(size)]
            categories = tuple(names[color] for color in reversed(colors))
            found.append(self.sets.structures[number].with_categories(categories))
        return found


@compiled(**SEARCH_JIT)
def count_kinds(first, last, nodes, number, start, of_code, num_colors, colors, counts):
    """Count into `counts [W, C]` the column of each set, with some colours of the nodes."""
    for row in range(first, last):
        for place in range(len(nodes)):
            code = np.int64(0)
            for column in range(nodes.shape[1]):
                code = code * num_colors + colors[row, nodes[place, column]]
            counts[row, of_code[start[number[place]] + code]] += 1
