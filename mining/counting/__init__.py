"""How often structures occur in a whole graph.

| one structure     | `counter`: exactly where that is quick, else an estimate with its interval      |
|-------------------|----------------------------------------------------------------------------------|
| exactly           | `exact_search`, compiled in `search_loops`; in small graphs a join, `sought`    |
| estimated         | `tree_sampler`, draws of mappings; where none hits, the search at random roots  |
| all of some sizes | `structure_counts`: by `census_formulas`, else by looking at all sets of nodes  |
"""
