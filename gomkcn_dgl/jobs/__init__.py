"""What lets a job be stopped, gone on with and shared by processes, and its files be whole."""
