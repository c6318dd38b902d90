"""Plots: data in, SVG out."""
