"""What the names of columns say: which two are the ends of edges, and what others hold.

Two names are those of ends where they differ in one word, and the two words belong together, as
source and target, from and to, a and b, 1 and 2 do: ``source,target``, ``gene_a,gene_b``,
``FromNodeId,ToNodeId``, ``ENTITYA,ENTITYB``. Words that say that something is a node are left out
where that helps: ``TF,target_gene``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

# from the first to the second, an edge has a direction; those that are plainest come first
DIRECTED_ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("head", "tail"),
    ("subject", "object"),
    ("who", "whom"),
    ("sender", "recipient"),
    ("sender", "receiver"),
    ("regulator", "gene"),
    ("regulator", "target"),
    ("regulator", "regulated"),
    ("regulator", "operon"),
    ("tf", "target"),
    ("tf", "gene"),
    ("tf", "tg"),
    ("src", "tgt"),
    ("calling", "called"),
    ("boss", "subordinate"),
    ("factor", "gene"),
    ("factor", "operon"),
    ("mirna", "gene"),
    ("kinase", "substrate"),
    ("enzyme", "substrate"),
    ("ligand", "receptor"),
    ("effector", "affected"),
    ("upstream", "downstream"),
    ("predator", "prey"),
    ("eater", "eaten"),
    ("consumer", "resource"),
    ("dominant", "subordinate"),
    ("winner", "loser"),
    ("parent", "child"),
    ("ancestor", "descendant"),
    ("mother", "offspring"),
    ("donor", "acceptor"),
    ("donor", "recipient"),
    ("citing", "cited"),
    ("exporter", "importer"),
    ("supplier", "customer"),
    ("client", "server"),
    ("seller", "buyer"),
    ("payer", "beneficiary"),
    ("debtor", "creditor"),
    ("lender", "borrower"),
    ("voter", "candidate"),
    ("teacher", "student"),
    ("manager", "employee"),
    ("speaker", "listener"),
    ("giver", "receiver"),
    ("giver", "taker"),
    ("cause", "effect"),
    ("input", "output"),
    ("predecessor", "successor"),
    ("antecedent", "consequent"),
    ("superclass", "subclass"),
    ("dependent", "dependency"),
    ("source", "destination"),
    ("source", "sink"),
    ("origin", "destination"),
    ("origin", "dest"),
    ("orig", "dest"),
    ("pre", "post"),
    ("presynaptic", "postsynaptic"),
    # of times and places as well
    ("start", "end"),
)
# who does something to whom, as follower and followed, payer and payee
_WHO_DOES = re.compile(r"([a-z]{3,})(?:er|or)")
_TO_WHOM = ("ed", "ee")
_FIRST_WORDS = {first for first, _ in DIRECTED_ENDS}
_SECOND_WORDS = {second for _, second in DIRECTED_ENDS}
# words that say something else where the other of their pair is not there, such as the size of an
# effect, or the end of a stretch of a chromosome
_IN_PAIRS = {
    *("start", "end", "cause", "effect", "input", "output", "pre", "post", "origin", "factor"),
    *("object", "resource", "head", "tail", "parent", "candidate", "sink"),
}
# each of which is an end whatever the other is called
_FIRST_ONLY = _FIRST_WORDS - _SECOND_WORDS - _IN_PAIRS
_SECOND_ONLY = _SECOND_WORDS - _FIRST_WORDS - _IN_PAIRS
# and these say that two columns belong together, and nothing of a direction
_TOGETHER = (
    ("bait", "prey"),
    ("user", "item"),
    ("user", "movie"),
    ("user", "product"),
    ("customer", "product"),
    ("author", "paper"),
    ("actor", "movie"),
    ("drug", "target"),
    ("drug", "disease"),
    ("gene", "disease"),
    ("plant", "pollinator"),
    ("host", "parasite"),
    ("person", "event"),
    ("person", "friend"),
    ("user", "friend"),
    ("person", "partner"),
    ("gene", "partner"),
    ("ego", "alter"),
    ("node", "neighbor"),
    ("node", "neighbour"),
    ("first", "second"),
    ("left", "right"),
)
# who or what, and what else it is joined to: a name of the first and one of the second are of two
# kinds of nodes, which numbers of their own may count
_TWO_KINDS = (
    (
        {
            *("user", "customer", "client", "buyer", "shopper", "visitor", "reader", "viewer"),
            *("listener", "player", "member", "person", "people", "student", "author", "actor"),
            *("artist", "researcher", "employee", "director", "reviewer", "subscriber", "woman"),
        },
        {
            *("item", "product", "movie", "film", "book", "song", "track", "album", "article"),
            *("paper", "page", "course", "event", "group", "club", "project", "team", "repo"),
            *("repository", "tag", "venue", "shop", "store", "restaurant", "business", "game"),
            *("video", "company", "conference", "journal", "patent", "committee", "sku", "asin"),
        },
    ),
    ({"drug", "compound", "chemical"}, {"disease", "target", "gene", "protein"}),
    ({"gene", "protein", "mirna", "variant"}, {"disease", "phenotype", "pathway"}),
    ({"mirna"}, {"gene", "target"}),
    ({"plant", "flower"}, {"pollinator", "animal", "insect", "bird"}),
    ({"host"}, {"parasite"}),
    ({"document", "doc"}, {"word", "term", "topic"}),
)
# of the same kind as what they stand beside
_ALIKE = {"friend", "partner", "neighbor", "neighbour", "alter", "other", "peer", "interactor"}
# words that call a number, or what has one
_ID_WORDS = {"id", "ids", "name", "number", "no", "nr", "code", "key", "index", "idx", "title"}
# as letters and numbers do, which may be those of two measurements
_PAIRS = (*_TOGETHER, ("u", "v"), ("a", "b"), ("1", "2"), ("0", "1"), ("i", "j"))
# of a series that goes on, two are no pair
_NEXT = {("a", "b"): "c", ("1", "2"): "3", ("0", "1"): "2"}
# what is numbered so is a node
_NODE_WORDS = {
    *("node", "vertex", "id", "name", "gene", "protein", "interactor", "user", "person"),
    *("symbol", "entity", "accession", "label"),
}
# words of a name: gene_a, geneA and GENE A have the same two
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")
_PART = re.compile(r"[^\W_]+")
# of RegulonDB, which numbers its columns
_NUMBERED = re.compile(r"^\s*[0-9]+\)\s*")
# tables whose names are kept as they were paired: reading a table looks at them some times
_TABLES = 16
# words of a name of an end; each of them is left out once
_MOST_WORDS = 16
# ENTITYA and ENTITYB, in capitals or not
_LAST_LETTER = re.compile(r"([a-z]{3,})([ab])")
# of BioGRID, whose first pair of columns holds numbers of genes
PREFERRED = "symbol"
WEIGHTS = ("weight",)
# between the words of a name stands a stroke: Interaction Type is interaction_type
RELATIONS = (
    *("relation", "relation_type", "relation_name", "rel", "rel_type"),
    *("relationship", "relationship_type", "edge_type", "edge_label", "link_type"),
    *("metaedge", "predicate", "interaction", "interaction_type", "regulation", "sign", "type"),
)
# columns of these names are no ends
TIMES = (
    *("time", "timestamp", "datetime", "date", "ts", "t", "unixts"),
    *("created_at", "start_time", "event_time", "sent_at", "date_time", "time_stamp"),
    *("unix_time", "start_date", "event_date", "created_utc"),
)
# the last word of other names of times
_WORDS_OF_TIMES = {"time", "timestamp", "date", "datetime"}
# and behind another word, as in booked_at
_BEHIND_A_DEED = {"at", "on"}
# what R, pandas and others call a first column of numbers or names of rows
ROW_NAMES = ("", "unnamed: 0", "...1", "index", "rownames", "row.names", "rowname")
# words that call a column of numbers of rows, if its values count them
_ROW_WORDS = {
    *("row", "rows", "line", "record", "entry", "edge", "link", "interaction", "id", "key"),
    *("no", "nr", "num", "number", "index", "idx", "n", "x", "rowid", "rownum", "edgeid", "linkid"),
}
# names that a program gives to columns without names: 0 and 1 of pandas, V1 and V2 of R, column_1
# of Polars, column0 of DuckDB, f0 of Arrow
_DEFAULT_NAME = re.compile(r"(|V|f|column_?)([0-9]{1,6})")


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters.

    >>> words_of("FromNodeId"), words_of("4)tfName"), words_of("ENTITYA"), words_of("miRNA")
    (['from', 'node', 'id'], ['tf', 'name'], ['entity', 'a'], ['mirna'])
    """
    return [*_words(name)]


