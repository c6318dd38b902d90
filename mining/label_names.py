"""What node labels are called: from a file, or from chemistry, with their plural."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io_names import listed, named

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LONGEST_NAME = 60
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
        return f"{_NUMBERS[number] if number < len(_NUMBERS) else number} {self.many}"


def read_label_names(path: str | Path) -> dict[str, str]:
    r"""Read what labels are called.

    Parameters
    ----------
    path : path
        TOML with lines such as ``1 = "helix"``, at the top or under ``[labels]``; or CSV with the
        header ``label,name``. A label is the code in the data, or the whole name of its column,
        such as ``"label=1"``.

    Returns
    -------
    dict of str to str
        Label → name.

    Raises
    ------
    InputError
        For a file that cannot be read, a label that comes twice, or a name that is empty, too long
        or not printable.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "names.csv"
    >>> _ = file.write_text("label,name\n1,helix\n2,sheet\n")
    >>> read_label_names(file)
    {'1': 'helix', '2': 'sheet'}
    """
    path = Path(path)
    readers = {".toml": _read_toml, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InputError(f"label names must be a .toml or .csv file, got {path.name!r}.")
    with named(path):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the file cannot be read ({error}).") from None
        return _check_pairs(readers[path.suffix.lower()](text))


def name_labels(codes: Sequence[str], names: Mapping[str, str]) -> list[str | None]:
    """Name labels: by ``names``, or as elements where all of them are; None for a bare number.

    Examples
    --------
    >>> name_labels(["C", "Cl"], {}), name_labels(["1", "2"], {"2": "sheet"})
    (['carbon', 'chlorine'], [None, 'sheet'])
    """
    elements = all(code in _ELEMENTS for code in codes)
    found: list[str | None] = []
    for code in codes:
        if code in names:
            found.append(names[code])
        elif elements:
            found.append(_ELEMENTS[code])
        else:
            found.append(code if any(letter.isalpha() for letter in code) else None)
    return found


def _read_toml(text: str) -> list[tuple[str, Any]]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the file is not valid TOML: {error}.") from None
    labels = table["labels"] if set(table) == {"labels"} else table
    return list(labels.items()) if isinstance(labels, dict) else [("labels", labels)]


def _read_csv(text: str) -> list[tuple[str, Any]]:
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if not rows or [cell.strip().lower() for cell in rows[0]] != ["label", "name"]:
        raise InputError("the first line must be 'label,name'.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != 2:
            raise InputError(f"row {number} must be a label and a name, got {row}.")
    return [(row[0].strip(), row[1].strip()) for row in rows[1:]]


def _check_pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, str]:
    if not pairs:
        raise InputError("at least one label must have a name, got none.")
    labels = [label for label, _ in pairs]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise InputError(f"each label must have one name, got two for {twice[0]!r}.")
    for label, name in pairs:
        if not isinstance(name, str) or not name.isprintable() or not name.strip():
            raise InputError(f"a name must be printable text, got {name!r} for {label!r}.")
        if len(name) > _LONGEST_NAME:
            raise InputError(
                f"a name must have at most {_LONGEST_NAME} letters, got {len(name)} for {label!r}."
            )
    return dict(pairs)


def check_known(names: Mapping[str, str], known: Sequence[str]) -> None:
    """Refuse names of labels that the data do not have."""
    unknown = [label for label in names if label not in known]
    if unknown:
        raise InputError(
            f"label names must be of labels in the data, {listed(known)}; got {unknown[0]!r}."
        )
