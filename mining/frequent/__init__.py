"""Frequent subgraphs of many graphs."""
