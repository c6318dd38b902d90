"""Valid files → slightly wrong ones, as Hypothesis strategies; archives are changed inside."""

from __future__ import annotations

import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

LARGEST = 1 << 16
_TOKENS = [
    *b"nan inf -1 0 1e999 1e-320 0x10 1_000 1.5 true null ../../x NaN <script> &amp;".split(),
    *b"9223372036854775808 -9223372036854775809 4294967296 2147483648 \\ud800 \x1b[31m".split(),
    *(b"", b"\0", b"\r\n", b"\r", b"\n", b"\t", b" ", b",", b'"', b"#", b"=", b"\xff\xfe"),
    *(b"\xed\xa0\x80", b"\xe2\x80\xa8", b"9" * 5000),
    *(opening * 3000 for opening in (b"[", b'{"a":', b"(", b"<a>", b"a.")),
    *(struct.pack("<q", value) for value in (0, 1, -1, 2**31, 2**40, 2**62, -(2**63))),
    *(struct.pack("<d", value) for value in (float("nan"), float("inf"), 1e300)),
]
_plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_names = st.sampled_from(["<script>", "../../x", "\x1b[31m", "a\nb", "\ud800", "{{7*7}}", "é" * 99])
records = st.recursive(
    _plain | _names | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
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
    # a damaged archive raises nearly anything
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > 16 * LARGEST:
                return None
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return None


@st.composite
def mutated(draw: Callable[..., Any], seeds: list[bytes], is_folder: bool = False) -> bytes:
    """Change a valid file in a few places; a folder, kept as an archive, in one of its files."""
    data = draw(st.sampled_from(seeds))
    members = unpack(data)
    if members and (is_folder or draw(st.integers(0, 3))):
        name = draw(st.sampled_from(sorted(members)))
        members[name] = _change(draw, members[name])
        if draw(st.integers(0, 20)) == 20:
            del members[name]
        return pack(members)
    if data.startswith(b"\x1f\x8b") and draw(st.booleans()):
        return gzip.compress(_change(draw, zlib.decompress(data, 31)), 1, mtime=0)
    return _change(draw, data)


def _change(draw: Callable[..., Any], data: bytes) -> bytes:
    record = _parse_json(data)
    if record is not None and draw(st.booleans()):
        return json.dumps(_change_value(draw, record)).encode()
    for _ in range(draw(st.integers(1, 4))):
        # a number that is written out, or any few bytes, give way to something else
        numbers = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?", data)]
        if numbers and draw(st.booleans()):
            start, stop = draw(st.sampled_from(numbers))
        else:
            start = draw(st.integers(0, len(data)))
            stop = start + draw(st.sampled_from([0, 0, 1, 1, 2, 4, 8, 8, 50, len(data)]))
        copied = data[start : start + 100] * draw(st.sampled_from([1, 2, 300]))
        piece = draw(st.sampled_from(_TOKENS) | st.binary(max_size=8) | st.just(copied))
        data = (data[:start] + piece + data[stop:])[:LARGEST]
    return data


def _parse_json(data: bytes) -> Any:
    try:
        return json.loads(data) if data[:1] in (b"{", b"[") else None
    except ValueError:
        return None


def _change_value(draw: Callable[..., Any], value: Any) -> Any:
    """Put another value somewhere into JSON, or leave one out."""
    if not isinstance(value, (dict, list)) or not value or draw(st.integers(0, 9)) == 9:
        return draw(records)
    key = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    if draw(st.integers(0, 12)) == 12:
        del value[key]
    else:
        value[key] = _change_value(draw, value[key])
    return value
