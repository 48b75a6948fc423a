"""The audit of the book: one check a file, and `run.py`, which runs all of them on a session."""
