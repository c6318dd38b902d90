"""Growth of the copies of a block by plain Python, for the eye: what the fast loops must equal."""

from collections import defaultdict

import numpy as np


def links_in(graph):
    """What joins each two nodes that are joined, by both."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links = np.ones(len(row), int) if graph.links is None else graph.links
    pairs = zip(row.tolist(), graph.indices.tolist(), strict=True)
    return dict(zip(pairs, links.tolist(), strict=True))


def rim(copy, graph, kinds, most_degree):
    """The nodes around a copy by their key: their kind, and what joins each role to them."""
    links = links_in(graph)
    around = defaultdict(list)
    for node in range(graph.num_nodes):
        joined = tuple(links.get((member, node), 0) for member in copy)
        near = [
            link
            for member, link in zip(copy, joined, strict=True)
            if graph.degrees[member] <= most_degree
        ]
        if node not in copy and any(near):
            around[int(kinds[node]), joined].append(node)
    return around


def keys_of(copies, graph, kinds, most_degree, least):
    """The keys that enough copies have, and how many."""
    counts = defaultdict(int)
    for copy in copies.tolist():
        for key in rim(copy, graph, kinds, most_degree):
            counts[key] += 1
    return {key: number for key, number in counts.items() if number >= least}


def bits_of(key, count, links, kinds, graph, node_kinds):
    """Bits of a new role, by counting all neighbours of all nodes."""
    kind, joined = key
    between = links_in(graph)
    num_kind = int((node_kinds == kind).sum())
    comes, beside = {}, {}
    for role, link in enumerate(joined):
        if not link:
            continue
        numbers = np.array(
            [
                sum(
                    between.get((node, other), 0) == link and node_kinds[other] == kind
                    for other in range(graph.num_nodes)
                )
                for node in np.flatnonzero(node_kinds == kinds[role])
            ]
        )
        has = sum(
            links[role][other] == link and kinds[other] == kind for other in range(len(kinds))
        )
        able, more = (numbers >= has).sum(), (numbers >= has + 1).sum()
        own = min(count, more)
        comes[role] = np.log2((able - own + 1) / (more - own + 0.5))
        beside[role] = np.log2(num_kind * len(numbers) / numbers.sum())
    return min(
        comes[role] + sum(bits for other, bits in beside.items() if other != role) for role in comes
    )


def all_copies(links, kinds, graph, node_kinds, most_errors=0):
    """All node sets of copies, by trying each node at each role."""
    between = links_in(graph)
    found = set()

    def go_on(copy, wrong):
        role = len(copy)
        if role == len(kinds):
            found.add(frozenset(copy))
            return
        for node in range(graph.num_nodes):
            if node in copy or node_kinds[node] != kinds[role]:
                continue
            differ = sum(
                between.get((member, node), 0) != links[at][role] for at, member in enumerate(copy)
            )
            if wrong + differ <= most_errors:
                go_on([*copy, node], wrong + differ)

    go_on([], 0)
    return found
