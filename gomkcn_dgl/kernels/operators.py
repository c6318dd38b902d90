"""Our kernels as operators of PyTorch, which torch.compile works around: it knows their results.

Each is ``torch.ops.gomkcn.<name>`` and is defined when the module of its backend is loaded.
PyTorch's decorator ``custom_op`` would do the same, but loads its compiler, for seconds, when the
operator is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import library

from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.messages import Argument

_OPERATORS = library.Library("gomkcn", "FRAGMENT")


def define_operator(
    schema: str,
    kernel: Callable[..., Any],
    fake: Callable[..., Any],
    *,
    save: Callable[..., None] | None = None,
    backward: Callable[..., Any] | None = None,
) -> None:
    """Define an operator by its schema, such as ``"double(Tensor x) -> Tensor"``.

    ``kernel`` computes it on any device, and ``fake`` returns what has the shapes, types and
    strides of the result. ``save(ctx, inputs, output)`` keeps what ``backward(ctx, *gradients)``
    needs; without them a gradient through the operator is refused.
    """
    name = schema.partition("(")[0]
    _OPERATORS.define(schema, tags=torch.Tag.pt2_compliant_tag)
    _OPERATORS.impl(name, kernel, "CompositeExplicitAutograd")
    library.register_fake(f"gomkcn::{name}", fake, lib=_OPERATORS)
    library.register_autograd(
        f"gomkcn::{name}", backward or _refuse, setup_context=save, lib=_OPERATORS
    )


def _refuse(ctx: Any, *_: Any) -> None:
    raise BackendError(
        "scores have first derivatives alone",
        way_out=("use ", Argument("backend", "reference"), " to differentiate twice"),
    )
