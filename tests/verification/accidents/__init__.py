"""Accidents to a book while a phone records: what it saw, what was lost, how long it took."""
