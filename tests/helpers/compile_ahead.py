"""Compile the launches of the GPU kernels for an H100, on a machine without one.

Run as a script, without TRITON_INTERPRET; prints one JSON object a kernel, with its registers and
the bytes that it spills.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import compiler as nvidia
from triton.compiler import ASTSource

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.kernels import bfs_triton, matching_triton

H100 = GPUTarget("cuda", 90, 32)
POINTERS = {
    torch.float32: "*fp32",
    torch.bfloat16: "*bf16",
    torch.bool: "*i1",
    torch.uint8: "*u8",
    torch.int16: "*i16",
    torch.int32: "*i32",
    torch.int64: "*i64",
}
# N, M, D; matching, anchor, dtype
LAUNCHES = [
    ((16, 16, 32), "optimal", False, torch.float32),
    ((16, 16, 32), "optimal", False, torch.bfloat16),
    ((16, 16, 32), "greedy", True, torch.float32),
    ((1, 64, 3), "greedy", True, torch.bfloat16),
    ((6, 10, 300), "optimal", True, torch.float32),
    ((64, 64, 128), "optimal", False, torch.float32),
    ((64, 64, 128), "optimal", True, torch.bfloat16),
]
# N, policy, whether edges have directions
SAMPLES = [(6, "dense", False), (8, "dense", True), (16, "bfs", True), (32, "dense", False)]


class Compiler:
    """Stands in for a kernel: a launch compiles it and reports, instead of running."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, grid):
        return self.launch

    def launch(self, *arguments, num_warps, **constants):
        names = self.kernel.arg_names
        signature = dict.fromkeys(names, "constexpr")
        aligned = {}
        for place, (name, value) in enumerate(zip(names, arguments, strict=False)):
            if isinstance(value, torch.Tensor):
                signature[name] = POINTERS[value.dtype]
                aligned[(place,)] = [["tt.divisibility", 16]]
            elif isinstance(value, float):
                signature[name] = "fp32"
            else:
                signature[name] = "i32" if abs(value) < 2**31 else "i64"
        source = ASTSource(self.kernel, signature, constants, aligned)
        compiled = triton.compile(source, target=H100, options={"num_warps": num_warps})
        report = {"kernel": compiled.name, "warps": num_warps, **constants}
        print(json.dumps(report | resources(compiled.asm["cubin"])))


def resources(cubin):
    """Registers a lane, and bytes a lane that do not fit into them."""
    tool = Path(nvidia.__file__).parent / "bin" / "cuobjdump"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(cubin)
        command = [tool, "--dump-resource-usage", file]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", text).groups()
    return {"registers": int(registers), "spilled": int(stack)}


def main():
    compile_matching()
    compile_sampler()


def compile_matching():
    for name in (
        "match_fwd_kernel",
        "match_bwd_kernel",
        "match_best_kernel",
        "embed_and_match_best_kernel",
    ):
        setattr(matching_triton, name, Compiler(getattr(matching_triton, name)))
    for (N, M, D), matching, anchor_root, dtype in LAUNCHES:
        x = torch.zeros(2, 3, N, D, dtype=dtype, requires_grad=True)
        z = torch.zeros(16, 3, M, D, dtype=dtype, requires_grad=True)
        rows = torch.tensor([N, N])
        options = ([1.0, 2.0, 3.0], rows, matching, anchor_root)
        matching_triton.match(x, z, *options).scores.sum().backward()
        matching_triton.match_best(x, z, *options)
        if dtype == torch.float32:
            nodes, links = torch.zeros(2, N).int(), torch.zeros(2, N, N, dtype=torch.uint8)
            given = nodes, links, x[0, 0].detach(), z, "sym", 3.0
            matching_triton.embed_and_match_best(*given, *options)


def compile_sampler():
    bfs_triton.extract_kernel = Compiler(bfs_triton.extract_kernel)
    for max_nodes, policy, is_directed in SAMPLES:
        edge = csr_from_edges([0], [1], 2, directed=is_directed)
        graph = bfs_triton.DeviceGraph.of(edge, "cpu")
        bfs_triton.extract(graph, torch.arange(2), 3, max_nodes, policy, 0)


if __name__ == "__main__":
    sys.exit(main())
