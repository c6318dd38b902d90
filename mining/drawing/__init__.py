"""Figures: data in, Axes or a small SVG out."""
