"""The API and the phone form. Naming the package loads none of it: a command needs little."""

import sys

if not __debug__:  # before anything else is loaded; whoever starts it gets a sentence, no traceback
    print(
        "vola: Python leaves out assertions, which hold the sums together: "
        "start it without -O and without PYTHONOPTIMIZE.",
        file=sys.stderr,
    )
    sys.exit(2)
