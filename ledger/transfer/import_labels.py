"""Check the labels of an exported session: its title, names and remarks.

The first spelling of a name must match its commitment, unless the name is erased. Title and remarks
are checked against the signature alone.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import UNSET

from engine.values import Player
from ledger.events import hash_chain as chain
from ledger.events.event_types import PlayerJoined, SessionOpened
from ledger.events.recorded_event import RecordedEvent
from ledger.proofs import checkpoint
from ledger.session.command_handlers import MAX_PLAYERS
from ledger.store.append_request import PlayerName
from ledger.transfer.export_format import Export, ExportedName, InvalidExport
from ledger.transfer.session_labels import Labels, labels_text

REMARKED_EVENTS = ("deal_voided", "deal_corrected", "cost_recorded")
"""The types of the events that may have a remark: why, or what a cost was for."""


def check_labels(export: Export, recorded: Sequence[RecordedEvent]) -> Labels:
    """Return the labels once they are checked; without any, erased names. Raise InvalidExport."""
    committed = _name_commitments(recorded)
    fields = (export.title, export.names, export.remarks, export.labels)
    if all(field is UNSET for field in fields):
        nameless = tuple(PlayerName(player=player, name=None, salt=None) for player in committed)
        return Labels(title=None, names=nameless, remarks=())
    title, names, remarks, note = fields
    if title is UNSET or names is UNSET or remarks is UNSET or note is UNSET or title == "":
        raise InvalidExport("labels_wrong", export.version)
    is_complete = [name.id for name in names] == list(committed)
    if not is_complete or not all(map(_matches_commitment, names, committed.values())):
        raise InvalidExport("names_wrong", export.version)
    versions = [remark.version for remark in remarks]
    for remark in remarks:
        event_type = recorded[remark.version - 1].type if remark.version <= len(recorded) else ""
        if event_type not in REMARKED_EVENTS or not remark.remark:
            raise InvalidExport("remarks_wrong", remark.version)
    player_names = tuple(name.player_name() for name in names)
    labels = Labels(title=title, names=player_names, remarks=remarks)
    expected_text = labels_text(export.id, export.version, labels)
    if versions != sorted(set(versions)) or verified_text(export, note) != expected_text:
        raise InvalidExport("labels_wrong", export.version)
    return labels


def _name_commitments(recorded: Sequence[RecordedEvent]) -> dict[Player, str]:
    """Return the players in the order in which they joined, with the commitments to their names.
    Raise InvalidExport."""
    commitments: dict[Player, str] = {}
    for event in recorded:
        match event.event:
            case SessionOpened(players=players, names=names):
                if len(players) != len(names) or len(set(players)) != len(players):
                    raise InvalidExport("event_impossible", event.version)
                commitments |= dict(zip(players, names, strict=True))
            case PlayerJoined(player=player, name=name):
                if player in commitments:
                    raise InvalidExport("event_impossible", event.version)
                commitments[player] = name
    expected_players = [f"p{place}" for place in range(1, len(commitments) + 1)]
    if len(commitments) > MAX_PLAYERS or list(commitments) != expected_players:
        raise InvalidExport("event_impossible", 1)
    if not all(re.fullmatch("[0-9a-f]{64}", commitment) for commitment in commitments.values()):
        raise InvalidExport("event_impossible", 1)
    return commitments


def _matches_commitment(exported: ExportedName, commitment: str) -> bool:
    if exported.name is None or exported.salt is None:
        # erased: all of it is gone
        return exported.name is None and exported.salt is None and not exported.spellings
    spellings = (*(spelling.name for spelling in exported.spellings), exported.name)
    if "" in spellings or any(spelling == following for spelling, following in pairwise(spellings)):
        return False
    return commitment == chain.commit_to_name(bytes.fromhex(exported.salt), spellings[0])


def verified_text(export: Export, note: str) -> str:
    """Return the body of a note that the export's own key has signed. Raise InvalidExport."""
    try:
        return checkpoint.verified_body(note, export.id, bytes.fromhex(export.key))
    except checkpoint.MalformedNote:
        raise InvalidExport("checkpoint_wrong", export.version) from None
    except checkpoint.UnverifiedNote:
        raise InvalidExport("signature_wrong", export.version) from None
