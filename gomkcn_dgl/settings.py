"""Settings: records whose fields say all that is to be known of a setting, once.

A table of settings is a frozen dataclass. The type and the name of a field are those of the
argument in Python, of the option of a command and of the entry of a TOML file; :func:`setting`
gives its default, its range and its line of help. From these the options, the refusals and the
tables of the docs are made.

>>> @dataclass(frozen=True)
... class Drawing(SettingsTable):
...     width: int = setting(400, "Width of the figure, in pixels", least=16, most=4096)
...     names: tuple[str, ...] = setting((), "Names to show")
>>> Drawing(names="a,b").names
('a', 'b')
>>> Drawing(width=3)
Traceback (most recent call last):
gomkcn_dgl.errors.InputError: width must be at least 16, got 3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from numbers import Real
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from gomkcn_dgl.bounds import LARGEST_COUNT, LARGEST_SEED, MOST_JOBS
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.files import named, read_toml, to_toml

T = TypeVar("T", bound=Any)
_SETTING = "gomkcn.setting"
# what a number is called
_KINDS = {int: "an integer", float: "a number"}


@dataclass(frozen=True)
class Setting:
    """What a field of settings says beside its name, its type and its default.

    Attributes
    ----------
    help : str
        A noun phrase for the help of a command and for the docs.
    least, most, above : float or None
        The range of a number, or of each number of a list; ``above`` is the bound that a number
        must exceed.
    words : sequence of str, or mapping from str to str, or callable
        The texts that a text, or each entry of a list, may be, perhaps with what each is in a few
        words; called when they are needed, where to know them takes long.
    usual : str
        What the default stands for, in words, where it is no plain value.
    check : callable or None
        What refuses, or reads, a value with a rule of its own: from name and value to the value.
    is_repeated : bool
        Whether an option gives one entry of a list and is repeated, since entries hold commas.
    is_single : bool
        Whether a second value is refused, where an option of this name may be repeated elsewhere.
    short : str
        A second and shorter name of its option.
    """

    help: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    words: Sequence[str] | Mapping[str, str] | Callable[[], Sequence[str]] = ()
    usual: str = ""
    check: Callable[[str, Any], Any] | None = None
    is_repeated: bool = False
    is_single: bool = False
    short: str = ""


def setting(default: Any, help: str, **others: Any) -> Any:
    """A field of a table of settings, with its default; the others are those of Setting."""
    return dataclasses.field(default=default, metadata={_SETTING: Setting(help, **others)})


def seed_setting() -> Any:
    """The field of a random seed."""
    return setting(0, "Random seed", least=0, most=LARGEST_SEED, check=_read_seed)


def bound_setting(which: str, short: str) -> Any:
    """The field of the least or the most values of edge attributes, each as in "score=700"."""
    text = f"{which} value of an edge attribute, such as score=700 or booked_at=2024-01-31"
    return setting(None, text, is_repeated=True, short=short)


def jobs_setting(help: str) -> Any:
    """The field of a number of processes."""
    return setting(None, help, least=-MOST_JOBS, most=MOST_JOBS, usual="1", check=_check_jobs)


def _read_seed(name: str, value: Any) -> int:
    from gomkcn_dgl.checks import as_seed

    return as_seed(name, value)


def _check_jobs(name: str, value: Any) -> Any:
    from gomkcn_dgl.checks import check_jobs

    return check_jobs(name, value)


class SettingsTable:
    """The base of a table of settings, whose values are read and checked when it is made.

    A list that is given as a text with commas, or as a list, becomes a tuple.
    """

    def __post_init__(self) -> None:
        for known in settings_of(type(self)):
            object.__setattr__(self, known.name, known.read(getattr(self, known.name)))


@dataclass(frozen=True)
class SettingField:
    """A field of a table of settings: its name, the types of its values, and its Setting."""

    name: str
    types: tuple[Any, ...]
    default: Any
    setting: Setting

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false, or else unset."""
        return bool in self.types

    @property
    def entry(self) -> Any:
        """The type of the entries of a list; None where it is no list."""
        lists = [kind for kind in self.types if get_origin(kind) in (tuple, Sequence)]
        return next((get_args(kind)[0] for kind in lists if kind != tuple[int, int]), None)

    @property
    def has_sizes(self) -> bool:
        """Whether it is a number of nodes, or the smallest and the largest such as "3-8"."""
        return tuple[int, int] in self.types

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that it may be; none where it may be any."""
        words = self.setting.words
        return tuple(words() if callable(words) else words)

    @property
    def words_of_help(self) -> tuple[str, ...]:
        """The same, each with what it is in brackets where that is known."""
        words = self.setting.words
        if isinstance(words, Mapping):
            return tuple(f"{word} ({meaning})" for word, meaning in words.items())
        return self.words

    def read(self, value: Any) -> Any:
        """The value as the field keeps it; an InputError for one that it cannot have."""
        # what is left out is as it must be, and needs no library to be checked
        is_default = type(value) is type(self.default) and value == self.default
        if is_default or (value is None and type(None) in self.types):
            return value
        if self.setting.check is not None:
            return self.setting.check(self.name, value)
        if self.has_sizes:
            return self._read_sizes(value)
        if self.entry is not None and not self._is_single(value):
            return tuple(self._read_entry(entry) for entry in self._entries(value))
        return self._read_single(value)

    def _is_single(self, value: Any) -> bool:
        """Whether a value of a field that may be a list is no list, as a text without commas."""
        is_list = isinstance(value, Iterable) and not (isinstance(value, str) and "," not in value)
        return not is_list and not {int, float, bool}.isdisjoint(self.types)

    def _read_sizes(self, value: Any) -> Any:
        """Sizes as a number or a text, which a settings file can hold."""
        from gomkcn_dgl.checks import check_sizes

        if value in self.words:
            return value
        assert self.setting.least is not None and self.setting.most is not None, "of sizes"
        sizes = check_sizes(self.name, value, int(self.setting.least), int(self.setting.most))
        if isinstance(value, str):
            return value
        return sizes[0] if len(sizes) == 1 else f"{sizes[0]}-{sizes[-1]}"

    def _entries(self, value: Any) -> list[Any]:
        """The entries of a list, which a text has between its commas."""
        if isinstance(value, str):
            texts = [value] if self.setting.is_repeated else value.split(",")
            return [text.strip() for text in texts]
        if isinstance(value, Iterable) and not isinstance(value, Mapping):
            return list(value)
        raise InputTypeError(self.name, "must be a list", got=repr(value))

    def _read_entry(self, value: Any) -> Any:
        """One entry of a list."""
        entry = replace(self, types=(self.entry,))
        if isinstance(value, str) and self.entry in (int, float):
            from gomkcn_dgl.checks import read_number

            value = read_number(self.name, value, self.entry)
        return entry._read_single(value)

    def _read_single(self, value: Any) -> Any:
        """A value that is no list."""
        import numpy as np

        from gomkcn_dgl.checks import check_choice, check_float, check_int

        words = self.words
        # a grid of parameters may be an array
        value = value.item() if isinstance(value, np.generic) else value
        # 1. a truth value is no number, and a word no other text
        if isinstance(value, bool):
            if bool in self.types:
                return value
        elif isinstance(value, str) and (value in words or (str in self.types and not words)):
            return value
        # 2. a number in its range
        elif isinstance(value, Real) and int in self.types:
            return check_int(self.name, value, *self._integers())
        elif isinstance(value, Real) and float in self.types:
            low, high, above = self.setting.least, self.setting.most, self.setting.above
            least = above if above is not None else -float("inf") if low is None else low
            most = float("inf") if high is None else high
            return check_float(self.name, value, least, most, open_minimum=above is not None)
        # 3. nothing that it can be
        if words and {int, float, bool}.isdisjoint(self.types):
            return check_choice(self.name, value, words)
        error = InputError if isinstance(value, str) and words else InputTypeError
        raise error(self.name, f"must be {self._in_words()}", got=repr(value))

    def _integers(self) -> tuple[int, int]:
        """The smallest and the largest whole number."""
        least, most = self.setting.least, self.setting.most
        low = -LARGEST_COUNT if least is None else int(least)
        return low, LARGEST_COUNT if most is None else int(most)

    def _in_words(self) -> str:
        """What a value may be."""
        words = self.words
        named = ["True", "False"] if bool in self.types else []
        named += [text for kind, text in _KINDS.items() if kind in self.types]
        named += [repr(word) for word in words] or (["a text"] if str in self.types else [])
        return " or ".join((", ".join(named[:-1]), named[-1])) if named[1:] else named[0]


def settings_of(table: type) -> tuple[SettingField, ...]:
    """The fields of a table of settings that have a Setting, in their order."""
    # read once for each class; not by functools.cache, which torch.compile does not follow
    if table not in _FIELDS:
        _FIELDS[table] = _fields_of(table)
    return _FIELDS[table]


_FIELDS: dict[type, tuple[SettingField, ...]] = {}


def _fields_of(table: Any) -> tuple[SettingField, ...]:
    """The fields, from the annotations of the class."""
    hints = get_type_hints(table)
    return tuple(
        SettingField(
            field.name, _types_of(hints[field.name]), field.default, field.metadata[_SETTING]
        )
        for field in fields(table)
        if _SETTING in field.metadata
    )


def _types_of(hint: Any) -> tuple[Any, ...]:
    """The types of a union, or the only one."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def values_of(table: type, record: Any) -> dict[str, Any]:
    """The attributes of a record that a table of settings has a field for, by name."""
    return {known.name: getattr(record, known.name) for known in settings_of(table)}


