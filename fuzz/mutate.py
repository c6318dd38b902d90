"""Bytes → slightly wrong bytes, seeded; archives are changed inside and packed again."""

from __future__ import annotations

import gzip
import io
import math
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence

from mutate_json import mutate_json

LARGEST = 1 << 16

_TOKENS = (
    *b"nan inf -inf 1e999 -1 0 1e-320 0x10 1_000 9223372036854775808 -9223372036854775809".split(),
    *b"4294967296 2147483648 1.5 true null ../../x /etc/passwd NaN Infinity <script>".split(),
    *b"&amp; ]]> {{7*7}} \xff\xfe \xed\xa0\x80 \xef\xbb\xbf \\ud800 \xe2\x80\xa8 \x1b[31m".split(),
    *(b"", b"\0", b"\r\n", b"\n", b"\t", b" ", b",", b'"', b"'", b"#", b"=", b"9" * 5000),
)
_OPENINGS = (b"[", b"{", b'{"a":', b"[[", b"(", b"<a>", b"a.", b'"')
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
# what may stand where a binary file has a number
_VALUES = (0, 1, -1, 2**7, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, -(2**63))
_WORDS = (
    *((value % 2**64).to_bytes(8, "little")[:width] for value in _VALUES for width in (1, 2, 4, 8)),
    *(struct.pack("<d", value) for value in (math.nan, math.inf, 1e300, -1.0)),
    *(struct.pack("<f", value) for value in (math.nan, math.inf, 1e30, -1.0)),
)


def pack(members: dict[str, bytes]) -> bytes:
    """Put named files into a plain zip archive; the same files give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def unpack(data: bytes) -> dict[str, bytes] | None:
    """Return the files of a zip archive; None for anything else and for a bomb."""
    if not data.startswith(b"PK"):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > 16 * LARGEST:
                return None
            return {name: archive.read(name) for name in archive.namelist()}
    # a damaged archive raises nearly anything
    except Exception:
        return None


def mutate(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change a file in one place or a few; ``others`` are valid files to splice with."""
    for _ in range(4):
        changed = _mutate_archive(data, rng, others) or _mutate_bytes(data, rng, others)
        if len(changed) <= LARGEST:
            return changed
    return data


def mutate_members(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change a folder, which is kept as a zip archive: its files, never the archive itself."""
    members = unpack(data)
    if members is None:
        return rng.choice(others)
    changed = pack(_mutate_one(members, rng, others))
    return changed if len(changed) <= LARGEST else data


def _mutate_archive(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes | None:
    """Change what a zip or gzip file holds, three times of four."""
    if rng.random() < 0.25:
        return None
    if data.startswith(b"\x1f\x8b"):
        try:
            return gzip.compress(_mutate_bytes(gzip.decompress(data), rng, others), 1, mtime=0)
        except (OSError, EOFError, zlib.error):
            return None
    members = unpack(data)
    return pack(_mutate_one(members, rng, others)) if members else None


def _mutate_one(
    members: dict[str, bytes], rng: random.Random, others: Sequence[bytes]
) -> dict[str, bytes]:
    members = dict(members)
    if not members:
        return {"a": b""}
    name = rng.choice(sorted(members))
    kind = rng.random()
    if kind < 0.03:
        del members[name]
    elif kind < 0.06:
        members[name] = members[rng.choice(sorted(members))]
    else:
        pool = [inner[name] for inner in map(unpack, others) if inner and name in inner]
        members[name] = _mutate_bytes(members[name], rng, pool or [b"1"])
    return members


def _mutate_bytes(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    if data[:1] in (b"{", b"[") and rng.random() < 0.6:
        changed = mutate_json(data, rng)
        if changed is not None:
            return changed
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_OPERATIONS)(data, rng, others)[: 2 * LARGEST]
    return data


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + int(rng.expovariate(1 / 8)) + 1)


def _flip(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _set_byte(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _delete(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + data[stop:]


def _cut(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    return data[: rng.randint(0, len(data))]


def _repeat(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    return data[:stop] + data[start:stop] * rng.choice((1, 1, 2, 10, 1000)) + data[stop:]


def _move(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    rest = data[:start] + data[stop:]
    at = rng.randint(0, len(rest))
    return rest[:at] + data[start:stop] + rest[at:]


def _insert(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(_TOKENS) + data[at:]


def _replace(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + rng.choice(_TOKENS) + data[stop:]


def _replace_number(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Replace a number that is written out."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(_TOKENS) + data[place.end() :]


def _overwrite(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Overwrite with the bytes of a number."""
    word = rng.choice(_WORDS)
    step = rng.choice((1, 4, 8))
    at = rng.randint(0, len(data)) // step * step
    return data[:at] + word + data[at + len(word) :]


def _nest(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(_OPENINGS) * rng.choice((1, 10, 2000, 9000)) + data[at:]


def _splice(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


_Operation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
_OPERATIONS: tuple[_Operation, ...] = (
    _flip,
    _set_byte,
    _delete,
    _cut,
    _repeat,
    _move,
    _insert,
    _insert,
    _replace,
    _replace_number,
    _replace_number,
    _overwrite,
    _overwrite,
    _nest,
    _splice,
)
