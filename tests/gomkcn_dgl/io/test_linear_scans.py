"""Scans of a text take a number of steps that grows as the text does, whatever the text is.

`fuzz/scan_steps.py` does the same with runs of 100,000 letters.
"""

import re
import sys

import pytest
import scan_steps

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice
from gomkcn_dgl.io import column_names, pajek_files, table_form
from gomkcn_dgl.io.edge_layout import find_layout, open_text
from gomkcn_dgl.io.reading import read_graph

# at which a scan that looks at all that follows takes 250 steps for each letter, and more
LENGTH = 500


def test_no_regular_expression_of_a_reader_looks_at_the_same_letters_again_and_again():
    assert scan_steps.slow_scans(LENGTH) == {}


@pytest.mark.parametrize(
    "pattern",
    [
        # what was in the readers: runs of separators, braces, blanks in the header of a list, ...
        re.compile(rb"[ \t,;|]+(\{[^\n]*\})[ \t]*$", re.MULTILINE),
        re.compile(r':\s*(\d+)(?:\s+"?([^"]*)"?)?\s*$'),
        re.compile(r'\s\[[^\]"]*\]\s*$'),
        re.compile(r"[A-Za-z_][\w.]*\(([^()]*)\)"),
        # and what else grows faster
        re.compile(r"(?:a|a)+b"),
        re.compile(r"(?:a+)+b"),
        re.compile(r"a*?b"),
    ],
)
def test_the_counter_sees_a_scan_that_is_not_linear(pattern):
    def is_slow(text):
        try:
            scan_steps.count_steps(pattern, text, scan_steps.MOST_PER_LETTER * len(text))
        except scan_steps.TooManyStepsError:
            return True
        return False

    assert any(map(is_slow, scan_steps.attacks(pattern, LENGTH)))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?<!,),+(\{[^}]*\})?x", ",,,{a}x,,x {x"),
        (r'"(?:[^"]|"")*"(?=\s|$)|\S+', '"a b" c "d""e" "f" g"h'),
        (r"^#[^\n]*$|\bnan\b", "#a\nb nan banana\n#c"),
        (r"(?i:inf)|\d{1,3}?(?=\d)|[^\W\d_]+", "INF 12345 abc_d"),
        (r"a(?:b|c){0,2}d", "abd acbd abcbd ad"),
    ],
)
def test_the_counter_finds_what_re_finds(pattern, text):
    program = scan_steps.compile_steps(re.compile(pattern))
    counter = scan_steps._Counter(float("inf"))
    found, place = [], 0
    while place <= len(text):
        end = scan_steps._run(program, 0, text, place, counter)
        if end is not None:
            found.append((place, end))
        place = place + 1 if end is None or end == place else end
    assert found == [match.span() for match in re.finditer(pattern, text)]


def test_a_scan_by_hand_gives_what_the_expressions_gave():
    """Attributes in braces and times of Pajek, as the backtracking patterns read them."""
    attributes = re.compile(r"[ \t,;|]+(\{[^\n]*\})[ \t]*$")
    for line in (
        "0 1 {'a': 1}",
        "0,1,{'a': {}} ",
        "{a}",
        " {a}",
        "0 {a} b",
        "a{b}",
        "0 1 {a",
        "a }",
    ):
        found = attributes.search(line)
        expected = (line[: found.start()], found[1]) if found else (line, "")
        assert table_form._parts_of(line) == expected
    times = re.compile(r'\s\[[^\]"]*\]\s*$')
    for line in (
        '1 "a" [1-3]',
        '1 "[2]"',
        "1 2 [a] [b]",
        "1 2 [a [b]",
        "1 [x",
        "1 2]",
        '1 "a [b]',
        '1 "a [b" c]',
    ):
        assert pajek_files._without_times(line) == times.sub("", line)


def test_a_table_of_many_columns_is_read_in_steps_that_grow_with_its_cells(monkeypatch):
    """Lines of Python that are executed, of a table whose rows end with empty cells."""

    def num_lines(num_columns, num_rows):
        header = ["source", "target", *(f"c{at}" for at in range(num_columns))]
        rows = [[f"n{at}", f"n{at + 1}", *[""] * num_columns] for at in range(num_rows)]
        text = "\n".join(",".join(cells) for cells in [header, *rows]).encode()
        executed = 0

        def trace(frame, event, _):
            nonlocal executed
            executed += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            layout = find_layout(open_text(text, True, ColumnChoice()), ColumnChoice())
        finally:
            sys.settrace(before)
        assert layout.roles == {"source": 0, "target": 1}
        return executed

    assert num_lines(400, 20) < 2.5 * num_lines(200, 20)


def test_a_name_of_many_words_pairs_with_none(tmp_path):
    """Each word of a name is left out once, which takes the square of their number."""
    long = ".".join("a" * column_names._MOST_WORDS)
    assert [*column_names.other_pairs([f"{long}.u", f"{long}.v"])] == []
    short = ".".join("a" * (column_names._MOST_WORDS - 1))
    assert [*column_names.other_pairs([f"{short}.u", f"{short}.v"])] == [(0, 1)]
    file = tmp_path / "long.txt"
    file.write_text("a." * 50_000)
    with pytest.raises(InputError, match=r"^long.txt: line 1: "):
        read_graph(file)


def test_a_wide_table_and_a_run_of_commas_are_read_or_refused(tmp_path):
    """Sizes with which a scan that is not linear would not end."""
    wide = tmp_path / "wide.csv"
    header = ",".join(["source", "target", *(f"c{at}" for at in range(1600))])
    wide.write_text("\n".join([header, *(f"n{at},n{at + 1}{',' * 1600}" for at in range(50))]))
    assert read_graph(wide).num_nodes == 51
    commas = tmp_path / "commas.csv"
    commas.write_text(f"source,target\na,b\nb,c\nc,d{',' * 100_000}\n")
    with pytest.raises(InputError, match=r"^commas.csv: line 4: "):
        read_graph(commas)