# a table has the same names whatever is looked for among them
@lru_cache(1 << 12)
def _words(name: str) -> tuple[str, ...]:
    words = list[str]()
    for part in _PART.findall(_NUMBERED.sub("", name)):
        # miRNA is a word, and no two
        whole = part.lower() in _FIRST_WORDS
        words += [part.lower()] if whole else map(str.lower, _NAME_WORD.findall(part))
    is_split = len(words) == 1 and words[0] not in _FIRST_WORDS
    match = _LAST_LETTER.fullmatch(words[0]) if is_split else None
    return match.groups() if match else tuple(words)


def are_default(names: Sequence[str]) -> bool:
    """Whether names are those that a program gives to columns that have none.

    >>> are_default(["V1", "V2", "V3"]), are_default(["0", "1"]), are_default(["a1", "a2"])
    (True, True, False)
    """
    found = [_DEFAULT_NAME.fullmatch(name) for name in names]
    kinds = {match[1] if match else None for match in found}
    numbers = [int(match[2]) for match in found if match]
    counted = [list(range(start, start + len(names))) for start in (0, 1)]
    return None not in kinds and len(kinds) == 1 and numbers in counted


def may_number_rows(name: str) -> bool:
    """Whether a column of this name may hold the numbers of rows."""
    return _ROW_WORDS.issuperset(words_of(name))


