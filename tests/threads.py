"""Two Numba threads for tests of tiny problems: on a busy machine more wait for each other."""

from collections.abc import Iterator

import numba
import pytest


@pytest.fixture(scope="module", autouse=True)
def two_threads() -> Iterator[None]:
    """Import it into a test module and it holds there; threads do not change any result."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    yield
    numba.set_num_threads(before)
