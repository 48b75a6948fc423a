"""Bugs of the workers: payments that are never settled, or more than once."""

from __future__ import annotations

from typing import Any

from ledger.events.event_types import PaymentSettled
from ledger.store import event_store
from ledger.store.event_store import EventStore
from tests.verification.chaos.planted_bugs.registry import Bugs
from workers import outbox_relay, settle_job

BUGS = Bugs()


@BUGS.register("late", "unsettled", faults=("empty_valkey", "kill_worker"))
def queue_without_outbox() -> None:
    """Payments due are in the queue alone: the relay does not look for those that stay due."""
    outbox_relay.WORKER_TIMEOUT_SECONDS = 1e9
    outbox_relay.OutboxRelay._enqueue = _report_as_enqueued(outbox_relay.OutboxRelay._enqueue)  # type: ignore[method-assign]


def _report_as_enqueued(original: Any) -> Any:
    def enqueue(self: Any, session_id: Any, payment_id: str) -> bool:
        original(self, session_id, payment_id)
        return True

    return enqueue


@BUGS.register("doubled", "audit", faults=("enqueue_twice",))
def settlement_without_check() -> None:
    """The job settles the payment that it names, whether it is due or not."""
    original = EventStore.settle

    def settle(self: EventStore, session_id: Any, payment_id: str | None = None) -> int:
        if payment_id is None:
            return original(self, session_id)
        with self.pool.connection() as db:
            head = event_store.lock_stream(db, session_id)
            session = self._fold_to_head(db, session_id, (head.version, head.hash), None)
            payment = session.payments.get(payment_id)
            if payment is None or payment.status == "cancelled":
                return 0
            settled = PaymentSettled(
                payment=payment.id, deal=payment.deal, payer=payment.payer,
                payee=payment.payee, amount=payment.amount, reverses=payment.reverses,
            )  # fmt: skip
            work = event_store.Decision(events=(settled,))
            event_store.write_changes(db, event_store.build_changes(session, work, head.now, None))
        return 1

    def job(session_id: str, payment_id: str) -> int:
        from uuid import UUID

        assert settle_job._context is not None
        return settle(settle_job._context[0], UUID(session_id), payment_id)

    settle_job.settle = job  # type: ignore[assignment]
