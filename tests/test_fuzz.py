"""Every reader, fed with wrong files: it reads them, or refuses them in one sentence.

`fuzz/` feeds many more; what it found is kept in `corpus/` and read again here.
"""

import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from fuzzed import TARGETS, read_or_refuse, seeds_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutate import mutate, mutate_members, pack, unpack

CORPUS = Path(__file__).with_name("corpus")
SLOW = {"report"}

a_few = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*")), ids=lambda path: "/".join(path.parts[-2:])
)
def test_what_was_found_stays_mended(path, tmp_path):
    read_or_refuse(path.parent.name, tmp_path, path.read_bytes())


@pytest.mark.parametrize("reader", sorted(TARGETS.keys() - SLOW))
class TestEveryReader:
    def test_valid_files(self, reader, tmp_path):
        assert None in [read_or_refuse(reader, tmp_path, data) for data in seeds_of(reader)]

    @a_few
    @given(number=st.integers(0, 2**32))
    def test_nearly_valid_files(self, reader, tmp_path, number):
        rng, seeds = random.Random(number), seeds_of(reader)
        change = mutate_members if TARGETS[reader].is_folder else mutate
        read_or_refuse(reader, tmp_path, change(rng.choice(seeds), rng, seeds))

    @a_few
    @given(data=st.binary(max_size=200))
    def test_any_bytes(self, reader, tmp_path, data):
        if TARGETS[reader].is_folder:
            name = sorted(unpack(seeds_of(reader)[0]))[0]
            data = pack({**unpack(seeds_of(reader)[0]), name: data})
        read_or_refuse(reader, tmp_path, data)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
records = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


class TestStructure:
    """Files that are well-formed, with contents of the wrong kind."""

    @a_few
    @given(record=records)
    @pytest.mark.parametrize("reader", ["truth", "names_json"])
    def test_json(self, tmp_path, reader, record):
        read_or_refuse(reader, tmp_path, json.dumps(record).encode())

    @a_few
    @given(
        place=st.sampled_from(["run.json", "patterns.json", "drawings.json"]),
        number=st.integers(0, 2**32),
        record=records,
    )
    def test_one_value_of_a_run(self, tmp_path, place, number, record):
        members = unpack(seeds_of("run")[0])
        whole = json.loads(members[place])
        holder, rng = whole, random.Random(number)
        while True:
            key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if not isinstance(holder[key], (dict, list)) or not holder[key] or rng.random() < 0.2:
                break
            holder = holder[key]
        holder[key] = record
        read_or_refuse("run", tmp_path, pack({**members, place: json.dumps(whole).encode()}))

    @a_few
    @given(
        lines=st.lists(
            st.lists(st.sampled_from(["0", "1", "-1", "a", "é", "1e999", "nan", "#", "\x1b"]),
                     max_size=4),
            max_size=6,
        )
    )  # fmt: skip
    @pytest.mark.parametrize(("reader", "comma"), [("edges", " "), ("csv", ","), ("motif", " ")])
    def test_tables(self, tmp_path, reader, comma, lines):
        text = "u,v\n" * (reader == "csv") + "".join(comma.join(line) + "\n" for line in lines)
        read_or_refuse(reader, tmp_path, text.encode())

    @a_few
    @given(
        name=st.sampled_from(
            ["indptr", "indices", "data", "shape", "format", "features", "node_ids"]
        ),
        values=st.lists(st.integers(-3, 5) | st.just(2**62), max_size=4),
        kind=st.sampled_from(["i8", "u8", "f4", "U3", "S3", "?", ">i4", "M8[s]", "V4", "c16"]),
    )
    def test_arrays(self, tmp_path, name, values, kind):
        parts = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
        array = np.zeros(len(values), kind) if kind in ("V4", "M8[s]") else None
        if array is None:
            array = np.array(values, "f8" if kind == "f4" else None).astype(kind)
        content = io.BytesIO()
        np.savez(content, **{**parts, name: array})
        read_or_refuse("npz", tmp_path, content.getvalue())
