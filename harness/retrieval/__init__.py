"""What is found again: questions with known answers, asked of an index of a splitter's segments."""
