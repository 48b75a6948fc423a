"""The names of the players in the tests, and the players of a request body."""

FIVE_NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil")
FOUR_NAMES = FIVE_NAMES[:4]
FOUR_PLAYERS = [{"name": name} for name in FOUR_NAMES]
