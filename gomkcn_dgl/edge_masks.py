"""Models with layers of this package under explainers of PyTorch Geometric: masks are weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.layer import EdgeValues, GOMKConv
from gomkcn_dgl.model import GOMKCN

# what a forward pre-hook of PyTorch takes and returns
_Call = tuple[tuple[Any, ...], dict[str, Any]]


def explainable(model: torch.nn.Module) -> Any:
    """Return a model as a module that ``torch_geometric.explain.Explainer`` takes.

    An explainer of PyTorch Geometric puts a mask on the messages of ``MessagePassing`` modules, and
    layers here send none. While there is a mask, each :class:`gomkcn.GOMKConv` and
    :class:`gomkcn.GOMKCN` of the model has it multiplied into the weights of its edges; layers of
    PyTorch Geometric beside them are masked as ever. Without a mask the module is the model. An
    edge without direction that is listed both ways has one weight, so that both listings get the
    mean of their masks.

    Parameters
    ----------
    model : torch.nn.Module
        A GOMKConv, a GOMKCN, or a module of your own that has some of them, and calls each with
        tensors, ``conv(x, edge_index)``, of the edges that the explainer is given. It stays as it
        is, and is part of the module.

    Returns
    -------
    torch_geometric.nn.MessagePassing
        The module, which is called as the model is.

    Raises
    ------
    InputTypeError
        For what is no module, or has no such layer.
    InputError
        When an explainer calls it, and a layer sees other edges than the explainer, or a graph in
        place of tensors.

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
    if not isinstance(model, torch.nn.Module) or not _masked_layers(model):
        raise InputTypeError(
            "model",
            "must be a torch.nn.Module with a GOMKConv or a GOMKCN",
            got=type(model).__name__,
        )
    return _module_class()(model)


def _masked_layers(model: torch.nn.Module) -> list[GOMKConv | GOMKCN]:
    """The layers and networks of a model that are called with edges."""
    if isinstance(model, GOMKConv | GOMKCN):
        # convolutions of a network are called with its subgraphs
        return [model]
    return [layer for child in model.children() for layer in _masked_layers(child)]


@cache
def _module_class() -> Any:
    """The class of the module, whose library is imported by nobody who does not ask for it."""
    from torch_geometric.nn import MessagePassing

    class ExplainableModule(MessagePassing):
        """A model whose weights of edges an explainer masks."""

        def __init__(self, model: torch.nn.Module) -> None:
            super().__init__()
            self.model = model

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            """What the model says, with the mask of an explainer where there is one."""
            if not self.explain or self._edge_mask is None:
                return self.model(*args, **kwargs)
            mask = self._edge_mask.sigmoid() if self._apply_sigmoid else self._edge_mask
            # the model is as before when the call is over
            hooks = [
                layer.register_forward_pre_hook(_masking(mask), with_kwargs=True)
                for layer in dict.fromkeys(_masked_layers(self.model))
            ]
            try:
                return self.model(*args, **kwargs)
            finally:
                for hook in hooks:
                    hook.remove()

    return ExplainableModule


def _masking(mask: Tensor) -> Callable[[Any, tuple[Any, ...], dict[str, Any]], _Call]:
    """A hook that multiplies the weights of edges that a layer is called with."""

    def hook(layer: GOMKConv | GOMKCN, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        return _masked_call(layer, mask, *args, **kwargs)

    return hook


def _masked_call(
    layer: GOMKConv | GOMKCN,
    mask: Tensor,
    graph: Any,
    feat: Any = None,
    edge_value: Any = None,
    batch: Any = None,
    *,
    edge_weight: Any = None,
    edge_type: Any = None,
    **others: Any,
) -> _Call:
    """The arguments of a layer, with weights that are masked."""
    # as conv(x, edge_index)
    is_edges = isinstance(graph, torch.Tensor) and isinstance(feat, torch.Tensor)
    if not is_edges or feat.layout != torch.strided or feat.shape != (2, len(mask)):
        came = f"{list(feat.shape)}" if is_edges else f"a {type(graph).__name__}"
        raise InputError(
            "an explainer masks the edges that it is given, and each GOMKConv or GOMKCN of the "
            f"model must be called with them, conv(x, edge_index), edge_index [2, {len(mask)}], "
            f"got {came}."
        )
    values = EdgeValues(edge_value, edge_weight, edge_type).named()
    conv = layer if isinstance(layer, GOMKConv) else layer.first_conv
    if not conv.relations.is_directed:
        mask = _mean_of_both_ways(mask, feat, values.type)
    weight = mask if values.weight is None else values.weight.reshape(-1) * mask
    named = {"batch": batch, "edge_weight": weight, "edge_type": values.type}
    return (graph, feat), {**others, **named}


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