def number_nodes(name: str) -> bool:
    """Whether what the name numbers are nodes, as in ``gene_1``."""
    return not _NODE_WORDS.isdisjoint(words_of(name))


def is_time(name: str) -> bool:
    """Whether a column of this name holds times.

    >>> is_time("ts"), is_time("departure_time"), is_time("booked_at"), is_time("timeless")
    (True, True, True, False)
    """
    *before, last = words_of(name) or [""]
    is_called = last in _WORDS_OF_TIMES or (bool(before) and last in _BEHIND_A_DEED)
    return name.strip().lower() in TIMES or is_called


def differing_words(name: str, other: str) -> tuple[str, str]:
    """The words in which two names differ, if it is one in each; else two empty ones.

    >>> differing_words("FromNodeId", "ToNodeId"), differing_words("gene_a", "protein_b")
    (('from', 'to'), ('', ''))
    """
    return _differing(words_of(name), words_of(other))


def _differing(words: Sequence[str], others: Sequence[str]) -> tuple[str, str]:
    pairs = [
        pair for pair in itertools.zip_longest(words, others, fillvalue="") if len({*pair}) > 1
    ]
    return pairs[0] if len(pairs) == 1 else ("", "")


def may_say_otherwise(pair: tuple[str, str]) -> bool:
    """Whether two words are ends of edges, and may be something else as well.

    >>> may_say_otherwise(("pre", "post")), may_say_otherwise(("source", "target"))
    (True, False)
    """
    return not _IN_PAIRS.isdisjoint(pair)


def have_direction(name: str, other: str) -> bool:
    """Whether edges between columns of these names lead from one to the other.

    >>> have_direction("TF", "target_gene"), have_direction("gene_a", "gene_b")
    (True, False)
    """
    pairs = [_differing(read(name), read(other)) for read in (words_of, _key_words)]
    are_paired = any(_leads(*pair) or _leads(*pair[::-1]) for pair in pairs)
    return are_paired or leads_back(name, other) or leads_back(other, name)


def are_two_kinds(name: str, other: str) -> bool | None:
    """Whether columns of these names hold two kinds of nodes; None where the names do not say.

    >>> are_two_kinds("userId", "movieId"), are_two_kinds("product_name", "customer")
    (True, True)
    >>> are_two_kinds("follower", "followee"), are_two_kinds("gene_a", "gene_b")
    (False, False)
    >>> are_two_kinds("regulator", "target"), are_two_kinds("baker", "bread") is None
    (False, True)
    """
    both = [_kind_words(name), _kind_words(other)]
    for firsts, seconds in _TWO_KINDS:
        for one, two in (both, both[::-1]):
            # a word in both, as in user_item and user, tells nothing apart
            if (one - two) & firsts and (two - one) & seconds:
                # what acts on the others may be one of them
                return None if have_direction(name, other) else True
    pair = differing_words(name, other)
    are_letters = all(len(word) == 1 or word.isdigit() for word in pair)
    are_alike = both[0] == both[1] or any(words & _ALIKE for words in both)
    are_paired = pair in _TOGETHER or (are_letters and pair != ("", ""))
    return False if are_alike or are_paired or have_direction(name, other) else None


def _kind_words(name: str) -> set[str]:
    """The words of a name that may say what it is of, each also without an s at its end."""
    words = {word for word in words_of(name) if word not in _ID_WORDS} or {*words_of(name)}
    return words | {word[:-1] for word in words if len(word) > 3 and word.endswith("s")}


