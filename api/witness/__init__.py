"""A witness of other books: it follows their sessions and cosigns what continues what it saw."""
