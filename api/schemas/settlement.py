"""Record a transfer; the query of a settlement: `?through=` a player, `?leftover_policy=`."""

from typing import get_args

from marshmallow import fields, validate

from api.http.problems import Problem
from api.schemas.fields import Choice, Integer, PlayerId, field_parameter, number_between
from api.schemas.strict import StrictSchema
from engine.events import LeftoverPolicy
from engine.values import MAX_AMOUNT, Player
from ledger.session.session_state import SessionState

METHODS = ("cash", "swish", "mobilepay", "vipps", "bank", "other")


class TransferSchema(StrictSchema):
    payer = fields.String(required=True, data_key="from", validate=PlayerId)
    payee = fields.String(required=True, data_key="to", validate=PlayerId)
    amount = Integer(required=True, validate=number_between(1, MAX_AMOUNT))
    method = Choice(METHODS, load_default=None, allow_none=True)
    why = fields.String(load_only=True, validate=validate.Length(max=500))
    """Accepted and ignored, so that a line of the settlement may be sent back as it stands."""


def requested_policy() -> LeftoverPolicy | None:
    """Return `?leftover_policy=`, or None. InvalidFields."""
    policy: LeftoverPolicy | None
    policy = field_parameter("leftover_policy", Choice(get_args(LeftoverPolicy)))
    return policy


def requested_treasurer(session: SessionState) -> Player | None:
    """Return `?through=`, the player whom all money is to pass, or None. Problem, InvalidFields."""
    player: Player | None = field_parameter("through", fields.String(validate=PlayerId))
    if player is not None and player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    return player
