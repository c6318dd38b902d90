"""A pickle → plain values and records, while nothing that it names is imported, made or called.

The operations of a pickle are followed one by one [1]_. Numbers, text, tuples, lists and dicts
become what they are. Where a pickle would call something there is a record of what it would give,
so that this can be checked before an array is made of it: the classes of NumPy believe what they
are told, and end the process when it is wrong.

.. [1] ``pickletools`` of Python describes each of them.
"""

from __future__ import annotations

import math
import pickletools
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError

_NUMBERS = {f"{kind}{width}" for kind in "iu" for width in (1, 2, 4, 8)} | {"f2", "f4", "f8", "b1"}
_ORDERS = ("<", ">", "|")
_ARRAY = ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct")
ARRAY_NAMES = (*_ARRAY, "numpy.ndarray", "numpy.dtype")


@dataclass(frozen=True)
class Named:
    """What a pickle would import.

    Attributes
    ----------
    name : str
        Module and name, as in ``"numpy.dtype"``.
    """

    name: str


@dataclass(eq=False)
class Made:
    """What a pickle would make by a call.

    Attributes
    ----------
    name : str
        What it would call, as in ``"numpy.dtype"``.
    given : tuple
        With what.
    state : object
        What it would hand over next, None for nothing.
    items : dict
        What it would put in under keys.
    """

    name: str
    given: tuple[Any, ...]
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict)


def read_pickle(data: bytes, allowed: Collection[str]) -> Any:
    """Return what a pickle holds: plain values, `Named` and `Made`.

    Text of Python 2 is taken for Latin-1. Keys are integers or text.

    Parameters
    ----------
    data : bytes
    allowed : collection of str
        Names that it may hold.

    Raises
    ------
    InputError
        For another name.
    Exception
        Of any kind, for a damaged pickle.

    Examples
    --------
    >>> import pickle
    >>> read_pickle(pickle.dumps({"a": [1, 2.5, None]}), allowed=())
    {'a': [1, 2.5, None]}
    >>> read_pickle(pickle.dumps(Exception), allowed=())
    Traceback (most recent call last):
    gomkcn_dgl.errors.InputError: the pickle must not hold builtins.Exception.
    """
    reader = _Reader(allowed)
    for operation, value, _ in pickletools.genops(data):
        if operation.name in _VALUES:
            reader.stack.append(value)
        elif operation.name in _CONSTANTS:
            reader.stack.append(_CONSTANTS[operation.name])
        elif operation.name in _STEPS:
            _STEPS[operation.name](reader, value)
        elif operation.name not in _IGNORED:
            raise ValueError(f"the operation {operation.name} is not one of data")
    (content,) = reader.stack
    return content


def read_pickled_array(made: Any) -> np.ndarray:
    """Return the array of numbers that a record describes.

    Raises
    ------
    ValueError
        For anything else: other types, or a shape that does not go with the bytes.
    """
    if not isinstance(made, Made) or made.name not in _ARRAY:
        raise ValueError("an array of numbers was expected")
    if not isinstance(made.state, tuple) or len(made.state) != 5:
        raise ValueError("an array has no content")
    _, shape, kind, by_columns, content = made.state
    dtype = _read_dtype(kind)
    if not isinstance(shape, tuple) or not all(map(_is_length, shape)):
        raise ValueError("the shape of an array is no tuple of lengths")
    content = content.encode("latin-1") if isinstance(content, str) else content
    if not isinstance(content, bytes):
        raise ValueError("the content of an array is no bytes")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"an array has the shape {shape} and {len(content)} bytes")
    if not content:
        return np.empty(shape, dtype)
    # as an array that was unpickled, it can be written to
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order="F" if by_columns else "C")


def _read_dtype(made: Any) -> np.dtype:
    if not isinstance(made, Made) or made.name != "numpy.dtype":
        raise ValueError("an array has no type")
    if not made.given or not isinstance(made.state, tuple) or len(made.state) != 8:
        raise ValueError("an array has an incomplete type")
    code, order = made.given[0], made.state[1]
    # a tuple of tuples is not asked for its hash, which takes a stack as deep as it is nested
    if type(code) is not str or type(order) is not str:
        raise ValueError("the type of an array is no text")
    if code not in _NUMBERS or order not in _ORDERS:
        raise ValueError(f"an array holds {order + code!r}, which is no type of numbers")
    return np.dtype(order + code)


