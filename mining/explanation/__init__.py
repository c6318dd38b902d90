"""An occurrence beside its pattern; what a classifier responds to."""
