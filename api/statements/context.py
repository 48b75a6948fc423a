"""What a statement needs of the server that makes it: the store, the signing key, its address."""

import msgspec
from msgspec.structs import replace

from api.http.app_state import event_store, receipts, token_secret
from api.http.lan_address import public_base_url
from ledger.proofs.receipts import ReceiptIssuer
from ledger.proofs.signing_key import SigningKey, key_words
from ledger.session.session_state import SessionState
from ledger.store.event_store import EventStore


class StatementContext(msgspec.Struct, frozen=True, kw_only=True):
    """`base_url` is printed on the statement; links to it are signed with `link_secret`."""

    store: EventStore
    receipts: ReceiptIssuer
    signing_key: SigningKey
    language: str
    base_url: str = ""
    link_secret: bytes = b""

    @property
    def key_words(self) -> str:
        return key_words(self.signing_key.public_bytes)

    @property
    def verify_url(self) -> str:
        """The address of the page that checks exports, receipts and statements."""
        return f"{self.base_url}/verify"

    def receipt_url(self, session: SessionState) -> str:
        return f"{self.base_url}/v1/sessions/{session.id}/receipts/{session.version}"


def linked_statement_context(language: str) -> StatementContext:
    """Return the request's context. Raise Problem 400 when its host cannot be part of a link."""
    return replace(
        statement_context(language), base_url=public_base_url(), link_secret=token_secret()
    )


def statement_context(language: str) -> StatementContext:
    """Return a context outside of requests: without an address, its links lead nowhere."""
    return StatementContext(
        store=event_store(),
        receipts=receipts(),
        signing_key=receipts().signing_key(),
        language=language,
    )
