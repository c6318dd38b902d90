"""Whether random graphs have a structure as often: null models and verdicts."""
