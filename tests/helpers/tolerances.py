"""The one table of tolerances, by dtype; nothing in the environment changes it."""

import torch

# arguments of torch.testing.assert_close and numpy.testing.assert_allclose
VALUES = {
    torch.bfloat16: {"rtol": 0.05, "atol": 1e-2},
    torch.float16: {"rtol": 5e-3, "atol": 1e-3},
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.float64: {"rtol": 1e-10, "atol": 1e-10},
}
# a gradient passes through one more sum over subgraphs and two over levels
GRADIENTS = {
    torch.bfloat16: {"rtol": 0.1, "atol": 1e-2},
    torch.float16: {"rtol": 2e-2, "atol": 1e-3},
    torch.float32: {"rtol": 1e-4, "atol": 1e-5},
    torch.float64: {"rtol": 1e-9, "atol": 1e-10},
}
