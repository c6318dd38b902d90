"""Words that the documentation, help and pages do not use, and short sentences."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("gomkcn", "gomkcn_dgl", "mining", "synthetic", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".jinja", ".js")
    and not {"_build", "gallery", "results"} & {*path.relative_to(ROOT).parts[:2]}
]
SOURCES.append(ROOT / "README.md")
# words for which there is a term, in what people read: documents, help and pages
WORDS = r"""
by chance|chance|stands? out|surprising|undecided|told apart|surroundings|verdicts?|arcs?|
topolog\w+|evidence|dangl\w+|hangs? on|balls?|how often
"""


def read_by_people(path):
    """What people read of a file: no code in documents, comments of pages and no tags."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        # examples, code, and addresses of links
        text = re.sub(r"```.*?```|^ {4}[^\n]*$|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.S | re.M)
    elif path.suffix == ".jinja":
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", text, flags=re.S)
    else:
        text = " ".join(re.findall(r'"""(?:.*?)"""|"[^"\n]*"', text, re.S))
    return text


def found_in(texts, pattern):
    return [
        f"{path.relative_to(ROOT)}: {' '.join(hit.group().split())}"
        for path, text in texts
        for hit in re.finditer(pattern, text, re.I)
    ]


def test_what_people_read_has_the_terms_of_the_vocabulary():
    read = [
        (path, read_by_people(path))
        for path in SOURCES
        if path.suffix in (".md", ".jinja") or "commands" in path.relative_to(ROOT).parts
    ]
    assert found_in(read, rf"\b(?:{''.join(WORDS.split(chr(10)))})\b") == []


PAGES = ["report", "filters", "explanation"]


@pytest.mark.parametrize("name", ["README.md", *(f"mining/show/{one}.html.jinja" for one in PAGES)])
def test_sentences_have_at_most_25_words(name):
    text = (ROOT / name).read_text("utf-8")
    if name.endswith(".md"):
        text = re.sub(r"```.*?```|^ {4}[^\n]*$|^\|[^\n]*$|^![^\n]*$", "", text, flags=re.S | re.M)
        text = re.sub(r"\]\([^)]*\)", "]", text)
    else:
        # an expression is at least a word; what a tag or a condition parts is no sentence
        text = re.sub(r"\{\{.*?\}\}", "x", text.split("{% block main %}")[1], flags=re.S)
        text = re.sub(r"\{[%#].*?[%#]\}|<(?!b>|/b>)[^>]*>", "\n\n", text, flags=re.S)
    long = [
        one
        for part in re.split(r"\n\s*\n|\n(?=[-#]|\d\. )", text)
        for one in re.split(r"(?<=[.:?!])\**\s+", " ".join(part.split()))
        if len(re.findall(r"[\w×±%^]+(?:[.,\-–][\w]+)*", one)) > 25
    ]
    assert long == []
