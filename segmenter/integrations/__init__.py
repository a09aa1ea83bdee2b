"""The segmenter where other libraries expect a splitter; each module needs its own library."""
