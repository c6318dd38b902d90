"""The stages of :mod:`gomkcn_dgl.convert`: blocks of text → edges on disk → sorted rows."""