class Settings:
    """The base of all settings of a job: a frozen dataclass whose fields are tables.

    A table within a table is a table of its own, and no name is in two tables.
    """

    def tables(self) -> dict[str, SettingsTable]:
        """The tables by name."""
        return _tables_of(self)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All settings as plain values, by table and name."""
        return {
            name: {key: _plain(value) for key, value in values_of(type(table), table).items()}
            for name, table in self.tables().items()
        }

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())

    def override(self: T, given: Mapping[str, Any]) -> T:
        """The settings with other values, by name, whatever their table.

        Raises an InputError for an unknown name, with the nearest known one, or a value out of
        range.
        """
        known = [name for table in self.tables().values() for name in values_of(type(table), table)]
        refuse_unknown("a setting", given, known)
        return replaced(self, given)

    def read(self: T, path: str | Path) -> T:
        """The settings of a TOML file; what it leaves out is that of these settings.

        Raises an InputError for a missing or malformed file, an unknown name, or a value of the
        wrong type or out of range.
        """
        tables = self.read_tables(path)
        given = [entry for table in tables.values() for entry in table.items()]
        with named(f"settings file {str(path)!r}"):
            return self.override(dict(given))

    def read_tables(self, path: str | Path) -> dict[str, dict[str, Any]]:
        """The tables of a TOML file, with names that are known, and values as they are given."""
        tables = read_toml(path)
        known = self.to_dict()
        with named(f"settings file {str(path)!r}"):
            refuse_unknown("a table", tables, known)
            for name, table in tables.items():
                if not isinstance(table, dict):
                    raise InputError(f"[{name}] must be a table, got {table!r}.")
                refuse_unknown(f"a setting of [{name}]", table, known[name])
        return tables


def _tables_of(settings: Any) -> dict[str, Any]:
    """The tables within settings, or within a table, by name."""
    found: dict[str, Any] = {}
    for name, table in _values(settings):
        if is_dataclass(table):
            found |= {name: table} | _tables_of(table)
    return found


def _values(record: Any) -> Iterator[tuple[str, Any]]:
    yield from ((field.name, getattr(record, field.name)) for field in fields(record))


def _plain(value: Any) -> Any:
    """A value as a file can hold it: of a structure its text, of another object its name."""
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if value is None or isinstance(value, bool | int | float | str | Mapping):
        return value
    if hasattr(value, "to_text"):
        return value.to_text()
    return str(getattr(value, "name", None) or getattr(value, "__name__", value))


def replaced(record: T, given: Mapping[str, Any]) -> T:
    """Settings, or a table, with those of the values that they, or a table within, have."""
    known = {field.name for field in settings_of(type(record))}
    changes = {name: value for name, value in given.items() if name in known}
    for name, table in _values(record):
        if is_dataclass(table):
            inner = replaced(table, given)
            if inner is not table:
                changes[name] = inner
    return replace(record, **changes) if changes else record


def refuse_unknown(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a name that is not known, with the nearest one, or all."""
    from gomkcn_dgl.checks import nearest

    known = list(known)
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"known are {', '.join(sorted(known))}."
            raise InputError(f"{what} must have a known name, got {name!r}; {hint}")
