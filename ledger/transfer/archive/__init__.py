"""All sessions and groups of a book in one file, and back."""
