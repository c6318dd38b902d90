"""A finding → a smaller input with the same finding."""

from __future__ import annotations

from judge import Finding, Judge
from mutate import pack, unpack

_MOST_TRIES = 300


def minimise(judge: Judge, found: Finding, data: bytes, is_folder: bool) -> bytes:
    """Leave out pieces, large ones first, as long as the same thing is wrong."""
    tries = 20 if found.kind in ("time", "memory") else _MOST_TRIES

    def same(candidate: bytes) -> bool:
        nonlocal tries
        tries -= 1
        again = judge.find(candidate)
        return again is not None and (again.kind, again.place) == (found.kind, found.place)

    if not is_folder:
        return _shrink(data, same, lambda: tries > 0)
    members = unpack(data) or {}
    for name in sorted(members, key=lambda name: -len(members[name])):
        content = members[name]
        members[name] = _shrink(
            content, lambda part, name=name: same(pack({**members, name: part})), lambda: tries > 0
        )
    return pack(members)


def _shrink(data: bytes, same, goes_on) -> bytes:
    size = len(data) // 2
    while size and goes_on():
        start = 0
        while start < len(data) and goes_on():
            shorter = data[:start] + data[start + size :]
            if same(shorter):
                data = shorter
            else:
                start += size
        size //= 2
    return data
