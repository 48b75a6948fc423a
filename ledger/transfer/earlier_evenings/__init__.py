"""Results of evenings before the book, from a table that somebody kept: read, previewed, imported.

They are stored as the results of a file with its hash, and are never deals.
"""
