"""Preview the balances of a session as if it were closed now; nothing is written.

The facts of the closing are decided as usual and booked on a copy.
"""

from msgspec.structs import replace

from engine import events as e
from ledger.projections.postings import POT, player_account, postings_of
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState


def preview_closing(session: SessionState, policy: e.LeftoverPolicy | None) -> SessionState:
    """Return the session with its closing booked. SessionClosed, DealIsOpen, LeftoversToPlayFor."""
    changes = dict[str, int]()
    for fact in handling.close_session(session, policy):
        for line in postings_of(fact):
            changes[line.source] = changes.get(line.source, 0) - line.amount
            changes[line.target] = changes.get(line.target, 0) + line.amount
    balances = {p: n + changes.get(player_account(p), 0) for p, n in session.balances.items()}
    return replace(session, balances=balances, pot=session.pot + changes.get(POT, 0))
