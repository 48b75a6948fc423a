"""Accidents of a book while a phone records: what it saw, what was lost, and how long it took."""
