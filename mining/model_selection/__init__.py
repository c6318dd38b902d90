"""Pattern size and number of patterns chosen from the data."""
