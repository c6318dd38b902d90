"""The GPU kernels in Triton's interpreter, on a CPU: `tox -e interpret`."""

import importlib.util

import pytest

from gomkcn_dgl.kernels import BACKENDS


def test_triton_kernels_in_the_interpreter():
    written = [name for name, backends in BACKENDS.items() if "triton" in backends]
    if not written:
        pytest.skip("there is no Triton kernel yet")
    assert importlib.util.find_spec("triton"), "install the [gpu] extra"
