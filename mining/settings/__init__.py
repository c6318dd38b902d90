"""What settings files say, and how a job is known again."""
