// The page of two runs: its figures are saved, and it has no graph.
start(() => null);
