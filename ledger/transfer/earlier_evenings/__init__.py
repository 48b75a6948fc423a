"""Results of evenings before the book, from a table that somebody kept: read, previewed, imported.

They are kept as results of a file with this hash, and are never deals.
"""
