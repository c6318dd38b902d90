"""What a search for motifs looks at, and when it is content."""

from __future__ import annotations

from dataclasses import dataclass

# lengths that differ by less are equal, in bits
EQUAL = 1e-6


@dataclass(frozen=True)
class SearchSettings:
    """What a search looks at, and when it is content. All lengths are in bits."""

    # a greedy set is made by what saves most in all, and by what saves most an edge to the power of
    # an exponent: with 0 few large motifs come first, with 1 dense ones
    exponents: tuple[float, ...] = (0.0, 1.0, 0.5)
    # the length is computed of so many choices at each step, the most promising by the estimate
    num_measured: int = 8
    # a choice that saves less by its estimate is not measured: estimates are off by some bits
    least_estimate: float = -5.0
    # a choice saves at most so many times its estimate, and so many bits more: it is not measured
    # where another one is known to save more than that. Of the 2,644 lengths of the first 612 steps
    # in ca-GrQc 1,000 are so left out, none of which was the shortest of its step
    more_than_estimate: float = 1.3
    bits_more_than_estimate: float = 20.0
    # a structure that can save no more than this is not looked at again
    hopeless: float = -20.0
    # beside other motifs a structure saves at most so many times what it saves alone, and so many
    # bits more: others make their surroundings less probable
    more_than_alone: float = 1.2
    bits_more_than_alone: float = 10.0
    # … and for each edge, where bits are divided by edges
    more_an_edge: float = 0.1
    # a copy worth less is not taken: a motif that saves bits has few of them
    least_worth: float = -15.0
    # bits that a motif must be worth to be in a set, beside the length
    least_of_motif: float = 0.0
    # times that some motifs at random are left out together, to no avail, before a round ends, and
    # the share of them that is: the order in which motifs came is so undone
    most_failed: int = 10
    shares_left_out: tuple[float, ...] = (0.3, 0.5)
    # structures that choose first, in the place of the motifs that are in their way: those that a
    # larger one hides are among the first that are not in the set
    most_put_first: int = 24
    # structures that are put in where motifs of their size stand, and in the place of each one
    most_put_in: int = 100
    most_in_place: int = 20
    # rounds; in so many of them structures are proposed in what the set leaves over and where its
    # smallest motifs lie
    most_rounds: int = 6
    rounds_of_proposals: int = 3
    # a round that gains less is the last one, and one that gains less than this share of what the
    # set saves
    least_of_round: float = 0.5
    least_share_of_round: float = 0.001
    # a search that has another set to beat ends after its greedy sets, if these are behind by more
    # than this share of the bits that it or the other set saves: the moves add 2 to 9% to what
    # greedy sets of molecules save
    most_behind: float = 0.15
    # greedy steps in all: some minutes in a graph of a million edges
    most_steps: int = 4000
