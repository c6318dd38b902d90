"""Step 6: a run → one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from mining.descriptions.shapes import describe_shape
from mining.html.report_words import CLEAR, NULLS, brief_words
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun


def summary_sentence(run: MiningRun) -> str:
    """Say in one sentence what was found.

    Parameters
    ----------
    run : MiningRun

    Returns
    -------
    str
        Such as "In the 1000-node graph, 8 patterns cover the surroundings of 883 nodes (88%); the
        most frequent is a star with 5 leaves, found 165 times; 4 of 4 planted motifs were
        recovered."
    """
    parts = [f"{_where(run)}, {_coverage(run)}", *_leader(run.patterns), *_clear(run.patterns)]
    if run.recovery:
        found = sum(motif.recovered for motif in run.recovery)
        noun = "motif" if len(run.recovery) == 1 else "motifs"
        verb = "was" if found == 1 else "were"
        parts.append(f"{found} of {len(run.recovery)} planted {noun} {verb} recovered")
    said = "; ".join(parts) + "."
    return f"{said} {partial_sentence(run)}" if run.is_partial else said


def partial_sentence(run: MiningRun) -> str:
    """Say what a run that had too little time left out."""
    graph = run.graph
    return (
        f"Partial: time was up after {graph.num_subgraphs:,} subgraphs of {graph.num_nodes:,} "
        "nodes, so counts can be too low, and samples and runs too few; --resume goes on."
    )


def _where(run: MiningRun) -> str:
    graph = run.graph
    if graph.num_graphs > 1:
        return f"In {graph.num_graphs} graphs with {graph.num_nodes} nodes in all"
    return f"In the {graph.num_nodes}-node graph"


def _coverage(run: MiningRun) -> str:
    number = len(run.patterns)
    if not number:
        return "no pattern was found"
    counted = "1 pattern" if number == 1 else f"{number} patterns"
    # with several subgraphs a node, it can be assigned to several patterns
    if run.graph.num_subgraphs != run.graph.num_nodes:
        return f"{counted} {'was' if number == 1 else 'were'} found"
    covered = sum(pattern.frequency.assigned for pattern in run.patterns)
    share = percent(covered / run.graph.num_nodes)
    nodes = "1 node" if covered == 1 else f"{covered} nodes"
    return f"{counted} {'covers' if number == 1 else 'cover'} the surroundings of {nodes} ({share})"


def _leader(patterns: Sequence[Pattern]) -> list[str]:
    """Say which pattern is most frequent; nothing where there is none."""
    if not patterns:
        return []
    top = max(pattern.frequency.distinct for pattern in patterns)
    if top == 0:
        return ["none of them has an occurrence of its own"]
    leaders = [pattern for pattern in patterns if pattern.frequency.distinct == top]
    times = "once" if top == 1 else f"{top} times"
    if len(leaders) > 1:
        return [f"the most frequent {len(leaders)} were found {times} each"]
    subject = "it" if len(patterns) == 1 else "the most frequent"
    return [f"{subject} is {_what(leaders[0])}, found {times}"]


def _what(pattern: Pattern) -> str:
    """What a pattern is, to be read within a sentence."""
    words = brief_words(pattern)
    # words of labels come with their article
    if not words.startswith(describe_shape(pattern)):
        return words
    return f"{'a graph of' if words[0].isdigit() else 'an' if words[0] in 'aeiou' else 'a'} {words}"


def _clear(patterns: Sequence[Pattern]) -> list[str]:
    """Say how many patterns chance does not explain; nothing where it was not asked."""
    nulls = patterns[0].significance if patterns else {}
    found = []
    for null in nulls:
        number = sum(pattern.significance[null].q <= CLEAR for pattern in patterns)
        found.append(f"{number} of {len(patterns)} more often than in {NULLS[null][0]}")
    if not found:
        return []
    verb = "occurs" if len(patterns) == 1 else "occur"
    return [f"{' and '.join(found)}".replace(" more", f" {verb} more", 1)]


def percent(share: float) -> str:
    """Round down, so that 100% means all."""
    return "under 1%" if 0 < share < 0.01 else f"{int(100 * share + 1e-9)}%"
