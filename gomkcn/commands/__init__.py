"""The `gomkcn` command: each file parses, calls one library function and prints."""
