"""Graph filters as cluster centres: initialization, training, what they look like."""
