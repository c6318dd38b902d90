"""Whether a page loads anything from elsewhere or runs anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_LOADING = {"audio", "base", "embed", "form", "frame", "iframe", "img", "input", "link", "object"}
_LOADING |= {"script", "source", "track", "video", "image", "feimage"}
_ADDRESSES = {"action", "background", "data", "formaction", "href", "poster", "src", "srcset"}
_URL = re.compile(r"url\(\s*['\"]?([^)]*)\)", re.IGNORECASE)


class _Page(HTMLParser):
    """Raises at the first thing that leaves the page."""

    def __init__(self) -> None:
        super().__init__()
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._style = tag == "style"
        given = {name: value or "" for name, value in attrs}
        inside = given.get("src", given.get("xlink:href", "")).startswith("data:image/png;base64,")
        assert tag not in _LOADING or (tag in {"img", "image"} and inside), (
            f"<{tag}> is in the page"
        )
        if tag == "meta":
            assert "http-equiv" not in given, "<meta http-equiv> is in the page"
        for name, value in given.items():
            assert not name.startswith("on"), f"{name} runs a script"
            if name.rpartition(":")[2] in _ADDRESSES and not inside:
                assert value.startswith("#"), f"{name} leaves the page: {value[:80]}"
            if name in {"style", "fill", "stroke", "clip-path", "filter", "mask"}:
                _check_style(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._style = False

    def handle_endtag(self, tag: str) -> None:
        self._style = False

    def handle_data(self, data: str) -> None:
        if self._style:
            _check_style(data)


def assert_loads_nothing(page: str) -> None:
    """Refuse a page with an address outside it, a script, or a control character."""
    parser = _Page()
    parser.feed(page)
    parser.close()
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", page), "a control character"


def _check_style(text: str) -> None:
    assert "@import" not in text and "expression(" not in text, "a style loads something"
    for address in _URL.findall(text):
        assert address.startswith("#"), f"a style loads {address[:80]}"
