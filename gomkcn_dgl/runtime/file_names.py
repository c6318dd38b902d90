"""File names: which format a name stands for, and whose error a message is about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from gomkcn_dgl.errors import InputError, InputTypeError

FORMAT_OF_SUFFIX = {
    ".txt": "edges",
    ".edges": "edges",
    ".edgelist": "edges",
    ".el": "edges",
    ".tsv": "edges",
    ".csv": "csv",
    ".parquet": "parquet",
    ".graphml": "graphml",
    ".gml": "gml",
    ".gexf": "gexf",
    ".net": "pajek",
    ".paj": "pajek",
    ".json": "json",
    ".bin": "dgl",
    ".npz": "npz",
}


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Put the name of the file in front of what is wrong with it."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        raise InputError(f"{path.name}: {error}") from None


def stem(path: Path) -> str:
    """Return the name without its known suffixes: ``my.graph.txt.gz`` gives ``my.graph``."""
    name = path.name
    if path.suffix.lower() == ".gz":
        name = name[:-3]
    known = Path(name).suffix.lower() in FORMAT_OF_SUFFIX
    return Path(name).stem if known else name


def printable(name: str) -> str:
    """Return a name for a terminal: one line, 100 letters at most, no control characters."""
    return visible(name if len(name) <= 100 else name[:99] + "…")


def visible(text: str) -> str:
    """Return one line of text, with the sign � for each control character or line break."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def listed(names: Iterable[str]) -> str:
    """Return names for a message, the middle of a long list left out."""
    names = [printable(name) for name in names]
    return ", ".join(names if len(names) <= 12 else [*names[:10], "…", names[-1]])
