"""Motifs of events in time."""
