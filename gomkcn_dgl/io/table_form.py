"""What a text that holds a table is: told once, from its first lines.

1. A first line such as ``sep=;``, which Excel writes, names the separator.
2. Cells are separated by tabs, semicolons, commas or bars where these are equally many in each
   line, and else by blanks.
3. The marks # and % begin a comment, unless they begin names.
4. Attributes in braces may end each line, as NetworkX writes them: ``0 1 {'weight': 4}``.
5. The header: a line that names columns that are looked for, or words over a column of numbers; or
   else, between separators, a line whose cells are found nowhere below and, but for files that are
   called ``.csv`` or ``.tsv``, are not written as those below, such as small letters over capitals.
6. A first line of numbers that says how many nodes and edges there are is none of them (ORCA).
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.input_file import decode

# the first rows, by which it is told what a table and its columns are; what is rarer is no rule
NUM_FIRST = 1000
# the bytes that hold them, 256 KiB
_SAMPLE_BYTES = 2**18
_SEPARATORS = "\t;,|"
_SEPARATOR_LINE = re.compile(rb'"?sep=([\t;,|])"?[ \t]*(?:\n|\Z)', re.IGNORECASE)
# what begins a comment
MARKS = "#%"
# the first comment of KONECT, whose columns are known by their places
_OF_KONECT = re.compile(r"%\s*(sym|asym|bip)\b")
_KONECT_NAMES = ("", "", "weight", "time")
# what may stand before attributes in braces
_BEFORE_ATTRIBUTES = " \t,;|"
_BRACE = re.compile(rf"[{_BEFORE_ATTRIBUTES}]\{{")
# between blanks: a cell within quotes, a node of NetworkX that is a tuple, or a word
_WORD = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|(\([^()]*\)(?=\s|$)|\S+)')
_TUPLES = re.compile(r"\([^()]*\)[ \t]+\([^()]*\)(?=\s|$)")
_DIGITS = re.compile(r"\d+")
# places of a word in a long text after which it is taken not to be a cell, and cells of a header
# that are looked for in it: each takes a look at the whole text
_MOST_PLACES = 10_000
_MOST_CELLS = 32


class Row(NamedTuple):
    """The cells of a row, and the number of its (last) line."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class TableForm:
    """How a text is cut into the cells of a table.

    Attributes
    ----------
    separator : str or None
        What stands between cells; None: blanks.
    marks : str
        Signs that begin a comment: of a whole line, and between blanks of the rest of a line.
    has_quotes : bool
        Whether a cell may be quoted.
    has_attributes : bool
        Whether attributes in braces end each line.
    names : tuple of str
        The name of each column, "" for one without a name.
    header : int
        Line of the header; 0 without one.
    num_skipped : int
        Lines before the first row.
    num_nodes : int or None
        What a first line says.
    kind : str
        What a comment of KONECT or SNAP says of the edges: "directed", "undirected", "bipartite"
        or nothing.
    notes : tuple of str
        What is left out and could be a row.
    rows : tuple of Row
        The first rows.
    """

    separator: str | None
    marks: str = ""
    has_quotes: bool = False
    has_attributes: bool = False
    names: tuple[str, ...] = ()
    header: int = 0
    num_skipped: int = 0
    num_nodes: int | None = None
    kind: str = ""
    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()


