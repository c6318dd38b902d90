"""Rooted subgraphs compared: classes, canonical forms, node mappings, discrete filters."""
