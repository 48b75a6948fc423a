"""A group's own money: what is open over all evenings, and what came from outside them."""
