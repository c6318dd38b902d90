"""One browser for all tests: a second one cannot be started beside it."""

import pytest


@pytest.fixture(scope="session")
def started():
    pytest.importorskip("playwright")
    from browsing import browser

    with browser() as one:
        yield one


@pytest.fixture(scope="session")
def page_files(tmp_path_factory):
    """A function that writes the page of a graph by name, each once."""
    pytest.importorskip("playwright")
    from browsing import GRAPHS, page_of

    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            made[name].write_text(page_of(GRAPHS[name]()), encoding="utf-8")
        return made[name]

    return make
