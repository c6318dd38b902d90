"""The paper's experiments: one .toml each, run under one protocol beside the paper's baselines."""
