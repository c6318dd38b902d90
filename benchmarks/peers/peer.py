"""The one interface to a peer: a name, what must be installed, and how to make ready."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Peer:
    """Something that does the same job."""

    name: str  # the function, as its users know it
    distribution: str  # on PyPI
    module: str
    # takes the inputs of the job, imports the peer, and returns the call to be timed
    prepare: Callable[..., Callable[..., Any]]
    remark: str = ""  # what it does otherwise than we do

    def version(self) -> str | None:
        """Installed version, or None."""
        if importlib.util.find_spec(self.module) is None:
            return None
        return importlib.metadata.version(self.distribution)
