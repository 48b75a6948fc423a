"""Starts the bench. Each worker process imports this module again, so it imports nothing itself:
a worker of `vola rebuild` starts with no more than it needs, and this is what is measured."""

import sys

if __name__ == "__main__":
    from tests.verification.bench.command import main

    sys.exit(main())
