"""How often a pattern occurs in a whole graph: all occurrences, or an estimate."""
