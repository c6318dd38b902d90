"""Canonical hashes by all orders: equal for isomorphic graphs, and for no others."""

from collections import Counter
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.graphs.canonical_form import canonical_form
from gomkcn_dgl.kernels import canonical_torch
from gomkcn_dgl.kernels.canonical_torch import canonical_codes, canonical_hashes, mix64
from gomkcn_dgl.kernels.search_numba import mix64 as plain_mix64

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def least_reading(links, colors):
    """The definition, for the eye."""
    nodes = range(len(colors))
    pairs = list(combinations(nodes, 2))
    return min(
        [colors[v] for v in order] + [links[order[i]][order[j]] for i, j in pairs]
        for order in permutations(nodes)
    )


def canonical_text(links, colors):
    """What reads the same in the canonical form: the definition in ``graphs/``."""
    real = np.flatnonzero(colors >= 0)
    links, colors = links[np.ix_(real, real)], colors[real]
    order = canonical_form(links.tolist(), colors.tolist()).order
    return len(real), links[np.ix_(order, order)].tobytes(), colors[order].tobytes()


def padded(graphs, size):
    """Links [S, N, N] and colours [S, N] of graphs of networkx."""
    links, colors = np.zeros((len(graphs), size, size), int), np.full((len(graphs), size), -1)
    for row, graph in enumerate(graphs):
        links[row, : len(graph), : len(graph)] = nx.to_numpy_array(graph)
        colors[row, : len(graph)] = 0
    return links, colors


def relabelled(links, colors, rng):
    order = rng.permutation(colors.shape[1])
    return links[:, order][:, :, order], colors[:, order]


def hashes(links, colors, num_links=2, num_colors=1):
    tensors = (torch.from_numpy(array).to(DEVICE) for array in (links, colors))
    return canonical_hashes(*tensors, num_links, num_colors).tolist()


def random_links(rng, count, size, reverse, share):
    """Graphs whose pairs are joined by links with another number from the other node."""
    reverse = np.array(reverse)
    links = rng.integers(1, len(reverse), (count, size, size))
    links[rng.random(links.shape) > share] = 0
    links = np.triu(links, 1)
    return links + reverse[links].swapaxes(1, 2)


def test_all_connected_graphs_of_up_to_seven_nodes_have_a_hash_of_their_own():
    graphs = [one for one in nx.graph_atlas_g() if len(one) and nx.is_connected(one)]
    assert len(graphs) == 996
    links, colors = padded(graphs, 7)
    expected = hashes(links, colors)
    assert len(set(expected)) == len(graphs)
    rng = np.random.default_rng(0)
    for _ in range(3):
        assert hashes(*relabelled(links, colors, rng), 2) == expected


def test_graphs_of_eight_nodes_that_embeddings_cannot_tell_apart_differ():
    regular = [
        nx.cubical_graph(),
        nx.circulant_graph(8, [1, 4]),
        nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4)),
        nx.cycle_graph(8),
        nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4)),
        nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(5)),
        nx.complete_graph(8),
        nx.empty_graph(8),
    ]
    links, colors = padded(regular, 8)
    expected = hashes(links, colors)
    assert len(set(expected)) == len(regular)
    assert hashes(*relabelled(links, colors, np.random.default_rng(1))) == expected


@pytest.mark.parametrize(
    ("size", "reverse", "num_colors", "num_numbers"),
    [
        # without directions, with, of several relations, and of so many links that a reading is
        # several numbers
        (5, [0, 1], 3, 1),
        (5, [0, 2, 1, 3], 1, 1),
        (6, [0, 2, 1, 3, 4], 2, 1),
        (6, [*range(200, 0, -1), 0][::-1], 5, 3),
        (7, [0, 2, 1, 3], 2, 2),
        (8, [0, 2, 1, 3], 1, 2),
        (1, [0, 1], 2, 1),
    ],
)
def test_hashes_are_equal_where_canonical_forms_are(size, reverse, num_colors, num_numbers):
    rng = np.random.default_rng(size)
    count = 12 if size == 8 else 60
    links = np.concatenate(
        [random_links(rng, count, size, reverse, share) for share in (0.2, 0.5, 1.0)]
    )
    colors = rng.integers(0, num_colors, links.shape[:2])
    # some have fewer nodes
    colors[::3, size - 1 :] = -1 if size > 1 else 0
    links[colors < 0] = 0
    links.swapaxes(1, 2)[colors < 0] = 0
    # each once more with its nodes in another order, and with one change
    again = relabelled(links, colors, rng)
    changed = links.copy()
    changed[:, 0, -1] = (links[:, 0, -1] + 1) % len(reverse)
    changed[:, -1, 0] = np.array(reverse)[changed[:, 0, -1]]
    links, colors = np.concatenate([links, again[0]]), np.concatenate([colors, again[1]])
    found = hashes(links, colors, len(reverse), num_colors)
    texts = [canonical_text(*one) for one in zip(links, colors, strict=True)]
    assert len(set(zip(found, texts, strict=True))) == len(set(found)) == len(set(texts))
    assert found[: len(found) // 2] == found[len(found) // 2 :]
    tensors = torch.from_numpy(links), torch.from_numpy(colors)
    codes = canonical_codes(*tensors, len(reverse), num_colors)
    assert codes.shape == (len(links), num_numbers)


def test_a_code_is_the_least_reading():
    rng = np.random.default_rng(3)
    links, colors = random_links(rng, 20, 4, [0, 2, 1], 0.6), rng.integers(-1, 2, (20, 4))
    codes = canonical_codes(torch.from_numpy(links), torch.from_numpy(colors), 3, 2)
    for row, (code,) in enumerate(codes.tolist()):
        number = 0
        for digit in least_reading(links[row], (colors[row] + 1).tolist()):
            number = 3 * number + int(digit)
        assert code == number


def test_several_numbers_are_hashed_in_their_order(monkeypatch):
    codes = torch.cartesian_prod(*[torch.arange(9)] * 3)
    monkeypatch.setattr(canonical_torch, "canonical_codes", lambda *_: codes)
    found = canonical_hashes(torch.empty(0), torch.empty(0), 300)
    assert len(found.unique()) == len(codes) == 729


def test_many_graphs_are_compared_in_parts():
    links, colors = padded([nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(4)] * 3, 4)
    tensors = torch.from_numpy(links), torch.from_numpy(colors)
    codes = canonical_codes(*tensors, 2)
    assert torch.equal(canonical_codes(*tensors, 2, most_readings=30), codes)
    whole = hashes(links, colors)
    assert sorted(Counter(whole).values()) == [3, 3, 3]
    assert hashes(links[:0], colors[:0]) == []


def test_larger_graphs_are_refused():
    with pytest.raises(BackendError, match="from 1 to 8 nodes, got 9; use canonical_forms"):
        canonical_hashes(torch.zeros(1, 9, 9), torch.zeros(1, 9), 2)


def test_numbers_of_a_device_are_those_of_the_cpu():
    values = np.random.default_rng(0).integers(0, 2**64, 1000, dtype=np.uint64)
    found = mix64(torch.from_numpy(values.view(np.int64)).to(DEVICE)).cpu().numpy()
    np.testing.assert_array_equal(found.view(np.uint64), plain_mix64(values))
