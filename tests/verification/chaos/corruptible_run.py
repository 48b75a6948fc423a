"""A history and its book, which the tests of the checks corrupt."""

from dataclasses import dataclass, field
from itertools import count

from tests.verification.chaos.checks import check_history
from tests.verification.chaos.request_history import ReplyEvent, Request
from tests.verification.chaos.stored_ledger import Event, StoredSession

SESSION = "session"


@dataclass
class Run:
    """A history and a book that agree, until a test changes one of them."""

    history: list[Request] = field(default_factory=list)
    book: dict[str, StoredSession] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = count(10, 10)
        self.book[SESSION] = StoredSession()
        self.write("open_session", "session_opened", in_reply=False)

    @property
    def evening(self) -> StoredSession:
        return self.book[SESSION]

    def write(self, operation: str, *kinds: str, in_reply: bool = True, **data: object) -> Request:
        """Add a request that was executed, and its events."""
        first = len(self.evening.events) + 1
        for version, kind in enumerate(kinds, start=first):
            event_hash = f"{version:064x}"
            self.evening.events.append(Event(version, kind, "host.0", dict(data), event_hash))
        last = self.evening.events[-1]
        self.evening.head = last.version, last.hash
        key = f"key-{len(self.history)}"
        self.evening.replies[key] = last.version, len(kinds)
        stored = self.evening.events[first - 1 :] if in_reply else []
        return self.record(
            operation=operation,
            key=key,
            version=last.version,
            hash=last.hash,
            body=f"body {key}" if in_reply else "",
            events=tuple(ReplyEvent(version=e.version, type=e.type, hash=e.hash) for e in stored),
        )

    def read(self, version: int) -> Request:
        return self.record(operation="read", key="", version=version)

    def record(self, **fields: object) -> Request:
        started_at = next(self.clock)
        request = Request(
            **{
                "phone": 1,
                "number": len(self.history),
                "session": SESSION,
                "started_at": started_at,
                "ended": started_at + 5,
                "tries": 1,
                "outcome": "done",
                **fields,
            }  # type: ignore[arg-type]
        )
        self.history.append(request)
        return request

    def settle(self, payment: str) -> None:
        version = len(self.evening.events) + 1
        self.evening.events.append(
            Event(version, "payment_settled", "worker", {"payment": payment}, f"{version:064x}")
        )
        self.evening.head = version, f"{version:064x}"
        self.evening.payments[payment] = "settled"

    @property
    def columns(self) -> set[str]:
        return {
            column
            for column, findings in check_history(self.history, self.book).items()
            if findings
        }


def make_good_run() -> Run:
    """Return a run with a deal, a settled payment, a transfer, a refusal and reads."""
    run = Run()
    run.write("deal", "deal_opened", "declared", "la_vola_won", "deal_closed")
    run.evening.payments["3-p1-p2"] = "due"
    run.settle("3-p1-p2")
    run.read(6)
    run.write("transfer", "transfer_recorded", payer="p1", payee="p2", amount=7)
    run.record(operation="undo", key="refused", outcome="refused", status=409)
    run.read(7)
    run.read(7)
    return run
