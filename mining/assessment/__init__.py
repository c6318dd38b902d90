"""How far patterns can be trusted: significance, stability, agreement with planted truth."""
