"""The one table of tolerances, by dtype; nothing in the environment changes it."""

import torch

# arguments of torch.testing.assert_close and numpy.testing.assert_allclose
VALUES = {
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.float64: {"rtol": 1e-10, "atol": 1e-10},
}
# a gradient passes through one more sum over subgraphs and two over levels
GRADIENTS = {
    torch.float32: {"rtol": 1e-4, "atol": 1e-5},
    torch.float64: {"rtol": 1e-9, "atol": 1e-10},
}
