"""Files, processes, checkpoints and compiled code: how a job is stopped, shared, resumed."""
