"""Occurrences of a pattern of events by their definition: every assignment is tried."""

import operator
from fractions import Fraction

SIGNS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def find_occurrences(rows, edges, window, *, in_order=True, times=(), compared=(), tests=()):
    """The assignments of rows to edges that are an occurrence, as tuples of numbers of rows from 1.

    ``rows`` are (source, target, time, value), ``edges`` pairs of letters, ``times`` (edge, sign,
    edge), ``compared`` (edge, sign, factor, edge) of values and ``tests`` (edge, sign, number) of
    values; edges are numbered from 0. A value may be missing.
    """
    order = sorted(range(len(rows)), key=lambda row: rows[row][2])
    place = {row: at for at, row in enumerate(order)}
    found = []
    for chosen in _on_nodes(rows, edges, []):
        moments = [rows[row][2] for row in chosen]
        values = [rows[row][3] for row in chosen]
        fits = max(moments) - min(moments) <= window
        if in_order:
            places = [place[row] for row in chosen]
            fits &= places == sorted(places)
        fits &= all(SIGNS[sign](moments[a], moments[b]) for a, sign, b in times)
        for a, sign, factor, b in compared:
            known = None not in (values[a], values[b])
            fits &= known and SIGNS[sign](exact(values[a]), Fraction(factor) * exact(values[b]))
        for a, sign, number in tests:
            fits &= values[a] is not None and SIGNS[sign](values[a], number)
        if fits:
            found.append(tuple(row + 1 for row in chosen))
    return found


def _on_nodes(rows, edges, chosen):
    """The assignments of different rows to edges whose letters are different nodes."""
    called = {}
    for letters, row in zip(edges, chosen, strict=False):
        for letter, node in zip(letters, rows[row][:2], strict=True):
            if called.setdefault(letter, node) != node:
                return
    if len({*called.values()}) < len(called):
        return
    if len(chosen) == len(edges):
        yield chosen
        return
    for row in range(len(rows)):
        if row not in chosen:
            yield from _on_nodes(rows, edges, [*chosen, row])


def exact(value):
    """A decimal as it is written."""
    return Fraction(str(value))
