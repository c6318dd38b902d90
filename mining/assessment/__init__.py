"""How far patterns can be trusted: stability, agreement with planted truth."""
