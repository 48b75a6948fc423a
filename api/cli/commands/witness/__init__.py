"""`vola witness`: its arguments, its rounds, and what it prints."""
