"""Files, processes, checkpoints and compiled code: what lets a job be stopped, shared and resumed."""
