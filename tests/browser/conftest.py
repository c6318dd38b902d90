"""One browser for all tests: a second one cannot be started beside it."""

import pytest


@pytest.fixture(scope="session")
def started():
    pytest.importorskip("playwright")
    from browsing import browser

    with browser() as one:
        yield one
