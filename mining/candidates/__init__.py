"""Candidates: structures that recur among connected node sets of many sizes."""
