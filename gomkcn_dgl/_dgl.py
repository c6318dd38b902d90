"""The one place that imports DGL, and says what to do when it cannot be imported.

Use it as ``from gomkcn_dgl._dgl import dgl``. Two things happen before the import, beside what
:mod:`gomkcn_dgl._graphbolt` does for everyone:

* ``DGLBACKEND`` is set to ``pytorch`` unless the user chose one, which keeps DGL from printing a
  notice and from writing a file into the home folder.
* Warnings about the syntax of DGL's own files, which Python gives when it compiles them, are kept
  from the user, who can do nothing about them.
"""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any

from gomkcn_dgl.errors import MissingDGLError

__all__ = ["dgl"]

_WAY_OUT = (
    "its graphs need it, with Python 3.10 or 3.11 pip install dgl==1.1.3, with 3.12 dgl==2.1.0; "
    "other graphs and all files do without"
)


def _import_dgl() -> Any:
    os.environ.setdefault("DGLBACKEND", "pytorch")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            # what Python 3.10 and 3.11 say in place of it
            warnings.filterwarnings("ignore", "invalid escape sequence", DeprecationWarning)
            return importlib.import_module("dgl")
    except ModuleNotFoundError as error:
        raise MissingDGLError(f"The package {error.name!r} is not installed; {_WAY_OUT}.") from None
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise MissingDGLError(f"DGL cannot be imported ({reason}); {_WAY_OUT}.") from error


dgl: Any = _import_dgl()
