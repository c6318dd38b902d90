"""Training and evaluating classifiers."""