def find_form(
    data: bytes,
    *,
    is_csv: bool = False,
    has_header: bool | None = None,
    names_columns: Callable[[Sequence[str]], bool] = lambda cells: False,
) -> TableForm:
    r"""Tell what a text is.

    ``is_csv`` says that no blank separates cells if anything else can, and that there is a header
    unless something speaks against it; ``has_header`` whether there is one, where that is known,
    and ``names_columns`` which cells name columns that are looked for. Raises an InputError for a
    text without a row.

    >>> form = find_form(b"# a path\n0 1\n1 2\n")
    >>> form.separator, form.names, form.header, form.num_skipped
    (None, ('', ''), 0, 1)
    >>> form = find_form(b"sep=;\ngene;partner\nA1;B\nB;C\n")
    >>> form.separator, form.names, form.header, form.num_skipped
    (';', ('gene', 'partner'), 2, 2)
    """
    head, lines = _first_lines(data)
    # 1. and 2. the separator, by lines that are no comments, or by all where each has a mark
    stated = _SEPARATOR_LINE.match(data)
    plain = [line for line in lines if line[:1] not in MARKS][bool(stated) :] or lines
    bare = [_parts_of(line)[0] for line in plain]
    with_braces = ["" != bare_line != line for bare_line, line in zip(bare, plain, strict=True)]
    has_attributes = with_braces[-1] and all(with_braces[1:])
    if has_attributes:
        # a line that has them, too, is no header
        has_header = False if with_braces[0] else has_header
        plain = bare
    has_tuples = all(map(_TUPLES.match, plain))
    separator = stated[1].decode() if stated else None
    if not stated and not has_tuples:
        separator = _find_separator(plain, is_csv)
    form = TableForm(separator, has_attributes=has_attributes, num_skipped=int(bool(stated)))
    form = replace(form, has_quotes=has_tuples or _has_quotes(head, separator))
    # 3. comments
    marks, comments = _find_marks(form, data, plain)
    form = replace(form, marks=marks)
    leading = _leading_lines(head, form, _common_width([_cut(line, form) for line in plain]))
    form = replace(form, kind=_kind_of_edges(leading))
    marked = _marked_header(leading, form, names_columns)
    form = replace(form, num_skipped=form.num_skipped + len(leading))
    # 4. the rows, of which the first may be a header
    rows = first_rows(data, form)
    if not rows:
        raise InputError("the file holds comments only, and no row.")
    width = _common_width([row.cells for row in rows[1:]] or [rows[0].cells])
    # 5. the header
    candidates = [(rows[0], rows[1:])] if marked is None else [(marked, rows), (rows[0], rows[1:])]
    for row, below in candidates if has_header is not False else []:
        alike = [other.cells for other in below if len(other.cells) == width]
        names = _fitted(row.cells, width, alike)
        if has_header and row is rows[0]:
            names = names or tuple(row.cells)
        if names is None:
            continue
        if has_header or _is_header(row, alike, data, form, is_csv, names_columns):
            num_skipped = max(row.line, form.num_skipped)
            form = replace(form, names=names, header=row.line, num_skipped=num_skipped)
            form = replace(form, rows=tuple(below))
            # the header is no comment, though a mark begins it
            left = [line for line in comments if _cut(line[1:], form) != row.cells]
            return replace(form, notes=_note_of(left, marks))
    # 6. no header, but maybe sizes
    names = ("",) * len(rows[0].cells)
    if any(map(_OF_KONECT.match, leading)) and len(names) in (3, 4):
        names = _KONECT_NAMES[: len(names)]
    form = replace(form, names=names, rows=tuple(rows))
    form = replace(form, notes=_note_of(comments, marks))
    return form if has_header is False else _with_sizes(form, data, rows)


def _first_lines(data: bytes) -> tuple[bytes, list[str]]:
    """The beginning of a text and lines of it; all of it where no line before is free of marks."""
    head = _whole_lines(data, _SAMPLE_BYTES)
    lines = _sample(head)
    if not any(line[:1] not in MARKS for line in lines):
        head = data
        lines = _sample(data, until_plain=True)
    if not lines:
        raise InputError("the file holds blank lines, and no row.")
    return head, lines


def _note_of(comments: Sequence[str], marks: str) -> tuple[str, ...]:
    """What is said of comments that could be rows."""
    if not comments:
        return ()
    lines = "1 line that begins" if len(comments) == 1 else f"{len(comments)} lines that begin"
    return (f"left out {lines} with {' or '.join(marks)}, such as {shown(comments[0])}",)


def rows_of(data: bytes, form: TableForm) -> Iterator[Row]:
    """Yield the rows; those without a cell are left out."""
    start = _offset(data, form.num_skipped)
    body = without_attributes(data[start:], form)
    number = form.num_skipped
    if form.separator is None:
        comment = comment_pattern(form)
        for at, line in enumerate(io.BytesIO(body), start=number + 1):
            text = decode(comment.sub(b"", line) if comment else line, at)
            words = _words(text, form)
            if words:
                yield Row(at, words)
        return
    reader = csv.reader(
        io.StringIO(decode(without_comments(body, form), number + 1), newline=""),
        strict=True,
        skipinitialspace=True,
        delimiter=form.separator,
        quoting=csv.QUOTE_MINIMAL if form.has_quotes else csv.QUOTE_NONE,
    )
    try:
        for cells in reader:
            if len(cells) > 1 or any(map(str.strip, cells)):
                yield Row(number + reader.line_num, list(map(str.strip, cells)))
    except csv.Error as error:
        at = number + reader.line_num
        raise InputError(f"line {at}: the table is malformed ({error}).") from None


