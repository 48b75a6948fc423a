"""The text of a QR code that a bank's app reads: Swish, or a SEPA transfer.

Swish: Swish QR code specification, 6 (`C` payee, amount, message, lock mask). SEPA: EPC069-12
version 002, euro only.
"""

import re
from urllib.parse import quote

from api.i18n.field_errors import FieldError
from engine.errors import AmountTooLarge
from engine.values import Amount

MAX_CENTS = 999_999_999_99
"""EPC069-12, and more than Swish moves."""
MAX_EPC_BYTES = 331
MAX_SWISH_MESSAGE = 50
LOCKED = "0"  # the lock mask: the payer may change no field
NOT_IN_SWISH = re.compile(r"[^A-Za-zÀ-ÖØ-öø-ÿ0-9!?(),.:\- ]")


def swish_text(payee: str, amount: Amount, message: str) -> str:
    """Return `C0701234567;30,00;Fredag;0`, with every field locked. `amount` in öre."""
    _check_amount(amount)
    words = " ".join(NOT_IN_SWISH.sub(" ", message).split())[:MAX_SWISH_MESSAGE].strip()
    return ";".join((f"C{payee}", _decimal(amount, ","), quote(words, safe=""), LOCKED))


def epc_text(name: str, account: str, amount: Amount, message: str) -> str:
    """Return the lines of a SEPA transfer. `amount` in cents. ValueError beyond 331 bytes."""
    _check_amount(amount)
    lines = ("BCD", "002", "1", "SCT", "", name, account, f"EUR{_decimal(amount, '.')}", "", "")
    text = "\n".join((*lines, message))
    if len(text.encode()) > MAX_EPC_BYTES:
        raise ValueError(FieldError("pattern"))
    return text


def _check_amount(amount: Amount) -> None:
    if amount > MAX_CENTS:
        raise AmountTooLarge(amount=amount, limit=MAX_CENTS)


def _decimal(amount: Amount, point: str) -> str:
    units, cents = divmod(amount, 100)
    return f"{units}{point}{cents:02d}"
