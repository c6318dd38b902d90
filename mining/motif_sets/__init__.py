"""Which few structures, with their copies, shorten the description of a graph most."""
