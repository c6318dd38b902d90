"""The folder of a run, tables for other tools, comparison of runs."""
