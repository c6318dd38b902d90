"""Patterns and features described in words."""
