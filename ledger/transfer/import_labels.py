"""What an evening from another book is called, and who is who: whether it was called so there.

The first spelling of a name must be the one that history has committed to, or all of it be erased;
title and remarks are vouched for by the other book's signature alone.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from engine.values import Player
from ledger.events import hash_chain as chain
from ledger.events.event_types import PlayerJoined, SessionOpened
from ledger.events.recorded_event import RecordedEvent
from ledger.proofs import checkpoint as checkpoints
from ledger.proofs import signed_note as notes
from ledger.session.command_handlers import MAX_PLAYERS
from ledger.store.append_request import PlayerName, Spelling
from ledger.transfer import session_labels
from ledger.transfer.export_format import Export, ExportedName, InvalidExport
from ledger.transfer.session_labels import Labels


def check_labels(export: Export, recorded: Sequence[RecordedEvent]) -> Labels:
    """Names as they were committed to, remarks on what can be remarked on; all as it was signed."""
    committed = _name_commitments(recorded)
    fields = (export.title, export.names, export.remarks, export.labels)
    if all(one is msgspec.UNSET for one in fields):
        nameless = tuple(PlayerName(player=player, name=None, salt=None) for player in committed)
        return Labels(title=None, names=nameless, remarks=())
    title, names, remarks, note = fields
    if (
        isinstance(title, msgspec.UnsetType)
        or isinstance(names, msgspec.UnsetType)
        or isinstance(remarks, msgspec.UnsetType)
        or isinstance(note, msgspec.UnsetType)
        or title == ""
    ):
        raise InvalidExport("labels_wrong", export.version)
    if [one.id for one in names] != list(committed):
        raise InvalidExport("names_wrong", export.version)
    for place in zip(names, committed.values(), strict=True):
        if not _matches_commitment(*place):
            raise InvalidExport("names_wrong", export.version)
    versions = [one.version for one in remarks]
    for one in remarks:
        on = recorded[one.version - 1].type if one.version <= len(recorded) else ""
        if on not in ("deal_voided", "deal_corrected") or not one.remark:
            raise InvalidExport("remarks_wrong", one.version)
    labels = Labels(
        title=title,
        names=tuple(
            PlayerName(
                player=one.id,
                name=one.name,
                salt=None if one.salt is None else bytes.fromhex(one.salt),
                spellings=tuple(
                    Spelling(name=s.name, until=s.until, by=s.by) for s in one.spellings
                ),
            )
            for one in names
        ),
        remarks=tuple((one.version, one.remark) for one in remarks),
    )
    if versions != sorted(set(versions)) or verified_text(
        export, note
    ) != session_labels.labels_text(export.id, export.version, labels):
        raise InvalidExport("labels_wrong", export.version)
    return labels


def _name_commitments(recorded: Sequence[RecordedEvent]) -> dict[Player, str]:
    """Everybody who came, in order, and what stands for his name in history."""
    commitments = dict[Player, str]()
    for one in recorded:
        match one.event:
            case SessionOpened(players=players, names=names):
                if len(players) != len(names) or len(set(players)) != len(players):
                    raise InvalidExport("event_impossible", one.version)
                commitments |= dict(zip(players, names, strict=True))
            case PlayerJoined(player=player, name=name):
                if player in commitments:
                    raise InvalidExport("event_impossible", one.version)
                commitments[player] = name
    if list(commitments) != [
        f"p{place}" for place in range(1, min(len(commitments), MAX_PLAYERS) + 1)
    ]:
        raise InvalidExport("event_impossible", 1)
    if not all(re.fullmatch("[0-9a-f]{64}", stands_for) for stands_for in commitments.values()):
        raise InvalidExport("event_impossible", 1)
    return commitments


def _matches_commitment(exported: ExportedName, commitment: str) -> bool:
    if exported.name is None or exported.salt is None:
        return (
            exported.name is exported.salt and not exported.spellings
        )  # erased: all of it is gone
    spellings = (*(one.name for one in exported.spellings), exported.name)
    if "" in spellings or any(one == other for one, other in pairwise(spellings)):
        return False
    return commitment == chain.commit_to_name(bytes.fromhex(exported.salt), spellings[0])


def verified_text(export: Export, note: str) -> str:
    """What the file's own key has signed of its evening. DoesNotHold."""
    try:
        return notes.verified_body(note, checkpoints.origin(export.id), bytes.fromhex(export.key))
    except notes.MalformedNote:
        raise InvalidExport("checkpoint_wrong", export.version) from None
    except notes.UnverifiedNote:
        raise InvalidExport("signature_wrong", export.version) from None
