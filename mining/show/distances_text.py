"""Many graphs and their distances in sentences, and in a terminal."""

from __future__ import annotations

from gomkcn.mining.patterns.graph_distances import (
    GCD,
    GRAPH_COLUMNS,
    MEASURES,
    PROFILE,
    TIME_UP,
    GraphDistances,
)
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.structures.number_text import three_digits
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.files import printable

# rows of a terminal; the files and the page have more
_MOST_ROWS = 40
# pairs that a sentence names
_MOST_NAMED = 3
# of ``benchmarks/graph_families.py``: of 10, 20, 50 and 100 random graphs
_ERRORS, _ERRORS_DIRECTED = "0.11, 0.05, 0.04 and 0.03", "0.15, 0.12, 0.07 and 0.06"
WHAT = {
    GCD: (
        "GCD-11 is the graphlet correlation distance (Yaveroğlu et al. 2014): Spearman's "
        "correlations of eleven orbits of 2 to 4 nodes over all nodes and one node with the count "
        "1 at each; the Euclidean distance of the upper triangles of these matrices. It says "
        "nothing of directions."
    ),
    PROFILE: (
        "The profile distance is 1 − Pearson's correlation of the significance profiles (Milo et "
        "al. 2004), over the structures with z in both: from 0 to 2. A profile is z of {what}, "
        "divided by the length of all z."
    ),
}


def lead(found: GraphDistances) -> str:
    """The answer in a sentence: which pairs are nearest."""
    pairs = found.nearest_pairs(_MOST_NAMED)
    measure = MEASURES[found.leading]
    if not pairs:
        return f"No two of the graphs have a {measure}."
    named = "; ".join(
        f"{printable(first)} and {printable(second)} ({three_digits(distance)})"
        for first, second, distance in pairs
    )
    total = len(found.graphs)
    return f"Of {count(total, 'graph')}, the nearest by {measure}: {named}."


def measure_sentences(found: GraphDistances) -> list[str]:
    """What each distance is, that which leads first."""
    what = (
        "the 13 directed structures of 3 nodes"
        if found.directed
        else "the 8 structures of 3 and 4 nodes"
    )
    sentences = [WHAT[measure].format(what=what) for measure in found.measures]
    if PROFILE in found.measures:
        sentences.append(random_sentence(found))
    return sentences


def random_sentence(found: GraphDistances) -> str:
    """How many random graphs the profiles are of, what these keep, and what error they leave."""
    keeps = "; or ".join(found.keeps)
    return (
        f"z is of {found.null_samples:,} random graphs of each graph ({found.null}"
        f"{f', which keep {keeps}' if keeps else ''}). Between graphs of 300 nodes, none of them "
        "Erdős–Rényi, 10, 20, 50 and 100 random graphs left the correlation an error of "
        f"{_ERRORS_DIRECTED if found.directed else _ERRORS}."
    )


def notes(found: GraphDistances) -> list[str]:
    """What is missing, and what was left out."""
    sentences = list(found.notes)
    for measure in found.measures:
        whys: dict[str, list[str]] = {}
        for graph in found.graphs:
            why = graph.no_gcd if measure == GCD else graph.no_profile
            if why:
                whys.setdefault(why, []).append(printable(graph.name))
        for why, names in whys.items():
            more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
            sentences.append(
                f"No {MEASURES[measure]} of {', '.join(names[:_MOST_NAMED])}{more}: {why}."
            )
    with_profile = [graph for graph in found.graphs if graph.num_random]
    alike = [graph for graph in with_profile if not graph.num_called]
    if alike:
        sentences.append(
            f"In {len(alike):,} of {count(len(with_profile), 'graph')} with a profile the test "
            "calls no structure (adjusted p ≤ .05): such a profile may be that of a random graph."
        )
    left_out = len(found.graphs) - len(found.clustered())
    if left_out:
        sentences.append(
            f"{count(left_out, 'graph')} without a distance from each of the others "
            f"{'is' if left_out == 1 else 'are'} not clustered."
        )
    return sentences


def missing_distances(found: GraphDistances) -> str:
    """What a comparison of many graphs that ended early lacks."""
    late = {
        MEASURES[GCD]: sum(graph.no_gcd == TIME_UP for graph in found.graphs),
        "profile": sum(graph.no_profile == TIME_UP for graph in found.graphs),
    }
    total = len(found.graphs)
    lacks = [f"{number:,} of {total:,} graphs have no {what}" for what, number in late.items()
             if number]  # fmt: skip
    return f"it ended early: {' and '.join(lacks)}" if lacks else "it ended early"


def format_distances(found: GraphDistances) -> str:
    """The graphs with those that are nearest, for a terminal."""
    rows = found.rows
    shown = rows[:_MOST_ROWS]
    table = str(text_table(GRAPH_COLUMNS, shown))
    if len(rows) > len(shown):
        table += f"\nthe first {len(shown)} of {len(rows):,} graphs; graphs.csv has all"
    return paragraphs([lead(found), table, *measure_sentences(found), *notes(found)])
