"""How far patterns can be trusted: agreement with planted truth."""
