"""Pajek networks and projects → a GraphContent, in one pass over the lines.

Neither NetworkX, which merges nodes of equal labels and adds unknown ends, nor igraph, which knows
neither several lists nor relations, reads what Pajek, Gephi and SocNetV write.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, ColumnChoice, GraphContent
from gomkcn_dgl.graph_objects import from_records
from gomkcn_dgl.io.foreign_files import OWNER, WITHOUT_WEIGHT, lines_of, reads_bytes, text_of
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.runtime.files import listed, printable
from gomkcn_dgl.runtime.memory import check_announced

_WEIGHT = "weight"
# what a project holds beside networks
_OTHERS = ("*partition", "*vector", "*permutation", "*cluster", "*hierarchy")
_LISTS = ("*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix")
# in the header of a list: the number of its relation, behind which it may be called something
_RELATION = re.compile(r":\s*(\d+)(?=\s|$)")
# of the lines of a list: the number of the relation before the nodes, times after them
_NUMBER, _TIMES = re.compile(r"(\d+)\s*:\s*"), re.compile(r"\s\[")
_BEGINS_WITH_NODE = re.compile(r"\d+(?=\s|:|$)")
# a name that holds quotes itself, as NetworkX writes it; else coordinates stand between
_QUOTES_IN_NAME = re.compile(r'\d+\s+"[^"]*"(\s+[^\s\d.+-].*)?"')
_WORD = re.compile(r'\s*(?:"([^"]*)"|([^\s"]\S*))(?=\s|$)')
_KEY = re.compile(r"[A-Za-z]\w*")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_ENTITY = re.compile(r"&#\d+;")
_UNUSED = "not used: what stands after the names of nodes and the weights of edges"


class Word(NamedTuple):
    """A word of a line, and whether it stood between quotes."""

    text: str
    is_quoted: bool

    @property
    def is_number(self) -> bool:
        """Whether it is written as a number."""
        return not self.is_quoted and is_number(self.text)

    @property
    def number(self) -> int | float:
        """The number that is written."""
        return int(self.text) if _INTEGER.fullmatch(self.text) else float(self.text)


class Section(NamedTuple):
    """A header that begins with a star, its kind in small letters, and the lines below it."""

    line: int
    header: str
    kind: str
    rows: list[tuple[int, str]]


@dataclass
class Network:
    """What is read of a network, line by line: nodes, and edges with their relations."""

    num_nodes: int
    # nodes of the first of two modes; 0 where all are of one
    num_first: int
    nodes: list[dict[str, Any]]
    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)
    has_way: list[bool] = field(default_factory=list)
    relation: list[int] = field(default_factory=list)
    relation_names: dict[int, str] = field(default_factory=lambda: {1: "1"})
    notes: dict[str, None] = field(default_factory=dict)

    def row_of(self, line: int, word: str) -> int:
        """The row of a node that is named by its number."""
        row = int(word) - 1 if word.isascii() and word.isdigit() else -1
        if not 0 <= row < self.num_nodes:
            raise InputError(
                f"line {line} must name nodes from 1 to {self.num_nodes}, got {printable(word)!r}."
            )
        return row

    def attributes(self, words: Sequence[Word]) -> dict[str, Word]:
        """Pairs of a name and a value; what is no such pairs is left out, which a note says."""
        keys, values = words[::2], words[1::2]
        if len(keys) > len(values) or not all(
            _KEY.fullmatch(key.text) and not key.is_quoted for key in keys
        ):
            self.notes[_UNUSED] = None
            return {}
        return {key.text: value for key, value in zip(keys, values, strict=True)}


@reads_bytes("PAJEK")
def read_pajek(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a Pajek file; ``choice.directed`` is for edges that differ in direction."""
    sections, notes = _sections_of(text_of(data))
    network = _announced(sections[0], len(data))
    network.notes |= dict.fromkeys(notes)
    for line, row in sections[0].rows:
        _add_node(network, line, row)
    for section in sections[1:]:
        _add_list(network, section)
    weighted = [_WEIGHT in edge for edge in network.edges]
    edges = network.edges
    if any(weighted) and not all(weighted):
        edges = [{_WEIGHT: 1.0, **edge} for edge in edges]
        network.notes[WITHOUT_WEIGHT] = None
    names = network.relation_names
    has_types = len(set(network.relation)) > 1 or any(
        name != str(key) for key, name in names.items()
    )
    is_typed = has_types and choice.relation != NONE
    content = from_records(
        OWNER,
        range(1, network.num_nodes + 1),
        _with_values(network.nodes),
        (network.source, network.target),
        _with_values(edges),
        network.has_way,
        [names.get(number, str(number)) for number in network.relation] if is_typed else None,
        choice.directed,
    )
    return replace(content, notes=tuple(network.notes))


