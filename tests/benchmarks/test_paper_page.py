"""The page on the paper: what it says is computed, and its claims are those of the results."""

import re
import sys

import pytest
from registry import HERE

ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "docs" / "site"))

import paper_results  # noqa: E402

PAGE = (ROOT / "docs/paper.md").read_text("utf-8")
NAMES = re.findall(r"\{\{ (\w+) \}\}", PAGE)


@pytest.fixture(scope="module")
def values():
    return paper_results.values()
