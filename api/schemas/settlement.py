"""Record a transfer; the query of a settlement: `?through=` a player; and that of a payment code:
a Swish number, or a name with an account."""

import re
from typing import get_args

from marshmallow import Schema, ValidationError, fields, validate
from stdnum import iban

from api.http.problems import Problem
from api.i18n.field_errors import FieldError
from api.schemas.fields import Amount, Choice, PlayerId, field_parameter
from engine.values import Player
from ledger.events.event_types import PaymentMethod
from ledger.session.session_state import SessionState

METHODS = get_args(PaymentMethod)
SWISH_NUMBER = re.compile(r"07[0-9]{8}|123[0-9]{7}")
IBAN = re.compile(r"[A-Z]{2}(?!00|01|99)[0-9]{2}[A-Z0-9]+")
"""ISO 13616 makes no check digits 00, 01 or 99, which would be right as well by modulo 97."""
SEPA_COUNTRIES = """
AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO
PL PT RO RS SE SI SK SM VA
"""


class TransferSchema(Schema):
    payer = fields.String(required=True, data_key="from", validate=PlayerId)
    payee = fields.String(required=True, data_key="to", validate=PlayerId)
    amount = Amount()
    method = Choice(METHODS, load_default=None, allow_none=True)
    why = fields.String(load_only=True, validate=validate.Length(max=500))
    """Accepted and ignored, so that a line of the settlement may be sent back as it stands."""


def requested_treasurer(session: SessionState) -> Player | None:
    """Return `?through=`, whom all money is to pass, or None. Raise Problem or InvalidFields."""
    player: Player | None = field_parameter(
        "through", fields.String(load_default=None, validate=PlayerId)
    )
    if player is not None and player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    return player


def parse_swish_number(text: str) -> str:
    """Return the digits of a mobile number (`07…`) or a firm's (`123…`). Raise ValidationError."""
    number = re.sub(r"[\s\-]", "", text)
    number = re.sub(r"^(\+|00)46", "0", number)
    if not SWISH_NUMBER.fullmatch(number):
        raise ValidationError(FieldError("swish"))
    return number


def parse_iban(text: str) -> str:
    """Return an account in SEPA with valid check digits and no spaces. Raise ValidationError."""
    account = re.sub(r"\s", "", text).upper()
    in_sepa = IBAN.fullmatch(account) and account[:2] in SEPA_COUNTRIES.split()
    if not in_sepa or not iban.is_valid(account, check_country=False):
        raise ValidationError(FieldError("iban"))
    return account


SwishNumber = fields.Function(deserialize=parse_swish_number, required=True)
Iban = fields.Function(deserialize=parse_iban, required=True)
