"""The kernels as operators of PyTorch: what it checks of them, torch.compile, and no waiting.

That nothing waits for the GPU is checked on the device "meta" in its place: tensors there have
shapes and no numbers, so that reading one is an error, and copies are seen as they are dispatched.
"""

import logging
import re
from contextlib import contextmanager

import pytest
import torch
from forked import run
from random_graphs import CPU, Shape, problem
from tolerances import GRADIENTS, VALUES
from torch import library
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from gomkcn_dgl import SubgraphSettings, extract_subgraphs, kernels
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.embeddings import SubgraphTensors, level_embeddings
from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.kernels import channel_operator, load_backend
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk

SHAPE = Shape(4, 3, 5, 4, 2)


def has_triton():
    """Whether Triton's kernels run here: in its interpreter, or on a GPU."""
    triton = pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")
    module = load_backend("triton")
    return not isinstance(module.match_fwd_kernel, triton.JITFunction)


@pytest.fixture(params=["numba", "triton", "reference"])
def backend(request):
    if request.param == "triton" and not has_triton():
        pytest.skip("TRITON_INTERPRET=1 is not set, and tensors are on the CPU")
    return request.param


def rooted(directed=False):
    """Subgraphs of a graph of six nodes, and their features."""
    source, target = [0, 1, 2, 3, 4, 0, 1], [1, 2, 3, 4, 5, 5, 4]
    graph = csr_from_edges(source, target, 6, directed=directed, undirected=not directed)
    subgraphs = SubgraphTensors.of_batch(extract_subgraphs(graph, SubgraphSettings(2, 5)))
    return subgraphs, torch.rand(6, 2, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("padding", ["match", "mask"])
def test_the_best_filter_is_the_first_of_the_largest_scores(backend, directed, padding):
    subgraphs, feat = rooted(directed)
    kernel = GOMKKernel(2, level_scale=1.5, padding=padding)
    adj = subgraphs.adjacency(torch.float32)
    filters = torch.tensor([2, 0, 2, 4])
    z = kernel.embed(adj[filters], subgraphs.gather(feat)[filters])
    best = kernel.match_best(subgraphs, feat.requires_grad_(), z, backend)
    scores, matching = kernel.match_subgraphs(subgraphs, feat, z, backend)
    rows = range(len(adj))
    expected = [int(own.argmax()) for own in scores]
    assert best.filters.tolist() == expected
    assert {0, 1, 3} == set(expected)
    torch.testing.assert_close(best.scores, scores[rows, expected].detach())
    assert best.matching.tolist() == matching[rows, expected].tolist()


# ---------------------------------------------------------------- what PyTorch checks


def test_pytorch_accepts_the_operators(backend):
    inputs = problem(SHAPE, torch.float32)
    kernel = GOMKKernel(1)
    x = kernel.embed(*inputs[:2]).requires_grad_()
    z = kernel.embed(*inputs[2:]).requires_grad_()
    rows = torch.tensor([5, 0, 3, 5])
    sides = x.detach(), z.detach()
    upstream = torch.rand(SHAPE.S, SHAPE.F)
    widths = [2.0, 1.0]
    load_backend(backend)
    ops = torch.ops.gomkcn
    if backend == "triton":
        given = rows, widths, False, True
        library.opcheck(ops.match_triton.default, (x, z, *given))
        _, matched = ops.match_triton(*sides, *given)
        for needs in ((True, True), (False, True)):
            back = (*sides, matched, upstream, widths, *needs)
            library.opcheck(ops.match_backward_triton.default, back)
    elif backend == "numba":
        given = *[None] * 6, rows, widths, "sum", 1.0, False, True
        library.opcheck(ops.match_numba.default, (x, z, *given, True))
        _, *kept = ops.match_numba(*sides, *given, True)
        for needs in (True, False):
            back = (*sides, *given[:6], *kept, upstream, widths, "sum", 1.0, needs)
            library.opcheck(ops.match_backward_numba.default, back)
    else:
        kernel.match(*sides, None, "reference")
        library.opcheck(ops.match_tables.default, (torch.rand(4, 3, 5, 4), rows, False))


@pytest.mark.parametrize("directed", [False, True])
def test_pytorch_accepts_the_operator_on_subgraphs(directed):
    subgraphs, feat = rooted(directed)
    kernel = GOMKKernel(1)
    adj = subgraphs.adjacency(torch.float32)[:3]
    z = kernel.embed(adj, subgraphs.gather(feat)[:3]).requires_grad_()
    # what the kernel passes on
    calls = []
    load_backend("numba")
    with pytest.MonkeyPatch.context() as patch:
        own = torch.ops.gomkcn.match_numba
        patch.setattr(torch.ops.gomkcn, "match_numba", lambda *a: (calls.append(a), own(*a))[1])
        kernel.match_subgraphs(subgraphs, feat.requires_grad_(), z, "numba")
    library.opcheck(own.default, calls[0])
    library.opcheck(torch.ops.gomkcn.channel_matrices.default, (torch.rand(2), 2))


def test_a_second_derivative_is_refused_and_the_reference_has_it(backend):
    inputs = [tensor.requires_grad_() for tensor in map(torch.clone, problem(SHAPE, torch.float32))]
    scores = gomk(*inputs, backend=backend)
    (first,) = torch.autograd.grad(scores.sum(), inputs[1], create_graph=True)
    if backend == "reference":
        (second,) = torch.autograd.grad(first.square().sum(), inputs[1])
        assert second.isfinite().all() and second.any()
        return
    with pytest.raises(BackendError, match="first derivatives alone; use backend='reference'"):
        torch.autograd.grad(first.square().sum(), inputs[1])


# ---------------------------------------------------------------- torch.compile


def by_tensors(backend):
    """Scores from adjacency and features, and what they are differentiated by."""
    inputs = [tensor.requires_grad_() for tensor in map(torch.clone, problem(SHAPE, torch.float32))]
    kernel = GOMKKernel(2, tau=(1.0, 0.5, 2.0), padding="mask")

    def score(*tensors):
        sizes = torch.tensor([5, 0, 3, 5])
        return gomk(*tensors, kernel=kernel, num_nodes=sizes, backend=backend)

    return score, inputs


def by_subgraphs(backend):
    """The same from subgraphs with directions, as a layer does."""
    subgraphs, feat = rooted(directed=True)
    kernel = GOMKKernel(1, matching="greedy")
    filter_adj = subgraphs.adjacency(torch.float32)[:3].requires_grad_()
    filter_feat = torch.rand(3, 5, 2).requires_grad_()

    def score(feat, filter_adj, filter_feat):
        z = kernel.embed(filter_adj, filter_feat)
        return kernel.match_subgraphs(subgraphs, feat, z, backend).scores

    return score, [feat.requires_grad_(), filter_adj, filter_feat]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("given", [by_tensors, by_subgraphs])
def test_torch_compile_works_around_it_in_one_graph(backend, given):
    score, inputs = given(backend)
    compiled = torch.compile(score, fullgraph=True, backend="aot_eager")
    results = []
    for one in (compiled, score):
        scores = one(*inputs)
        upstream = torch.linspace(-1, 2, scores.numel()).reshape(scores.shape)
        results.append((scores.detach(), *torch.autograd.grad((scores * upstream).sum(), inputs)))
    torch.testing.assert_close(results[0][0], results[1][0], **VALUES[torch.float32])
    for gradient, expected in zip(results[0][1:], results[1][1:], strict=True):
        torch.testing.assert_close(gradient, expected, **GRADIENTS[torch.float32])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_layer_is_compiled_around_what_reads_graphs():
    dgl = pytest.importorskip("dgl", reason="there is no DGL")
    graphs = [dgl.to_bidirected(dgl.rand_graph(size, 2 * size)) for size in (5, 7)]
    batch, feat = dgl.batch(graphs), torch.rand(12, 2)
    conv = GOMKConv(2, 3, 4, 1)
    expected = conv(batch, feat)
    taken = conv.subgraphs(batch, feat=feat)
    whole = torch.compile(conv, fullgraph=True, backend="aot_eager")(taken, feat)
    torch.testing.assert_close(whole, expected)
    torch._dynamo.reset()
    parts = torch.compile(conv, backend="aot_eager")(batch, feat)
    torch.testing.assert_close(parts, expected)
    parts.sum().backward()
    assert conv.filters.free_feat.grad.any()


def test_who_compiles_nothing_does_not_import_the_compiler():
    assert run(UNCOMPILED) == [True, False]


UNCOMPILED = """
import json, sys
import torch
from gomkcn_dgl import GOMKConv
conv = GOMKConv(2, 3, 4, 1)
scores = conv(torch.rand(3, 2), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
scores.sum().backward()
print(json.dumps([bool(conv.filters.free_adj.grad.any()), "torch._dynamo" in sys.modules]))
"""

# ---------------------------------------------------------------- nothing waits for the GPU

_OPS = torch.ops.aten
# they read from the device how many entries there are, or what an entry is
READERS = {
    _OPS._local_scalar_dense.default,
    _OPS.nonzero.default,
    _OPS.masked_select.default,
    _OPS.repeat_interleave.Tensor,
    _OPS.bincount.default,
    _OPS.unique_dim.default,
    _OPS._unique2.default,
}


class Reads(TorchDispatchMode):
    """Notes what is read from a device, and what is copied to it or from it."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        tensors = [one for one in (*args, result) if isinstance(one, torch.Tensor)]
        devices = {one.device.type for one in tensors if one.dim() or one.device.type != "cpu"}
        if function in READERS or len(devices) > 1:
            self.seen.append(str(function))
        return result


class Lists(TorchFunctionMode):
    """Notes what is made on a device from numbers of the host."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def __torch_function__(self, function, types, args=(), kwargs=None):
        device = torch.device((kwargs or {}).get("device") or "cpu")
        if function in (torch.tensor, torch.as_tensor) and device.type != "cpu":
            self.seen.append(function.__name__)
        return function(*args, **(kwargs or {}))


@contextmanager
def waits():
    """What waits for a device within the block."""
    seen = []
    with Lists(seen), Reads(seen):
        yield seen


def step(kernel, inputs):
    """A step of training as a layer makes it, and one of filters as a miner does."""
    subgraphs, feat, filter_adj, filter_feat = inputs
    scores = kernel.score(subgraphs, feat, filter_adj, filter_feat)
    parameters = feat, filter_adj, filter_feat
    torch.autograd.grad(scores.sum(), parameters)
    x = kernel.embed(subgraphs.adjacency(feat.dtype), subgraphs.gather(feat.detach()))
    z = kernel.embed(filter_adj, filter_feat)
    matching = kernel.match(x, z.detach(), subgraphs.num_nodes, "auto").matching
    pairs = kernel.score_pairs(x, z[:1].expand(len(x), -1, -1, -1), matching[:, 0])
    torch.autograd.grad(pairs.sum(), parameters[1:])
    gomk(subgraphs.adjacency(feat.dtype), subgraphs.gather(feat), filter_adj, filter_feat,
         kernel=kernel, num_nodes=subgraphs.num_nodes)  # fmt: skip


def on_device(directed, device):
    subgraphs, feat = rooted(directed)
    subgraphs = SubgraphTensors(*(one.to(device) for one in subgraphs[:4]))
    filter_adj = subgraphs.adjacency(torch.float32)[:2]
    leaves = feat.to(device), filter_adj, torch.rand(2, 5, 2).to(device)
    return subgraphs, *(leaf.detach().requires_grad_() for leaf in leaves)


@pytest.fixture
def on_meta(monkeypatch):
    """The kernel for a GPU is that for "meta"."""
    pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")
    module = load_backend("triton")
    monkeypatch.setattr("gomkcn_dgl.matching.load_backend", lambda *given, **others: module)


@pytest.mark.usefixtures("on_meta")
@pytest.mark.parametrize("padding", ["match", "mask"])
@pytest.mark.parametrize("directed", [False, True])
def test_a_step_copies_nothing_and_reads_nothing(directed, padding):
    kernel = GOMKKernel(2, tau=(1.0, 0.5, 2.0), aggregation="sym", padding=padding)
    inputs = on_device(directed, "meta")
    with waits() as seen:
        step(kernel, inputs)
    assert seen == []


WAITS = {
    "cpu": lambda x: x.to("cpu"),
    "list": lambda x: x + torch.tensor([1.0, 2.0], device="meta"),
    "item": lambda x: x.sum().item(),
    "bool": lambda x: bool(x.any()),
    "int": lambda x: int(x.min()),
    "mask": lambda x: x[x > 0],
    "repeats": lambda x: x.repeat_interleave(x.long()),
    "tolist": lambda x: x.tolist(),
}


@pytest.mark.parametrize("name", WAITS)
def test_what_waits_for_a_gpu_is_seen(name):
    with waits() as seen:
        try:
            WAITS[name](torch.ones(2, device="meta"))
        except (NotImplementedError, RuntimeError):
            # there is no number to read
            return
    assert seen


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("directed", [False, True])
def test_a_step_on_a_gpu_does_not_wait(directed):
    kernel, inputs = GOMKKernel(2), on_device(directed, "cuda")
    # the first step copies what all others use
    step(kernel, inputs)
    torch.cuda.set_sync_debug_mode("error")
    try:
        step(kernel, inputs)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_what_all_steps_share_is_copied_once_a_device():
    # matrices of channels, which in compiled code are an operator of their own
    subgraphs, feat = rooted(directed=True)
    kernel = GOMKKernel(1, tau=0.123)
    adj = subgraphs.adjacency(torch.float32)
    x = kernel.embed(adj, subgraphs.gather(feat))
    copied = channel_operator._on_device.cache_info().misses
    assert torch.equal(kernel.embed(adj, subgraphs.gather(feat)), x)
    assert channel_operator._on_device.cache_info().misses == copied
    # what is returned is written over
    channel_operator.channel_matrices_like(feat, 2).zero_()
    assert torch.equal(kernel.embed(adj, subgraphs.gather(feat)), x)
    # rates of levels
    if not has_triton():
        pytest.skip("TRITON_INTERPRET=1 is not set, and tensors are on the CPU")
    rates = load_backend("triton")._rates
    before = rates.cache_info().misses
    for _ in range(3):
        kernel.match(x, x, None, "triton")
    assert rates.cache_info().misses == before + 1


# ---------------------------------------------------------------- half precision, and the slow way


@pytest.mark.parametrize("backend", CPU)
def test_float16_is_widened_before_anything_is_summed(backend):
    # 300 paths of length 1, 90,000 of length 2
    inputs = problem(SHAPE, torch.float16)
    inputs = [inputs.adj * 300, inputs.feat, inputs.filter_adj, inputs.filter_feat]
    leaves = [tensor.requires_grad_() for tensor in inputs]
    kernel = GOMKKernel(2, level_scale=100.0)
    scores = gomk(*leaves, kernel=kernel, backend=backend)
    expected = gomk(*(leaf.detach().float() for leaf in leaves), kernel=kernel, backend=backend)
    assert scores.dtype == torch.float32
    torch.testing.assert_close(scores.detach(), expected)
    scores.sum().backward()
    assert all(leaf.grad.dtype == torch.float16 for leaf in leaves)
    subgraphs, feat = rooted()
    z = kernel.embed(*leaves[2:])
    scores = kernel.match_subgraphs(subgraphs, feat.half(), z, backend).scores
    expected = kernel.match_subgraphs(subgraphs, feat.half().float(), z, backend).scores
    assert torch.equal(scores, expected)


def test_autocast_does_not_change_scores():
    inputs = problem(SHAPE, torch.float32)
    expected = gomk(*inputs), level_embeddings(*inputs[:2], 2)
    with torch.autocast("cpu", torch.bfloat16):
        found = gomk(*inputs), level_embeddings(*inputs[:2], 2)
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    ("device", "dtype", "is_large", "has_triton", "reason"),
    [
        ("cuda", "torch.float64", False, True, "takes float32 and bfloat16, got torch.float64"),
        ("cuda", "torch.float32", True, True, "takes graphs of at most 64 nodes"),
        ("cuda", "torch.float32", False, False, r"install it with: pip install gomkcn-dgl\[gpu\]"),
        ("mps", "torch.float32", False, True, "there is no kernel for 'mps'"),
    ],
)
def test_the_slow_way_is_said_once(
    caplog, monkeypatch, device, dtype, is_large, has_triton, reason
):
    monkeypatch.setattr(kernels, "HAS_TRITON", has_triton)
    kernels._warn_once.cache_clear()
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    for _ in range(2):
        module = load_backend("auto", device, dtype, is_large=is_large)
        assert module.__name__ == "gomkcn_dgl.kernels.matching_reference"
    (said,) = caplog.records
    assert said.levelname == "WARNING"
    assert re.search(reason, said.getMessage())


@pytest.mark.parametrize(
    ("dtype", "num_nodes", "filter_nodes", "expected"),
    [
        (torch.float32, 64, 64, ("torch.float32", False)),
        (torch.float16, 64, 64, ("torch.float32", False)),
        (torch.bfloat16, 65, 2, ("torch.bfloat16", True)),
        (torch.float64, 2, 65, ("torch.float64", True)),
    ],
)
def test_the_kernel_says_what_it_has_to_match(
    monkeypatch, dtype, num_nodes, filter_nodes, expected
):
    asked = []

    def load(backend, device, dtype, *, is_large):
        asked.append((dtype, is_large))
        return load_backend("reference")

    monkeypatch.setattr("gomkcn_dgl.matching.load_backend", load)
    kernel = GOMKKernel(0, matching="greedy")
    x, z = torch.rand(1, 1, num_nodes, 1), torch.rand(1, 1, filter_nodes, 1)
    kernel.match(x.to(dtype), z.to(dtype), None, "auto")
    assert asked == [expected]
