"""The folder of a run: what is written, read back, resumed."""
