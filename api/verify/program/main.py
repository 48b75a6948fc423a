#!/usr/bin/env python3
"""Checks exports, receipts and statements of Vola without Vola: one file, nothing to install.

    python3 -I verify.py FILE.json [--export EXPORT.json] [--receipt EARLIER.json] [--key HEX]

The hash chain of an export is computed again from its first event to its last, and the names in it
must match the commitments in the events. A receipt must have valid inclusion and consistency
proofs. A statement must be what its book signed, in canonical JSON. With `--export`, the export of
the same session, the figures of a statement are computed again from the events. With `--receipt`,
a file that you saved earlier must be consistent with this one. `--key` is the book's public key,
which you should know from elsewhere than the file.

Prints what the file is and whether it holds, and then what is proven and what is not. Exit code 0:
valid; 1: not valid; 2: not readable; 3: the sums are right and nothing more is proven. Needs Python
3.10 or newer.

Only the book itself (`vola audit`) can show that a group's statement has all lines of its sessions.

The page /verify checks the same in a browser; a test compares the two.
"""

import argparse
import base64
import json
import re
import sys
import unicodedata
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from hashlib import sha256, sha512
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SENTENCES = {
    "export": "Up to version {version} no event is missing and none is changed, as its book has "
    "signed; whether the evening went on after that, this file cannot show",
    "receipt": "Version {version} is signed and stands in the signed evening it leads to",
    "statement": "Every figure, name and sentence is as its book signed it at version {version}; "
    "that its lines are those of the events, only the export can show",
    "remade": "Every figure, name and sentence is as its book signed it at version {version}, and "
    "made anew from the events of the export lines and balances are the same",
    "group": "Every figure, name and sentence is as its book signed it, of {version} evenings; "
    "that its lines are those of their events, only the book can show",
    "group_remade": "Every figure, name and sentence is as its book signed it, of {version} "
    "evenings, and the lines of the export's evening are those of its events; that the other lines "
    "are those of theirs, only the book can show",
    "adds_up": "The sums add up, but the book has not signed this statement: figures, names and "
    "sentences may be others than it gave",
    "figures": "Made anew from the events of the export lines and balances are the same, but the "
    "book has not signed this statement: results, names and sentences may be others than it gave",
    "group_figures": "The lines of the export's evening are those of its events, but the book has "
    "not signed this statement: other figures, names and sentences may be others than it gave",
    "earlier": "; what you kept earlier still stands",
    "witnessed": "; what it was at version {confirmed} is confirmed by {witnesses}, each with a "
    "key of their own phone",
    "given": "; the key is the one you gave.",
    "own": "; the key is the file's own, so compare it with one from elsewhere: {key}",
    "unsigned": "It carries no signature.",
    "other_key": "It is signed with another key than the one you know.",
    "hole": "Version {version} is not where it should be.",
    "hash_wrong": "Version {version} is not as it was written.",
    "head_wrong": "It does not end where it says: at version {version}.",
    "checkpoint_wrong": "The checkpoint of version {version} is about something else.",
    "signature_wrong": "The signature of version {version} is not of this key.",
    "root_wrong": "The checkpoint of version {version} is of other events.",
    "names_wrong": "The names are not those that it was kept with, up to version {version}.",
    "labels_wrong": "Title, names and remarks are not those that were signed at version {version}.",
    "cosignature_wrong": "A confirmation of version {version} is not what that phone signed.",
    "inclusion_wrong": "It is not shown that version {version} stands in that evening.",
    "consistency_wrong": "It is not shown that the evening went on from version {version}.",
    "sum_wrong": "The statement does not add up.",
    "statement_wrong": "The statement is not what its book signed.",
    "remade_wrong": "Made anew from the events of the export, the statement has other figures, at "
    "version {version}.",
    "export_wrong": "The export is itself not what was signed.",
    "export_other": "The export is of another evening.",
    "export_short": "The export ends before version {version}, which the statement is of.",
    "export_differs": "In the export version {version} is another than in the statement.",
    "event_unknown": "This check does not know what version {version} did: use a newer one.",
    "other_session": "What you kept earlier is of another evening.",
    "tail_missing": "It ends before version {version}, which you kept a receipt of.",
    "rewritten": "Version {version} was another when you got your receipt.",
    "earlier_wrong": "What you kept earlier is itself not what was signed.",
    "not_shown": "It does not say what became of version {version}; ask for that receipt again.",
    "unreadable": "This is no export, receipt or statement of Vola.",
    "earlier_unreadable": "What you kept earlier is no export, receipt or statement of Vola.",
    "export_unreadable": "What should be the export of a statement is no export of Vola.",
    "no_statement": "An export goes with a statement, and this is none.",
    "key_unreadable": "The key must be 64 hexadecimal digits.",
}


class Refused(Exception):
    """The document is not valid: a code of SENTENCES, and the version that it is about."""

    def __init__(self, code, version=None):
        self.code, self.version = code, version


def verify_document(document, earlier=None, key=None, export=None):
    """Check these bytes and return the exit code, a code of SENTENCES, and a version or None.

    `earlier` and `export` are bytes or None, `key` is hexadecimal or None. The code is the first
    that applies.
    """
    if key is not None and not re.fullmatch("[0-9a-fA-F]{64}", key):
        return 2, "key_unreadable", None
    try:
        parsed_document = read_document(document)
    except ValueError:
        return 2, "unreadable", None
    try:
        parsed_earlier = read_document(earlier) if earlier is not None else None
        require(parsed_earlier is None or parsed_earlier["kind"] != "group")
    except ValueError:
        return 2, "earlier_unreadable", None
    try:
        parsed_export = read_document(export) if export is not None else None
        require(parsed_export is None or parsed_export["kind"] == "export")
    except ValueError:
        return 2, "export_unreadable", None
    if parsed_export is not None and parsed_document["kind"] not in ("statement", "group"):
        return 2, "no_statement", None
    key = key and key.lower()
    try:
        known = CHECKS[parsed_document["kind"]](parsed_document, key)
        if parsed_export is not None:
            EXPORT_CHECKS[parsed_document["kind"]](parsed_document, parsed_export, key)
        if parsed_earlier:
            check_earlier(parsed_document, known, parsed_earlier)
    except Refused as refused:
        return 2 if refused.code == "event_unknown" else 1, refused.code, refused.version
    return verdict_of_valid(parsed_document, parsed_export)


def verdict_of_valid(document, export):
    """Return what is proven of a valid document: the signature, and the figures given an export."""
    kind, version = document["kind"], document["version"]
    if kind in ("statement", "group") and document["signature"] is None:
        figures = "figures" if kind == "statement" else "group_figures"
        return 3, "adds_up" if export is None else figures, version
    remade = "remade" if kind == "statement" else "group_remade"
    return 0, kind if export is None else remade, version


