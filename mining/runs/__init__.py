"""A finished run: everything that its folder and its report show."""
