"""How often structures occur in a whole graph.

`query` says what is looked for in terms of a graph, `conditions` reads it from a text.
`occurrence_search` finds its occurrences. `counter` counts them: all where that is quick, else by
an estimate with an interval (`tree_sampler`). `census` counts all structures of some sizes: by
`census_formulas`, or by looking at all sets of nodes.
"""
