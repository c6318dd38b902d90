"""The stages of `gomkcn convert`."""
