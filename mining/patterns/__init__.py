"""The patterns of a graph: candidates, counts, choice, and the record of a run."""
