"""Patterns of which few copies are intact."""