# A check returns what the document proves, as {version: (event hash, tree root)}. The largest
# version is the last that it knows of.


def check_export(doc, key):
    key = public_key(doc, key)
    previous_hash, leaf_hashes, event_hashes = bytes(32), [], []
    for number, event in enumerate(doc["events"], 1):
        if event["version"] != number:
            raise Refused("hole", number)
        previous_hash = event_hash(doc["session"], event, previous_hash)
        if previous_hash.hex() != event["hash"]:
            raise Refused("hash_wrong", number)
        event_hashes.append(event["hash"])
        leaf_hashes.append(leaf_hash(previous_hash))
    head = [
        (event["version"], event["hash"], iso_time(event["at"])) for event in doc["events"][-1:]
    ]
    if head != [(doc["version"], doc["hash"], doc["at"])]:
        raise Refused("head_wrong", doc["version"])
    root = checkpoint_root(doc, doc["session"], key)
    if root != tree_root(leaf_hashes):
        raise Refused("root_wrong", doc["version"])
    check_cosignatures(doc, doc["version"], root)
    check_labels(doc, key)
    return ExportedVersions(event_hashes, leaf_hashes)


def check_labels(doc, key):
    """Check title, names and remarks, of which either all or none are in an export."""
    version, title, names, remarks = doc["version"], doc["title"], doc["names"], doc["remarks"]
    if title is names is remarks is doc["labels"] is None:
        return
    if names is None or remarks is None or doc["labels"] is None or title == "":
        raise Refused("labels_wrong", version)
    commitments = name_commitments(doc["events"])
    if len(names) != len(commitments) or not all(map(matches_commitment, names, commitments)):
        raise Refused("names_wrong", version)
    respelled = any(called["spellings"] for called in names)
    domain = b"vola labels 2" if respelled else b"vola labels 1"
    fields = [domain, bytes.fromhex(doc["session"].replace("-", ""))]
    fields += [(title or "").encode(), len(names).to_bytes(4, "big")]
    for called in names:
        fields += [called["id"].encode(), (called["name"] or "").encode()]
        fields += [bytes.fromhex(called["salt"] or "")]
        if respelled:
            fields.append(len(called["spellings"] or []).to_bytes(4, "big"))
        for spelling in called["spellings"] or []:
            fields += [spelling["name"].encode(), spelling["until"].to_bytes(8, "big")]
            fields.append(spelling["by"].encode())
    for called in remarks:
        fields += [called["version"].to_bytes(8, "big"), called["remark"].encode()]
    digest = base64.b64encode(hash_fields(fields)).decode()
    text = f"vola-labels/{doc['session']}\n{version}\n{digest}\n"
    if not is_signed_note(doc["labels"], text, doc["session"], key):
        raise Refused("labels_wrong", version)


def name_commitments(events):
    """Return the players in the order of joining, each with the commitment to their name."""
    commitments = []
    for event in events:
        if event["type"] not in JOINING_EVENTS:
            continue
        try:
            joining = fit_shape(parse_object(event["data"]), JOINING_EVENTS[event["type"]])
        except ValueError:
            raise Refused("names_wrong", event["version"]) from None
        players, names = joining.values()
        if isinstance(players, str):
            players, names = [players], [names]
        if len(players) != len(names):
            raise Refused("names_wrong", event["version"])
        commitments += zip(players, names, strict=True)
    return commitments


def matches_commitment(called, commitment):
    """Whether the player's first spelling matches the commitment. An erased name, which has lost
    its salt, matches any."""
    spellings = [past["name"] for past in called["spellings"] or []]
    if called["name"] is None or called["salt"] is None:
        return called["id"] == commitment[0] and called["name"] is called["salt"] and not spellings
    spellings.append(called["name"])
    if "" in spellings or any(spellings[i] == spellings[i + 1] for i in range(len(spellings) - 1)):
        return False
    salt = bytes.fromhex(called["salt"])
    text = b"vola name 1" + len(salt).to_bytes(4, "big") + salt + spellings[0].encode()
    return (called["id"], sha256(text).hexdigest()) == commitment


def check_receipt(doc, key):
    key, head = public_key(doc, key), doc["head"]
    own_root = checkpoint_root(doc, doc["session"], key)
    head_root = checkpoint_root(head, doc["session"], key)
    first, second = doc["version"], head["version"]
    leaf = leaf_hash(bytes.fromhex(doc["hash"]))
    if not is_included(leaf, first - 1, second, hash_bytes(doc["inclusion"]), head_root):
        raise Refused("inclusion_wrong", first)
    if not is_consistent(first, second, hash_bytes(doc["consistency"]), own_root, head_root):
        raise Refused("consistency_wrong", first)
    check_cosignatures(doc, second, head_root)
    return {first: (doc["hash"], own_root), second: (head["hash"], head_root)}


def check_cosignatures(doc, version, root):
    """Check what phones have cosigned: a version that this one, with this tree root, continues."""
    claim = doc["witnessed"]
    if claim is None:
        return
    first = claim["version"]
    first_root = checkpoint_root(claim, doc["session"], doc["key"])
    if not is_consistent(first, version, hash_bytes(claim["consistency"]), first_root, root):
        raise Refused("consistency_wrong", first)
    text = claim["checkpoint"].partition("\n\n")[0] + "\n"
    for cosignature in claim["cosignatures"]:
        name = f"vola/{doc['session']}/{cosignature['player']}"
        if not is_cosignature(name, cosignature["key"], cosignature["signature"], text):
            raise Refused("cosignature_wrong", first)


def is_cosignature(name, key, signature, text):
    """Whether a phone's key has signed the text of a checkpoint (C2SP tlog-cosignature)."""
    key, signature = bytes.fromhex(key), decode_base64(signature)
    time = int.from_bytes(signature[4:12], "big")
    signed = f"cosignature/v1\ntime {time}\n{text}"
    hint = sha256(name.encode() + b"\n\x04" + key).digest()[:4]
    return (
        len(signature) == 76
        and signature[:4] == hint
        and is_signature(key, signed.encode(), signature[12:])
    )


def check_statement(doc, key):
    known = {}
    if doc["checkpoint"] is not None or doc["signature"] is not None:
        root = checkpoint_root(doc, doc["session"], public_key(doc, key))
        check_cosignatures(doc, doc["version"], root)
        known = {doc["version"]: (doc["hash"], root)}
    elif doc["key"] is not None and not is_key_endorsed(key, doc):
        raise Refused("other_key")
    if doc["player"] is not None:
        check_running_balance(doc)
    if doc["balances"] is not None:
        paid_bets = [bet["amount"] for bet in doc["bets"] or [] if bet["paid"] is not False]
        if sum(doc["balances"].values()) + (doc["pot"] or 0) + sum(paid_bets) != 0:
            raise Refused("sum_wrong")
    check_statement_note(doc, doc["session"])
    return known


