"""Occurrences of a pattern of events by their definition: every assignment is tried."""

import operator
from fractions import Fraction
from itertools import permutations

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
    for chosen in permutations([row for row in order if rows[row][0] != rows[row][1]], len(edges)):
        moments = [rows[row][2] for row in chosen]
        values = [rows[row][3] for row in chosen]
        called = {}
        fits = max(moments) - min(moments) <= window
        for (a, b), row in zip(edges, chosen, strict=True):
            fits &= called.setdefault(a, rows[row][0]) == rows[row][0]
            fits &= called.setdefault(b, rows[row][1]) == rows[row][1]
        fits &= len({*called.values()}) == len(called)
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


def exact(value):
    """A decimal as it is written."""
    return Fraction(str(value))
