"""Whether a pattern occurs more often than in a null model, and which patterns come first."""
