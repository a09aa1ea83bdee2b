"""Two versions of the segmenter, measured against each other in one job: the gate for CI."""
