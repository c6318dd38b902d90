"""Repeated blocks: large subgraphs that occur several times, up to their boundary."""
