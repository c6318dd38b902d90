"""Words for node labels: from chemistry or as the data call them, with their plural."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve")  # fmt: skip
# the elements of organic molecules and their usual salts
_ELEMENTS = {
    "H": "hydrogen", "Li": "lithium", "B": "boron", "C": "carbon", "N": "nitrogen",
    "O": "oxygen", "F": "fluorine", "Na": "sodium", "Mg": "magnesium", "Al": "aluminium",
    "Si": "silicon", "P": "phosphorus", "S": "sulfur", "Cl": "chlorine", "K": "potassium",
    "Ca": "calcium", "Fe": "iron", "Cu": "copper", "Zn": "zinc", "As": "arsenic",
    "Se": "selenium", "Br": "bromine", "Sn": "tin", "I": "iodine", "Hg": "mercury",
    "Pb": "lead",
}  # fmt: skip
_UNCOUNTED = {"phosphorus": "phosphorus atoms", "tin": "tin atoms", "lead": "lead atoms"}


@dataclass(frozen=True)
class Noun:
    """A word and its plural."""

    one: str
    many: str

    @classmethod
    def of(cls, word: str) -> Noun:
        """Give a word its English plural.

        Examples
        --------
        >>> [Noun.of(word).many for word in ("carbon", "helix", "class", "cavity")]
        ['carbons', 'helices', 'classes', 'cavities']
        """
        if word in _UNCOUNTED:
            return cls(f"{word} atom", _UNCOUNTED[word])
        if word.endswith("ix"):
            return cls(word, word[:-1] + "ces")
        if word.endswith(("s", "x", "z", "ch", "sh")):
            return cls(word, word + "es")
        if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
            return cls(word, word[:-1] + "ies")
        return cls(word, word + "s")

    def counted(self, number: int) -> str:
        """Return "a carbon", "an oxygen", "three nitrogens".

        Examples
        --------
        >>> Noun.of("oxygen").counted(1), Noun.of("carbon").counted(3)
        ('an oxygen', 'three carbons')
        """
        if number == 1:
            return f"{'an' if self.one[:1].lower() in 'aeiou' else 'a'} {self.one}"
        return f"{number_word(number)} {self.many}"


def number_word(number: int) -> str:
    """Return "three"; the digits of a large number.

    Examples
    --------
    >>> number_word(3), number_word(30)
    ('three', '30')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def name_labels(codes: Sequence[str]) -> list[str | None]:
    """Name labels as elements where all of them are, else by themselves; None for a bare number.

    Examples
    --------
    >>> name_labels(["C", "Cl"]), name_labels(["1", "sheet"])
    (['carbon', 'chlorine'], [None, 'sheet'])
    """
    if all(code in _ELEMENTS for code in codes):
        return [_ELEMENTS[code] for code in codes]
    return [code if any(letter.isalpha() for letter in code) else None for code in codes]
