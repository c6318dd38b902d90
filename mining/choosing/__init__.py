"""Which of the structures that were seen are reported as patterns."""
