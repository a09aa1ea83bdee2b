"""Data sets of the Hugging Face hub and its like: in a mirror, in the cache, or on the hub."""
