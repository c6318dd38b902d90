"""Runs in memory that a folder keeps: written and read by the commands' own functions."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from gomkcn_dgl.runtime import run_module_of
from gomkcn_dgl.runtime.tabular import WithTables

_Run = TypeVar("_Run", bound="SavedRun")


class SavedRun(WithTables):
    """What the runs of a library call and those of a command have in common: their folder."""

    def save(self, out: str | Path, *, force: bool = False) -> None:
        """Write the run into a folder, as its command does with ``--out``, with its page.

        ``table().save`` writes a table, and ``plot().savefig`` a picture.

        Parameters
        ----------
        out : path
            Made if it does not exist.
        force : bool
            Whether a run that the folder holds is replaced.

        Raises
        ------
        InputError
            For a folder that holds a run or cannot be written, or a run that was read from one and
            has filters.
        """
        run_module_of(type(self)).save_run(self, out, force=force)

    @classmethod
    def load(cls: type[_Run], folder: str | Path) -> _Run:
        """Read the folder of a run, as :func:`gomkcn.load` does for runs of any command.

        Raises
        ------
        InputError
            If the folder holds no finished run of the command, or a damaged one.
        """
        run: _Run = run_module_of(cls).load_run(cls, folder)
        return run
