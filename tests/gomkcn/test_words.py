"""Words that the product, its documentation and the README do not use, and short sentences."""

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
PHRASES = """
would chance alone have made them | beside other tools | what chance is taken to be |
nothing where nothing is | three minutes | where to go on | how well it works |
planted truth and reports are added | the difference within chance |
in which the mapped graph counts | motifs with a node that dangles from them |
what the numbers mean | compared with chance | what comes first | what they do not say |
which one to take | overlaps cannot inflate | the page begins with what stands out most |
friends, co-authors, places in space | how far a node looks | each node looks around |
from your own csv file to a page to share | classify graphs, and see why |
what it costs to cut them | filters learn no more | what befell a host | what a job takes |
what it runs on | is nothing found where nothing is | would chance make it |
several patterns that say the same | the comparison is yours to write | nothing to learn twice |
find the small patterns that occur again and again in graphs |
show what would be read from a file | write graphs whose answer is known | all that stand out |
to see what comes back | go on with the unfinished run | look n steps far |
compare n levels of neighbours | learn on a sample whose shares |
edges leave the nodes of this column | take the kinds of edges | read what labels mean |
say how many neighbourhoods | compare with what this file says was planted |
with a number where it is taken | show the rare options as well | draw at random from this seed |
and write its page anew | say which class a trained classifier | more often than by chance |
as often as by chance | set apart | more random graphs might tell |
what was changed or left out of the input | how this was made | does it come back |
more often in one class | different sets of nodes are these neighbourhoods | what it looks for |
where the filters respond | the places of the test part that excite it most | what it compares |
what was tried | to see its places | that were given in one direction |
every node gets the constant feature | for want of time | setting places apart |
filters may be learnt less well | now with your own graph | how far patterns can be trusted |
which patterns are there only because another one is | leave out patterns with fewer than |
use so much memory | keeps none of that | show places | no selection |
as often as expected by chance | more frequent than chance
"""
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


def test_phrases_that_have_a_plain_equivalent_are_gone():
    phrases = [
        re.escape(one).replace(r"\ ", r"\s+") for one in " ".join(PHRASES.split()).split(" | ")
    ]
    assert found_in([(path, path.read_text("utf-8")) for path in SOURCES], "|".join(phrases)) == []


def test_what_people_read_has_the_terms_of_the_vocabulary():
    read = [
        (path, read_by_people(path))
        for path in SOURCES
        if path.suffix in (".md", ".jinja") or "commands" in path.parts
    ]
    assert found_in(read, rf"\b(?:{''.join(WORDS.split(chr(10)))})\b") == []


@pytest.mark.parametrize("name", ["README.md", "mining/html/report.html.jinja"])
def test_sentences_have_at_most_25_words(name):
    text = (ROOT / name).read_text("utf-8")
    if name.endswith(".md"):
        text = re.sub(r"```.*?```|^ {4}[^\n]*$|^\|[^\n]*$|^![^\n]*$", "", text, flags=re.S | re.M)
        text = re.sub(r"\]\([^)]*\)", "]", text)
    else:
        # an expression is at least a word; what a tag or a condition parts is no sentence
        text = re.sub(r"\{\{.*?\}\}", "x", text.split("<body>")[1], flags=re.S)
        text = re.sub(r"\{[%#].*?[%#]\}|<(?!b>|/b>)[^>]*>", "\n\n", text, flags=re.S)
    long = [
        one
        for part in re.split(r"\n\s*\n|\n(?=[-#]|\d\. )", text)
        for one in re.split(r"(?<=[.:?!])\**\s+", " ".join(part.split()))
        if len(re.findall(r"[\w×±%^]+(?:[.,\-–][\w]+)*", one)) > 25
    ]
    assert long == []
