"""A line of the plan as a QR code that a bank's app can read: Swish, or a SEPA transfer.

The number or account comes with the request and is kept nowhere; the amount comes from the plan.
Swish: Swish QR code specification, 6 (`C` payee, amount, message, lock mask). SEPA: EPC069-12
version 002, euro only. Whether the money then arrives, nobody tells us: a transfer is recorded by
people (`POST …/transfers`).
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, g, request

from api import access
from api.money import planned, treasurer
from api.preconditions import number
from api.problems import Problem, ShapeWrong
from api.qr import svg
from api.sessions import read, shown
from engine.errors import AmountTooLarge
from engine.values import Amount

blueprint = Blueprint("paying", __name__, url_prefix="/v1/sessions")

CURRENCY = {"swish": "SEK", "epc": "EUR"}
MOST_CENT = 999_999_999_99
"""EPC069-12, and more than Swish moves."""
MOST_BYTES = 331
FIXED = "0"  # the lock mask: nothing that the payer may change

SWISH = re.compile(r"07[0-9]{8}|123[0-9]{7}")
NOT_IN_SWISH = re.compile(r"[^A-Za-zÀ-ÖØ-öø-ÿ0-9!?(),.:\- ]")
LENGTHS = (
    "AD24 AL28 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GI23 GR27 HR21 "
    "HU28 IE22 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 "
    "RS22 SE24 SI19 SK24 SM27 VA22"
)
SEPA = {country: int(length) for country, length in re.findall(r"([A-Z]{2})(\d{2})", LENGTHS)}
"""Where SEPA reaches, and how long an account number is there."""


def swish_number(text: str) -> str:
    """A mobile number (`07…`) or a company's (`123…`), however it was spaced. ValueError."""
    bare = re.sub(r"[\s\-]", "", text)
    bare = re.sub(r"^(\+|00)46", "0", bare)
    if not SWISH.fullmatch(bare):
        raise ValueError("A Swish number: 07 or 123, ten digits.")
    return bare


def iban(text: str) -> str:
    """An account in SEPA whose check digits are right (ISO 13616). ValueError."""
    bare = re.sub(r"\s", "", text).upper()
    if re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]+", bare) and SEPA.get(bare[:2]) == len(bare):
        turned = "".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])
        if int(turned) % 97 == 1 and 2 <= int(bare[2:4]) <= 98:
            return bare
    raise ValueError("An IBAN within SEPA, with its check digits.")


def swish(payee: str, amount: Amount, message: str) -> str:
    """`C0701234567;30,00;Fredag;0`: all of it fixed. `amount` in öre."""
    _fits(amount)
    words = " ".join(NOT_IN_SWISH.sub(" ", message).split())[:50].strip()
    return ";".join((f"C{payee}", _decimal(amount, ","), quote(words, safe=""), FIXED))


def epc(name: str, account: str, amount: Amount, message: str) -> str:
    """The lines of a SEPA transfer, UTF-8, at most 331 bytes. `amount` in cent. ValueError."""
    _fits(amount)
    lines = ("BCD", "002", "1", "SCT", "", name, account, f"EUR{_decimal(amount, '.')}", "", "")
    told = "\n".join((*lines, message))
    if len(told.encode()) > MOST_BYTES:
        raise ValueError("String does not match expected pattern.")
    return told


def _fits(amount: Amount) -> None:
    if amount > MOST_CENT:
        raise AmountTooLarge(amount=amount, limit=MOST_CENT)


def _decimal(amount: Amount, point: str) -> str:
    whole, parts = divmod(amount, 100)
    return f"{whole}{point}{parts:02d}"


@blueprint.get("/<session>/settlement/<payer>/<payee>/qr")
@access.requires("viewer")
def qr(payer: str, payee: str) -> Response:
    """One transfer of the plan, to be scanned by the one who pays."""
    kind = _asked("kind", _kind)
    session = read()
    g.currency = session.opening.currency
    if g.currency != CURRENCY[kind]:
        raise Problem(409, "wrong_currency", kind=kind, currency=g.currency, needed=CURRENCY[kind])
    plan = {(t.payer, t.payee): t.amount for t in planned(session, treasurer(session))}
    planned_amount = plan.get((payer, payee))
    if planned_amount is None or not {payer, payee} <= set(session.table.players):
        raise Problem(404, "transfer_not_planned", payer=payer, payee=payee)
    amount = number("amount", planned_amount, 1, min(planned_amount, 10**10 - 1))
    text = _payload(kind, amount, g.card.title or "Vola")
    made = shown(
        {
            "kind": kind,
            "from": payer,
            "to": payee,
            "amount": amount,
            "currency": g.currency,
            "text": text,
            "qr": svg(text.encode()),
            "version": session.version,
        },
        session.version,
    )
    made.headers["Cache-Control"] = "no-store"  # a phone number or an account is in it
    return made


def _payload(kind: str, amount: Amount, title: str) -> str:
    message = _asked("message", _label(50 if kind == "swish" else 70), title)
    if kind == "swish":
        return swish(_asked("number", swish_number), amount, message)
    name, account = _asked("name", _label(70)), _asked("iban", iban)
    try:
        return epc(name, account, amount, message)
    except ValueError as error:
        raise _wrong("message", error) from None


def _kind(text: str) -> str:
    if text not in CURRENCY:
        raise ValueError(f"Must be one of: {', '.join(CURRENCY)}.")
    return text


def _label(most: int) -> Callable[[str], str]:
    def label(text: str) -> str:
        clean = unicodedata.normalize("NFC", text).strip()
        if not 1 <= len(clean) <= most:
            raise ValueError(f"Between 1 and {most} characters.")
        if any(unicodedata.category(sign)[0] in "CZ" and sign != " " for sign in clean):
            raise ValueError("Control characters are not allowed.")
        return clean

    return label


def _asked(name: str, read_as: Callable[[str], str], default: str | None = None) -> str:
    """A text from the address. ShapeWrong with what is wrong with it."""
    given: Mapping[str, Any] = request.args
    if name not in given:
        if default is not None:
            return default
        raise _wrong(name, "Missing data for required field.")
    try:
        return read_as(given[name])
    except ValueError as error:
        raise _wrong(name, error) from None


def _wrong(name: str, detail: object) -> ShapeWrong:
    return ShapeWrong([{"pointer": f"?{name}", "detail": str(detail)}])
