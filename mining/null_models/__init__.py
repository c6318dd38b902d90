"""Random graphs that keep some properties of the given one."""
