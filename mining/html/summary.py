"""A run in one sentence, every part of which is true by its numbers."""

from __future__ import annotations

from mining.descriptions.shapes import count, describe_shape
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun

# a pattern with at most this q is called over-represented
CLEAR = 0.05


def summary_sentence(run: MiningRun) -> str:
    """Say how many patterns there are, how frequent they are and whether they are expected."""
    graph, patterns = run.graph, run.patterns
    where = f"a graph of {count(graph.num_nodes, 'node')}"
    if graph.num_graphs > 1:
        where = f"{graph.num_graphs} graphs with {count(graph.num_nodes, 'node')} in all"
    parts = [f"{count(len(patterns), 'pattern')} in {where}"]
    if patterns:
        top = max(patterns, key=lambda pattern: pattern.frequency.distinct)
        occurrences = count(top.frequency.distinct, "distinct occurrence")
        parts.append(f"the largest count is {occurrences} ({short_description(top)})")
        # with several subgraphs around a node, it can be assigned to several patterns
        if graph.num_subgraphs == graph.num_nodes:
            assigned = sum(pattern.frequency.assigned for pattern in patterns)
            share = percent(assigned / graph.num_nodes)
            parts.append(f"{count(assigned, 'node')} ({share}) assigned to a pattern")
        for null in patterns[0].significance:
            number = sum(pattern.significance[null].q <= CLEAR for pattern in patterns)
            expected = f"more frequent than in the null model “{null}” (q at most {CLEAR})"
            parts.append(f"{number} of {len(patterns)} {expected}")
    if run.recovery:
        recovered = sum(motif.recovered for motif in run.recovery)
        parts.append(f"{recovered} of {count(len(run.recovery), 'planted motif')} recovered")
    sentence = "; ".join(parts) + "."
    return f"{sentence} {partial_sentence(run)}" if run.is_partial else sentence


def partial_sentence(run: MiningRun) -> str:
    """Say what a run that the time limit ended has left out."""
    graph = run.graph
    return (
        f"Partial: the time limit was reached after {graph.num_subgraphs:,} subgraphs of "
        f"{graph.num_nodes:,} nodes, so counts may be too low, and samples and repeated runs may "
        "be missing; --resume continues the run."
    )


def short_description(pattern: Pattern) -> str:
    """Shape and labels of a pattern, without the features that differ."""
    return pattern.description.split(";")[0] or describe_shape(pattern)


def percent(share: float) -> str:
    """Round down, so that 100% means all."""
    return "under 1%" if 0 < share < 0.01 else f"{int(100 * share + 1e-9)}%"
