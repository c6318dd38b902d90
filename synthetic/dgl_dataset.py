"""What the data sets here are made of: DGL's data set, or a plain one where DGL is not installed.

This module imports DGL, which takes seconds; what needs no such data set does not import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gomkcn_dgl.errors import MissingDGLError


class _PlainDataset:
    """What DGL's data set does for those that are made here."""

    _transform: Callable[[Any], Any] | None

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        self._transform = options["transform"]
        self.process()

    def process(self) -> None:
        """Make the graphs."""
        raise NotImplementedError


def _dataset_class() -> Any:
    try:
        from gomkcn_dgl._dgl import dgl
    except MissingDGLError:
        return _PlainDataset
    return dgl.data.DGLDataset


_Dataset: Any = _dataset_class()


class MadeDataset(_Dataset):
    """A data set whose graphs are made by ``process``; it reads and writes no files."""

    def __init__(
        self, name: str, hash_key: tuple[Any, ...], transform: Callable[[Any], Any] | None
    ) -> None:
        # a folder is named since DGL would make one of its own
        super().__init__(name, raw_dir=".", hash_key=hash_key, transform=transform)

    def _download(self) -> None:
        """Nothing, and no folder is made for it."""

    def _transformed(self, graph: Any) -> Any:
        """A graph as it is taken from the data set."""
        return graph if self._transform is None else self._transform(graph)
