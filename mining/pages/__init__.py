"""Step 6: patterns → a sentence, a table for the terminal, and web pages."""
