"""Files of others → arrays: one reader a format, all of them suspicious of what they read."""