def without_attributes(data: bytes, form: TableForm) -> bytes:
    """Leave out the attributes in braces at the ends of lines."""
    return b"\n".join(bare for bare, _ in _cut_lines(data)) if form.has_attributes else data


def attribute_texts(data: bytes, form: TableForm) -> list[str]:
    """The attributes in braces at the end of each row."""
    body = without_comments(data[_offset(data, form.num_skipped) :], form)
    return [decode(attributes) for _, attributes in _cut_lines(body) if attributes]


def _cut_lines(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each line of a text, and the attributes in braces at its end."""
    # each byte is a letter of Latin-1
    for line in data.decode("latin-1").split("\n"):
        bare, attributes = _parts_of(line)
        yield bare.encode("latin-1"), attributes.encode("latin-1")


def _parts_of(line: str) -> tuple[str, str]:
    """A line without the attributes in braces at its end, and these; "" where it has none.

    >>> _parts_of("0 1 {'weight': 4} "), _parts_of("0 1")
    (('0 1', "{'weight': 4}"), ('0 1', ''))
    """
    whole = line.rstrip(" \t")
    brace = _BRACE.search(whole) if whole.endswith("}") else None
    if brace is None:
        return line, ""
    begin = brace.end() - 1
    return whole[:begin].rstrip(_BEFORE_ATTRIBUTES), whole[begin:]


def without_comments(body: bytes, form: TableForm) -> bytes:
    """Empty the lines that are comments or hold separators only, but not within a quoted cell."""
    separator = (form.separator or "").encode()
    comment = comment_pattern(form)
    left_out = list[bytes]()
    if separator and (body.startswith(separator) or b"\n" + separator in body):
        left_out.append(rb"^[%b \t]+$" % re.escape(separator))
    if comment is not None and any(mark.encode() in body for mark in form.marks):
        left_out.append(comment.pattern)
    if not left_out:
        return body
    pattern = re.compile(b"|".join(left_out), re.MULTILINE)
    if not (form.has_quotes and b'"' in body):
        return pattern.sub(b"", body)
    lines = list[bytes]()
    is_within = False
    for line in body.split(b"\n"):
        lines.append(line if is_within else pattern.sub(b"", line))
        is_within ^= lines[-1].count(b'"') % 2 == 1
    return b"\n".join(lines)


def comment_pattern(form: TableForm) -> re.Pattern[bytes] | None:
    """What a comment is: of a whole line, or between blanks from a mark on that begins a word."""
    if not form.marks:
        return None
    marks = re.escape(form.marks.encode())
    if form.separator is None:
        return re.compile(rb"[%b](?<!\S[%b])[^\n]*" % (marks, marks))
    return re.compile(rb"^[ \t]*[%b][^\n]*" % marks, re.MULTILINE)


def shown(value: object) -> str:
    """A value in a message, shortened."""
    text = value if isinstance(value, str) else str(value)
    text = text if len(text) <= 40 else text[:39] + "…"
    return repr(text) if isinstance(value, str) else text


def is_number(text: str) -> bool:
    """Whether a cell can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------- the first lines


def _whole_lines(data: bytes, size: int) -> bytes:
    """The first lines of a text, of at least ``size`` bytes where there are so many."""
    return data[: data.find(b"\n", size) + 1 or len(data)]


def _sample(data: bytes, until_plain: bool = False) -> list[str]:
    """The first lines that are not blank; all comments before the first row do not count."""
    lines = list[str]()
    num_plain = 0
    for raw in io.BytesIO(data):
        line = raw.decode("utf-8", "replace").strip(" \n\v\f")
        if not line.strip():
            continue
        num_plain += line[0] not in MARKS
        lines.append(line)
        if num_plain == NUM_FIRST or (len(lines) >= NUM_FIRST and not until_plain):
            break
    return lines


def _find_separator(lines: Sequence[str], is_csv: bool) -> str | None:
    """Tell the separator; None: blanks."""
    if is_csv and any(mark in lines[0] for mark in _SEPARATORS):
        return max(",;\t|", key=lines[0].count)
    # blanks separate numbers, and names that do not begin or end at another separator
    tokens = [line.split() for line in lines]
    even = len({len(row) for row in tokens}) == 1 and len(tokens[0]) > 1
    words = list(itertools.chain.from_iterable(tokens))
    if even and all(map(is_number, words)):
        return None
    for mark in _SEPARATORS:
        counts = {line.count(mark) for line in lines}
        apart = even and not any(mark in (word[0], word[-1]) for word in words)
        if len(counts) == 1 and counts != {0} and (mark == "\t" or not apart):
            return mark
    # a row of another length is refused later, with its line
    if not even and all("\t" in line for line in lines):
        return "\t"
    return None


def _has_quotes(head: bytes, separator: str | None) -> bool:
    """Whether quotes stand around cells; commas and semicolons are written with them."""
    if separator is not None and separator in ",;|":
        return True
    if b'"' not in head:
        return False
    apart = rb"\t\n" if separator else rb"\s"
    quoted = rb'(?:(?<=[%b])|\A)"(?:[^"\n]|"")*"(?=[%b]|\Z)' % (apart, apart)
    return b'"' not in re.sub(quoted, b"", head)


def _words(text: str, form: TableForm) -> list[str]:
    """The cells of a line between blanks."""
    if not (form.has_quotes and ('"' in text or "(" in text)):
        return text.split()
    return [
        word if word else quoted.replace('""', '"') for quoted, word in _WORD.findall(text.strip())
    ]


# ---------------------------------------------------------------- comments


def _find_marks(form: TableForm, data: bytes, plain: Sequence[str]) -> tuple[str, list[str]]:
    """Tell which marks begin comments, and which comments could be rows."""
    without = [line for line in plain if not any(mark in line for mark in MARKS)]
    widths = [len(_cut(line, form)) for line in without or plain]
    width = Counter(widths).most_common(1)[0][0]
    marks = ""
    could_be_rows = list[str]()
    for mark in MARKS:
        if mark.encode() not in data:
            continue
        marked = _marked_lines(data, mark, form)
        fitting = [line for line in marked if len(_cut(line, form)) == width > 1]
        # names begin with it where they stand at other places than the first, too, or everywhere
        inner = [
            line for line in marked if any(_is_marked(cell, mark) for cell in _cut(line, form)[1:])
        ]
        is_name = bool(inner) and all(line in fitting for line in inner)
        if is_name or (not without and fitting and len(fitting) == len(marked) == len(plain) > 1):
            continue
        marks += mark
        could_be_rows += [line for line in fitting if _is_marked(line, mark)]
    return marks, could_be_rows


def _marked_lines(data: bytes, mark: str, form: TableForm) -> list[str]:
    """The first lines in which a cell begins with a mark and a letter after it."""
    before = b' \t\n"' + (form.separator or "").encode()
    lines = list[str]()
    place = data.find(mark.encode())
    for _ in range(_MOST_PLACES):
        if place < 0 or len(lines) == NUM_FIRST:
            break
        following = data[place + 1 : place + 2].decode("latin-1")
        begins = place == 0 or data[place - 1 : place] in before
        if begins and following and not following.isspace() and following not in MARKS:
            start = data.rfind(b"\n", 0, place) + 1
            end = data.find(b"\n", place)
            end = len(data) if end < 0 else end
            lines.append(data[start:end].decode("utf-8", "replace").strip())
            place = end
        place = data.find(mark.encode(), place + 1)
    return lines


def _is_marked(cell: str, mark: str) -> bool:
    """Whether a cell begins with a mark and a letter after it."""
    return len(cell) > 1 and cell[0] == mark and not (cell[1].isspace() or cell[1] in MARKS)


def _cut(line: str, form: TableForm) -> list[str]:
    """The cells of one line."""
    if form.has_attributes:
        line, _ = _parts_of(line)
    if form.separator is None:
        return _words(line, form)
    reader = csv.reader(
        [line],
        delimiter=form.separator,
        skipinitialspace=True,
        quoting=csv.QUOTE_MINIMAL if form.has_quotes else csv.QUOTE_NONE,
    )
    try:
        return [cell.strip() for cell in next(reader, [])]
    # a cell that is too long, which the reader of the rows refuses with its line
    except csv.Error:
        return line.split(form.separator)


def _leading_lines(head: bytes, form: TableForm, width: int) -> list[str]:
    """The blank lines and comments before the first row, which any mark begins."""

    def is_left_out(line: str) -> bool:
        could_be_row = _is_marked(line, line[:1]) and len(_cut(line, form)) == width
        return not line.strip() or (
            line[0] in MARKS and (line[0] in form.marks or not could_be_row)
        )

    lines = head[_offset(head, form.num_skipped) :].split(b"\n")
    texts = (line.decode("utf-8", "replace").strip(" \v\f") for line in lines)
    return list(itertools.takewhile(is_left_out, texts))


def _kind_of_edges(leading: Sequence[str]) -> str:
    """What comments of KONECT and SNAP say of the edges."""
    for line in leading:
        if line.lower().startswith("# undirected graph"):
            return "undirected"
        found = _OF_KONECT.match(line)
        if line.lower().startswith("# directed graph") or (found and found[1] == "asym"):
            return "directed"
        if found and found[1] == "bip":
            return "bipartite"
    return ""


def _offset(data: bytes, num_lines: int) -> int:
    """Where the line after some lines begins."""
    start = 0
    for _ in range(num_lines):
        start = data.find(b"\n", start) + 1
        if not start:
            return len(data)
    return start


# ---------------------------------------------------------------- the header


def first_rows(data: bytes, form: TableForm) -> list[Row]:
    """The first rows, up to one that is malformed."""
    for part in (_whole_lines(data, _SAMPLE_BYTES), data):
        rows = list[Row]()
        try:
            for row in itertools.islice(rows_of(part, form), NUM_FIRST):
                rows.append(row)
        # the sample ends within quotes, or the reader comes to the bad line as well
        except InputError:
            if not rows and part is data:
                raise
        if rows:
            return rows
    return []


def _common_width(rows: Sequence[Sequence[str]]) -> int:
    """The number of cells that most rows have."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def _marked_header(
    leading: Sequence[str], form: TableForm, names_columns: Callable[[Sequence[str]], bool]
) -> Row | None:
    """The last comment before the rows, if its mark stands before a letter or names of columns."""
    for number, line in reversed(list(enumerate(leading, start=form.num_skipped + 1))):
        if line and any(line.startswith(mark) for mark in form.marks):
            cells = _cut(line[1:], form)
            is_marked = any(_is_marked(line, mark) for mark in form.marks)
            return Row(number, cells) if is_marked or names_columns(cells) else None
        if line:
            return None
    return None


def _fitted(
    cells: Sequence[str], width: int, below: Sequence[Sequence[str]]
) -> tuple[str, ...] | None:
    """Names of ``width`` columns; None where a header has too few or too many."""
    names = [*cells]
    while len(names) > width and not names[-1]:
        del names[-1]
    if len(names) == width - 1 and below:
        first = [row[0] for row in below]
        others = {cell for row in below for cell in row[1:]}
        # a line may end with a separator
        if not any(row[-1] for row in below):
            names = [*names, ""]
        # R names or numbers the rows in a first column without a name
        elif counts_rows(first) or (len({*first}) == len(first) and others.isdisjoint(first)):
            names = ["", *names]
    return tuple(names) if len(names) == width else None


def _is_header(
    row: Row,
    below: Sequence[Sequence[str]],
    data: bytes,
    form: TableForm,
    is_csv: bool,
    names_columns: Callable[[Sequence[str]], bool],
) -> bool:
    """Whether a line names the columns of the rows below, of which it may lack the first."""
    cells = row.cells
    filled = [cell for cell in cells if cell]
    num_unnamed = len(below[0]) - len(cells) if below else 0
    columns = list(zip(*below, strict=True))[max(num_unnamed, 0) :]
    over_numbers = [all(map(is_number, column)) for column in columns]
    # names that count on, such as node1 over node3, are those of nodes
    if any(map(_counts_on, cells, columns)):
        return False
    if filled and all(map(is_number, filled)):
        # pandas calls columns 0, 1 where it was told no names
        return counts_rows(filled) and bool(below) and not any(over_numbers[-len(filled) :])
    if names_columns(cells):
        return True
    if not (filled and below):
        return False
    # pandas calls a last column that has no name 0, as that of the sizes of groups
    is_numbered = is_csv and filled[-1] == cells[-1] == "0" and not {"0"} & {*columns[-1]}
    named = cells[:-1] if is_numbered else cells
    if any(is_number(cell) and over for cell, over in zip(named, over_numbers, strict=False)):
        return False
    if {cell for line in below for cell in line}.intersection(filled):
        return False
    if form.separator is None and num_unnamed:
        first = [line[0] for line in below]
        # R writes a matrix with the names of its columns, and then those of its rows
        is_matrix = len({*first}) == len(first) > 1 and all(over_numbers) and len(over_numbers) > 1
        return num_unnamed == 1 and (counts_rows(first) or is_matrix)
    is_over_numbers = not any(map(is_number, named)) and any(over_numbers)
    # an edge from a node to itself is no header
    if form.separator is None or len(set(filled)) < len(filled):
        return is_over_numbers
    if not is_csv and not all(map(_is_written_otherwise, cells, columns)):
        return False
    rest = data[_offset(data, row.line) :]
    return not any(_is_cell_of(cell, rest, form.separator) for cell in filled[:_MOST_CELLS])


def _is_written_otherwise(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell differs from all of a column in its letters, as GENE does from tp53."""
    return all(_writing(cell) != _writing(other) for other in column)


def _writing(cell: str) -> tuple[bool, ...]:
    """How a cell is written: in small letters or capitals, with digits, as several words."""
    tests = (str.islower, str.isupper, str.istitle)
    return (*(test(cell) for test in tests), bool(_DIGITS.search(cell)), "_" in cell, " " in cell)


def counts_rows(cells: Sequence[str]) -> bool:
    """Whether a column holds 0, 1, 2 and so on, or 1, 2, 3."""
    return list(cells) in ([str(at + start) for at in range(len(cells))] for start in (0, 1))


def _counts_on(cell: str, column: Sequence[str]) -> bool:
    """Whether all cells of a column are the same word as another, with another number in it."""
    form = _DIGITS.sub("0", cell)
    has_both = form != "0" and "0" in form and not is_number(cell)
    return has_both and all(_DIGITS.sub("0", other) == form for other in column)


def _is_cell_of(cell: str, data: bytes, separator: str) -> bool:
    """Whether a text holds a cell, outside of other words."""
    word = cell.encode()
    apart = b' \n"' + separator.encode()
    place = data.find(word)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        before = data[place - 1 : place]
        after = data[place + len(word) : place + len(word) + 1]
        if before in apart and after in apart:
            return True
        place = data.find(word, place + 1)
    return False


def _with_sizes(form: TableForm, data: bytes, rows: Sequence[Row]) -> TableForm:
    """Leave out a first line that says how many nodes and edges the rows below have."""
    (line, first), *below = rows
    if not (below and 1 <= len(first) <= 3 and all(map(_is_count, first))):
        return form
    width = _common_width([row.cells for row in below])
    num_nodes = int(first[0])
    counts = [int(cell) for cell in first[1:]]
    # as many rows as it says, whose ids count from 0 or from 1; a matrix has its size twice
    num_rows = len(below)
    if counts and counts[-1] < num_rows:
        return form
    if len(rows) == NUM_FIRST:
        num_rows = 1 + data[_offset(data, line) :].rstrip(b"\n").count(b"\n")
    if width < 2 or (counts and counts[-1] != num_rows):
        return form
    ends = [cell for row in below for cell in row.cells[:2]]
    if not all(map(_is_count, ends)):
        return form
    ids = [int(cell) for cell in ends]
    fits = max(ids) - (0 if min(ids) == 0 else 1) < num_nodes
    is_number_right = counts[:-1] in ([], [num_nodes])
    if not (fits and is_number_right and (counts or len(first) != width)):
        return form
    and_edges = f" and {counts[-1]} edges" if counts else ""
    note = f"line {line} is no edge: it says that there are {num_nodes} nodes{and_edges}"
    return replace(
        form,
        names=("",) * width,
        num_skipped=line,
        num_nodes=num_nodes,
        notes=(*form.notes, note),
        rows=tuple(below),
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