def check_group_statement(doc, key):
    """Check a statement over many sessions, each of which has a checkpoint of its own."""
    known = {}
    for session in doc["sessions"]:
        session["earlier_keys"] = doc["earlier_keys"]
        root = checkpoint_root(session, session["session"], public_key(session, key))
        known[session["session"]] = {session["version"]: (session["hash"], root)}
        if doc["key"] not in (None, session["key"]):
            raise Refused("other_key")
    if doc["member"] is not None:
        check_running_balance(doc)
    if sum(doc["balances"].values()) + doc["others"] + doc["on_tables"] != 0:
        raise Refused("sum_wrong")
    if doc["signature"] is not None and not is_key_endorsed(key, doc):
        raise Refused("other_key")
    check_statement_note(doc, doc["group"])
    return known


def check_running_balance(doc):
    """Add up the lines, from the opening balance to the closing balance."""
    balance = doc["opening"]
    for line in doc["lines"]:
        balance += line["change"] or 0
        if line["change"] is None or balance != line["balance"]:
            raise Refused("sum_wrong")
    if balance != doc["closing"]:
        raise Refused("sum_wrong")


def check_statement_note(doc, origin_id):
    """Check the signed note with the digest of the statement; version 0.1 wrote none."""
    if doc["signature"] is None:
        return
    text = f"vola-statement/{origin_id}\n{doc['digest']}\n"
    if doc["key"] is None or not is_signed_note(doc["signature"], text, origin_id, doc["key"]):
        raise Refused("statement_wrong")


def refuse_unsigned(doc, key):
    raise Refused("unsigned")


CHECKS = {
    "export": check_export,
    "receipt": check_receipt,
    "statement": check_statement,
    "group": check_group_statement,
    "bare": refuse_unsigned,
}


class ExportedVersions:
    """What an export proves: like a dict, but tree roots are computed when they are needed."""

    def __init__(self, seals, leaves):
        self.seals, self.leaves = seals, leaves

    def __iter__(self):
        return iter(range(1, len(self.seals) + 1))

    def __contains__(self, version):
        return 1 <= version <= len(self.seals)

    def __getitem__(self, version):
        return self.seals[version - 1], tree_root(self.leaves[:version])


def check_earlier(document, known, earlier):
    """Refuse a document whose history does not begin with what the earlier one proves."""
    if document["kind"] == "group":
        sessions = [one for one in document["sessions"] if one["session"] == earlier.get("session")]
        if not sessions:
            raise Refused("other_session")
        document, known = sessions[-1], known[sessions[-1]["session"]]
    elif not known:
        raise Refused("unsigned")
    if "session" in earlier and earlier["session"] != document["session"]:
        raise Refused("other_session")
    earlier_key = earlier.get("key") or document["key"]
    if not is_key_endorsed(earlier_key, document):
        raise Refused("other_key")
    claims = sorted(
        [earlier, *([earlier["head"]] if "head" in earlier else [])], key=lambda c: c["version"]
    )
    for claim in claims:
        version, root = claim["version"], None
        if claim["checkpoint"] is not None:
            try:
                root = checkpoint_root(claim, document["session"], earlier_key)
            except Refused:
                raise Refused("earlier_wrong") from None
        if version > max(known):
            raise Refused("tail_missing", version)
        if version in known:
            known_hash, known_root = known[version]
            if known_hash != claim["hash"] or (root is not None and root != known_root):
                raise Refused("rewritten", version)
        elif claim is claims[-1]:
            raise Refused("not_shown", version)


def public_key(doc, expected):
    if doc["key"] is None or doc["checkpoint"] is None:
        raise Refused("unsigned")
    if not is_key_endorsed(expected, doc):
        raise Refused("other_key")
    return doc["key"]


def is_key_endorsed(expected, doc):
    """Whether the document's key is the expected one, or one that it leads to: after a rotation
    each earlier key has signed a note that names the next. Without an expected key any will do."""
    earlier_keys = doc["earlier_keys"] or []
    keys = [earlier["key"] for earlier in earlier_keys] + [doc["key"]]
    if expected is None or expected not in keys:
        return expected is None
    first = len(keys) - 1 - keys[::-1].index(expected)
    return all(
        is_signed_note(earlier["note"], endorsement(successor), "key", earlier["key"])
        for earlier, successor in zip(earlier_keys[first:], keys[first + 1 :], strict=True)
    )


def endorsement(key):
    return f"vola-key\n{base64.b64encode(bytes.fromhex(key)).decode()}\n"


# The figures of a statement, computed from the events (as ledger/projections/postings.py and
# ledger/projections/journal.py do)


def check_against_export(doc, export, key):
    """Refuse a statement whose figures are not those of this export, which must be valid itself."""
    if export["session"] != doc["session"]:
        raise Refused("export_other")
    opening, movements, players = read_checked_export(doc, export, key)
    version = doc["version"]
    if (doc["game"], doc["currency"]) != (opening.get("game"), opening.get("currency")):
        raise Refused("remade_wrong", 1)
    if doc["player"] is not None and doc["player"] not in players:
        raise Refused("remade_wrong", version)
    check_lines(doc, movements)
    check_closing(doc, movements, players)


def read_checked_export(claim, export, key):
    """Return the opening, the movements and the players at the version that the claim names."""
    if not is_key_endorsed(claim["key"], export) and not is_key_endorsed(export["key"], claim):
        raise Refused("other_key")
    try:
        check_export(export, key)
    except Refused as refused:
        raise Refused("other_key" if refused.code == "other_key" else "export_wrong") from None
    version, events = claim["version"], export["events"]
    if len(events) < version:
        raise Refused("export_short", version)
    if events[version - 1]["hash"] != claim["hash"]:
        raise Refused("export_differs", version)
    try:
        opening, movements = parse_object(events[0]["data"]), standing_movements(events[:version])
        players = [one[0] for one in name_commitments(events[:version])]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise Refused("export_wrong") from None
    return opening, movements, players


def check_group_against_export(doc, export, key):
    """Refuse a group's statement whose lines of this export's session are not of its events."""
    summaries = [one for one in doc["sessions"] if one["session"] == export["session"]]
    if not summaries:
        raise Refused("export_other")
    summary = summaries[-1]
    opening, movements, players = read_checked_export(summary, export, key)
    if doc["currency"] != opening.get("currency"):
        raise Refused("remade_wrong", 1)
    first, last = period_bounds(doc)
    in_period = [
        line
        for line in movements
        if first <= line["at"] < last
        and not counts_points(line["from"])
        and "brought" not in (line["from"], line["to"])
    ]
    lines = [line for line in doc["lines"] if line["session"] == export["session"]]
    holder = doc["member"] and f"member:{doc['member']}"
    if holder is None:
        holders = [None]
    else:
        holders = [f"player:{player}" for player in players]
        took_part = doc["member"] in (summary["results"] or {})
        holders += [] if took_part else ["player:"]  # nothing moves on this account
    members = summary["results"] or doc["balances"]
    if not any(are_lines_of(lines, in_period, account, holder, members) for account in holders):
        raise Refused("remade_wrong", summary["version"])


