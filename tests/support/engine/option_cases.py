"""One test for each position of an option."""

import pytest


def parametrize_option(**by_position):
    """Parametrize a test with each position of an option, and with the result expected there."""
    (option,) = by_position
    cases = by_position[option].items()
    ids = [f"{option}={position}" for position, _ in cases]
    return pytest.mark.parametrize(
        ("agreed", "expected"), [({option: p}, x) for p, x in cases], ids=ids
    )