def _with_values(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Words as numbers in a column of numbers alone, and else as text."""
    texts = {
        name
        for record in records
        for name, value in record.items()
        if isinstance(value, Word) and not value.is_number
    }
    return [
        {
            name: (value.text if name in texts else value.number)
            if isinstance(value, Word)
            else value
            for name, value in record.items()
        }
        for record in records
    ]


def _sections_of(text: str) -> tuple[list[Section], list[str]]:
    """The vertices and the lists of edges of the one network; what is left out as notes."""
    sections: list[Section] = []
    others: list[str] = []
    in_network = True
    num_networks = 0
    has_times = False
    in_comment = False
    for number, line in lines_of(text):
        line = line.strip()
        in_comment |= line.startswith("/*")
        if in_comment:
            _, end, line = line.partition("*/")
            in_comment = not end
            line = line.strip()
        if not line or line[0] == "%":
            continue
        if line[0] != "*":
            if in_network:
                without_times = _without_times(line)
                has_times |= without_times != line
                _add_line(sections, number, without_times)
            continue
        kind = line.split()[0].lower()
        if kind in _OTHERS:
            in_network = False
            others.append(line.split()[0])
        elif kind == "*network":
            in_network = True
            num_networks += 1
        elif kind not in ("*vertices", *_LISTS):
            raise InputError(
                f"a Pajek file must hold *Vertices and lists of edges ({', '.join(_LISTS)}), "
                f"got {printable(kind)}."
            )
        elif in_network:
            sections.append(Section(number, line, kind, []))
    kinds = [section.kind for section in sections]
    number = max(kinds.count("*vertices"), num_networks)
    if number != 1 or kinds[:1] != ["*vertices"]:
        raise InputError(
            f"a Pajek file must hold one network that begins with *Vertices, got {number}."
        )
    notes = [f"left out {listed(others)}"] if others else []
    return sections, [*notes, *(["left out the times of nodes and edges"] if has_times else [])]


def _without_times(line: str) -> str:
    """A line, whose end has no blanks, without the brackets of times at its end.

    >>> _without_times('1 "a [b] c" [1-3,5]'), _without_times('1 "a" [b')
    ('1 "a [b] c"', '1 "a" [b')
    """
    if not line.endswith("]"):
        return line
    # neither a bracket nor a quote within
    begin = max(line.rfind("]", 0, -1), line.rfind('"')) + 1
    times = _TIMES.search(line, begin)
    return line if times is None else line[: times.start()]


def _add_line(sections: list[Section], number: int, line: str) -> None:
    """Put a line into the section that it stands in."""
    if not sections:
        raise InputError("a Pajek file must begin with *Vertices, got something else.")
    if sections[-1].kind != "*matrix" and not _BEGINS_WITH_NODE.match(line):
        raise InputError(
            f"line {number} must begin with the number of a node, got {printable(line)!r}."
        )
    sections[-1].rows.append((number, line))


def _announced(vertices: Section, num_bytes: int) -> Network:
    """A network of as many nodes, yet without names, as a header says."""
    sizes = [int(word) for word in vertices.header.split()[1:] if word.isdigit()]
    if not sizes or (sizes[1:] and sizes[1] > sizes[0]):
        raise InputError(
            f"*Vertices must say how many there are, got {printable(vertices.header)!r}."
        )
    check_announced(sizes[0], num_bytes)
    return Network(sizes[0], sizes[1] if sizes[1:] else 0, [{} for _ in range(sizes[0])])


def _words_of(line: int, row: str) -> list[Word]:
    """The words of a line, whose end has no blanks."""
    words = []
    place = 0
    while place < len(row):
        match = _WORD.match(row, place)
        if match is None:
            raise _quotes_error(line, row)
        words.append(Word(match[1] if match[2] is None else match[2], match[2] is None))
        place = match.end()
    return words


def _quotes_error(line: int, row: str) -> InputError:
    return InputError(
        f"line {line} must hold a name between two quotes, got {printable(row)!r}; write quotes "
        "within a name as &#34;."
    )


def _add_node(network: Network, line: int, row: str) -> None:
    """Read ``number name x y z shape key value …``, of which only the number must be there."""
    if _QUOTES_IN_NAME.match(row):
        raise _quotes_error(line, row)
    number, *words = _words_of(line, row)
    node = network.nodes[network.row_of(line, number.text)]
    if not words:
        return
    name, *words = words
    place: dict[str, Any] = {}
    for axis in "xyz":
        if words and words[0].is_number:
            place[axis] = float(words.pop(0).text)
    # a shape is a word before the pairs
    shape = words.pop(0).text if len(words) % 2 else None
    pairs = network.attributes(words)
    if shape is not None and bool(pairs) == bool(words):
        place["shape"] = shape
    node.update(pairs)
    node.update(place)
    text = _ENTITY.sub(lambda match: html.unescape(match[0]), name.text)
    # Pajek breaks a line there
    node["name"] = text.replace("\\n", "\n")


def _add_list(network: Network, section: Section) -> None:
    """Read the edges of a list, one or several a line."""
    number = 1
    if named := _RELATION.search(section.header):
        called = section.header[named.end() :].strip().removeprefix('"').removesuffix('"').strip()
        if '"' not in called:
            number = int(named[1])
            known = network.relation_names.get(number, named[1])
            network.relation_names[number] = called or known
    is_matrix = section.kind == "*matrix"
    # of a matrix between two modes only one half is there
    has_way = section.kind in ("*arcs", "*arcslist") or (is_matrix and not network.num_first)
    for line, row in _matrix_entries(network, section) if is_matrix else section.rows:
        of_row = number
        if own_number := _NUMBER.match(row):
            of_row = int(own_number[1])
            row = row[own_number.end() :]
        words = _words_of(line, row)
        if section.kind.endswith("list"):
            for other in words[1:]:
                _add_edge(network, line, [words[0], other], has_way, of_row)
        else:
            _add_edge(network, line, words, has_way, of_row)


def _add_edge(network: Network, line: int, words: list[Word], has_way: bool, relation: int) -> None:
    """Read ``number number weight key value …``, of which the first two must be there."""
    if len(words) < 2:
        got = printable(" ".join(word.text for word in words))
        raise InputError(f"line {line} must hold the numbers of two nodes, got {got!r}.")
    first, second, *rest = words
    network.source.append(network.row_of(line, first.text))
    network.target.append(network.row_of(line, second.text))
    weight = {_WEIGHT: float(rest.pop(0).text)} if rest and rest[0].is_number else {}
    if len(rest) == 1:
        raise InputError(
            f"line {line} must have a number as the weight of its edge, got "
            f"{printable(rest[0].text)!r}."
        )
    network.edges.append({**network.attributes(rest), **weight})
    network.has_way.append(has_way)
    network.relation.append(relation)


def _matrix_entries(network: Network, section: Section) -> Iterator[tuple[int, str]]:
    """Lines of a list for the entries of a matrix other than 0."""
    first = network.num_first
    num_rows = first or network.num_nodes
    num_columns = network.num_nodes - first
    rows = [(line, row.split()) for line, row in section.rows]
    if len(rows) != num_rows or any(len(values) != num_columns for _, values in rows):
        raise InputError(f"*Matrix must have {num_rows} rows of {num_columns} numbers.")
    for row, (line, values) in enumerate(rows, 1):
        for column, value in enumerate(values, 1):
            if float(value) != 0:
                yield line, f"{row} {first + column} {value}"
