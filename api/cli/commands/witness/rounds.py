"""Rounds in which a witness looks at all links, and the time between the rounds.

One link at a time: a witness can wait, and an event stream for each session would take the place
of a phone's. A link with a problem is tried less often.
"""

import time
from collections.abc import Sequence

from api.cli.commands.witness.reports import Reports
from api.witness.client import Unreachable
from api.witness.invite_link import InviteLink
from api.witness.session_watch import HistoryContradicted, OtherKey, Witness

LONGEST_WAIT_SECONDS = 900


def look_at_sessions(witness: Witness, link: InviteLink, reports: Reports) -> bool:
    """Look at every session of a link; return whether all could be reached."""
    try:
        sessions = witness.list_sessions(link)
    except Unreachable as reason:
        reports.show_trouble(link, f"{reason}.")
        return False
    reports.note_reached(link)
    outcomes = [_look_at_session(witness, session, reports) for session in sessions]
    return all(outcomes)


def follow(witness: Witness, links: Sequence[InviteLink], reports: Reports, seconds: float) -> None:
    """Look at each link every `seconds`, without end; after problems, at growing intervals."""
    due = dict.fromkeys(links, 0.0)
    waits = dict.fromkeys(links, seconds)
    while True:
        for link in links:
            if time.monotonic() >= due[link]:
                if look_at_sessions(witness, link, reports):
                    waits[link] = seconds
                else:
                    waits[link] = max(seconds, min(2 * waits[link], LONGEST_WAIT_SECONDS))
                due[link] = time.monotonic() + waits[link]
        time.sleep(max(0.0, min(due.values()) - time.monotonic()))


def _look_at_session(witness: Witness, link: InviteLink, reports: Reports) -> bool:
    try:
        reports.show_observation(link, witness.observe(link))
    except HistoryContradicted as error:
        reports.show_contradiction(link, error)
    except OtherKey as error:
        reports.show_other_key(link, error)
    except Unreachable as reason:
        reports.show_trouble(link, f"{reason}.")
        return False
    return True
