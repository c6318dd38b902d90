"""Graphs as values: what a small one is, up to isomorphism."""
