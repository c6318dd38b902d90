"""What a run leaves: its record, its folder, tables for other tools, two runs side by side."""
