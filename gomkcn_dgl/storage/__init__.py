"""A graph on disk, memory-mapped."""
