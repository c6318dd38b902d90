"""Patterns and their features in words."""
