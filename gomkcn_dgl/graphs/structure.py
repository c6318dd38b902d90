"""A structure: a small connected graph that is looked for, planted, written down and compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log2
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.canonical_form import (
    CanonicalForm,
    canonical_form,
    canonical_forms,
    find_orbit,
)
from gomkcn_dgl.graphs.named_structures import named_edges
from gomkcn_dgl.graphs.pattern_text import PatternText, check_num_nodes
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, edge_channels, relations_of
from gomkcn_dgl.runtime.files import read_file

# of more automorphisms none but the identity is listed
_MOST_SYMMETRIES = 1_000
# structures without kinds that are kept: all directed ones of four nodes, in each order of these,
# are fewer
_MOST_ALONE = 1 << 12

Edge = tuple[int, int]


class Form(NamedTuple):
    """What a canonical form says of a structure of M nodes, in numbers.

    ``order`` is int64 ``[M]``, the node at each canonical position; ``orbits`` int64 ``[M]``, the
    number of the orbit of each node, from 0 on; and ``num_automorphisms`` how many isomorphisms to
    itself there are, rounded beyond 2^53 where many were counted at a time.
    """

    order: np.ndarray
    orbits: np.ndarray
    num_automorphisms: int


# compared by identity; isomorphic structures are those with equal keys
@dataclass(frozen=True, eq=False)
class Structure:
    """A small connected graph, whose edges may have directions and relations.

    Its numbers are those of a graph, or of its own. Input from outside is read and checked by
    :meth:`parse`, :meth:`of_edges` and :meth:`of_channels`.

    Attributes
    ----------
    links : numpy.ndarray
        uint16 ``[M, M]``: what joins each two of its M nodes as seen from the first, a number of
        ``relations.links``, 0 for nothing.
    colors : numpy.ndarray
        int64 ``[M]``, the colour of each node, a number of the ``palette``.
    relations : Relations
        Names of the relations, which of them have a direction, and their links; there may be more
        than it has edges of.
    palette : tuple of tuple of str
        Names of the categories that each colour stands for.
    name : str
        What the truth of planted copies and the reports call it.
    roles : tuple of str
        A name for each node, or empty. Nodes that can be exchanged may share one.
    known_form : Form or None
        Its canonical form, where it was found beside that of many others.

    Examples
    --------
    >>> path = Structure.parse("a--b, b--c")
    >>> path.num_nodes, path.edges, path.roles
    (3, ((0, 1), (1, 2)), ('a', 'b', 'c'))
    >>> path.symmetries.tolist(), path.orbits.tolist(), path.num_pendant
    ([[0, 1, 2], [2, 1, 0]], [0, 1, 0], 3)
    >>> path.key == Structure.of_channels(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])).key
    True
    >>> Structure.parse("a-[binds]-b, a-[activates]->c").relations.kinds
    [('binds', False), ('activates', True)]
    """

    links: np.ndarray
    colors: np.ndarray
    relations: Relations = SIMPLE
    palette: tuple[tuple[str, ...], ...] = ((),)
    name: str = ""
    roles: tuple[str, ...] = ()
    known_form: Form | None = None

    @classmethod
    def of_links(
        cls,
        links: np.ndarray,
        colors: np.ndarray,
        relations: Relations,
        palette: tuple[tuple[str, ...], ...] = ((),),
        form: Form | None = None,
    ) -> Structure:
        """The structure of connected nodes of a graph, in its numbers; nothing is checked."""
        links, colors = np.asarray(links, np.uint16), np.asarray(colors, np.int64)
        return cls(links, colors, relations, palette, known_form=form)

    @classmethod
    def of_channels(
        cls,
        channels: np.ndarray,
        relations: Relations = SIMPLE,
        categories: tuple[tuple[str, ...], ...] = (),
        name: str = "",
        roles: tuple[str, ...] = (),
    ) -> Structure:
        """The structure of a matrix for each channel.

        Parameters
        ----------
        channels : array
            ``[M, M, C]``, not 0 where its M nodes are joined in each of the C channels of
            ``relations``; ``[M, M]`` for a single channel.
        relations, name, roles
            See the class.
        categories : tuple of tuple of str
            Names of the categories of each node; empty where nodes have none.

        Raises
        ------
        InputError
            If it is not connected, has a self-loop or an edge that does not arrive at its other
            end, or if the shapes do not agree.
        """
        channels = np.asarray(channels) != 0
        channels = channels[:, :, None] if channels.ndim == 2 else channels
        _check_channels(channels, relations)
        size = len(channels)
        for field, values in (("categories", categories), ("roles", roles)):
            if len(values) not in (0, size):
                raise InputError(field, f"must be of all {size} nodes or none", got=len(values))
        # 1. links that the relations lack are added to theirs
        rows = channels.reshape(size * size, -1)
        number = {row.tobytes(): link for link, row in enumerate(relations.links)}
        num_known = len(number)
        numbers = [number.setdefault(row.tobytes(), len(number)) for row in rows]
        if len(number) > num_known:
            _, first = np.unique(numbers, return_index=True)
            missing = [rows[k] for k in first if numbers[k] >= num_known]
            relations = replace(relations, links=np.concatenate([relations.links, missing]))
        links = np.array(numbers, np.uint16).reshape(size, size)
        # 2. colours in the order of their names
        labels = [tuple(names) for names in categories] or [()] * size
        palette = sorted({*labels})
        colors = np.array([palette.index(names) for names in labels])
        return cls(links, colors, relations, tuple(palette), name, tuple(roles))

    def with_channels(
        self, channels: np.ndarray, relations: Relations | None = None, name: str = ""
    ) -> Structure:
        """The structure of the same nodes, joined otherwise; see :meth:`of_channels`."""
        relations = self.relations if relations is None else relations
        return Structure.of_channels(channels, relations, self.categories, name, self.roles)

    def with_categories(self, categories: tuple[tuple[str, ...], ...]) -> Structure:
        """The structure with other categories."""
        return Structure.of_channels(
            self.channels, self.relations, categories, self.name, self.roles
        )

    @cached_property
    def alone(self) -> Structure:
        """The structure without the relations of its edges and the categories of its nodes.

        Edges keep their directions; where some relations have one and some have none, they keep
        their relations as well.

        >>> Structure.parse("a:gene-[stops]->b:gene, b-[acts]->c:gene").alone.to_text()
        'A->B, B->C'
        """
        relations = self.relations
        channels = self.channels
        if len(relations.names) > 1 and len(set(relations.directed)) == 1:
            outgoing = channels[:, :, relations.outgoing].any(axis=2)
            incoming = channels[:, :, relations.opposite[relations.outgoing]].any(axis=2)
            relations = relations_of((PLAIN,), (relations.is_directed,))
            channels = np.stack([outgoing, incoming][: len(relations.channels)], axis=2)
        elif not self.categories:
            return self
        return _alone_of(channels.tobytes(), len(channels), relations)

    @classmethod
    def of_edges(
        cls,
        num_nodes: int,
        edges: Sequence[Edge],
        relations: Sequence[str] = (),
        directed: bool | Collection[str] = False,
        **fields: Any,
    ) -> Structure:
        """The structure of edges ``(i, j)``, which lead from node i to node j or join them.

        ``relations`` has the name of the relation of each edge, or is empty where all are of one.
        ``directed`` says whether edges have a direction, or names the relations whose edges have
        one. Other ``fields`` are those of the class.

        >>> Structure.of_edges(3, [(0, 1), (2, 1)], name="path").edges
        ((0, 1), (1, 2))
        """
        check_num_nodes(num_nodes)
        kinds = tuple(relations) or (PLAIN,) * len(edges)
        if len(kinds) != len(edges):
            raise InputError(
                "relations", f"must name one for each of the {len(edges)} edges", got=len(kinds)
            )
        arrows = {*kinds} if directed is True else {*(directed or ())}
        if not arrows <= {*kinds}:
            raise InputError(
                "directed", "must name relations of the edges", got=repr(min(arrows - {*kinds}))
            )
        outside = [edge for edge in edges if not 0 <= min(edge) <= max(edge) < num_nodes]
        if outside:
            raise InputError(
                "edges",
                f"must be (i, j) with 0 <= i, j < {num_nodes}, the number of nodes",
                got=outside[0],
            )
        # relations are numbered in the order of the edges, whichever end was written first
        rows = sorted(
            ((u, v) if kind in arrows else (min(u, v), max(u, v)), kind)
            for (u, v), kind in zip(edges, kinds, strict=True)
        )
        names = list(dict.fromkeys(kind for _, kind in rows)) or [PLAIN]
        known = relations_of(names, [name in arrows for name in names])
        known = SIMPLE if known == SIMPLE else known
        numbers = [names.index(kind) for _, kind in rows]
        channels = edge_channels(num_nodes, [ends for ends, _ in rows], numbers, known)
        made = cls.of_channels(channels, known, **fields)
        if len(made.edges) < len(edges):
            raise InputError("edges", "must have each edge once", got=tuple(edges))
        return made

    @classmethod
    def parse(cls, pattern: str, name: str = "") -> Structure:
        """The structure of a name or of edges.

        Named are the undirected structures of two to five nodes as reports call them, such as
        ``"triangle"``, ``"diamond"`` or ``"house"`` (of five nodes), the families ``clique-N``,
        ``ring-N``, ``path-N`` and ``star-N`` of N nodes, and those of ``synthetic.MOTIFS``, such as
        ``"feed-forward-loop"``; also triads as ``"030T"``, numbers of mfinder as
        ``"mfinder-204"``, and graphlets as ``"G8"``. Edges are ``a->b`` with a direction or
        ``a--b`` without, ``a-[NAME]->b`` or ``a-[NAME]-b`` with a relation, and ``a:C--b:N`` where
        nodes have categories, separated by commas; ``a -> b [relation = "NAME"]`` is the same as
        ``a-[NAME]->b``. The names of the nodes become the roles.

        >>> Structure.parse("ring-4").edges
        ((0, 1), (0, 3), (1, 2), (2, 3))
        >>> Structure.parse("x:C--y:N, y--z:C").to_text()
        'A:C--B:N, B--C:C'
        """
        named = named_edges(pattern)
        if named is None:
            return _parse_edges(pattern, name)
        return cls.of_edges(
            named.num_nodes,
            named.edges,
            named.relations,
            named.directed,
            name=name or pattern,
            roles=named.roles,
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str], name: str | None = None) -> Structure:
        r"""Read a structure from a text file of edges as :meth:`parse` takes them, a line each.

        Two names alone, ``a b``, are an edge without direction, and ``#`` starts a comment. The
        names of the nodes become the roles: nodes are in numerical order if all are integers, else
        in order of appearance. Without ``name`` it has that of the file.

        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "chain.txt"
        >>> _ = file.write_text("x -[activates]-> y\ny -[represses]-> z  # a comment\n")
        >>> Structure.read(file).to_text()
        'A-[activates]->B, B-[represses]->C'
        """
        path = Path(path)
        try:
            lines = read_file(path).decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The motif file {path} cannot be read: {error}.") from None
        edges = [line.partition("#")[0].split() for line in lines]
        text = "\n".join(("--" if len(row) == 2 else " ").join(row) for row in edges if row)
        if not text:
            raise InputError(f"The motif file {path} must hold at least one edge, got none.")
        try:
            return _parse_edges(text, path.stem if name is None else name, ordered=True)
        except InputError as error:
            # a file has no place for a caret, and the sentence quotes what is wrong
            raise InputError.of(error.message.at(str(path))) from None

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "") -> Structure:
        """Turn a NetworkX graph into a structure; its node labels become the roles.

        Node i is the i-th of ``graph.nodes``. A ``DiGraph`` gives edges with a direction. The edge
        attribute ``relation`` is used where all edges have it, and no other. A graph that is in
        pieces or has a self-loop or the same edge several times is refused.

        >>> import networkx as nx
        >>> Structure.from_networkx(nx.DiGraph([("a", "b"), ("c", "b")])).edges
        ((0, 1), (2, 1))
        """
        import networkx as nx

        if not isinstance(graph, nx.Graph):
            raise InputTypeError("graph", "must be a networkx.Graph", got=type(graph).__name__)
        index = {node: i for i, node in enumerate(graph.nodes)}
        rows = list(graph.edges(data="relation"))
        kinds = [str(relation) for *_, relation in rows if relation is not None]
        return cls.of_edges(
            len(index),
            [(index[u], index[v]) for u, v, _ in rows],
            kinds if len(kinds) == len(rows) else (),
            graph.is_directed(),
            name=name,
            roles=tuple(map(str, graph.nodes)),
        )

    def __repr__(self) -> str:
        """Its edges in text, and its name."""
        name = f", name={self.name!r}" if self.name else ""
        return f"{type(self).__name__}.parse({self.to_text()!r}{name})"

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.colors)

    @cached_property
    def channels(self) -> np.ndarray:
        """Which nodes are joined in each channel of the relations, bool ``[M, M, C]``."""
        channels: np.ndarray = self.relations.links[self.links]
        return channels

    @cached_property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """Names of the categories of each node; empty where no colour has any."""
        named = tuple(self.palette[color] for color in self.colors)
        return named if any(self.palette) else ()

    @property
    def node_names(self) -> tuple[str, ...]:
        """The roles where they tell the nodes apart, else letters: A, B, C."""
        distinct = len(set(self.roles)) == self.num_nodes
        return self.roles if distinct else tuple(map(node_letter, range(self.num_nodes)))

    @cached_property
    def joined(self) -> np.ndarray:
        """Which nodes are joined, in either direction, bool ``[M, M]``."""
        return self.links > 0

    @cached_property
    def pairs(self) -> np.ndarray:
        """Each two nodes ``u < v`` that are joined, int64 ``[P, 2]``."""
        return np.argwhere(np.triu(self.links))

    @property
    def pair_links(self) -> np.ndarray:
        """The link from u to v of each of the ``pairs``, uint16 ``[P]``."""
        links: np.ndarray = self.links[self.pairs[:, 0], self.pairs[:, 1]]
        return links

    @cached_property
    def _edges(self) -> list[tuple[int, int, int]]:
        return edges_of(self.channels, self.relations)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """``(i, j)`` from node i to node j, or with ``i < j`` where it has no direction, sorted."""
        return tuple((u, v) for u, v, _ in self._edges)

    @property
    def edge_relations(self) -> tuple[int, ...]:
        """Relation of each edge, a number of ``relations.names``."""
        return tuple(relation for *_, relation in self._edges)

    @cached_property
    def key(self) -> bytes:
        """Equal for isomorphic structures and for no others, whatever graph they are from.

        Relations and categories are compared by name, and relations without edges do not count.
        """
        order = self._canonical_order
        columns = self._columns
        kinds = [self.relations.kinds[self.relations.channels[column][0]] for column in columns]
        categories = [sorted(self.categories[node]) for node in order if self.categories]
        names = repr((len(order), kinds, categories)).encode()
        return names + np.packbits(self.channels[order][:, order][:, :, columns]).tobytes()

    @cached_property
    def code(self) -> bytes:
        """Equal for isomorphic structures in the numbers of one graph, and for no others."""
        order = self.form.order
        return self.colors[order].tobytes() + self.links[order][:, order].tobytes()

    @cached_property
    def _columns(self) -> list[int]:
        """The channels of the relations that it has edges of, by name."""
        used, kinds = set(np.nonzero(self.channels)[2].tolist()), self.relations.kinds
        rows = enumerate(self.relations.channels)
        columns = [(kinds[number], column) for column, (number, _) in rows if column in used]
        return [column for _, column in sorted(columns)]

    @cached_property
    def form(self) -> Form:
        """Its canonical form, which follows from the names alone, whatever the numbers."""
        if self.known_form is not None:
            return self.known_form
        order, num_automorphisms, _ = self._generated
        # an orbit is called by its first node, so that its number is its place among these
        _, orbits = np.unique(self._generated.orbits, return_inverse=True)
        return Form(np.array(order), orbits, num_automorphisms)

    @property
    def _canonical_order(self) -> np.ndarray:
        """The node at each canonical position, int64 ``[M]``."""
        if self.known_form is not None:
            return self.known_form.order
        return np.array(self._generated.order)

    @cached_property
    def _generated(self) -> CanonicalForm:
        """The canonical form with automorphisms that make up all."""
        links, colors = self._ranks
        return canonical_form(links.tolist(), colors.tolist())

    @cached_property
    def _ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """Links ``[M, M]`` and colours ``[M]`` as numbers in the order of their names."""
        return self.relations.ranks[self.links], color_ranks(self.palette)[self.colors]

    @property
    def reading_order(self) -> np.ndarray:
        """The nodes in an order that isomorphic structures share, int64 ``[M]``; for pages.

        It is the canonical order from its end, so that edges rather lead from A to B.

        >>> loop = Structure.parse("b->a, c->a, c->b")
        >>> loop.with_nodes(loop.reading_order).to_text()
        'A->B, A->C, B->C'
        """
        return self._canonical_order[::-1].copy()

    def with_nodes(self, order: np.ndarray) -> Structure:
        """The same structure with its nodes in another order; of some of them, what they induce."""
        roles = tuple(self.roles[node] for node in order) if self.roles else ()
        links = self.links[np.ix_(order, order)]
        found = Structure(links, self.colors[order], self.relations, self.palette, self.name, roles)
        if "key" in vars(self) and len(order) == self.num_nodes:
            vars(found)["key"] = self.key
        return found

    def isomorphism(self, other: Structure) -> np.ndarray:
        """The node of ``other`` that each node is mapped to, int64 ``[M]``; both are isomorphic."""
        mapped = np.empty(self.num_nodes, np.int64)
        mapped[self._canonical_order] = other._canonical_order
        return mapped

    @cached_property
    def order(self) -> list[int]:
        """The order of a search: first a node of most edges, then most edges to those before it."""
        # many edges to mapped nodes leave few candidates, so dead ends are met early
        degrees = self.joined.sum(axis=1)
        order = [int(degrees.argmax())]
        while len(order) < self.num_nodes:
            rest = [node for node in range(self.num_nodes) if node not in order]
            order.append(
                max(rest, key=lambda node: (self.joined[node, order].sum(), degrees[node]))
            )
        return order

    @cached_property
    def stabilizers(self) -> list[dict[int, np.ndarray]]:
        """For each node of ``order``, its orbit under the automorphisms that fix those before it.

        An automorphism ``[M]`` that carries the node there stands beside each member.
        """
        links, ranks = self._ranks
        rows, color = links.tolist(), ranks.tolist()
        generators, found = self._generated.generators, []
        for number, node in enumerate(self.order):
            if number and generators:
                generators = canonical_form(rows, color).generators
            orbit = find_orbit(generators, node, self.num_nodes)
            found.append({member: np.array(images) for member, images in orbit.items()})
            # fixed from now on
            color[node] = max(len(self.palette), self.num_nodes) + number
        return found

    @cached_property
    def is_mapped_below(self) -> np.ndarray:
        """Conditions that leave one of the mappings that differ by automorphisms, bool ``[M, M]``.

        Node i is mapped to a smaller number than node j. Each node of ``order`` is mapped to the
        smallest of those that its orbit is mapped to under the automorphisms that fix the nodes
        before it (J. A. Grochow and M. Kellis, Network motif discovery using subgraph enumeration
        and symmetry-breaking, RECOMB 2007, section 3).

        >>> Structure.parse("a--b, b--c").is_mapped_below.nonzero()
        (array([0]), array([2]))
        """
        return self.mapped_below(self.order)

    def mapped_below(self, order: Sequence[int]) -> np.ndarray:
        """The conditions of :attr:`is_mapped_below` for some nodes in an order, bool ``[M, M]``.

        Those on nodes that are not in the order are left out.
        """
        # two nodes are carried to each other where they are in one orbit with those before fixed
        chosen = np.array(order)
        size, levels = len(chosen), np.arange(len(chosen))
        singled = np.tile(self.colors, (size, 1))
        for level in range(size):
            singled[level, chosen[:level]] = self.colors.max() + 1 + levels[:level]
        _, _, orbits = canonical_forms(np.tile(self.links, (size, 1, 1)), singled)
        is_below = np.zeros((self.num_nodes, self.num_nodes), bool)
        is_below[chosen] = orbits == orbits[levels, chosen][:, None]
        is_below[chosen, chosen] = False
        return is_below

    def choose_mappings(self, nodes: np.ndarray) -> np.ndarray:
        """Of the mappings that differ by automorphisms from each of ``[K, M]``, the chosen one.

        It is the one for which :attr:`is_mapped_below` holds.
        """
        chosen = nodes.copy()
        for node, orbit in zip(self.order, self.stabilizers, strict=True):
            members = np.array(list(orbit))
            smallest = members[chosen[:, members].argmin(axis=1)]
            for member in orbit.keys() - {node}:
                rows = np.flatnonzero(smallest == member)
                chosen[rows] = chosen[rows][:, orbit[member]]
        return chosen

    @property
    def num_automorphisms(self) -> int:
        """How many isomorphisms to itself there are."""
        return self.form.num_automorphisms

    @property
    def automorphism_bits(self) -> float:
        """log2 of the number of automorphisms."""
        return log2(self.num_automorphisms)

    @cached_property
    def symmetries(self) -> np.ndarray:
        """The isomorphisms to itself, int64 ``[P, M]``, sorted; of over 1000 the identity only."""
        found = np.arange(self.num_nodes)[None]
        if self.num_automorphisms <= _MOST_SYMMETRIES:
            for orbit in reversed(self.stabilizers):
                found = np.concatenate([carry[found] for carry in orbit.values()])
        return found[np.lexsort(found.T[::-1])]

    @property
    def orbits(self) -> np.ndarray:
        """The number of the orbit of each node, from 0 on, int64 ``[M]``."""
        return self.form.orbits

    @property
    def num_orbits(self) -> int:
        """Number of orbits."""
        return int(self.orbits.max()) + 1

    def is_part_of(self, other: Structure) -> bool:
        """Whether another structure has its nodes and edges, and perhaps more between these nodes.

        >>> path, ring = Structure.parse("path-3"), Structure.parse("ring-4")
        >>> path.is_part_of(ring), ring.is_part_of(path)
        (True, False)
        """
        if self.relations.kinds != other.relations.kinds or self.num_nodes > other.num_nodes:
            return False
        ours, theirs = self.channels, other.channels
        # 1. nodes in an order in which each is joined to one before it
        order = [0]
        for node in order:
            order += [v for v in np.flatnonzero(self.joined[node]).tolist() if v not in order]
        # 2. where each node may be, and where beside each place of one before it
        named = [self.categories or ((),) * self.num_nodes]
        named.append(other.categories or ((),) * other.num_nodes)
        places = [{v for v in range(other.num_nodes) if named[1][v] == names} for names in named[0]]
        known: dict[bytes, list[set[int]]] = {}

        def near(node: int, before: int) -> list[set[int]]:
            wanted = ours[before, node]
            key = wanted.tobytes()
            if key not in known:
                has_all = ~(wanted & ~theirs).any(axis=2)
                known[key] = [{*np.flatnonzero(row).tolist()} for row in has_all]
            return known[key]

        beside = [
            [(at, near(node, before)) for at, before in enumerate(order[:rank])
             if self.joined[before, node]]
            for rank, node in enumerate(order)
        ]  # fmt: skip

        def can_go_on(mapped: list[int]) -> bool:
            """Whether the first nodes in the order, which are mapped, can be followed by others."""
            rank = len(mapped)
            if rank == len(order):
                return True
            left = places[order[rank]].difference(mapped)
            for at, of_place in beside[rank]:
                left &= of_place[mapped[at]]
            return any(can_go_on([*mapped, new]) for new in left)

        return can_go_on([])

    @cached_property
    def num_pendant(self) -> int:
        """Number of nodes outside the 2-core, which is what is left without nodes of one edge."""
        return int(count_pendant(self.links))

    def to_text(self) -> str:
        """Write the edges as :meth:`parse` and ``gomkcn count`` take them.

        ``"A--B, B--C"``, ``"A->B"`` with a direction, ``"A-[binds]-B"`` with a relation; nodes with
        categories have them where they come first: ``"A:C--B:N, B--C:C"``. Letters are those of
        the page.
        """
        texts, named = [], set[int]()

        def name(node: int) -> str:
            known = node in named or not self.categories
            named.add(node)
            letter = node_letter(node)
            return letter if known else ":".join([letter, *self.categories[node]])

        for u, v, relation in self._edges:
            texts.append(edge_to_text(self.relations, relation, name(u), name(v)))
        return ", ".join(texts)

    def to_dict(self) -> dict[str, Any]:
        """The structure as a JSON record, without name and roles."""
        return {
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "relations": [
                {"name": name, "directed": directed} for name, directed in self.relations.kinds
            ],
            "edge_relations": list(self.edge_relations),
            "categories": [list(names) for names in self.categories],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Structure:
        """Read a record; the inverse of :meth:`to_dict`. A wrong one raises a ValueError.

        >>> path = Structure.parse("a->b, b->c")
        >>> Structure.from_dict(path.to_dict()).key == path.key
        True
        """
        relations = relations_of(
            [relation["name"] for relation in record["relations"]],
            [relation["directed"] for relation in record["relations"]],
        )
        nodes, edges = range(record["num_nodes"]), [tuple(edge) for edge in record["edges"]]
        numbers = record["edge_relations"]
        if not all(u in nodes and v in nodes for u, v in edges):
            raise ValueError(f"an edge leaves its {len(nodes)} nodes")
        if any(u == v for u, v in edges):
            raise ValueError("an edge joins a node to itself")
        if not set(numbers) <= set(range(len(relations.names))):
            raise ValueError("an edge is of an unknown relation")
        channels = edge_channels(len(nodes), edges, numbers, relations)
        categories = tuple(map(tuple, record["categories"]))
        structure = cls.of_channels(channels, relations, categories)
        if len(structure.edges) < len(edges):
            raise ValueError("an edge is there twice")
        return structure

    def to_networkx(self) -> Any:
        """The structure as a NetworkX graph on ``0 .. M-1``, with a ``role`` at each node.

        It is a ``DiGraph`` where edges have a direction, and then those without go both ways; a
        multigraph where there are several relations. Edges have a ``relation`` where it has a name.
        """
        relations = self.relations
        graph = empty_networkx(relations)
        graph.graph["name"] = self.name
        graph.add_nodes_from(range(self.num_nodes))
        for node, role in enumerate(self.roles):
            graph.nodes[node]["role"] = role
        for u, v, relation in self._edges:
            name = {} if relations.names == (PLAIN,) else {"relation": relations.names[relation]}
            graph.add_edge(u, v, **name)
            if relations.is_directed and not relations.directed[relation]:
                graph.add_edge(v, u, **name)
        return graph


def node_letter(node: int) -> str:
    """What a node of a structure is called on pages, in tables and in texts, by its number.

    From the 27th node on it is a number, counted from 1.

    >>> node_letter(0), node_letter(25), node_letter(26)
    ('A', 'Z', '27')
    """
    return ascii_uppercase[node] if node < len(ascii_uppercase) else str(node + 1)


def count_pendant(links: np.ndarray) -> np.ndarray:
    """Nodes outside the 2-core of graphs ``[..., M, M]``, int64 ``[...]``."""
    joined = links > 0
    for _ in range(links.shape[-1]):
        kept = joined.sum(axis=-1) > 1
        joined &= kept[..., :, None] & kept[..., None, :]
    pendant: np.ndarray = (~joined.any(axis=-1)).sum(axis=-1)
    return pendant


@lru_cache(maxsize=_MOST_ALONE)
def _alone_of(channels: bytes, size: int, relations: Relations) -> Structure:
    """The structure of channels ``[M, M, C]``, which many with kinds share."""
    return Structure.of_channels(np.frombuffer(channels, bool).reshape(size, size, -1), relations)


def color_ranks(palette: Sequence[Sequence[str]]) -> np.ndarray:
    """The place of each colour in the order of its categories' names, int64."""
    rows = [tuple(sorted(names)) for names in palette]
    ranks = {names: rank for rank, names in enumerate(sorted(set(rows)))}
    return np.array([ranks[names] for names in rows], np.int64)


