"""The HTML report and the terminal table of a run."""
