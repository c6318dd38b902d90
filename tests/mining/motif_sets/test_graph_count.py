"""The minimum behind a number of graphs: its equations, and that its start does not matter."""

import numba
import numpy as np
import pytest

from gomkcn.mining.motif_sets import graph_count
from gomkcn.mining.motif_sets.graph_count import count_graphs_of_blocks


@numba.njit
def solve(matrix, vector, first):
    return graph_count._solve(matrix, vector, first)


@pytest.mark.parametrize("first, last", [(1, 0), (7, 3), (23, 11), (150, 40)])
def test_equations_are_solved_as_a_dense_matrix_is(first, last):
    """The last unknowns meet a few of the first ones and not each other."""
    rng = np.random.default_rng(first)
    factor = rng.normal(size=(first, first))
    matrix = np.zeros((first + last, first + last))
    matrix[:first, :first] = factor @ factor.T + first * np.eye(first)
    across = rng.normal(size=(last, first)) * (rng.random((last, first)) < 0.3)
    matrix[first:, :first] = across
    matrix[:first, first:] = across.T
    matrix[first:, first:] = np.diag(2 * (across**2).sum(axis=1) + 1)
    wanted = rng.normal(size=first + last)
    unknowns = matrix @ wanted
    # the upper half is not read
    half = np.where(np.tri(first + last, dtype=bool), matrix, np.nan)
    largest = solve(half, unknowns, first)
    np.testing.assert_allclose(unknowns, np.linalg.solve(matrix, matrix @ wanted), atol=1e-9)
    np.testing.assert_allclose(unknowns, wanted, atol=1e-9)
    assert largest == pytest.approx(np.abs(wanted).max(), abs=1e-9)


def given(edges, blocks):
    """The degrees of nodes, their blocks, and the edges between these and inside them."""
    pairs = np.zeros((blocks.max() + 1,) * 2, np.int64)
    np.add.at(pairs, tuple(np.sort(blocks[edges], axis=1).T), 1)
    degrees = np.bincount(edges.ravel(), minlength=len(blocks))
    return degrees, blocks, pairs + np.triu(pairs, 1).T


def graph_of_blocks():
    """Edges of blocks of which one is nearly complete, so that many of its edges are certain."""
    blocks = np.repeat([0, 1, 2, 3], [9, 30, 40, 25])
    density = np.full((4, 4), 0.03)
    np.fill_diagonal(density, [0.97, 0.2, 0.1, 0.3])
    # edges between two of the blocks lead to one node alone
    density[0, 3] = density[3, 0] = 0
    rng = np.random.default_rng(0)
    chance = density[np.ix_(blocks, blocks)]
    edges = np.argwhere(np.triu(rng.random(chance.shape) < chance, 1))
    return np.concatenate([edges, [[0, node] for node in range(90, 100)]]), blocks


def test_a_count_is_the_same_from_any_start():
    edges, blocks = graph_of_blocks()
    rng = np.random.default_rng(1)
    whole = count_graphs_of_blocks(*given(edges, blocks))
    # the same, others with more and with fewer degrees and pairs of blocks, and one without edges
    near = [whole]
    for number in (1, 30, 200, len(edges) - 5, len(edges)):
        left = np.delete(edges, rng.permutation(len(edges))[:number], axis=0)
        near.append(count_graphs_of_blocks(*given(left, blocks)))
    left = np.delete(edges, rng.permutation(len(edges))[:20], axis=0)
    for wanted in (edges, left):
        alone = count_graphs_of_blocks(*given(wanted, blocks))
        for start in near:
            found = count_graphs_of_blocks(*given(wanted, blocks), start)
            assert found.bits == pytest.approx(alone.bits, abs=1e-6)
            # what the multipliers say of edges that are not certain is the same, too
            odds = [odds_of(count, wanted, blocks) for count in (alone, found)]
            probabilities = [1 / (1 + np.exp2(-each)) for each in odds]
            np.testing.assert_allclose(*probabilities, atol=1e-5)


def odds_of(count, edges, blocks):
    """log2 of the odds of each edge."""
    degrees = np.bincount(edges.ravel(), minlength=len(blocks))
    logs = count.sides[0].of(degrees, blocks)
    return logs[edges].sum(axis=1) + count.between[tuple(blocks[edges].T)]


def test_the_minimum_is_where_degrees_and_blocks_are_as_given():
    """Expected degrees, and edges between blocks, are those that are given."""
    edges, blocks = graph_of_blocks()
    degrees, _, pairs = given(edges, blocks)
    count = count_graphs_of_blocks(degrees, blocks, pairs)
    logs = count.sides[0].of(degrees, blocks)
    between = np.where(np.isnan(count.between), -np.inf, count.between)
    odds = logs[:, None] + logs + between[np.ix_(blocks, blocks)]
    joined = (degrees[:, None] > 0) & (degrees > 0) & ~np.eye(len(degrees), dtype=bool)
    expected = np.where(joined, 1 / (1 + np.exp2(-odds)), 0)
    np.testing.assert_allclose(expected.sum(axis=1), degrees, atol=1e-6)
    member = np.equal.outer(np.arange(len(pairs)), blocks).astype(float)
    sums = member @ expected @ member.T
    np.testing.assert_allclose(np.triu(sums, 1), np.triu(pairs, 1), atol=1e-6)
    np.testing.assert_allclose(np.diag(sums) / 2, np.diag(pairs), atol=1e-6)