def are_lines_of(lines, movements, account, holder, members):
    """Whether these lines of a group's statement are the movements of one account, or of all. The
    statement calls players by their places in the group, each by one name, or guests."""
    own = [one for one in movements if account is None or account in (one["from"], one["to"])]
    names = {} if account is None else {account: holder}
    if len(lines) != len(own):
        return False
    for line, movement in zip(lines, own, strict=True):
        change = None if account is None else change_of(movement, account)
        if any(line[one] != movement[one] for one in ("version", "at", "deal", "kind", "amount")):
            return False
        if line["change"] != change:
            return False
        for end in ("from", "to"):
            if names.setdefault(movement[end], line[end]) != line[end]:
                return False
    fitting = all(
        may_be_called(*called, members) for called in names.items() if called[0] != account
    )
    return fitting and len({*names.values()}) == len(names)


def may_be_called(account, name, members):
    """Whether a group's statement may call an account of a session by this name."""
    kind, _, player = account.partition(":")
    if kind != "player":
        return name == account
    guest = re.fullmatch("guest:[0-9]+[.](.+)", name or "", re.DOTALL)
    return guest[1] == player if guest else name in {f"member:{member}" for member in members}


EXPORT_CHECKS = {"statement": check_against_export, "group": check_group_against_export}


def check_lines(doc, movements):
    """Check that the statement has every line of its account and period, and the right balances."""
    points = doc["unit"] == "points"
    in_unit = [line for line in movements if counts_points(line["from"]) == points]
    account = account_of(doc["player"], in_unit, points)
    of_account = [
        line for line in in_unit if account is None or account in (line["from"], line["to"])
    ]
    first, last = period_bounds(doc)
    balance = sum(change_of(line, account) for line in of_account if line["at"] < first)
    if doc["opening"] != balance:
        raise Refused("remade_wrong", doc["version"])
    expected = [line for line in of_account if first <= line["at"] < last]
    for line, movement in zip(doc["lines"], expected, strict=False):
        balance += change_of(movement, account)
        extra = (
            {} if account is None else {"change": change_of(movement, account), "balance": balance}
        )
        if line != {**dict.fromkeys(LINE), **movement, **extra}:
            raise Refused("remade_wrong", movement["version"])
    period = (
        {"from": expected[0]["at"], "to": expected[-1]["at"]}
        if expected
        else {"from": None, "to": None}
    )
    if len(doc["lines"]) != len(expected) or doc["closing"] != balance or doc["period"] != period:
        raise Refused("remade_wrong", doc["version"])


def period_bounds(doc):
    """Return when the period begins and when it is over. Version 0.1 wrote only the days that were
    asked for: then the period is known as far as the lines reach."""
    filters, lines = doc["filters"] or {}, doc["lines"]
    begins, ends = filters.get("begins"), filters.get("ends")
    if begins is None and ends is None and (filters.get("from") or filters.get("to")):
        times = [line["at"] or "" for line in (lines[0], lines[-1])] if lines else [LAST_TIME, ""]
        return times[0], times[1] + LAST_TIME
    return begins or "", ends or LAST_TIME


LAST_TIME = "~"  # sorts after every time


def check_closing(doc, movements, players):
    """Check balances, pot, paid bets and scores: the totals of all accounts at this version."""
    totals = {}
    for line in movements:
        totals[line["from"]] = totals.get(line["from"], 0) - line["amount"]
        totals[line["to"]] = totals.get(line["to"], 0) + line["amount"]
    stated = {}
    for player, amount in (doc["balances"] or {}).items():
        stated[f"player:{player}"] = amount
    for keeper, amount in (doc["scores"] or {}).items():
        stated[f"score:{keeper}"] = amount
    if doc["pot"] is not None:
        stated["pot"] = doc["pot"]
    for bet in doc["bets"] or []:
        if bet["paid"] is not False:
            stated[f"bet:{(bet['id'] or '')[1:]}"] = bet["amount"]
    kinds = {"player"} if doc["balances"] is not None else set()
    kinds |= {"score"} if doc["scores"] is not None else set()
    kinds |= {"pot", "bet"} if doc["pot"] is not None or doc["bets"] is not None else set()
    compared = {one: n for one, n in totals.items() if n and one.partition(":")[0] in kinds}
    all_players = doc["balances"] is None or set(doc["balances"]) == set(players)
    if not all_players or compared != {account: n for account, n in stated.items() if n}:
        raise Refused("remade_wrong", doc["version"])


def account_of(player, movements, points):
    """Return the account that the statement is about, None for all; partners share a score."""
    if player is None or not points:
        return player and f"player:{player}"
    for line in movements:
        for account in (line["from"], line["to"]):
            if account != "sheet" and player in account.partition(":")[2].split("+"):
                return account
    return "score:"


def change_of(line, account):
    """Return by how much a movement changes this account; 0 in a statement of all accounts."""
    if account is None:
        return 0
    return line["amount"] if line["to"] == account else -line["amount"]


def standing_movements(events):
    """Return every movement that has not been undone, in order."""
    undoable, standing = [], {}  # undoable movements: the deal and the place of each, newest last
    for event in events:
        kind, data = event["type"], parse_object(event["data"])
        deal = data.get("number" if kind == "deal_opened" else "deal")
        if kind in CORRECTION_EVENTS:
            movements = [
                (one["deal"], move) for one in data["rescored"] for move in net_movements(one)
            ]
            replace_rescored(undoable, data["rescored"])
        elif kind in NON_POSTING:
            continue
        else:
            try:
                movements = [(deal, move) for move in movements_of(kind, data)]
            except UnknownEvent:
                raise Refused("event_unknown", event["version"]) from None
        for number, (deal_number, (source, target, amount)) in enumerate(movements, 1):
            place = event["version"], number
            if kind in UNDO_EVENTS:
                _, undone_place = undoable.pop()
                if undone_place is not None:
                    del standing[undone_place]
                    continue
            elif kind in UNDOABLE:
                undoable.append((deal, place))
            standing[place] = {
                "version": event["version"],
                "at": iso_time(event["at"]),
                "deal": deal_number,
                "kind": kind,
                "from": source,
                "to": target,
                "amount": amount,
            }
    return list(standing.values())


