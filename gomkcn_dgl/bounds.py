"""Bounds that several settings and arguments share; all others stand where their rule is."""

# both generators, of NumPy and of torch, take such a seed
LARGEST_SEED = 2**63 - 1
# scikit-learn takes seeds of 32 bits, to which others are shortened; what is drawn has no more, and
# is read and typed more easily than one of 63
SEEDS_OF_SKLEARN = 2**32
# what 32 bits hold, as numbers of nodes are stored: of a count that has no smaller bound
LARGEST_COUNT = 2**31 - 1
# workers that are asked for on purpose, also of a cluster
MOST_JOBS = 4096
# seconds of a limit: 30 years, with which a clock and a number of steps still fit into 64 bits
LONGEST = 1e9
# steps of a count, which 64 bits hold
MOST_STEPS = 2**63 - 1
# occurrences that are listed: each is a row of numbers in memory, and on the screen
MOST_LISTED = 10**7
# random graphs, or epochs
MOST_REPEATS = 10**6
# more filters are not looked at by anybody, and layers look further than any subgraph does
MOST_FILTERS, MOST_LAYERS = 4096, 16
# features of a node, patterns by which nodes match, and nodes that stand for a graph
MOST_WIDE = 65_536
