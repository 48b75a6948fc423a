"""Prove with a PIN that a request may speak for a player."""

from flask import g

from api.http.app_state import event_store
from api.http.idempotency import append_request
from api.http.problems import Problem
from engine.values import Player
from ledger.access import pins
from ledger.store.metadata_write import read_stored_reply


def require_pin(player: Player, pin: str | None) -> None:
    """Raise Problem unless the player has no PIN or this one, or the request is a repeated one."""
    pool = event_store().pool
    if read_stored_reply(pool, g.session_id, append_request(expected="any")):
        return
    try:
        pins.check_pin(pool, g.session_id, player, pin)
    except pins.PinNeeded:
        raise Problem(403, "pin_needed", player=player) from None
    except pins.WrongPin as error:
        raise Problem(403, "wrong_pin", player=player, left=error.left) from None
    except pins.PinLocked as error:
        headers = {"Retry-After": str(error.wait_seconds)}
        minutes = -(-error.wait_seconds // 60)
        raise Problem(429, "pin_locked", headers, player=player, minutes=minutes) from None
