"""`vola key`: the book's key in four words, and its rotation."""

from ledger.proofs.receipts import ReceiptIssuer
from ledger.proofs.signing_key import key_words
from tests.support.api.command_line import assert_refused, invoke_vola


def test_the_key_is_shown_in_words_and_rotated(store, environment):
    first = ReceiptIssuer(store.pool).signing_key().public_bytes
    shown = invoke_vola("key", **environment)
    assert shown.stdout == f"1  signs now  {key_words(first)}  {first.hex()}\n"
    rotated = invoke_vola("key", "--rotate", **environment)
    second = ReceiptIssuer(store.pool).signing_key().public_bytes
    assert rotated.stdout.splitlines() == [
        f"1  earlier    {key_words(first)}  {first.hex()}",
        f"2  signs now  {key_words(second)}  {second.hex()}",
    ]


def test_only_the_owner_rotates_it(store, environment):
    first = ReceiptIssuer(store.pool).signing_key().public_bytes
    as_app = {**environment, "DATABASE_OWNER_URL": environment["DATABASE_URL"]}
    assert_refused(invoke_vola("key", "--rotate", **as_app), "set DATABASE_OWNER_URL")
    assert ReceiptIssuer(store.pool).signing_key().public_bytes == first


def test_a_role_that_may_not_read_the_key_is_told_so(store, environment, urls):
    as_auditor = {**environment, "DATABASE_OWNER_URL": "", "DATABASE_URL": urls.audit}
    assert_refused(invoke_vola("key", **as_auditor), "may not read the key", "DATABASE_OWNER_URL")
