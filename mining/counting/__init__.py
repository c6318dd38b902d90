"""How often structures occur in a whole graph.

`counter` counts one structure: exactly where that is quick (`exact_search`, or the join of `sought`
in a small graph), else by an estimate with an interval (`tree_sampler`). `census` counts
all structures of some sizes: by `census_formulas`, or by looking at all sets of nodes.
"""
