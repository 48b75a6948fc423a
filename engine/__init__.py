"""The rules of the games. RuntimeError under `-O`: assertions, here and above, check the sums."""

if not __debug__:
    raise RuntimeError("Assertions hold the sums together: no -O and no PYTHONOPTIMIZE, please.")
