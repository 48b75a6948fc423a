"""An operation that will be removed is announced in its responses and in the contract."""

from __future__ import annotations

from tests.support.api.openapi_contract import OPERATIONS


def test_no_operation_is_deprecated_while_no_answer_announces_it() -> None:
    """docs/api.md promises Deprecation, Link and Sunset in the answers of one that is."""
    assert not [name for name, operation in OPERATIONS.items() if operation.get("deprecated")]
