"""The verifier `verify.py` as a module."""

from api.verify.program import main as verify

__all__ = ["verify"]
