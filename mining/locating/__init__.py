"""Where patterns are: subgraphs compared with filters, places, nearest patterns."""