def _check_channels(channels: np.ndarray, relations: Relations) -> None:
    """Refuse channels ``[M, M, C]`` that are not those of a connected structure."""
    size, width = len(channels), len(relations.channels)
    if channels.shape != (size, size, width) or not size:
        raise InputError(
            "channels",
            (
                f"must be [M, M, {width}] for at least one node, a matrix for each channel of the "
                "relations"
            ),
            got=f"the shape {channels.shape}",
        )
    joined = channels.any(axis=2)
    loops = np.flatnonzero(joined.diagonal())
    if len(loops):
        raise InputError(
            f"a structure must have no self-loop (a diagonal of zeros), got one on node {loops[0]}."
        )
    if (channels != channels[..., relations.opposite].swapaxes(0, 1)).any():
        raise InputError(
            "channels", "must be symmetric, where an edge that leaves one node arrives at the other"
        )
    reached = joined | np.eye(size, dtype=bool)
    for _ in range(size.bit_length()):
        reached = reached @ reached
    if not reached.all():
        pieces = len(np.unique(reached, axis=0))
        raise InputError(f"a structure must be connected, got {pieces} pieces.")


def edges_of(channels: np.ndarray, relations: Relations) -> list[tuple[int, int, int]]:
    """Edges ``(i, j, relation)`` of ``[M, M, C]``, the inverse of ``edge_channels``, ascending.

    A single channel may be ``[M, M]``.
    """
    leaving = channels.reshape(*channels.shape[:2], -1)[:, :, relations.outgoing]
    return [
        (u, v, relation)
        for u, v, relation in np.argwhere(leaving).tolist()
        if u < v or relations.directed[relation]
    ]