def replace_rescored(undoable, rescored):
    """Let undo see the corrected deals as they are now, though only the difference was posted."""
    facts_by_deal, by_deal = {one["deal"]: one["facts"] for one in rescored}, {}
    while (
        facts_by_deal
        and undoable
        and undoable[-1][0] is not None
        and undoable[-1][0] >= min(facts_by_deal)
    ):
        by_deal.setdefault(undoable[-1][0], []).insert(0, undoable.pop())
    for deal, facts in facts_by_deal.items():
        by_deal[deal] = [(deal, None) for fact in facts for _ in movements_of(fact["type"], fact)]
    for deal in sorted(by_deal):
        undoable += by_deal[deal]


class UnknownEvent(Exception):
    """An event type that this version of the check does not know."""


UNDOABLE = {
    *("deal_opened", "pot_taken", "bet_taken", "bet_laid", "bets_merged", "bets_parted"),
    *("penalty_paid", "scored", "pot_shared", "bet_shared", "bet_collected", "points_paid"),
}
UNDO_EVENTS = {"action_undone", "deal_voided", "session_reopened"}
CORRECTION_EVENTS = {"deal_corrected", "correction_undone"}
NON_POSTING = {
    *("reseated", "declared", "all_passed", "trick_recorded", "la_vola_announced"),
    *("vole_announced", "side_bid_made", "redeal_claimed", "cards_swapped", "swap_declined"),
    *("tricks_counted", "stayed", "passed", "cards_exchanged", "turn_up_exchanged", "game_won"),
    *("play_finished", "result_recorded", "cut_shown", "card_turned_up", "turn_up_taken"),
    *("turn_up_declined", "bid_made", "card_discarded", "card_played", "hand_shown"),
    *("cutter_took", "dealer_took", "trick_won", "la_vola_won", "deal_closed", "bet_waived"),
    *("evening_closed", "player_joined", "carried_forward"),
}


def movements_of(kind, data):
    """Return what an event moves, as (source account, target account, amount)."""
    if kind in NON_POSTING:
        return []
    directed = ((a, b, n) if n > 0 else (b, a, -n) for a, b, n in signed_movements(kind, data))
    return [move for move in directed if move[2]]


def signed_movements(kind, data):
    """Return the same with signs: a negative amount goes the other way."""

    def player(name="player"):
        return f"player:{data[name]}"

    def bet(name="bet"):
        return f"bet:{data[name]}"

    paid = data.get("paid", True)
    match kind:
        case "deal_opened":
            return [(player("dealer"), "pot", data.get("stake", 0))]
        case "pot_taken":
            return [("pot", player(), data["amount"])]
        case "bet_taken" if paid:
            return [(bet(), player(), data["each"] * len(data["by"]))]
        case "bet_taken":
            others = [owner for owner in data["by"] if owner != data["player"]]
            return [(f"player:{owner}", player(), data["each"]) for owner in others]
        case "bet_laid" | "bet_collected":
            by = data["by"] if paid else []
            return [(f"player:{owner}", bet(), data["each"]) for owner in by]
        case "bets_merged" | "bets_parted":
            other_bet, bet_account = bet("added" if kind == "bets_merged" else "parted"), bet()
            amount = data["each"] * len(data["by"]) if paid else 0
            return [(other_bet, bet_account, amount if kind == "bets_merged" else -amount)]
        case "penalty_paid":
            return [(player(), "pot", data["amount"])]
        case "scored":
            return [("sheet", f"score:{data['to']}", data["points"])]
        case "points_paid":
            return [(player("payer"), player("payee"), data["points"] * data["value"])]
        case "pot_shared":
            return [("pot", f"player:{one['player']}", one["amount"]) for one in data["shares"]]
        case "bet_shared":
            return [(bet(), f"player:{one['player']}", one["amount"]) for one in data["shares"]]
        case "session_opened":
            start_scores, seats = data.get("start", {}), data["players"]
            order = sorted(start_scores, key=lambda keeper: seats.index(keeper.partition("+")[0]))
            return [("sheet", f"score:{keeper}", start_scores[keeper]) for keeper in order]
        case "payment_settled":
            return [(player("payer"), player("payee"), data["amount"])]
        case "transfer_recorded":  # paying raises the balance of the payer
            return [(player("payee"), player("payer"), data["amount"])]
        case "brought_forward":
            balances = sorted(data["balances"].items(), key=lambda one: int(one[0][1:]))
            movements = [("brought", f"player:{who}", amount) for who, amount in balances]
            bets = [one for one in data["bets"] if one["paid"]]
            movements.append(("brought", "pot", data["pot"]))
            return movements + [
                ("brought", f"bet:{one['bet']}", one["each"] * len(one["by"])) for one in bets
            ]
        case "deal_corrected" | "correction_undone":
            return [move for one in data["rescored"] for move in net_movements(one)]
        case "action_undone" | "deal_voided" | "session_reopened":
            facts = reversed(data["took_back"])
            movements = [
                move for fact in facts for move in reversed(movements_of(fact["type"], fact))
            ]
            return [(target, source, amount) for source, target, amount in movements]
    raise UnknownEvent


def net_movements(rescored):
    """Return the fewest movements that lead from the old totals of a deal to its new ones."""
    totals = {}
    for facts, sign in ((rescored["was"], -1), (rescored["facts"], 1)):
        for fact in facts:
            for source, target, amount in movements_of(fact["type"], fact):
                totals[source] = totals.get(source, 0) - sign * amount
                totals[target] = totals.get(target, 0) + sign * amount
    movements = []
    for points in (False, True):
        balances = [[a, n] for a, n in totals.items() if n and counts_points(a) == points]
        payers, payees = (
            [[a, -n] for a, n in balances if n < 0],
            [one for one in balances if one[1] > 0],
        )
        while payers and payees:
            amount = min(payers[0][1], payees[0][1])
            movements.append((payers[0][0], payees[0][0], amount))
            for side in (payers, payees):
                side[0][1] -= amount
                if not side[0][1]:
                    side.pop(0)
    return movements


def counts_points(account):
    return account == "sheet" or account.startswith("score:")


# The checkpoint: a signed note (C2SP signed-note, tlog-checkpoint)

SIGNATURE_LINES = "((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})"
CHECKPOINT = re.compile(
    "((vola/[0-9a-f-]{36})\n([1-9][0-9]{0,9})\n([A-Za-z0-9+/]{43}=)\n"
    "chain ([0-9a-f]{64})\ntime ([0-9TZ:.-]{27})\n)\n" + SIGNATURE_LINES
)


