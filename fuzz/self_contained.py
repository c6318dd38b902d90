"""A page of a run, read: its words, its marked numbers, and that it loads and runs nothing else."""

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}
LOADING = {"audio", "base", "embed", "form", "frame", "iframe", "img", "link", "object", "source"}
LOADING |= {"track", "video", "feimage"}
ADDRESSES = {"action", "background", "data", "formaction", "href", "poster", "src", "srcset"}


class Page(HTMLParser):
    """Collects tags, attributes, text and marked numbers, and checks that every tag is closed.

    ``scripts`` are the texts of scripts and blocks of data. ``marked`` holds (file, path, value,
    text) of each ``<data>``; ``loose`` the text of the parts of the cards that say how often and
    how surely, less what is marked.
    """

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.loose = [], [], [], []
        self.marked, self.scripts = [], []
        # (tag, class) of what is open
        self._open = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        given = dict(attrs)
        if tag == "data":
            self.marked.append([given["data-file"], given["data-path"], given["value"], ""])
        if tag not in VOID:
            self._open.append((tag, given.get("class")))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self._open and self._open.pop()[0] == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        within = {tag for tag, _ in self._open}
        if "script" in within:
            self.scripts.append(data)
            return
        self.text.append(data)
        if "data" in within:
            self.marked[-1][3] += data
        elif (
            "svg" not in within
            and ("div", "gomkcn-parts") in self._open
            # names of labels
            and ("p", "gomkcn-key") not in self._open
        ):
            self.loose.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def assert_loads_nothing(html):
    """Nothing from elsewhere, and no script but the one that the page's policy names."""
    page = Page(html)
    for script in page.scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policies = [value for name, value in page.attributes if name == "content"]
        allowed = any(f"script-src 'sha256-{digest}';" in policy for policy in policies)
        # or the block of data, which does not run
        assert allowed or re.fullmatch(r"[A-Za-z0-9+/=]+", script)
    assert page.tags.count("script") == len(page.scripts)
    assert not LOADING & set(page.tags)
    for name, value in page.attributes:
        assert not name.startswith("on"), f"{name} runs a script"
        if name.rpartition(":")[2] in ADDRESSES:
            inside = value.startswith(("#", "data:image/png;base64,"))
            # the page of the filters lies beside that of the run
            assert inside or re.fullmatch(r"filters/filters\.html(#filter-\d+)?", value), (
                f"{name} leaves the page"
            )
    for script in page.scripts:
        html = html.replace(script, "")
    assert "@import" not in html and "expression(" not in html
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", html))
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", html), "a control character"
