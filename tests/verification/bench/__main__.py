"""Start the bench.

Each spawned worker process imports this module again, so it imports the bench only when it is run
itself: the bench measures workers of `vola rebuild` that have loaded no more than they need.
"""

import sys

if __name__ == "__main__":
    from tests.verification.bench.command import main

    sys.exit(main())
