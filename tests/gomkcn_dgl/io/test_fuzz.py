"""Every reader, fed with wrong files: it reads them, or refuses them in one sentence.

`fuzz/run.py` feeds many more; what it has found is kept in `corpus/` and read again here.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutate import mutated
from targets import TARGETS

CORPUS = Path(__file__).with_name("corpus")
SLOW = {"report"}
READERS = sorted(TARGETS.keys() - SLOW)

a_few = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*")), ids=lambda path: "/".join(path.parts[-2:])
)
def test_earlier_findings(path, tmp_path):
    TARGETS[path.parent.name].feed(tmp_path, path.read_bytes())


@pytest.mark.parametrize("reader", sorted(TARGETS))
def test_valid_files(reader, tmp_path):
    target = TARGETS[reader]
    assert None in [target.feed(tmp_path, data) for data in target.seeds]


@pytest.mark.parametrize("reader", READERS)
@a_few
@given(data=st.data())
def test_mutated_files(reader, tmp_path, data):
    target = TARGETS[reader]
    target.feed(tmp_path, data.draw(mutated(target.seeds, target.is_folder)))


NUMBERS = ["0", "1", "2", "-1", "+3", "1.5", "nan", "1e400", "99999999999999999999", "7_0", "True"]
WORDS = ["", "a", "é", "#", "%x", '"', '"b"', "source", "weight", "\u2028", "\x0b", "\x1c"]
CELLS = NUMBERS + WORDS
table = st.lists(
    st.tuples(st.lists(st.sampled_from(CELLS), max_size=4), st.sampled_from(["\n", "\r\n", "\r"])),
    max_size=8,
)


@pytest.mark.parametrize(
    ("reader", "header", "comma"),
    [
        ("edges", "", " "),
        ("edges", "", "\t"),
        ("csv", "u,v\n", ","),
        ("csv", "u,v,weight\n", ", "),
        ("motif", "", " "),
        ("features_csv", "id,x\n", ","),
    ],
)
@a_few
@given(rows=table)
def test_tables_of_odd_cells(tmp_path, reader, header, comma, rows):
    text = header + "".join(comma.join(cells) + end for cells, end in rows)
    TARGETS[reader].feed(tmp_path, text.encode())
