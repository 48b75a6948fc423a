"""Requests about a group's own money."""
