"""The text of a pattern: edges, those that must be absent, and conditions on edges and nodes.

    pattern   = part { ("," | ";" | new line) part } [ "within" WINDOW ]
    part      = [ "not" ] ( edge | condition )
    edge      = node join node [ "[" asked "]" ] [ "as" NAME ]
    node      = NAME { ":" CATEGORY }
    join      = "->" | "--" | "-[" asked "]->" | "-[" asked "]-" | "!>" | "!-"
    asked     = ( RELATION | test ) { "," test }
    test      = ATTRIBUTE ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
    condition = product ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) ( product | value )
              | term [ "not" ] "in" "(" value { "," value } ")"
    product   = [ NUMBER "*" ] term | term "*" NUMBER
    term      = NAME "." ( ATTRIBUTE | '"' ATTRIBUTE '"' )
    value     = NUMBER | DATE | '"' TEXT '"' | "'" TEXT "'"

The NAME of a term is that of a node, or what an edge is called behind ``as``. ``!>`` and ``!-``, or
``not`` in front of an edge, say that it must be absent. A test is of an attribute of the edge, and
``relation = "NAME"`` names its relation. An edge from a node to itself is a self-loop. A number is
written as in Python: 0.001, -.5, 2. or 1.0e-3. What can be a number or a term, as 0.5, is a number.
A DATE is 2024-01-31, with a time behind it or not: 2024-01-31 10:00. A WINDOW, as 7d, is for events
in time alone: the longest time from the first to the last of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, NoReturn

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.named_structures import MOST_NODES
from gomkcn_dgl.messages import Message, Spelling, Text
from gomkcn_dgl.relations import PLAIN

# the attributes that are no features: the number of neighbours, and the input's id of a node
DEGREE = "degree"
NAME = "name"
# letters of a text: of thousands of names in brackets, and of no list of edges
_MOST_LETTERS = 10**6
# letters of a line that are shown on each side of the one at fault
_SHOWN_LETTERS = 60
# categories are as short as they can be, so that a:C:---b ends with the category "-"
_NODE = r"([^\s,;:>\[!-]+)((?::[^\s,;:>\[]+?)*)"
_START = re.compile(rf"{_NODE}[ \t]*(-(?:\[([^\]]+)\])?(?:-?>|-)|!>|!-)")
_END = re.compile(rf"{_NODE}(?=[ \t]*(?:[,;\n\[]|$)|[ \t]+as[ \t])")
# behind the last part
_WITHIN = re.compile(r"(?:\s*[,;])?\s+within[ \t]+([^,;\n]*)$")
_CALLED = re.compile(r"""as[ \t]+([^\s,;:>\[!.=<"'-]+)(?=[ \t]*(?:[,;\n]|$))""")
_BLANK = re.compile(r"[ \t]*")
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s*\n\s*")
_END_OF_PART = re.compile(r"[,;\n]")
_NOT = re.compile(r"not[ \t]+(?=[^\s!-])")
_NAME = re.compile(r"[^\s,;:>\[!-]+")
_BRACKET = re.compile(r"\[([^\]]*)\]")
_RELATION = "relation"
_TERM = re.compile(r"""([^\s,;:>\[!.=<"'-]+)\.(?:(\w+)|"([^"]+)")""")
_OPERATOR = re.compile(r"!=|<=|>=|=|<|>|not[ \t]+in\b|in\b")
_DIGITS = r"\d+(?:_\d+)*"
_NUMBER = rf'[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?(?![\w."])'
_TIME = r"\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
_DATE = rf"\d{{4}}-\d\d?-\d\d?(?:[T ]{_TIME})?(?![\w.:-])"
_VALUE = re.compile(rf"""({_DATE}|{_NUMBER})|"([^"]*)"|'([^']*)'""", re.ASCII)
# sizes of a factor, with which exact products have few digits
_FACTORS = 1e-15, 1e15
_FACTOR = re.compile(rf"({_NUMBER})[ \t]*\*", re.ASCII)
_FACTOR_BEHIND = re.compile(rf"\*[ \t]*({_NUMBER})", re.ASCII)
# the sign of a sum, and a date whose year is not first: neither is taken
_SUM = re.compile(r"[+-]")
_OTHER_DATE = re.compile(r"\d+[/.]\d+[/.]\d+")
_TEST = re.compile(
    r"""(?:"([^"]+)"|([^\s"<>=!,]+))[ \t]*(!=|<=|>=|=|<|>)[ \t]*"""
    rf"""(?:({_DATE}|{_NUMBER})|"([^"]*)"|(\w+))""",
    re.ASCII,
)
# what stands between commas, but for those within quotes
_ITEM = re.compile(r'(?:[^,"]|"[^"]*")+')
_OPEN, _COMMA, _CLOSE = (re.compile(sign) for sign in (r"\(", ",", r"\)"))
_NEGATED = {"=": "!=", "<": ">=", ">": "<=", "in": "not in"}
_NEGATED |= {other: sign for sign, other in _NEGATED.items()}


class PatternTextError(InputError):
    """The text of a pattern is wrong at one character, which a caret below it shows."""

    def __init__(self, message: Message, text: str, at: int) -> None:
        super().__init__()
        self.args = (message, text, at)
        self.message = message
        first = text.rfind("\n", 0, at) + 1
        line, column = text[first:].partition("\n")[0], at - first
        before = max(0, column - _SHOWN_LETTERS)
        line, column = line[before : column + _SHOWN_LETTERS], column - before
        line = "".join(letter if letter.isprintable() else " " for letter in line)
        self.shown = f"\n    {line}\n    {' ' * column}^"

    def spelled(self, spelling: Spelling) -> str:
        """The sentence, the line of the text and the caret."""
        return super().spelled(spelling) + self.shown


class EdgeTest(NamedTuple):
    """Values that an attribute of an edge is compared with, as they were written, without quotes.

    There are several of ``in`` and ``not in`` alone.
    """

    attribute: str
    operator: str
    values: tuple[str, ...]


class EdgePart(NamedTuple):
    """An edge that must be there or be absent, as it was written, and where its text begins."""

    first: str
    second: str
    relation: str
    has_direction: bool
    is_absent: bool
    given: str
    at: int
    tests: tuple[EdgeTest, ...] = ()
    name: str = ""


class Term(NamedTuple):
    """An attribute of a node of the pattern, or of an edge by its name; where it was written.

    ``factor`` is what it is multiplied by.
    """

    node: str
    attribute: str
    at: int
    factor: Fraction = Fraction(1)

    @property
    def quantity(self) -> str:
        """The attribute with its factor, in which what is compared is the same or is not."""
        return self.attribute if self.factor == 1 else f"{self.factor} * {self.attribute}"


class Condition(NamedTuple):
    """Two attributes, or an attribute and values, that are compared.

    Under ``not`` the operator is the opposite one. Values are as they were written, without quotes:
    the column of the attribute decides whether they stand for numbers. ``right_at`` says where each
    of them was written.
    """

    left: Term
    operator: str
    right: Term | tuple[str, ...]
    right_at: tuple[int, ...] = ()

    @property
    def terms(self) -> list[Term]:
        """The one or two attributes."""
        return [self.left, self.right] if isinstance(self.right, Term) else [self.left]


@dataclass(frozen=True)
class PatternText:
    r"""What a text says: nodes and their categories in the order of the text, edges, conditions.

    ``edges`` must be there and ``absent`` ones must not; ``loops`` from a node to itself are of
    either kind. ``edge_conditions`` compare attributes of edges that have a name; what compares one
    with values is among the tests of the edge. ``within`` is the window, empty where there is none.

    >>> pattern = PatternText.read("A -> B, A !> C; B -> C\nnot A.size < B.size")
    >>> list(pattern.nodes), [edge.given for edge in pattern.absent]
    (['A', 'B', 'C'], ['A !> C'])
    >>> pattern.conditions[0].operator
    '>='
    """

    text: str
    nodes: dict[str, tuple[str, ...]]
    edges: list[EdgePart]
    absent: list[EdgePart]
    loops: list[EdgePart]
    conditions: list[Condition]
    edge_conditions: list[Condition] = field(default_factory=list)
    within: str = ""

    @classmethod
    def read(cls, text: str) -> PatternText:
        """Read a text; a wrong one is refused at the character at fault.

        One of more nodes than a search takes is refused before anything is made of it.
        """
        text = text.strip()
        if len(text) > _MOST_LETTERS:
            raise InputError(
                "pattern", f"must have at most {_MOST_LETTERS:,} letters", got=f"{len(text):,}"
            )
        window = _WITHIN.search(text)
        reader = _Reader(text[: window.start()] if window else text)
        pattern = cls(text, {}, [], [], [], [], within=window[1] if window else "")
        while True:
            begin = reader.at
            is_negated = bool(reader.take(_NOT))
            condition = _read_condition(reader, is_negated)
            if condition is not None:
                pattern.conditions.append(condition)
            else:
                edge = _read_edge(reader, begin, is_negated, pattern.nodes)
                if edge.name in pattern.named_edges:
                    reader.refuse("must give each edge another name", begin, repr(edge.name))
                parts = pattern.absent if edge.is_absent else pattern.edges
                (pattern.loops if edge.first == edge.second else parts).append(edge)
            if reader.at == len(reader.text):
                break
            if not reader.take(_SEPARATOR):
                reader.refuse("must have a comma or a new line between its parts")
        check_num_nodes(len(pattern.nodes))
        pattern._sort_conditions()
        joined = {node for edge in pattern.edges for node in edge[:2]}
        # a self-loop may be all that is asked for
        joined = joined or {edge.first for edge in pattern.loops[:1]}
        uses = [(node, edge.at) for edge in [*pattern.absent, *pattern.loops] for node in edge[:2]]
        uses += [(term.node, term.at) for part in pattern.conditions for term in part.terms]
        for node, at in uses:
            if node not in joined:
                pattern.refuse(f"must have an edge that joins {node!r} to others", at)
        return pattern

    def _sort_conditions(self) -> None:
        """Take the conditions on edges out of those on nodes."""
        named = self.named_edges
        for name in named.keys() & self.nodes.keys():
            self.refuse("must call an edge otherwise than a node", named[name].at, got=repr(name))
        conditions, self.conditions[:] = [*self.conditions], []
        for condition in conditions:
            terms = condition.terms
            unknown = [term for term in terms if term.node not in named.keys() | self.nodes.keys()]
            if unknown:
                known = ", ".join([*self.nodes, *named])
                self.refuse(
                    f"must have attributes of its nodes, or of edges by their names, {known}",
                    unknown[0].at,
                    got=repr(unknown[0].node),
                    way_out="a -> b as NAME calls an edge so" if not named else "",
                )
            of_edges = [term for term in terms if term.node in named]
            if not of_edges:
                self.conditions.append(condition)
            elif len(of_edges) < len(terms):
                self.refuse("must compare edges with edges, and nodes with nodes", terms[0].at)
            elif isinstance(condition.right, Term):
                self.edge_conditions.append(condition)
            else:
                edge = named[condition.left.node]
                test = EdgeTest(condition.left.attribute, condition.operator, condition.right)
                parts = self.loops if edge.first == edge.second else self.edges
                named[edge.name] = edge._replace(tests=(*edge.tests, test))
                parts[parts.index(edge)] = named[edge.name]

    @property
    def named_edges(self) -> dict[str, EdgePart]:
        """The edges that have a name, by it."""
        return {part.name: part for part in [*self.edges, *self.loops] if part.name}

    @property
    def attributes(self) -> list[str]:
        """The attributes of nodes in the conditions, but for the degree."""
        used = {term.attribute for condition in self.conditions for term in condition.terms}
        return sorted(used - {DEGREE})

    @property
    def is_mixed(self) -> bool:
        """Whether some edges have a relation and others none, or some nodes categories."""
        named = {edge.relation == PLAIN for edge in self.edges}
        labelled = {bool(labels) for labels in self.nodes.values()}
        return len(named) > 1 or len(labelled) > 1

    @property
    def edge_attributes(self) -> tuple[str, ...]:
        """The attributes of edges that are tested or compared, each once."""
        parts = [*self.edges, *self.absent, *self.loops]
        used = [test.attribute for part in parts for test in part.tests]
        used += [term.attribute for one in self.edge_conditions for term in one.terms]
        return tuple(dict.fromkeys(used))

    def refuse(self, rule: Text, at: int, *, got: str = "", way_out: Text = "") -> NoReturn:
        """Refuse the text for what stands at a character."""
        raise PatternTextError(Message(rule, "pattern", got, way_out), self.text, at)


def check_num_nodes(number: int) -> None:
    """Refuse a pattern of more nodes than a search takes."""
    if number > MOST_NODES:
        raise InputError("pattern", f"must have at most {MOST_NODES} nodes", got=number)


class _Reader:
    """A text, and how far it was read."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def take(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """Read on where this comes next, and over the blanks behind it."""
        found = what.match(self.text, self.at)
        if found is not None:
            blank = _BLANK.match(self.text, found.end())
            self.at = found.end() if blank is None else blank.end()
        return found

    def refuse(self, rule: str, at: int | None = None, got: str = "") -> NoReturn:
        at = self.at if at is None else at
        raise PatternTextError(Message(rule, "pattern", got), self.text, at)


def _read_condition(reader: _Reader, is_negated: bool) -> Condition | None:
    """A condition; None where no attribute and operator come next."""
    begin = reader.at
    if not _FACTOR.match(reader.text, begin) and reader.take(_VALUE) and reader.take(_OPERATOR):
        reader.refuse(
            "must have NODE.ATTRIBUTE in front of the sign and its value behind it, as in "
            "a.size > 0.5",
            begin,
        )
    reader.at = begin
    left = _read_product(reader)
    if left is not None:
        _refuse_sum(reader, begin)
    found = reader.take(_OPERATOR) if left else None
    if left is None or found is None:
        reader.at = begin
        return None
    sign = " ".join(found.group().split())
    operator = _NEGATED[sign] if is_negated else sign
    if sign.endswith("in"):
        values = _read_values(reader)
    else:
        # 0.5 is a number, though it could be the attribute 5 of a node 0
        ahead = _VALUE.match(reader.text, reader.at)
        is_product = _FACTOR.match(reader.text, reader.at)
        right = None if ahead and not is_product else _read_product(reader)
        if right is not None:
            _refuse_sum(reader, begin)
            return Condition(left, operator, right)
        values = [_read_value(reader, f"behind {sign}", " or NODE.ATTRIBUTE")]
        _refuse_sum(reader, begin)
    if left.factor != 1:
        reader.refuse("must multiply an attribute where it is compared with another one", left.at)
    texts, places = zip(*values, strict=True)
    return Condition(left, operator, texts, places)


def _read_product(reader: _Reader) -> Term | None:
    at, factor = reader.at, reader.take(_FACTOR)
    term = reader.take(_TERM)
    if term is None:
        if factor is not None:
            reader.refuse("must have NAME.ATTRIBUTE behind a factor, as in .9 * y.amount")
        return None
    at_second, second = reader.at, reader.take(_FACTOR_BEHIND)
    if factor is not None and second is not None:
        reader.refuse("must have one factor of an attribute", at_second, second[0])
    factor = factor or second
    least, most = _FACTORS
    if factor is not None and not least <= abs(float(factor[1])) <= most:
        reader.refuse(f"must have factors from {least:g} to {most:g}", at, factor[1])
    written = factor[1].replace("_", "") if factor else "1"
    return Term(term[1], term[2] or term[3], at, Fraction(written))


def _refuse_sum(reader: _Reader, begin: int) -> None:
    """Refuse a sum or a difference in a condition, which begins at a place."""
    part = _END_OF_PART.split(reader.text[begin:], 1)[0]
    # with an arrow it is an edge between nodes whose names have a sign
    is_condition = re.search("[<>=]", part) and not re.search(r"[-!]>|--|\[", part)
    if is_condition and _SUM.match(reader.text, reader.at):
        reader.refuse(
            "must compare attributes, or these times a number, without sums; within 2d behind a "
            "pattern of events is for times",
        )


def _read_values(reader: _Reader) -> list[tuple[str, int]]:
    """The values in brackets, and where each begins."""
    if not reader.take(_OPEN):
        reader.refuse('must have values in brackets behind in, such as ("a", "b")')
    values = [_read_value(reader, "in brackets")]
    while reader.take(_COMMA):
        values.append(_read_value(reader, "in brackets"))
    if not reader.take(_CLOSE):
        reader.refuse("must have a comma or a closing bracket behind a value")
    return values


def _read_value(reader: _Reader, where: str, other: str = "") -> tuple[str, int]:
    """A value, and where it begins."""
    at = reader.at
    other_date = _OTHER_DATE.match(reader.text, at)
    if other_date is not None:
        reader.refuse("must have dates as 2024-03-31", at, other_date[0])
    value = reader.take(_VALUE)
    if value is None:
        reader.refuse(f'must have a number or "text" in quotes{other} {where}')
    return str(value[1] or value[2] or value[3] or ""), at


def _read_edge(
    reader: _Reader, begin: int, is_negated: bool, nodes: dict[str, tuple[str, ...]]
) -> EdgePart:
    """An edge; its nodes and their categories are added to ``nodes``."""
    start = reader.take(_START)
    end = reader.take(_END) if start else None
    if start is None or end is None:
        given = _END_OF_PART.split(reader.text[begin:], 1)[0].rstrip()
        # the fault is behind a name
        reader.take(_NAME)
        reader.refuse(
            "must have edges like a->b, a--b, a-[NAME]->b or a-[NAME]-b, with categories "
            "a:C--b:N, or conditions like a.size > 3, separated by commas",
            got=repr(given),
        )
    first, of_first, sign, conditions = start.groups()
    second, of_second = end.groups()
    relation, tests = _read_asked(reader, conditions or "", start.start(4))
    behind = reader.at + 1
    bracket = reader.take(_BRACKET)
    if bracket:
        named, more = _read_asked(reader, bracket[1], behind, names_relation=False)
        relation, tests = named or relation, tests + more
    called = reader.take(_CALLED)
    given = reader.text[begin : reader.at].strip()
    is_absent = is_negated != sign.startswith("!")
    if called and is_absent:
        reader.refuse("must not name an edge that must be absent", begin, repr(given))
    for node, written in ((first, of_first), (second, of_second)):
        labels = tuple(written.split(":")[1:])
        if nodes.setdefault(node, labels) and labels not in ((), nodes[node]):
            reader.refuse(f"gives {node!r} two categories, in {given!r}", begin)
        nodes[node] = nodes[node] or labels
    return EdgePart(
        first,
        second,
        relation or PLAIN,
        sign.endswith(">"),
        is_absent,
        given,
        begin,
        tests,
        called[1] if called else "",
    )


def _read_asked(
    reader: _Reader, text: str, at: int, *, names_relation: bool = True
) -> tuple[str, tuple[EdgeTest, ...]]:
    """The relation, "" for any, and the tests that stand in the brackets of an edge.

    ``names_relation`` says that what is no test is the name of a relation.
    """
    items = [item.strip() for item in _ITEM.findall(text)]
    found = [_TEST.fullmatch(item) for item in items]
    names, tests = list[str](), list[EdgeTest]()
    for item, test in zip(items, found, strict=True):
        attribute, operator = (test[1] or test[2], test[3]) if test else ("", "")
        if test is not None and attribute == _RELATION and operator == "=":
            names += [value for value in test.groups()[3:] if value is not None]
        elif test is not None and attribute != _RELATION and test[6] is None:
            tests.append(EdgeTest(attribute, operator, (str(test[4] or test[5]),)))
        elif names_relation and test is None:
            names.append(item)
        else:
            reader.refuse(
                'must say of an edge its relation = "NAME", or compare an attribute with a number '
                'or "text" in quotes, as in [score >= 700]',
                at,
            )
    # a name may hold commas
    return text.strip() if not any(found) else ",".join(names), tuple(tests)