def _is_length(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**48


class _Reader:
    """The stack of a pickle and its memo, and what its operations do with them."""

    def __init__(self, allowed: Collection[str]) -> None:
        self.allowed = allowed
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def mark(self, _: Any) -> None:
        self.marks.append(len(self.stack))

    def from_mark(self) -> list[Any]:
        start = self.marks.pop()
        found = self.stack[start:]
        del self.stack[start:]
        return found

    def name(self, value: Any) -> None:
        if value is None:
            # the module and the name were put on the stack
            value = ".".join(self.pair())
        name = value.replace(" ", ".")
        if name not in self.allowed:
            raise InputError(f"the pickle must not hold {name}.")
        self.stack.append(Named(name))

    def make(self, _: Any) -> None:
        given, called = self.stack.pop(), self.stack.pop()
        if not isinstance(called, Named) or not isinstance(given, tuple):
            raise ValueError("it calls what is no name")
        self.stack.append(Made(called.name, given))

    def set_state(self, _: Any) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if not isinstance(made, Made):
            raise ValueError("it changes what it did not make")
        made.state = state

    def collect(self, count: int) -> None:
        """Make a tuple of the last values."""
        if count > len(self.stack):
            raise ValueError("values are missing")
        start = len(self.stack) - count
        self.stack[start:] = [tuple(self.stack[start:])]

    def append(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise ValueError("it appends to what is no list")
        target += values

    def put(self, values: list[Any]) -> None:
        """Put keys and values, in turn, into the dict on the stack."""
        target = self.stack[-1].items if isinstance(self.stack[-1], Made) else self.stack[-1]
        if not isinstance(target, dict):
            raise ValueError("it sets keys of what is no dict")
        keys = values[::2]
        # what holds others takes a stack as deep as it is nested to be a key
        if any(type(key) not in (int, str) for key in keys):
            raise ValueError("a key is neither a number nor text")
        target.update(zip(keys, values[1::2], strict=True))

    def remember(self, place: Any) -> None:
        self.memo[len(self.memo) if place is None else place] = self.stack[-1]

    def recall(self, place: Any) -> None:
        self.stack.append(self.memo[place])

    def pair(self) -> list[Any]:
        """Take the last two values from the stack."""
        self.collect(2)
        return list(self.stack.pop())


def _empty(kind: Callable[[], Any]) -> Callable[[_Reader, Any], None]:
    return lambda reader, _: reader.stack.append(kind())


def _marked(kind: Callable[[_Reader, list[Any]], Any]) -> Callable[[_Reader, Any], None]:
    return lambda reader, _: kind(reader, reader.from_mark())


def _dict_of(reader: _Reader, values: list[Any]) -> None:
    reader.stack.append({})
    reader.put(values)


_IGNORED = {"PROTO", "FRAME", "STOP"}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES = {
    *("INT", "LONG", "LONG1", "LONG4", "BININT", "BININT1", "BININT2", "FLOAT", "BINFLOAT"),
    *("STRING", "SHORT_BINSTRING", "BINSTRING", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
    *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
}
_STEPS: dict[str, Callable[[_Reader, Any], None]] = {
    "MARK": _Reader.mark,
    "GLOBAL": _Reader.name,
    "STACK_GLOBAL": _Reader.name,
    "REDUCE": _Reader.make,
    "NEWOBJ": _Reader.make,
    "BUILD": _Reader.set_state,
    "EMPTY_TUPLE": _empty(tuple),
    "EMPTY_LIST": _empty(list),
    "EMPTY_DICT": _empty(dict),
    "TUPLE1": lambda reader, _: reader.collect(1),
    "TUPLE2": lambda reader, _: reader.collect(2),
    "TUPLE3": lambda reader, _: reader.collect(3),
    "TUPLE": _marked(lambda reader, values: reader.stack.append(tuple(values))),
    "LIST": _marked(lambda reader, values: reader.stack.append(values)),
    "DICT": _marked(_dict_of),
    "APPEND": lambda reader, _: reader.append([reader.stack.pop()]),
    "APPENDS": _marked(_Reader.append),
    "SETITEM": lambda reader, _: reader.put(reader.pair()),
    "SETITEMS": _marked(_Reader.put),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), _Reader.remember),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Reader.recall),
}
