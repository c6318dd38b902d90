"""The walk of ``mining/significance/degree_walk.py`` step by step, in dictionaries."""

from gomkcn.mining.significance.degree_walk import TURNS


def walk_by_steps(edges, kinds, one_way, groups, numbers):
    """Edges after an attempt for each row of random numbers, and how many were not refused.

    ``edges`` are lists of two nodes, ``kinds`` and ``groups`` those of the readings of each.
    """
    edges = [list(ends) for ends in edges]
    members = {group: [r for r, of in enumerate(groups) if of == group] for group in set(groups)}
    edge_of = {frozenset(ends): edge for edge, ends in enumerate(edges)}

    def kind(u, v):
        """What joins two nodes, as read from the first; 0 for nothing."""
        edge = edge_of.get(frozenset((u, v)))
        return 0 if edge is None else kinds[2 * edge + (edges[edge][0] != u)]

    def move(changes):
        """Let edges join other nodes: all are taken out before any is put in."""
        for edge, _ in changes:
            del edge_of[frozenset(edges[edge])]
        for edge, ends in changes:
            edges[edge] = ends
            edge_of[frozenset(ends)] = edge

    def ends_of(edge, side, u, v):
        return [v, u] if side else [u, v]

    def kept(edge, before, now):
        """A change of an edge that joins ``now`` in the place of ``before``, if there is one."""
        if edge is None:
            return []
        return [(edge, [now if node == before else node for node in edges[edge]])]

    def attempt(first, second, number):
        (e, side), (f, other) = divmod(first, 2), divmod(second, 2)
        u, v = edges[e][side], edges[e][1 - side]
        x, y = edges[f][other], edges[f][1 - other]
        if number < TURNS and one_way[kinds[first]]:
            source, target = (y, u) if v == x else (v, x)
            third = edge_of.get(frozenset((source, target)))
            if third is None or groups[2 * third + (edges[third][0] != source)] != groups[first]:
                return False
            if v == x:
                move([(edge, edges[edge][::-1]) for edge in (e, f, third)])
                return True
            there, back = kind(x, u), kind(v, y)
            if there != back or one_way[there]:
                return False
            move(
                [
                    (e, ends_of(e, side, u, x)),
                    (f, ends_of(f, other, v, y)),
                    (third, edges[third][::-1]),
                    *kept(edge_of.get(frozenset((x, u))), x, v),
                    *kept(edge_of.get(frozenset((v, y))), v, x),
                ]
            )
            return True
        if len({u, v} | {x, y}) < 4 or kind(u, y) != kind(x, v) or kind(u, y) == kinds[first]:
            return False
        move(
            [
                (e, ends_of(e, side, u, y)),
                (f, ends_of(f, other, x, v)),
                *kept(edge_of.get(frozenset((u, y))), y, v),
                *kept(edge_of.get(frozenset((x, v))), v, y),
            ]
        )
        return True

    count = 0
    for one, two, number in numbers:
        first = int(one * len(groups))
        group = members[groups[first]]
        count += attempt(first, group[int(two * len(group))], number)
    return edges, count
