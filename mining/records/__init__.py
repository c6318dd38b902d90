"""Plain records of what was found."""
