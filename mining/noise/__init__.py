"""Patterns of which few copies are intact: templates that explain damaged copies."""
