"""Plain records of patterns: they import nothing of mining but each other."""
