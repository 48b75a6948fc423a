"""A witness of other books: it follows their sessions and cosigns versions that continue them."""
