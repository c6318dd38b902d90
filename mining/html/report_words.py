"""The plain words in which a report tells its numbers."""

from __future__ import annotations

from mining.descriptions.shapes import describe_shape
from mining.records.pattern import Pattern

# at most so large a share of false alarms among what is called clear
CLEAR = 0.05

# what follows the count, and what it means
READINGS = {
    "distinct": (
        "different places",
        "the surroundings of a node show the pattern; each set of nodes is counted once",
    ),
    "disjoint": ("of these share no node", "or even more; a number that overlap cannot inflate"),
    "assigned": (
        "nodes are described best by it",
        "their surroundings are nearer to it than to any other pattern, and near enough",
    ),
    "exact": (
        "places in all have its edges",
        "any choice of nodes joined by just these edges, whatever their features; the neighbours "
        "of a hub alone make many",
    ),
    "num_graphs": ("graphs show it", "at least once"),
}
UNCOUNTED = {"not asked": "not asked for", "not finished": "not finished in time"}

# what the graphs of a null model are called, and what they are
NULLS = {
    "degree": (
        "rewired graphs",
        "edges swapped by chance; each node keeps its number of neighbours, and those keep theirs "
        "on the whole: as many edges as before join nodes of any two such numbers",
    ),
    "configuration": (
        "loosely rewired graphs",
        "edges swapped by chance; each node keeps its number of neighbours and nothing else",
    ),
    "features": ("graphs with shuffled features", "the same edges, features dealt out by chance"),
}
STABILITIES = {
    "restarts": "searches from other starting points",
    "bootstrap": "searches in resampled data",
}


def brief_words(pattern: Pattern) -> str:
    """What a pattern is, its labels included where they have names."""
    return pattern.words.split(";")[0] or describe_shape(pattern)
