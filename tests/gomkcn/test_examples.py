"""The examples in the docstrings run, and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("gomkcn", "gomkcn_dgl", "mining", "synthetic")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    for name in PACKAGES:
        package = importlib.import_module(name)
        yield name
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            # the commands have no examples, and the GPU's modules need Triton
            if not found.name.endswith(("__main__", "_triton")):
                yield found.name


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in modules():
        module = importlib.import_module(name)
        for example in finder.find(module, name):
            if example.examples:
                yield example


EXAMPLES = {example.name: example for example in examples()}


def test_public_functions_have_examples():
    assert len(EXAMPLES) > 50


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs(name):
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(EXAMPLES[name], out=report.append)
    assert runner.failures == 0, "".join(report)