def category_value(name: str) -> str:
    """The value of a category ``attribute=value``; the whole name without the sign.

    >>> category_value("label=C"), category_value("group=C=O"), category_value("kinase")
    ('C', 'C=O', 'kinase')
    """
    return name.partition("=")[2] or name


def edge_to_text(relations: Relations, relation: int, first: str, second: str) -> str:
    """Write an edge between two named nodes, as :meth:`Structure.parse` takes it."""
    kind = "-" if relations.names == (PLAIN,) else f"-[{relations.names[relation]}]-"
    end = ">" if relations.directed[relation] else "-" * (kind == "-")
    return f"{first}{kind}{end}{second}"


def empty_networkx(relations: Relations) -> Any:
    """A NetworkX graph of the class that holds edges of these relations."""
    import networkx as nx

    if len(relations.names) > 1:
        return nx.MultiDiGraph() if relations.is_directed else nx.MultiGraph()
    return nx.DiGraph() if relations.is_directed else nx.Graph()


def structure_of_text(text: PatternText, name: str = "", *, ordered: bool = False) -> Structure:
    """The structure of the edges of a text, whatever its conditions.

    Its nodes are in the order of the text or, if ``ordered``, in that of names that are integers.
    """
    if text.within:
        raise InputError(
            "pattern",
            "must have no window, which is for events in time",
            got=f"within {text.within}",
            way_out="gomkcn temporal takes it, as gomkcn.temporal_occurrences in Python",
        )
    direction: dict[str, bool] = {}
    known = set[tuple[str, ...]]()
    for edge in text.edges:
        ends = edge[:2] if edge.has_direction else tuple(sorted(edge[:2]))
        if (*ends, edge.relation) in known:
            text.refuse(
                "must have edges between two different nodes that no earlier one joins",
                edge.at,
                got=repr(edge.given),
            )
        known.add((*ends, edge.relation))
        if direction.setdefault(edge.relation, edge.has_direction) != edge.has_direction:
            text.refuse(
                "must give all edges of one relation a direction, or none",
                edge.at,
                got=repr(edge.given),
                way_out="call one of the relations otherwise",
            )
    nodes = [*text.nodes]
    # int() refuses numbers of thousands of digits
    if ordered and all(node.isdecimal() and len(node) < 20 for node in nodes):
        nodes.sort(key=int)
    has_categories = any(text.nodes.values())
    return Structure.of_edges(
        len(nodes),
        [(nodes.index(edge.first), nodes.index(edge.second)) for edge in text.edges],
        [edge.relation for edge in text.edges],
        {relation for relation, has_direction in direction.items() if has_direction},
        categories=tuple(text.nodes[node] for node in nodes) if has_categories else (),
        roles=tuple(nodes),
        name=name,
    )


def _parse_edges(text: str, name: str, *, ordered: bool = False) -> Structure:
    """The structure of edges such as ``a->b, b-[binds]-c, c:N--d:O``."""
    pattern = PatternText.read(text)
    for loop in pattern.loops:
        pattern.refuse(
            "must have edges between two different nodes",
            loop.at,
            got=repr(loop.given),
            way_out="gomkcn count takes self-loops, as gomkcn.count in Python",
        )
    conditions = [
        edge.at for edge in [*pattern.absent, *pattern.edges] if edge.is_absent or edge.tests
    ]
    compared = [*pattern.conditions, *pattern.edge_conditions]
    for at in [*conditions, *(condition.left.at for condition in compared)]:
        pattern.refuse(
            "must be of edges alone",
            at,
            way_out="gomkcn count takes conditions, as gomkcn.count in Python",
        )
    return structure_of_text(pattern, name, ordered=ordered)
