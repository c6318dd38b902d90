"""Graphs of other libraries: each is read into a GraphContent, which becomes a CSRGraph."""