def checkpoint_root(claim, session, key):
    """Return the tree root that the checkpoint of a claim signs, after checking the checkpoint."""
    version, key = claim["version"], bytes.fromhex(key)
    note = CHECKPOINT.fullmatch(claim["checkpoint"] or "")
    if not note:
        raise Refused("checkpoint_wrong", version)
    text, origin, size, root, chain, time, signatures = note.groups()
    stated = (origin, size, chain, time)
    if stated != (f"vola/{session}", str(version), claim["hash"], claim.get("at", time)):
        raise Refused("checkpoint_wrong", version)
    if not has_signature(origin, key, text, signatures) or len(decode_base64(root)) != 32:
        raise Refused("signature_wrong", version)
    return decode_base64(root)


def is_signed_note(note, text, origin_id, key):
    """Whether a note has exactly this text, signed with this key for this session or group."""
    stated, _, signatures = note.partition("\n\n")
    if f"{stated}\n" != text or not re.fullmatch(SIGNATURE_LINES, signatures):
        return False
    return has_signature(f"vola/{origin_id}", bytes.fromhex(key), text, signatures)


def has_signature(origin, key, text, signatures):
    """Whether the first signature line that names this key is valid."""
    hint = sha256(origin.encode() + b"\n\x01" + key).digest()[:4]
    for line in signatures.splitlines():
        _, name, encoded = line.split(" ")
        signature = decode_base64(encoded)
        if name == origin and len(signature) == 68 and signature[:4] == hint:
            return is_signature(key, text.encode(), signature[4:])
    return False


def decode_base64(text):
    """Return the bytes, or none of them when the text is not their canonical encoding."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return decoded if base64.b64encode(decoded).decode() == text else b""


# The hash of an event (ledger/events/hash_chain.py), and the Merkle tree over these hashes
# (RFC 6962, RFC 9162 §2.1)


def event_hash(session, event, previous_hash):
    fields = (
        b"vola event 1",
        bytes.fromhex(session.replace("-", "")),
        event["version"].to_bytes(8, "big"),
        event["type"].encode(),
        event["schema"].to_bytes(4, "big"),
        event["at"].to_bytes(8, "big"),
        event["by"].encode(),
        sha256(event["data"].encode()).digest(),
        previous_hash,
    )
    return hash_fields(fields)


def hash_fields(fields):
    """Hash fields, each after its length, so that different fields never make the same bytes."""
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def leaf_hash(data):
    return sha256(b"\x00" + data).digest()


def node_hash(left, right):
    return sha256(b"\x01" + left + right).digest()


def tree_root(leaves):
    """Return the root of a Merkle tree of one leaf or more."""
    peaks = []  # full subtrees, the largest first
    for count, top in enumerate(leaves, 1):
        while not count & 1:
            top, count = node_hash(peaks.pop(), top), count >> 1
        peaks.append(top)
    top = peaks.pop()
    while peaks:
        top = node_hash(peaks.pop(), top)
    return top


def is_included(node, index, size, path, expected_root):
    """Whether an inclusion proof is valid (RFC 9162 §2.1.3.2)."""
    last = size - 1
    if index > last:
        return False
    for step in path:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = node_hash(step, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, step)
        index, last = index >> 1, last >> 1
    return last == 0 and node == expected_root


def is_consistent(first, second, path, first_root, second_root):
    """Whether a consistency proof is valid (RFC 9162 §2.1.4.2)."""
    if first > second:
        return False
    if first == second:
        return not path and first_root == second_root
    if not first & (first - 1):
        path = [first_root, *path]
    if not path:
        return False
    index, last = first - 1, second - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node_hash(new, step)
        index, last = index >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


# Ed25519 (RFC 8032 §5.1): verification only. It handles no secret, so it need not be constant-time.

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE_D = -121665 * pow(121666, -1, PRIME) % PRIME
SQRT_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)  # a square root of -1


def is_signature(key, message, signature):
    """Whether an Ed25519 signature is valid; strict: only canonical encodings of numbers are."""
    point, start, scalar = (
        decode_point(key),
        signature[:32],
        int.from_bytes(signature[32:], "little"),
    )
    if point is None or len(signature) != 64 or scalar >= ORDER:
        return False
    challenge = int.from_bytes(sha512(start + key + message).digest(), "little") % ORDER
    x, y, z, t = point
    commitment = add_points(
        multiply_point(scalar, BASE), multiply_point(challenge, (PRIME - x, y, z, PRIME - t))
    )
    return encode_point(commitment) == start


def decode_point(raw):
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE_D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * SQRT_MINUS_ONE % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


def encode_point(point):
    x, y, z, _ = point
    inverse = pow(z, -1, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add_points(one, other):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % PRIME, (y1 + x1) * (y2 + x2) % PRIME
    c, d = 2 * t1 * t2 * CURVE_D % PRIME, 2 * z1 * z2 % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def multiply_point(number, point):
    product = (0, 1, 1, 0)
    while number:
        if number & 1:
            product = add_points(product, point)
        point, number = add_points(point, point), number >> 1
    return product


BASE = decode_point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


# Reading: strict JSON with whole numbers only, in the shape of its kind; ValueError otherwise

MOST_INTEGER = 2**53 - 1  # the largest that every JSON reader keeps exactly
MOST_DEPTH = 32


def parse_object(text):
    """Parse a JSON object in which no name is repeated and every number is whole."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=unique_members,
            parse_int=whole_number,
            parse_float=whole_number,
            parse_constant=whole_number,
        )
        require(isinstance(value, dict) and depth(value) <= MOST_DEPTH)
    except RecursionError:
        raise ValueError from None
    return value


def read_document(raw):
    """Parse a document and add its kind."""
    doc = parse_object(raw.decode("utf-8"))
    match doc.get("format"):
        case "vola session 1":
            kind, shape = "export", EXPORT
        case "vola receipt 1":
            kind, shape = "receipt", RECEIPT
        case None if "lines" in doc and ("group" in doc or "circle" in doc):
            kind, shape = "group", GROUP_STATEMENT
        case None if "lines" in doc:
            kind, shape = "statement", STATEMENT
        case None:
            kind, shape = "bare", CLAIM
        case _:
            raise ValueError
    renamed = {
        FIELDS_BEFORE_1_0.get(name, name) if "circle" in doc else name: value
        for name, value in doc.items()
    }
    document = {**fit_shape(renamed, shape), "kind": kind}
    if kind in ("statement", "group"):
        document["digest"] = document_digest(
            {n: value for n, value in doc.items() if n != "signature"}
        )
    if kind == "group":
        document["version"] = len(document["sessions"])
    return document


def document_digest(doc):
    return base64.b64encode(sha256(canonical_json(doc).encode()).digest()).decode()


