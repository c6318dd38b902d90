"""Patterns located in the whole graph and counted."""
