"""The verifier `verify.py` as a module."""

import verify

__all__ = ["verify"]