def canonical_json(value):
    """Return the canonical JSON of RFC 8785. Raises UnicodeEncodeError for a lone surrogate."""
    match value:
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            return (
                "{"
                + ",".join(f"{canonical_json(n)}:{canonical_json(value[n])}" for n in names)
                + "}"
            )
        case list():
            return "[" + ",".join(map(canonical_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def unique_members(pairs):
    members = dict(pairs)
    require(len(members) == len(pairs))
    return members


def whole_number(text):
    require(re.fullmatch("-?[0-9]{1,16}", text))
    require(-MOST_INTEGER <= int(text) <= MOST_INTEGER)
    return int(text)


def require(holds):
    if not holds:
        raise ValueError


def depth(value):
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def fit_shape(value, shape):
    """Return the value with only the members that the shape names, None for an absent one.

    A shape is a pattern, a range of numbers, `[shape]` for a list, a dict of shapes (`*`: of every
    member), a tuple of alternatives, None, or `object` for any value.
    """
    match shape:
        case tuple():
            for alternative in shape[:-1]:
                try:
                    return fit_shape(value, alternative)
                except ValueError:
                    continue
            return fit_shape(value, shape[-1])
        case [inner]:
            require(isinstance(value, list))
            return [fit_shape(item, inner) for item in value]
        case dict():
            require(isinstance(value, dict))
            if "*" in shape:
                return {name: fit_shape(item, shape["*"]) for name, item in value.items()}
            return {name: fit_shape(value.get(name), inner) for name, inner in shape.items()}
        case str():
            require(isinstance(value, str) and re.fullmatch(shape, value, re.DOTALL))
            value.encode()  # UnicodeEncodeError, a ValueError, for a lone surrogate
        case range():
            require(type(value) is int and value in shape)
        case None:
            require(value is None)
    return value


HASH, UUID, TEXT = "[0-9a-f]{64}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", ".*"
TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z"
VERSION, AMOUNT, MICROSECONDS = (
    range(1, 2**31),
    range(-MOST_INTEGER, MOST_INTEGER + 1),
    range(MOST_INTEGER + 1),
)
CLAIM = {"version": VERSION, "hash": HASH, "at": TIME, "checkpoint": (TEXT, None)}
WITNESSED = (
    {
        **CLAIM,
        "consistency": [HASH],
        "cosignatures": [{"player": "p[1-9][0-9]{0,2}", "key": HASH, "signature": TEXT}],
    },
    None,
)
EARLIER_KEYS = ([{"key": HASH, "note": TEXT}], None)
SIGNED_CLAIM = {
    **CLAIM,
    "session": UUID,
    "key": (HASH, None),
    "earlier_keys": EARLIER_KEYS,
    "witnessed": WITNESSED,
}
EVENT = {
    "version": VERSION,
    "type": TEXT,
    "schema": VERSION,
    "at": MICROSECONDS,
    "by": TEXT,
    "data": TEXT,
    "hash": HASH,
}
JOINING_EVENTS = {
    "session_opened": {"players": [TEXT], "names": [TEXT]},
    "player_joined": {"player": TEXT, "name": TEXT},
}
EXPORTED_NAME = {
    "id": TEXT,
    "name": (TEXT, None),
    "salt": ("(?:[0-9a-f]{2}){1,64}", None),
    "spellings": ([{"name": TEXT, "until": MICROSECONDS, "by": TEXT}], None),
}
LABELS = {
    "title": (TEXT, None),
    "names": ([EXPORTED_NAME], None),
    "remarks": ([{"version": VERSION, "remark": TEXT}], None),
    "labels": (TEXT, None),
}
EXPORT = {**SIGNED_CLAIM, **LABELS, "events": [EVENT]}
RECEIPT = {**SIGNED_CLAIM, "head": CLAIM, "inclusion": [HASH], "consistency": [HASH]}
LINE = {
    "version": (VERSION, None),
    "at": (TIME, None),
    "deal": (VERSION, None),
    "kind": (TEXT, None),
    "from": (TEXT, None),
    "to": (TEXT, None),
    "amount": (AMOUNT, None),
    "change": (AMOUNT, None),
    "balance": (AMOUNT, None),
}
DATES = {"from": (TEXT, None), "to": (TEXT, None)}
ANY_STATEMENT = {
    "currency": (TEXT, None),
    "opening": AMOUNT,
    "closing": AMOUNT,
    "lines": [LINE],
    "period": (DATES, None),
    "filters": ({**DATES, "begins": (TIME, None), "ends": (TIME, None)}, None),
    "key": (HASH, None),
    "earlier_keys": EARLIER_KEYS,
    "signature": (TEXT, None),
}
STATEMENT = {
    **ANY_STATEMENT,
    "session": UUID,
    "version": VERSION,
    "hash": HASH,
    "checkpoint": (TEXT, None),
    "witnessed": WITNESSED,
    "game": (TEXT, None),
    "player": (TEXT, None),
    "unit": ("money", "points", None),
    "balances": ({"*": AMOUNT}, None),
    "scores": ({"*": AMOUNT}, None),
    "pot": (AMOUNT, None),
    "bets": ([{"id": (TEXT, None), "amount": AMOUNT, "paid": object}], None),
}
GROUP_STATEMENT = {
    **ANY_STATEMENT,
    "group": UUID,
    "member": (TEXT, None),
    "lines": [{**LINE, "session": (TEXT, None)}],
    "sessions": [
        {
            "session": UUID,
            "version": VERSION,
            "hash": HASH,
            "key": HASH,
            "checkpoint": TEXT,
            "results": ({"*": AMOUNT}, None),
        }
    ],
    "balances": {"*": AMOUNT},
    "others": AMOUNT,
    "on_tables": AMOUNT,
}


# What a group's statement called its fields before version 1.0; it is signed with those names.
FIELDS_BEFORE_1_0 = {"circle": "group", "evenings": "sessions"}


def hash_bytes(hashes):
    return [bytes.fromhex(one) for one in hashes]


def iso_time(at):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=at)  # noqa: UP017
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


# The first line: what the file is, whose and until when, as far as the file says

SUMMARIES = {
    "export": {
        "holds": "The export of {evening} up to version {version} of {date} holds.",
        "fails": "The file does not hold; it claims to be the export of {evening} up to version "
        "{version} of {date}.",
    },
    "receipt": {
        "holds": "The receipt for version {version} of {evening}, dated {date}, holds.",
        "fails": "The file does not hold; it claims to be the receipt for version {version} of "
        "{evening}, dated {date}.",
    },
    "bare": {
        "fails": "The file does not hold; it claims to be a receipt for version {version} of "
        "{date}.",
    },
    "player": {
        "holds": "The statement of {who}, {evening}, up to version {version} of {date} holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement of "
        "{who}, {evening}, up to version {version} of {date}.",
        "fails": "The file does not hold; it claims to be the statement of {who}, {evening}, up "
        "to version {version} of {date}.",
    },
    "session": {
        "holds": "The statement of everybody, {evening}, up to version {version} of {date} holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement of "
        "everybody, {evening}, up to version {version} of {date}.",
        "fails": "The file does not hold; it claims to be the statement of everybody, {evening}, "
        "up to version {version} of {date}.",
    },
    "member": {
        "holds": "The statement of {who} in the group {group}, {period}, holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement of "
        "{who} in the group {group}, {period}.",
        "fails": "The file does not hold; it claims to be the statement of {who} in the group "
        "{group}, {period}.",
    },
    "group": {
        "holds": "The statement of everybody in the group {group}, {period}, holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement of "
        "everybody in the group {group}, {period}.",
        "fails": "The file does not hold; it claims to be the statement of everybody in the group"
        " {group}, {period}.",
    },
    "member_without_lines": {
        "holds": "The statement without lines of {who} in the group {group} holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement "
        "without lines of {who} in the group {group}.",
        "fails": "The file does not hold; it claims to be the statement without lines of {who} in"
        " the group {group}.",
    },
    "group_without_lines": {
        "holds": "The statement without lines of everybody in the group {group} holds.",
        "adds_up": "The sums add up, but the file is not signed; it claims to be the statement "
        "without lines of everybody in the group {group}.",
        "fails": "The file does not hold; it claims to be the statement without lines of "
        "everybody in the group {group}.",
    },
}
NAMELESS = {"player": "Player {number}", "member": "Member {number}", "evening": "evening {id}"}
OUTCOMES = {0: "holds", 1: "fails", 3: "adds_up"}
UNNAMED_SUMMARIES = {
    "fails": "It does not hold.",
    "adds_up": "It adds up, and more than that is not shown.",
}
CHECKPOINT_TIME = re.compile(r"^time (\S{27})$", re.MULTILINE)
MAX_LABEL_CHARACTERS = 40


def summary_line(exit_code, raw, export=None):
    """Return the sentence about a readable document. Only an export that was checked may give the
    name of a statement's player."""
    doc, fields = read_document(raw), parse_object(raw.decode("utf-8"))
    labels = read_document(export) if export is not None else {"title": None, "names": None}
    version, names = doc["version"], labels["names"] or []
    title = doc["title"] if doc["kind"] == "export" else fields.get("title") or labels["title"]
    unnamed_evening = NAMELESS["evening"].format(id=doc.get("session", "")[:8])
    evening = unnamed_evening if doc["kind"] == "receipt" else label(title) or unnamed_evening
    try:
        match doc["kind"]:
            case "group":
                subject, operands = group_summary(doc, fields)
            case "statement":
                subject = "session" if doc["player"] is None else "player"
                found = CHECKPOINT_TIME.search(doc["checkpoint"] or "")
                at = found[1] if found else (doc["period"] or {}).get("to")
                player_names = [one["name"] for one in names if one["id"] == doc["player"]]
                who = label(next(iter(player_names), None)) or nameless("player", doc["player"])
                operands = {"who": who, "evening": evening, "date": date_text(at)}
            case kind:
                subject, operands = kind, {"evening": evening, "date": date_text(doc["at"])}
    except ValueError:
        return UNNAMED_SUMMARIES[OUTCOMES[exit_code]]
    return SUMMARIES[subject][OUTCOMES[exit_code]].format(version=version, **operands)


def group_summary(doc, fields):
    subject, period = "group" if doc["member"] is None else "member", doc["period"] or {}
    operands = {
        "group": label(fields.get("name")) or doc["group"][:8],
        "who": nameless("member", doc["member"]),
    }
    if period.get("from") is None or period.get("to") is None:
        return f"{subject}_without_lines", operands
    days = dict.fromkeys(map(date_text, sorted([period["from"], period["to"]])))
    return subject, {**operands, "period": " – ".join(days)}


def nameless(kind, of_id):
    numbered = re.fullmatch("[pm]([1-9][0-9]{0,3})", of_id or "")
    return NAMELESS[kind].format(number=numbered[1] if numbered else label(of_id) or "?")


def label(text):
    """Return a title or a name from the file, safe to print: without signs that control a terminal
    or the direction of text, cut, and isolated if it runs from right to left."""
    if not isinstance(text, str) or not text.strip():
        return None
    signs = ["\ufffd" if is_control(sign) else sign for sign in text]
    short = "".join(signs[:MAX_LABEL_CHARACTERS]) + "…" * (len(signs) > MAX_LABEL_CHARACTERS)
    backwards = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in short)
    return f"\u2068{short}\u2069" if backwards else short


