"""The rules. Nothing here or above runs without its assertions: they hold the sums together."""

if not __debug__:
    raise RuntimeError("Assertions hold the sums together: no -O and no PYTHONOPTIMIZE, please.")
