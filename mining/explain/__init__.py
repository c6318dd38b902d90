"""A place beside its pattern: which node plays which, what differs; what a classifier looks at."""