def leads_back(name: str, other: str) -> bool:
    """Whether the first of two names says that it is the second end, and the other the first.

    Each says so beside whatever other words.

    >>> leads_back("j_target", "i_source"), leads_back("i_source", "j_target")
    (True, False)
    """
    return (_which_end(name), _which_end(other)) == ("second", "first")


def names_edges(cells: Sequence[str]) -> bool:
    """Whether cells are the names of columns as tables of edges have them."""
    words = {cell.strip().lower() for cell in cells}
    usual = {*WEIGHTS, *RELATIONS, *_FIRST_WORDS, *_SECOND_WORDS}
    if len(words & usual) > 1 or any(True for _ in directed_pairs(cells)):
        return True
    # single letters may well be nodes
    return any(_says_what(words_of(cells[ends[0]])) for ends in other_pairs(cells))


def directed_pairs(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of two names that say a direction, those that say it most plainly first.

    >>> list(directed_pairs(["tf", "confidence", "target"]))
    [(0, 2)]
    """
    yield from _directed_pairs(tuple(names))


@lru_cache(_TABLES)
def _directed_pairs(names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    found = list[tuple[int, int]]()
    for read in (words_of, _key_words):
        groups = _words_between(names, read)
        found += _paired(groups, DIRECTED_ENDS)
        # or one is who does what is done to the other
        for places in groups:
            pairs = [(word, other) for word in places for other in _done_by(word)]
            found += [(places[word], places[other]) for word, other in pairs if other in places]
        # or each is known for its end alone, beside whatever other
        for places in groups:
            firsts = [at for word, at in places.items() if word in _FIRST_ONLY]
            seconds = [at for word, at in places.items() if word in _SECOND_ONLY]
            found += zip(firsts[:1], seconds[:1], strict=False)
    return tuple(dict.fromkeys(found))


def other_pairs(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of two names that belong together, and say no direction."""
    yield from _other_pairs(tuple(names))


@lru_cache(_TABLES)
def _other_pairs(names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(_paired(_words_between(names, words_of), _PAIRS))


def _leads(first: str, second: str) -> bool:
    """Whether an edge leads from what is called by the first word to what is by the second."""
    are_known = first in _FIRST_ONLY and second in _SECOND_ONLY
    return are_known or (first, second) in DIRECTED_ENDS or _does(first, second)


def _does(first: str, second: str) -> bool:
    """Whether the first word is who does something, and the second to whom it is done.

    >>> _does("voter", "voted"), _does("trustor", "trustee"), _does("voter", "rated")
    (True, True, False)
    """
    return second in _done_by(first)


def _done_by(word: str) -> list[str]:
    """What may be called what a word does: voted and votee of voter."""
    match = _WHO_DOES.fullmatch(word)
    return [match[1] + ending for ending in _TO_WHOM] if match else []


def _which_end(name: str) -> str:
    """Which end of an edge a name says that it is, "first" or "second"; "" for none, or both."""
    words = words_of(name)
    sides = (("first", _FIRST_ONLY), ("second", _SECOND_ONLY))
    found = [side for side, known in sides if not known.isdisjoint(words)]
    return found[0] if len(found) == 1 else ""


def _key_words(name: str) -> list[str]:
    """The words of a name without those that say that it is a node, unless there is no other."""
    words = words_of(name)
    return [word for word in words if word not in _NODE_WORDS] or words


def _says_what(words: Sequence[str]) -> bool:
    """Whether the words of a name say more than letters and numbers, as those of gene_1 do."""
    return any(word.isalpha() and len(word) > 1 for word in words) and (
        sum(word.isdigit() for word in words) <= 1
    )


def _words_between(names: Sequence[str], read: Callable[[str], list[str]]) -> list[dict[str, int]]:
    """The words that names have between equal others, and the place of the first name with each."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, int]] = {}
    for at, name in enumerate(names):
        words = tuple(read(name))
        for place, word in enumerate(words if len(words) <= _MOST_WORDS else ()):
            others = words[:place], words[place + 1 :]
            groups.setdefault(others, {}).setdefault(word, at)
    return [*groups.values()]


def _paired(
    groups: Sequence[dict[str, int]], pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, int]]:
    """Places of two names that differ in one word, by the order of pairs and then of the names."""
    for first, second in pairs:
        for places in groups:
            is_series = _NEXT.get((first, second)) in places
            if first in places and second in places and not is_series:
                yield places[first], places[second]
