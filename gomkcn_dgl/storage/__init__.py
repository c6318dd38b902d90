"""A graph on disk: a folder of arrays that are mapped, not read."""
