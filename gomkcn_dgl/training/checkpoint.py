"""States of tensors and plain values in a file, read without running code."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from gomkcn_dgl._torch import torch
from gomkcn_dgl.errors import InputError, MissingTorchError
from gomkcn_dgl.messages import Text
from gomkcn_dgl.runtime.files import read_file, reason_of

T = TypeVar("T")


def state_bytes(state: Mapping[str, Any]) -> bytes:
    """A file of tensors and plain values, for :func:`read_state`."""
    content = io.BytesIO()
    torch.save(dict(state), content)
    return content.getvalue()


def read_state(
    path: Path,
    restore: Callable[[dict[str, Any]], T],
    way_out: Text = "train again",
    data: bytes | None = None,
) -> T:
    """Return what ``restore`` makes of the tensors and plain values of a file.

    ``data`` is what the file holds, if it was read before. An InputError, which ends with
    ``way_out``, tells of a file that is missing or damaged, or of which ``restore`` can make
    nothing, whatever it raises.
    """
    # torch.load raises whatever a damaged archive leads it into, with advice of many lines
    try:
        data = read_file(path) if data is None else data
        # the sums of its parts, which torch does not compare
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if (damaged := parts.testzip()) is not None:
                raise ValueError(f"its part {damaged} is damaged")
        state = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        if not isinstance(state, dict):
            raise ValueError(f"it holds a {type(state).__name__} and no state")
        return restore(state)
    except MissingTorchError:
        raise
    except Exception as error:
        raise InputError(
            f"checkpoint {str(path)!r} cannot be read ({reason_of(error)})", way_out=way_out
        ) from None
