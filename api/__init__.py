"""The API and the phone form. Importing the package loads no module: a command needs few."""

import sys

if not __debug__:  # before any other import, so that the user gets a sentence and no traceback
    print(
        "vola: Python leaves out assertions, which hold the sums together: "
        "start it without -O and without PYTHONOPTIMIZE.",
        file=sys.stderr,
    )
    sys.exit(2)
