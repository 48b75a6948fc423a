"""When not to look for garbage: what is folded is never garbage, and never goes round in a circle.

Python looks for circles whenever many objects have been made, through all that are still there; a
fold makes a dozen an event, and keeps half of them. Where other evenings are kept, too, that was
half of the time: 23 µs an event against 11.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def let_lie() -> Iterator[None]:
    """For as long as a fold takes: what else falls to the floor meanwhile is found afterwards.

    Of several threads the one that found it on turns it on again.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
