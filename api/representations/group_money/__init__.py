"""A group's own money, as responses show it."""
