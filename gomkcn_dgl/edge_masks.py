"""A layer or a network as explainers of PyTorch Geometric take it: masks of edges are weights."""

from __future__ import annotations

from functools import cache
from typing import Any

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN


def explainable(model: GOMKConv | GOMKCN) -> Any:
    """Return a layer or a network as a module that ``torch_geometric.explain.Explainer`` takes.

    An explainer of PyTorch Geometric puts a mask on the messages of its ``MessagePassing`` modules,
    and a layer here sends none. The module multiplies the weights of edges with the mask, and
    calls the model with them: ``module(x, edge_index, edge_weight, batch)``, ``edge_type`` by name.
    Without a mask it is the model. An edge without direction that is listed both ways has one
    weight, so that both listings get the mean of their masks.

    Parameters
    ----------
    model : GOMKConv or GOMKCN
        It stays as it is, and is part of the module.

    Returns
    -------
    torch_geometric.nn.MessagePassing
        The module.

    Raises
    ------
    InputTypeError
        For what is neither.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.explain import Explainer, GNNExplainer
    >>> from gomkcn import GOMKCN, explainable
    >>> model = GOMKCN(2, num_classes=3, filter_size=3, pooling="max").eval()
    >>> task = {"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"}
    >>> explainer = Explainer(
    ...     explainable(model),
    ...     GNNExplainer(epochs=5),
    ...     explanation_type="model",
    ...     edge_mask_type="object",
    ...     model_config=task,
    ... )
    >>> explainer(torch.rand(3, 2), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])).edge_mask.shape
    torch.Size([4])
    """
    if not isinstance(model, GOMKConv | GOMKCN):
        raise InputTypeError("model", "must be a GOMKConv or a GOMKCN", got=type(model).__name__)
    return _module_class()(model)


@cache
def _module_class() -> Any:
    """The class of the module, whose library is imported by nobody who does not ask for it."""
    from torch_geometric.nn import MessagePassing

    class ExplainableModule(MessagePassing):
        """A model whose weights of edges an explainer masks."""

        def __init__(self, model: GOMKConv | GOMKCN) -> None:
            super().__init__()
            self.model = model
            conv = model if isinstance(model, GOMKConv) else model.first_conv
            self.has_directions = conv.relations.is_directed

        def forward(
            self,
            x: Tensor,
            edge_index: Tensor,
            edge_weight: Tensor | None = None,
            batch: Tensor | None = None,
            *,
            edge_type: Tensor | None = None,
        ) -> Tensor:
            """Score or classify, with the mask of an explainer where there is one."""
            if self.explain and self._edge_mask is not None:
                mask = self._edge_mask.sigmoid() if self._apply_sigmoid else self._edge_mask
                if not self.has_directions:
                    mask = _mean_of_both_ways(mask, edge_index, edge_type)
                edge_weight = mask if edge_weight is None else edge_weight.reshape(-1) * mask
            given = {"edge_weight": edge_weight, "batch": batch, "edge_type": edge_type}
            scores: Tensor = self.model(x, edge_index, **given)
            return scores

    return ExplainableModule


def _mean_of_both_ways(mask: Tensor, edge_index: Tensor, edge_type: Tensor | None) -> Tensor:
    """The mean of the values ``[E]`` of the edges of one type that join the same two nodes.

    >>> ends = torch.tensor([[0, 1, 1], [1, 0, 2]])
    >>> _mean_of_both_ways(torch.tensor([0.0, 1.0, 3.0]), ends, None).tolist()
    [0.5, 0.5, 3.0]
    """
    kind = torch.zeros_like(edge_index[0]) if edge_type is None else edge_type
    key = torch.stack([*edge_index.aminmax(dim=0), kind])
    _, pair = key.unique(dim=1, return_inverse=True)
    total = mask.new_zeros(int(pair.max()) + 1 if len(pair) else 0)
    count = total.index_add(0, pair, torch.ones_like(mask))
    return (total.index_add(0, pair, mask) / count)[pair]
