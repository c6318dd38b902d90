"""Graph filters as cluster centres: initialization, training, deduplication."""
