"""Types of options: numbers in their ranges, lists, words, and files that are read and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from gomkcn.commands.printing import say
from gomkcn.commands.spelling import spelling_of
from gomkcn_dgl.errors import GomkcnError


class BadOptionError(click.UsageError):
    """An option with a value that it cannot have; said in one sentence, as all bad input is."""

    def show(self, file: Any = None) -> None:
        say(f"gomkcn: {self.message}", err=True)


class Number(click.ParamType):  # type: ignore[type-arg]
    """A whole number or any, from the least to the most."""

    def __init__(self, kind: type[int] | type[float], least: float, most: float) -> None:
        self.kind, self.least, self.most = kind, least, most
        # as the help shows it
        self.name = "N" if kind is int else "X"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from gomkcn_dgl.checks import check_float, check_int, read_number

        assert param is not None, "of an option"
        name = str(param.name)
        try:
            if isinstance(value, str):
                value = read_number(name, value, self.kind)
            if self.kind is int:
                return check_int(name, value, int(self.least), int(self.most))
            return check_float(name, value, self.least, self.most)
        except GomkcnError as error:
            raise BadOptionError(error.spelled(spelling_of([param])), ctx) from None


class Names(click.ParamType):  # type: ignore[type-arg]
    """Names that are separated by commas, as a tuple."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(value.split(",")) if isinstance(value, str) else tuple(value)


class Word(click.ParamType):  # type: ignore[type-arg]
    """One of some words, which the shell completes, and the library checks."""

    name = "text"

    def __init__(self, *words: str) -> None:
        self.words = words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class PatternName(click.ParamType):  # type: ignore[type-arg]
    """A pattern, of which the shell completes the names."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from gomkcn_dgl.graphs.motif_table import MOTIF_ROWS
        from gomkcn_dgl.graphs.named_structures import SMALL

        names = sorted({*SMALL, *MOTIF_ROWS, "benzene"})
        # a blank would end the word in the shell
        named = [name for name in names if name.startswith(incomplete) and " " not in name]
        return [CompletionItem(name) for name in named] or files_like(incomplete)


def files_like(incomplete: str) -> list[CompletionItem]:
    """What makes the shell complete the names of files and folders."""
    return [CompletionItem(incomplete, type="file")]


class InputPath(click.ParamType):  # type: ignore[type-arg]
    """A file or a folder that is read."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return files_like(incomplete)


class OutputPath(click.ParamType):  # type: ignore[type-arg]
    """A file that is written; one that exists only with ``--force``, and never over an input."""

    name = "text"
    # how its name must end, if it must
    ending = ""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.ending and Path(value).suffix != self.ending:
            assert param is not None, "of an option"
            raise BadOptionError(f"{param.opts[0]} must end in {self.ending}, got {value!r}.", ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return files_like(incomplete)


class PagePath(OutputPath):
    """A page that is written."""

    ending = ".html"


class MatrixPath(OutputPath):
    """A sparse matrix that is written, in SciPy's format."""

    ending = ".npz"


class TablePath(OutputPath):
    """A table that is written, in the format that the end of its name says."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from gomkcn_dgl.runtime.tabular import TABLE_FORMATS

        endings = [f".{format}" for format in TABLE_FORMATS]
        if Path(value).suffix not in endings:
            assert param is not None, "of an option"
            raise BadOptionError(
                f"{param.opts[0]} must end in {', '.join(endings)}, got {value!r}.", ctx
            )
        return value
