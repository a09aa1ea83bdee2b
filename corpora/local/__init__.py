"""What is on this machine: the user's files, texts of the Python that runs, generated texts."""
