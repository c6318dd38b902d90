"""Count the steps of each regular expression that reads files: `python fuzz/scan_steps.py`.

A scan must take a number of steps that grows as the text does, whatever the text is. Seconds do not
say that, so the steps are counted: a parsed expression is run by a matcher that backtracks as
``re`` does, from each place of a text on. The texts are made of the expression: what leads to one
of its repeats, many letters that it takes, and an end that it does not.

Expressions are the constants of the modules of ``gomkcn_dgl.io``, and those that these modules make
while the valid inputs of :mod:`targets` are read.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    from re import _constants as sre
    from re import _parser as parser
else:
    import sre_constants as sre
    import sre_parse as parser

import gomkcn_dgl.io

# letters of a text: runs of so many are in files that attack
LENGTH = 100_000
# steps for each letter; the most that a scan takes is 60, for numbers of at most 19 digits, while
# one that looks at the rest of the text from each place on takes half of the text's length
MOST_PER_LETTER = 100
# what a text may be made of
_PROBES = "a1 ,\t\"({[]})':.-+#\n=E$~;|%&i"
# what no repeat goes on with
_ENDS = ("~", '"x"y', "\n~", "x", "")
# a repeat without a bound
_MANY = 2**16


class TooManyStepsError(Exception):
    """A scan takes more steps than its text allows."""


# a step: its kind, and what it needs
Program = list[tuple[Any, ...]]


def compile_steps(pattern: re.Pattern[Any]) -> Program:
    """The steps of a pattern, as a program with jumps."""
    program: Program = []
    _emit(parser.parse(pattern.pattern, pattern.flags), pattern.flags, program)
    program.append(("end",))
    return program


def count_steps(
    pattern: re.Pattern[Any],
    text: str,
    most: float = float("inf"),
    *,
    is_search: bool = True,
) -> int:
    """The steps of a search for all places of a pattern; over ``most`` raises an error.

    Without ``is_search`` it is matched from the first place on, and again where it ended.

    >>> count_steps(re.compile(",+$"), "," * 100 + "x") > 50 * count_steps(
    ...     re.compile("(?<!,),+$"), "," * 100 + "x")
    False
    >>> count_steps(re.compile("a"), "bbb")
    5
    """
    program = compile_steps(pattern)
    counter = _Counter(most)
    start = 0
    while start <= len(text):
        end = _run(program, 0, text, start, counter)
        if not is_search and (end is None or end == start):
            break
        start = start + 1 if end is None or end == start else end
    return counter.steps


class _Counter:
    def __init__(self, most: float) -> None:
        self.steps, self.most = 0, most

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManyStepsError


def _run(program: Program, at: int, text: str, place: int, counter: _Counter) -> int | None:
    """Where a match from a place on ends, None without one: depth first, as ``re`` goes."""
    stack = [(at, place)]
    size = len(text)
    while stack:
        at, place = stack.pop()
        while True:
            counter.step()
            kind, *needs = program[at]
            at += 1
            if kind == "letter":
                if place == size or text[place] not in needs[0]:
                    break
                place += 1
            elif kind == "either":
                stack.append((needs[1], place))
                at = needs[0]
            elif kind == "jump":
                at = needs[0]
            elif kind == "place":
                if not needs[0](text, place):
                    break
            elif kind == "look":
                inner, behind, wanted = needs
                begin = place - behind
                found = begin >= 0 and _run(inner, 0, text, begin, counter) is not None
                if found != wanted:
                    break
            else:
                return place
    return None


def _emit(nodes: Any, flags: int, program: Program) -> None:
    """Append the steps of parsed nodes."""
    for kind, needs in nodes:
        if letters := _letters(kind, needs, flags):
            program.append(("letter", letters))
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            _emit_repeat(kind, needs, flags, program)
        elif kind is sre.SUBPATTERN:
            _emit(needs[-1], flags, program)
        elif kind is sre.BRANCH:
            _emit_branches(needs[1], flags, program)
        elif kind is sre.AT:
            program.append(("place", _places(flags)[needs]))
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            direction, inner_nodes = needs
            inner: Program = []
            _emit(inner_nodes, flags, inner)
            inner.append(("end",))
            behind = inner_nodes.getwidth()[1] if direction < 0 else 0
            program.append(("look", inner, behind, kind is sre.ASSERT))
        else:
            raise NotImplementedError(f"{kind} in a pattern")


def _emit_repeat(kind: Any, needs: Any, flags: int, program: Program) -> None:
    least, most, body = needs
    if body.getwidth()[0] == 0 and most >= _MANY:
        raise NotImplementedError("a repeat of what may be empty")
    for _ in range(least):
        _emit(body, flags, program)

    def either(first: int, second: int) -> tuple[Any, ...]:
        return ("either", *((first, second) if kind is sre.MAX_REPEAT else (second, first)))

    if most >= _MANY:
        begin = len(program)
        program.append(())
        _emit(body, flags, program)
        program.append(("jump", begin))
        program[begin] = either(begin + 1, len(program))
        return
    opened = []
    for _ in range(most - least):
        opened.append(len(program))
        program.append(())
        _emit(body, flags, program)
    for begin in opened:
        program[begin] = either(begin + 1, len(program))


def _emit_branches(branches: Any, flags: int, program: Program) -> None:
    ends = []
    for branch in branches[:-1]:
        begin = len(program)
        program.append(())
        _emit(branch, flags, program)
        ends.append(len(program))
        program.append(())
        program[begin] = ("either", begin + 1, len(program))
    _emit(branches[-1], flags, program)
    for end in ends:
        program[end] = ("jump", len(program))


def _letters(kind: Any, needs: Any, flags: int) -> frozenset[str]:
    """The ASCII letters that a node of one letter takes; none for other nodes."""
    if kind not in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        return frozenset()
    every = [chr(code) for code in range(128)]
    if kind is sre.ANY:
        return frozenset(set(every) - (set() if flags & re.DOTALL else {"\n"}))
    items = needs if kind is sre.IN else [(sre.LITERAL, needs)]
    found = set[str]()
    for name, value in items:
        if name is sre.LITERAL:
            found |= {chr(value)}
        elif name is sre.RANGE:
            found |= {chr(code) for code in range(value[0], value[1] + 1)}
        elif name is sre.CATEGORY:
            found |= {letter for letter in every if _CATEGORIES[value](letter)}
    if flags & re.IGNORECASE:
        found |= {letter.swapcase() for letter in found}
    is_negated = kind is sre.NOT_LITERAL or items[0][0] is sre.NEGATE
    return frozenset(set(every) - found if is_negated else found)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_NOT_DIGIT: lambda letter: not letter.isdigit(),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda letter: not letter.isspace(),
    sre.CATEGORY_WORD: _is_word,
    sre.CATEGORY_NOT_WORD: lambda letter: not _is_word(letter),
}


def _places(flags: int) -> dict[Any, Callable[[str, int], bool]]:
    """What ^, $, and the like say of a place."""
    lines = bool(flags & re.MULTILINE)

    def begins(text: str, at: int) -> bool:
        return at == 0 or (lines and text[at - 1] == "\n")

    def ends(text: str, at: int) -> bool:
        left = len(text) - at
        return left == 0 or (text[at] == "\n" and (lines or left == 1))

    def at_word(text: str, at: int) -> bool:
        return (at > 0 and _is_word(text[at - 1])) != (at < len(text) and _is_word(text[at]))

    return {
        sre.AT_BEGINNING: begins,
        sre.AT_BEGINNING_STRING: lambda _, at: at == 0,
        sre.AT_END: ends,
        sre.AT_END_STRING: lambda text, at: at == len(text),
        sre.AT_BOUNDARY: at_word,
        sre.AT_NON_BOUNDARY: lambda text, at: not at_word(text, at),
    }


# ---------------------------------------------------------------- texts that attack


class _Repeat(NamedTuple):
    """What leads to a repeat, and texts that it takes once."""

    lead: str
    units: list[str]


def attacks(pattern: re.Pattern[Any], length: int = LENGTH) -> Iterator[str]:
    """Texts of about so many letters, for each repeat of a pattern."""
    known = set[str]()
    for lead, units in _repeats(parser.parse(pattern.pattern, pattern.flags), pattern.flags, ""):
        for unit in units:
            for end in _ENDS:
                known.add(lead + unit * (length // len(unit)) + end)
            again = lead + unit
            known.add(again * (length // len(again)) + "~")
    yield from sorted(known)


def _repeats(nodes: Any, flags: int, lead: str) -> Iterator[_Repeat]:
    for kind, needs in nodes:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            _, most, body = needs
            if most > 1:
                yield _Repeat(lead, [unit for unit in _samples(body, flags) if unit])
            yield from _repeats(body, flags, lead)
        elif kind is sre.SUBPATTERN:
            yield from _repeats(needs[-1], flags, lead)
        elif kind is sre.BRANCH:
            for branch in needs[1]:
                yield from _repeats(branch, flags, lead)
        elif kind is sre.ASSERT and needs[0] > 0:
            yield from _repeats(needs[1], flags, lead)
        lead += _samples([(kind, needs)], flags)[0]


def _samples(nodes: Any, flags: int) -> list[str]:
    """Texts that nodes take: one, or one for each letter where they are a single letter."""
    nodes = list(nodes)
    if len(nodes) == 1 and (letters := _letters(*nodes[0], flags)):
        return [probe for probe in _PROBES if probe in letters] or [min(letters)]
    texts = [""]
    for kind, needs in nodes:
        more = [""]
        if letters := _letters(kind, needs, flags):
            more = [next((probe for probe in _PROBES if probe in letters), min(letters))]
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            more = [text * max(1, needs[0]) for text in _samples(needs[2], flags)[:1]]
        elif kind is sre.SUBPATTERN:
            more = _samples(needs[-1], flags)
        elif kind is sre.BRANCH:
            more = [text for branch in needs[1] for text in _samples(branch, flags)]
        elif kind is sre.ASSERT and needs[0] < 0:
            more = _samples(needs[1], flags)[:1]
        texts = [text + other for text in texts[:1] for other in more]
    return texts


# ---------------------------------------------------------------- the patterns


class Scan(NamedTuple):
    """A pattern, and whether it is searched for, or matched where a text begins."""

    pattern: re.Pattern[Any]
    is_search: bool


def scans() -> dict[str, Scan]:
    """Each regular expression of the readers, by where it is from."""
    found: dict[str, Scan] = {}
    for module in pkgutil.iter_modules(gomkcn_dgl.io.__path__, "gomkcn_dgl.io."):
        loaded = importlib.import_module(module.name)
        source = inspect.getsource(loaded)
        for name, value in vars(loaded).items():
            if isinstance(value, re.Pattern):
                uses = re.findall(rf"\b{name}\b(\.\w+)?(?! =|, _)", source)
                is_search = not {*uses} <= {".match", ".fullmatch"}
                found[f"{module.name}.{name}"] = Scan(value, is_search)
    made = dict[str, re.Pattern[Any]]()
    with _noted(made):
        _read_valid_files()
    known = {(scan.pattern.pattern, scan.pattern.flags) for scan in found.values()}
    return found | {
        name: Scan(pattern, is_search=True)
        for name, pattern in made.items()
        if (pattern.pattern, pattern.flags) not in known
    }


@contextmanager
def _noted(made: dict[str, re.Pattern[Any]]) -> Iterator[None]:
    """Note what modules of the readers compile."""
    compiled = re._compile

    def note(pattern: Any, flags: Any) -> re.Pattern[Any]:
        value = compiled(pattern, flags)
        caller = sys._getframe(2)
        module = str(caller.f_globals.get("__name__", ""))
        if module.startswith("gomkcn_dgl.io."):
            made[f"{module}:{caller.f_code.co_name}: {value.pattern!r}"] = value
        return value

    re._compile = note
    try:
        yield
    finally:
        re._compile = compiled


def _read_valid_files() -> None:
    from targets import TARGETS

    from gomkcn_dgl.io.formats import FORMATS

    for target in (TARGETS[name] for name in (*FORMATS, "features_csv", "names_csv")):
        with tempfile.TemporaryDirectory() as folder:
            for data in target.seeds:
                target.feed(Path(folder), data)


def slow_scans(length: int = LENGTH) -> dict[str, str]:
    """The expressions that take too many steps, and the text with which they do, shortened."""
    slow = {}
    for name, (pattern, is_search) in scans().items():
        for text in attacks(pattern, length):
            try:
                count_steps(pattern, text, MOST_PER_LETTER * len(text), is_search=is_search)
            except TooManyStepsError:
                slow[name] = f"{text[:20]!r} … {text[-10:]!r}"
                break
    return slow


if __name__ == "__main__":
    found = slow_scans()
    for name, text in found.items():
        print(f"{name}: over {MOST_PER_LETTER} steps a letter for {text}")
    sys.exit(bool(found))
