"""Structures, and what is said of them: categories, words, occurrences, patterns."""
