"""Sentences for a person that mention parameters, which Python and commands spell each its way.

A sentence is made once, of fields: who prints it says how a parameter is spelled, and nobody looks
for a parameter in a text, where it might be the name of a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

_LONGEST = 1000
_NO_VALUE = object()


@dataclass(frozen=True)
class Argument:
    """A parameter that a sentence mentions, perhaps with a value to give it.

    >>> str(Argument("num_filters")), str(Argument("relation", "none"))
    ('num_filters', "relation='none'")
    """

    name: str
    value: object = _NO_VALUE

    @property
    def has_value(self) -> bool:
        """Whether the sentence gives it a value, which may be None."""
        return self.value is not _NO_VALUE

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.has_value else self.name


# what a sentence is made of, one part behind the other
Text = str | Argument | tuple["Text", ...]
# how a parameter is spelled; None where it cannot be given at all
Spelling = Callable[[Argument], str | None]


@dataclass(frozen=True)
class Message:
    """A sentence without its full stop: a rule, and what else there is to say.

    Attributes
    ----------
    rule : str, Argument or tuple of these
        What must hold, or what is the case; behind the name of the ``parameter`` where there is
        one.
    parameter : str
        The parameter that the rule is of.
    got : str
        What came in its place.
    way_out : str, Argument or tuple of these
        What to do; left out where it mentions a parameter that cannot be given.
    place : str
        Where it came from, such as a file and a line.

    Examples
    --------
    >>> str(Message("must be at least 1", parameter="num_hops", got="0"))
    'num_hops must be at least 1, got 0'
    >>> message = Message("the graph has no edge", way_out=(Argument("weight", "none"), " helps"))
    >>> message.spelled(lambda argument: f"--{argument.name} {argument.value}")
    'the graph has no edge; --weight none helps'
    """

    rule: Text
    parameter: str = ""
    got: str = ""
    way_out: Text = ""
    place: str = ""

    def at(self, place: str) -> Message:
        """The same about something in a place, such as a file."""
        return replace(self, place=f"{place}: {self.place}" if self.place else place)

    @property
    def note(self) -> str:
        """What a result keeps of it: all but the way out, which depends on who reads it."""
        return str(replace(self, way_out=""))

    def __str__(self) -> str:
        return self.spelled(str)

    def spelled(self, spelling: Spelling) -> str:
        """The sentence, in one printable line, with its parameters as who prints it spells them."""
        sentence = f"{self.place}: " if self.place else ""
        if self.parameter:
            sentence += f"{_spell(Argument(self.parameter), spelling)} "
        sentence += _spell(self.rule, spelling)
        if self.got:
            sentence += f", got {self.got}"
        if self.way_out and all(map(spelling, _arguments_of(self.way_out))):
            sentence += f"; {_spell(self.way_out, spelling)}"
        return _one_line(sentence)


def _arguments_of(text: Text) -> list[Argument]:
    """The parameters that a text mentions, in its order."""
    if isinstance(text, tuple):
        return [argument for part in text for argument in _arguments_of(part)]
    return [text] if isinstance(text, Argument) else []


def _spell(text: Text, spelling: Spelling) -> str:
    """A text with its parameters as they are spelled; as in Python where they cannot be given."""
    if isinstance(text, tuple):
        return "".join(_spell(part, spelling) for part in text)
    return (spelling(text) or str(text)) if isinstance(text, Argument) else text


def _one_line(sentence: str) -> str:
    """Make one printable line of a sentence: what a file holds must not steer a terminal."""
    if len(sentence) > _LONGEST:
        # the rule stands at the start, the way out at the end
        sentence = f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 4 :]}"
    if sentence.isprintable():
        return sentence
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in sentence
    )
