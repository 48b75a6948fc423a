"""An opening is decided again with the options that the game had when it was recorded."""

from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from engine.games.registry import GAMES
from ledger.audit.check_rules import decide_again
from ledger.events.event_types import SessionOpened
from ledger.session import command_handlers
from ledger.session.session_state import SessionState

NEW_SESSION = SessionState(id=UUID(int=1))


def open_game(key: str) -> SessionOpened:
    return command_handlers.open_session(
        GAMES[key],
        GAMES[key].options_type(),
        currency="SEK",
        players=("p1", "p2", "p3", "p4"),
        names=("aa", "bb", "cc", "dd"),
        first_dealer="p1",
    )


@pytest.mark.parametrize("key", GAMES)
def test_an_opening_may_be_older_than_an_option_of_its_game(key: str) -> None:
    opened = open_game(key)
    assert decide_again(NEW_SESSION, [opened]) == (opened,)
    for added_later in opened.options:
        options = {name: x for name, x in opened.options.items() if name != added_later}
        older = replace(opened, options=options)
        assert decide_again(NEW_SESSION, [older]) == (older,), added_later


def test_an_opening_has_no_unknown_option_and_no_other_points() -> None:
    opened = open_game("knektpass")
    with pytest.raises(msgspec.ValidationError):
        decide_again(NEW_SESSION, [replace(opened, options={**opened.options, "unknown": True})])
    forged = replace(opened, options={"finish": "exact"}, start={**opened.start, "p1": 11})
    assert decide_again(NEW_SESSION, [forged]) == (replace(forged, start=opened.start),)
