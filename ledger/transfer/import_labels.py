"""What an evening from another book is called, and who is who: whether it was called so there.

A name must be the one that history has committed to, or be erased; title and remarks are vouched
for by the other book's signature alone.
"""

import re
from collections.abc import Sequence

import msgspec

from engine.values import Player
from ledger import chain, checkpoints, labels, notes
from ledger.entries import PlayerJoined, SessionOpened
from ledger.envelope import Recorded
from ledger.exported import Called, DoesNotHold, Export
from ledger.handling import MOST_PLAYERS
from ledger.labels import Labels
from ledger.writing import Name


def labels_of(export: Export, recorded: Sequence[Recorded]) -> Labels:
    """Names as they were committed to, remarks on what can be remarked on; all as it was signed."""
    committed = _committed(recorded)
    given = (export.title, export.names, export.remarks, export.labels)
    if all(one is msgspec.UNSET for one in given):
        nameless = tuple(Name(player=player, name=None, salt=None) for player in committed)
        return Labels(title=None, names=nameless, remarks=())
    title, names, remarks, note = given
    if (
        isinstance(title, msgspec.UnsetType)
        or isinstance(names, msgspec.UnsetType)
        or isinstance(remarks, msgspec.UnsetType)
        or isinstance(note, msgspec.UnsetType)
        or title == ""
    ):
        raise DoesNotHold("labels_wrong", export.version)
    if [one.id for one in names] != list(committed):
        raise DoesNotHold("names_wrong", export.version)
    for place in zip(names, committed.values(), strict=True):
        if not _committed_to(*place):
            raise DoesNotHold("names_wrong", export.version)
    said = [one.version for one in remarks]
    for one in remarks:
        on = recorded[one.version - 1].type if one.version <= len(recorded) else ""
        if on not in ("deal_voided", "deal_corrected") or not one.remark:
            raise DoesNotHold("remarks_wrong", one.version)
    found = Labels(
        title=title,
        names=tuple(
            Name(
                player=one.id,
                name=one.name,
                salt=None if one.salt is None else bytes.fromhex(one.salt),
            )
            for one in names
        ),
        remarks=tuple((one.version, one.remark) for one in remarks),
    )
    if said != sorted(set(said)) or signed_text(export, note) != labels.text(
        export.id, export.version, found
    ):
        raise DoesNotHold("labels_wrong", export.version)
    return found


def _committed(recorded: Sequence[Recorded]) -> dict[Player, str]:
    """Everybody who came, in order, and what stands for his name in history."""
    found = dict[Player, str]()
    for one in recorded:
        match one.event:
            case SessionOpened(players=players, names=names):
                if len(players) != len(names) or len(set(players)) != len(players):
                    raise DoesNotHold("event_impossible", one.version)
                found |= dict(zip(players, names, strict=True))
            case PlayerJoined(player=player, name=name):
                if player in found:
                    raise DoesNotHold("event_impossible", one.version)
                found[player] = name
    if list(found) != [f"p{place}" for place in range(1, min(len(found), MOST_PLAYERS) + 1)]:
        raise DoesNotHold("event_impossible", 1)
    if not all(re.fullmatch("[0-9a-f]{64}", stands_for) for stands_for in found.values()):
        raise DoesNotHold("event_impossible", 1)
    return found


def _committed_to(called: Called, commitment: str) -> bool:
    if called.name is None or called.salt is None:
        return called.name is called.salt  # erased: both are gone
    return called.name != "" and commitment == chain.commitment(
        bytes.fromhex(called.salt), called.name
    )


def signed_text(export: Export, note: str) -> str:
    """What the file's own key has signed of its evening. DoesNotHold."""
    try:
        return notes.text(note, checkpoints.origin(export.id), bytes.fromhex(export.key))
    except notes.NoNote:
        raise DoesNotHold("checkpoint_wrong", export.version) from None
    except notes.NotSigned:
        raise DoesNotHold("signature_wrong", export.version) from None
