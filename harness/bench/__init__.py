"""How fast the segmenter is, how its time and memory grow, and what it costs to import.

``python -m harness.bench``; see its ``--help``. Other splitters than LangChain's, and whether
segments are right, are the business of ``segbench``.
"""