def is_control(sign):
    return sign != "\u200d" and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def date_text(at):
    """Return the day of a time as in "5 November 2026", in Stockholm if the zone is known here."""
    moment = datetime.strptime(at or "", "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)  # noqa: UP017
    with suppress(ZoneInfoNotFoundError, OverflowError):
        moment = moment.astimezone(ZoneInfo("Europe/Stockholm"))
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


def main():
    parser = argparse.ArgumentParser(prog="verify.py", description=__doc__.split("\n")[0])
    parser.add_argument("file", help="an export, a receipt or a statement")
    parser.add_argument("--export", metavar="FILE", help="the export of a statement's evening")
    parser.add_argument("--receipt", metavar="FILE", help="what you kept earlier")
    parser.add_argument("--key", metavar="HEX", help="the book's public key")
    arguments = parser.parse_args()
    try:
        document, earlier, export = [
            None if name is None else open(name, "rb").read()  # noqa: SIM115
            for name in (arguments.file, arguments.receipt, arguments.export)
        ]
    except OSError as error:
        print(f"Cannot read {error.filename}: {error.strerror}.", file=sys.stderr)
        return 2
    code, sentence_code, version = verify_document(document, earlier, arguments.key, export)
    sentence, key = SENTENCES[sentence_code], None
    if code in (0, 3):
        sentence += SENTENCES["earlier"] if earlier else ""
        read = read_document(document)
        key, witnessed = read["key"], read.get("witnessed")
        if witnessed:
            players = dict.fromkeys(one["player"] for one in witnessed["cosignatures"])
            confirmed = {"confirmed": witnessed["version"], "witnesses": ", ".join(players)}
            sentence += SENTENCES["witnessed"].format(**confirmed)
        sentence += SENTENCES["given" if arguments.key else "own"] if key else "."
    stream = sys.stderr if code else sys.stdout
    stream.reconfigure(errors="replace")  # a title may have signs that this terminal has not
    if code in OUTCOMES:
        print(summary_line(code, document, export if code in (0, 3) else None), file=stream)
    print(sentence.format(version=version, key=key), file=stream)
    return code


if __name__ == "__main__":
    sys.exit(main())
