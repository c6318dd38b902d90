"""Adam on filters: the numbers of torch's own class, without what that loads."""

import subprocess
import sys

import pytest
import torch

from mining.learning.descent import Descent

# mines a clique with a tail; prints the losses seen, and whether torch's compiler was loaded
MINE = """
import sys
import networkx as nx
from mining import PatternMiner
miner = PatternMiner(num_patterns=2, pattern_size=4, num_epochs=2)
print(len(miner.fit(nx.lollipop_graph(4, 8)).loss_curve_), "torch._dynamo" in sys.modules)
"""


@pytest.fixture
def pair():
    """The same parameters twice; the last never gets a gradient."""
    generator = torch.Generator().manual_seed(0)
    shapes = (3, 4), (3, 2, 5), (3, 1)
    one = [torch.randn(shape, generator=generator).requires_grad_() for shape in shapes]
    return one, [tensor.detach().clone().requires_grad_() for tensor in one]


def loss(parameters):
    return (parameters[0] ** 2).sum() + parameters[1].sin().sum()


def test_the_steps_are_those_of_adam(pair):
    ours, theirs = pair
    descent, adam = Descent(ours), torch.optim.Adam(theirs)
    for rate in (0.1, 0.05, 0.2):
        descent.learning_rate = adam.param_groups[0]["lr"] = rate
        for optimizer, parameters in ((descent, ours), (adam, theirs)):
            optimizer.zero_grad()
            loss(parameters).backward()
            optimizer.step()
        for mine, other in zip(ours, theirs, strict=True):
            assert torch.equal(mine, other)
    assert ours[2].grad is None


def test_a_filter_that_is_forgotten_has_no_momentum(pair):
    parameters, _ = pair
    descent = Descent(parameters)
    descent.learning_rate = 0.1
    loss(parameters).backward()
    descent.step()
    descent.forget(torch.tensor([0, 2]))
    before = [one.detach().clone() for one in parameters]
    for one in parameters[:2]:
        one.grad.zero_()
    descent.step()
    assert torch.equal(parameters[0][[0, 2]], before[0][[0, 2]])
    assert torch.equal(parameters[1][[0, 2]], before[1][[0, 2]])
    assert (parameters[0][1] != before[0][1]).all()


def test_mining_does_not_load_the_compiler_of_torch():
    done = subprocess.run([sys.executable, "-c", MINE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "False"]
