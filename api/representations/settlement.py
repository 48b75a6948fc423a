"""Who pays whom to settle up, why each transfer is on the plan, and the text of a QR code by which
a bank's app reads one: Swish, or a SEPA transfer.

Swish: Swish QR code specification, 6 (`C` payee, amount, message, lock mask). SEPA: EPC069-12
version 002, euro only.
"""

import re
from typing import Any
from urllib.parse import quote

from api.i18n.field_errors import FieldError
from api.i18n.translator import Translator
from api.representations.session import balances_view, results_view, transfer_view
from engine.errors import AmountTooLarge
from engine.values import Amount, Player
from ledger.projections.postings import POT
from ledger.reporting import payment_plan
from ledger.reporting.payment_plan import Transfer, balances_and_pot, plan_transfers
from ledger.session.session_state import SessionState

MAX_CENTS = 999_999_999_99
"""The largest amount of a code, in öre or cents: that of EPC069-12, and more than Swish moves."""
MAX_EPC_BYTES = 331
LOCK_MASK = "0"  # the payer may change no field
NOT_IN_SWISH = re.compile(r"[^A-Za-zÀ-ÖØ-öø-ÿ0-9!?(),.:\- ]")


def settlement_view(
    session: SessionState, treasurer: Player | None, translator: Translator
) -> dict[str, Any]:
    """Return the representation of the plan; each transfer explains itself."""
    owed = balances_and_pot(session)
    fewest = plan_transfers(session)
    transfers = plan_transfers(session, treasurer) if treasurer else fewest
    return {
        "transfers": [
            {**transfer_view(t), "why": _reason(translator, session, t, owed, treasurer)}
            for t in transfers
        ],
        "through": treasurer,
        "fewest": len(fewest),
        "left_over": owed[POT],
        "results": results_view(session),
        "balances": balances_view(session),
    }


def _reason(
    translator: Translator,
    session: SessionState,
    transfer: Transfer,
    owed: dict[Player, int],
    treasurer: Player | None,
) -> str:
    """Return a sentence: how payer and payee stand, and what the transfer does about it."""
    currency = session.opening.currency
    operands = {
        "payer": translator.player_name(transfer.payer),
        "payee": translator.player_name(transfer.payee),
        "amount": translator.format_money(transfer.amount, currency),
        "under": translator.format_money(abs(owed[transfer.payer]), currency),
        "over": translator.format_money(abs(owed[transfer.payee]), currency),
    }
    to_pot = transfer.payee == POT
    if treasurer:
        message = "into" if transfer.payee == treasurer else "box_by_way" if to_pot else "out"
        return translator(f"settlement.{message}", **operands)
    settled = payment_plan.settled_parties(transfer, owed)
    if not to_pot:
        situation, effect = "stand", f"makes_{settled}"
    elif settled in ("payee", "part"):
        situation, effect = "box_stands", "to_box"
    else:
        situation, effect = "box_stands", "makes_payer"
    return (
        f"{translator(f'settlement.{situation}', **operands)}; "
        f"{translator(f'settlement.{effect}', **operands)}."
    )


def swish_text(payee: str, amount: Amount, message: str) -> str:
    """Return `C0701234567;30,00;Fredag;0`, with every field locked. `amount` in öre. Raise
    AmountTooLarge."""
    _check_amount(amount)
    words = " ".join(NOT_IN_SWISH.sub(" ", message).split())
    return ";".join((f"C{payee}", _format_cents(amount, ","), quote(words, safe=""), LOCK_MASK))


def epc_text(name: str, account: str, amount: Amount, message: str) -> str:
    """Return the lines of a SEPA transfer. `amount` in cents. Raise AmountTooLarge; ValueError
    beyond 331 bytes."""
    _check_amount(amount)
    head = ("BCD", "002", "1", "SCT", "", name, account)
    text = "\n".join((*head, f"EUR{_format_cents(amount, '.')}", "", "", message))
    if len(text.encode()) > MAX_EPC_BYTES:
        raise ValueError(FieldError("pattern"))
    return text


def _check_amount(amount: Amount) -> None:
    if amount > MAX_CENTS:
        raise AmountTooLarge(amount=amount, limit=MAX_CENTS)


def _format_cents(amount: Amount, point: str) -> str:
    units, cents = divmod(amount, 100)
    return f"{units}{point}{cents:02d}"
