"""Figures: data in, Axes out."""
