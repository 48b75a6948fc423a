#!/usr/bin/env python3
"""Checks what you took home from an evening of Vola, without Vola: one file, nothing to install.

    python3 -I verify.py FILE.json [--receipt EARLIER.json] [--key HEX]

An export is sealed again from its first event to its last, and names that come along must be those
that it was kept with; a receipt and a statement are followed by their proofs; the signature is
checked; and with `--receipt`, that what you kept earlier still stands. `--key` is the book's public
key, learnt from somewhere else than the file. One sentence; exit code 0 it holds, 1 it does not,
2 it cannot be read. Python 3.10 or newer.

That a statement's lines are those of the events is not shown by the statement, only by the export.

The page /verify does the same in a browser; a test holds the two to each other.
"""

import argparse
import base64
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from hashlib import sha256, sha512

SENTENCES = {
    "export": "All {version} events are sealed, none is missing, and their book has signed them",
    "receipt": "Version {version} is signed and stands in the signed evening it leads to",
    "statement": "The statement adds up, and the version {version} that it names is signed",
    "earlier": "; what you kept earlier still stands",
    "given": "; the key is the one you gave.",
    "own": "; the key is the file's own, so compare it with one from elsewhere: {key}",
    "unsigned": "It carries no signature.",
    "other_key": "It is signed with another key than the one you know.",
    "hole": "Version {version} is not where it should be.",
    "seal_broken": "Version {version} is not what was sealed.",
    "head_wrong": "It does not end where it says: at version {version}.",
    "checkpoint_wrong": "The checkpoint of version {version} is about something else.",
    "signature_wrong": "The signature of version {version} is not of this key.",
    "root_wrong": "The checkpoint of version {version} is of other events.",
    "names_wrong": "The names are not those that it was kept with, up to version {version}.",
    "labels_wrong": "Title, names and remarks are not those that were signed at version {version}.",
    "inclusion_wrong": "It is not shown that version {version} stands in that evening.",
    "consistency_wrong": "It is not shown that the evening went on from version {version}.",
    "sum_wrong": "The statement does not add up.",
    "other_session": "What you kept earlier is of another evening.",
    "tail_missing": "It ends before version {version}, which you kept a receipt of.",
    "rewritten": "Version {version} was another when you got your receipt.",
    "earlier_wrong": "What you kept earlier is itself not what was signed.",
    "not_shown": "It does not say what became of version {version}; ask for that receipt again.",
    "unreadable": "This is no export, receipt or statement of Vola.",
    "earlier_unreadable": "What you kept earlier is no export, receipt or statement of Vola.",
    "key_unreadable": "The key must be 64 hexadecimal digits.",
}


class Refused(Exception):
    """It does not hold: a code of SENTENCES, and the version it is about."""

    def __init__(self, code, version=None):
        self.code, self.version = code, version


def judge(document, earlier=None, key=None):
    """What is to be said of these bytes: exit code, a code of SENTENCES, a version or None.

    `earlier`: bytes, or None. `key`: hexadecimal, or None. Every refusal is the first that applies.
    """
    if key is not None and not re.fullmatch("[0-9a-fA-F]{64}", key):
        return 2, "key_unreadable", None
    try:
        new = read(document)
    except ValueError:
        return 2, "unreadable", None
    try:
        old = read(earlier) if earlier is not None else None
    except ValueError:
        return 2, "earlier_unreadable", None
    try:
        known = CHECKS[new["kind"]](new, key and key.lower())
        if old:
            compare(new, known, old)
    except Refused as refused:
        return 1, refused.code, refused.version
    return 0, new["kind"], new["version"]


# What is known after a check: {version: (seal, root)}, the largest version being the end.


def check_export(doc, key):
    key = key_of(doc, key)
    before, leaves, seals = bytes(32), [], []
    for number, event in enumerate(doc["events"], 1):
        if event["version"] != number:
            raise Refused("hole", number)
        before = seal(doc["session"], event, before)
        if before.hex() != event["hash"]:
            raise Refused("seal_broken", number)
        seals.append(event["hash"])
        leaves.append(leaf(before))
    ends = [(event["version"], event["hash"], iso(event["at"])) for event in doc["events"][-1:]]
    if ends != [(doc["version"], doc["hash"], doc["at"])]:
        raise Refused("head_wrong", doc["version"])
    if signed_root(doc, doc["session"], key) != root(leaves):
        raise Refused("root_wrong", doc["version"])
    check_labels(doc, key)
    return Everything(seals, leaves)


def check_labels(doc, key):
    """Title, names and remarks, which are all there or none of them."""
    version, title, names, remarks = doc["version"], doc["title"], doc["names"], doc["remarks"]
    if title is names is remarks is doc["labels"] is None:
        return
    if names is None or remarks is None or doc["labels"] is None or title == "":
        raise Refused("labels_wrong", version)
    who = committed(doc["events"])
    if len(names) != len(who) or not all(map(committed_to, names, who)):
        raise Refused("names_wrong", version)
    fields = [b"vola labels 1", bytes.fromhex(doc["session"].replace("-", ""))]
    fields += [(title or "").encode(), len(names).to_bytes(4, "big")]
    for one in names:
        fields += [one["id"].encode(), (one["name"] or "").encode()]
        fields += [bytes.fromhex(one["salt"] or "")]
    for one in remarks:
        fields += [one["version"].to_bytes(8, "big"), one["remark"].encode()]
    digest = base64.b64encode(sealed(fields)).decode()
    text = f"vola-labels/{doc['session']}\n{version}\n{digest}\n"
    said, _, lines = doc["labels"].partition("\n\n")
    if f"{said}\n" != text or not re.fullmatch(LINES, lines):
        raise Refused("labels_wrong", version)
    if not has_signed(f"vola/{doc['session']}", bytes.fromhex(key), text, lines):
        raise Refused("labels_wrong", version)


def committed(events):
    """Who came, in order, and what the events have in his name's stead."""
    found = []
    for event in events:
        if event["type"] not in COMERS:
            continue
        try:
            said = fitted(parsed(event["data"]), COMERS[event["type"]])
        except ValueError:
            raise Refused("names_wrong", event["version"]) from None
        players, names = said.values()
        if isinstance(players, str):
            players, names = [players], [names]
        if len(players) != len(names):
            raise Refused("names_wrong", event["version"])
        found += zip(players, names, strict=True)
    return found


def committed_to(one, who):
    """Whether it is his name; an erased one is gone with its salt, and may have been any."""
    if one["name"] is None or one["salt"] is None:
        return one["id"] == who[0] and one["name"] is one["salt"]
    salt = bytes.fromhex(one["salt"])
    text = b"vola name 1" + len(salt).to_bytes(4, "big") + salt + one["name"].encode()
    return (one["id"], sha256(text).hexdigest()) == who and one["name"] != ""


def check_receipt(doc, key):
    key, head = key_of(doc, key), doc["head"]
    own_root = signed_root(doc, doc["session"], key)
    head_root = signed_root(head, doc["session"], key)
    first, second = doc["version"], head["version"]
    stands = leaf(bytes.fromhex(doc["hash"]))
    if not included(stands, first - 1, second, unhex(doc["inclusion"]), head_root):
        raise Refused("inclusion_wrong", first)
    if not grew(first, second, unhex(doc["consistency"]), own_root, head_root):
        raise Refused("consistency_wrong", first)
    return {first: (doc["hash"], own_root), second: (head["hash"], head_root)}


def check_statement(doc, key):
    key = key_of(doc, key)
    stood = signed_root(doc, doc["session"], key)
    if doc["player"] is not None:
        balance = doc["opening"]
        for line in doc["lines"]:
            balance += line["change"] or 0
            if line["change"] is None or balance != line["balance"]:
                raise Refused("sum_wrong")
        if balance != doc["closing"]:
            raise Refused("sum_wrong")
    if doc["balances"] is not None:
        paid = [bet["amount"] for bet in doc["bets"] or [] if bet["paid"] is not False]
        if sum(doc["balances"].values()) + (doc["pot"] or 0) + sum(paid) != 0:
            raise Refused("sum_wrong")
    return {doc["version"]: (doc["hash"], stood)}


def check_bare(doc, key):
    raise Refused("unsigned")


CHECKS = {
    "export": check_export,
    "receipt": check_receipt,
    "statement": check_statement,
    "bare": check_bare,
}


class Everything:
    """All versions of an export: as a dict of them, but made when asked."""

    def __init__(self, seals, leaves):
        self.seals, self.leaves = seals, leaves

    def __iter__(self):
        return iter(range(1, len(self.seals) + 1))

    def __contains__(self, version):
        return 1 <= version <= len(self.seals)

    def __getitem__(self, version):
        return self.seals[version - 1], root(self.leaves[:version])


def compare(new, known, old):
    """Refuse unless what was kept earlier is how this begins."""
    if "session" in old and old["session"] != new["session"]:
        raise Refused("other_session")
    if old.get("key") not in (None, new["key"]):
        raise Refused("other_key")
    claims = sorted([old, *([old["head"]] if "head" in old else [])], key=lambda c: c["version"])
    for claim in claims:
        version, stood = claim["version"], None
        if claim["checkpoint"] is not None:
            try:
                stood = signed_root(claim, new["session"], new["key"])
            except Refused:
                raise Refused("earlier_wrong") from None
        if version > max(known):
            raise Refused("tail_missing", version)
        if version in known:
            digest, now = known[version]
            if digest != claim["hash"] or (stood is not None and stood != now):
                raise Refused("rewritten", version)
        elif claim is claims[-1]:
            raise Refused("not_shown", version)


def key_of(doc, given):
    if doc["key"] is None or doc["checkpoint"] is None:
        raise Refused("unsigned")
    if given not in (None, doc["key"]):
        raise Refused("other_key")
    return doc["key"]


# The checkpoint: a signed note (C2SP signed-note, tlog-checkpoint)

LINES = "((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})"
NOTE = re.compile(
    "((vola/[0-9a-f-]{36})\n([1-9][0-9]{0,9})\n([A-Za-z0-9+/]{43}=)\n"
    "chain ([0-9a-f]{64})\ntime ([0-9TZ:.-]{27})\n)\n" + LINES
)


def signed_root(claim, session, key):
    """The root that the claim's checkpoint signs, once it is about the claim and of this key."""
    version, key = claim["version"], bytes.fromhex(key)
    note = NOTE.fullmatch(claim["checkpoint"] or "")
    if not note:
        raise Refused("checkpoint_wrong", version)
    text, origin, size, stood, chain, time, lines = note.groups()
    said = (origin, size, chain, time)
    if said != (f"vola/{session}", str(version), claim["hash"], claim.get("at", time)):
        raise Refused("checkpoint_wrong", version)
    if not has_signed(origin, key, text, lines) or len(unbase64(stood)) != 32:
        raise Refused("signature_wrong", version)
    return unbase64(stood)


def has_signed(origin, key, text, lines):
    """Whether one of the lines is this key's signature; the first that says so counts."""
    hint = sha256(origin.encode() + b"\n\x01" + key).digest()[:4]
    for line in lines.splitlines():
        _, name, written = line.split(" ")
        signature = unbase64(written)
        if name == origin and len(signature) == 68 and signature[:4] == hint:
            return signed(key, text.encode(), signature[4:])
    return False


def unbase64(text):
    """Its bytes; none when it is not the one way to write them."""
    try:
        made = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return made if base64.b64encode(made).decode() == text else b""


# The seal of an event (ledger/chain.py) and the tree over the seals (RFC 6962, RFC 9162 §2.1)


def seal(session, event, before):
    fields = (
        b"vola event 1",
        bytes.fromhex(session.replace("-", "")),
        event["version"].to_bytes(8, "big"),
        event["type"].encode(),
        event["schema"].to_bytes(4, "big"),
        event["at"].to_bytes(8, "big"),
        event["by"].encode(),
        sha256(event["data"].encode()).digest(),
        before,
    )
    return sealed(fields)


def sealed(fields):
    """Every field is preceded by its length, so that no two histories share the bytes."""
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def leaf(data):
    return sha256(b"\x00" + data).digest()


def node(left, right):
    return sha256(b"\x01" + left + right).digest()


def root(leaves):
    """Of one leaf or more."""
    peaks = []  # full subtrees, the largest first
    for count, top in enumerate(leaves, 1):
        while not count & 1:
            top, count = node(peaks.pop(), top), count >> 1
        peaks.append(top)
    top = peaks.pop()
    while peaks:
        top = node(peaks.pop(), top)
    return top


def included(found, index, size, path, top):
    """RFC 9162 §2.1.3.2."""
    last = size - 1
    if index > last:
        return False
    for step in path:
        if last == 0:
            return False
        if index & 1 or index == last:
            found = node(step, found)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            found = node(found, step)
        index, last = index >> 1, last >> 1
    return last == 0 and found == top


def grew(first, second, path, first_root, second_root):
    """RFC 9162 §2.1.4.2."""
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
            old, new = node(step, old), node(step, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node(new, step)
        index, last = index >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


# Ed25519 (RFC 8032 §5.1), verification only: nothing secret, so it may take its time

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
TURN = pow(2, (P - 1) // 4, P)  # a square root of -1


def signed(key, message, signature):
    """Whether it is; strictly: every number is written in its one way."""
    point, start, s = unpacked(key), signature[:32], int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= ORDER:
        return False
    k = int.from_bytes(sha512(start + key + message).digest(), "little") % ORDER
    x, y, z, t = point
    found = add(times(s, BASE), times(k, (P - x, y, z, P - t)))
    return packed(found) == start


def unpacked(raw):
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * TURN % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def packed(point):
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(one, other):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    made = (0, 1, 1, 0)
    while number:
        if number & 1:
            made = add(made, point)
        point, number = add(point, point), number >> 1
    return made


BASE = unpacked((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


# Reading: strict JSON, whole numbers only, and a shape for each kind; ValueError for anything else

MOST = 2**53 - 1  # as far as every reader counts exactly
DEEPEST = 32


def parsed(text):
    """An object: no name in it twice, and every number whole."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=whole,
            parse_float=whole,
            parse_constant=whole,
        )
        check(isinstance(value, dict) and depth(value) <= DEEPEST)
    except RecursionError:
        raise ValueError from None
    return value


def read(raw):
    """A document with its kind."""
    doc = parsed(raw.decode("utf-8"))
    match doc.get("format"):
        case "vola session 1":
            kind, shape = "export", EXPORT
        case "vola receipt 1":
            kind, shape = "receipt", RECEIPT
        case None if "lines" in doc:
            kind, shape = "statement", STATEMENT
        case None:
            kind, shape = "bare", STOOD
        case _:
            raise ValueError
    return {**fitted(doc, shape), "kind": kind}


def unique(pairs):
    made = dict(pairs)
    check(len(made) == len(pairs))
    return made


def whole(text):
    check(re.fullmatch("-?[0-9]{1,16}", text))
    check(-MOST <= int(text) <= MOST)
    return int(text)


def check(holds):
    if not holds:
        raise ValueError


def depth(value):
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def fitted(value, shape):
    """The value with the members that the shape names, and no others; None for one that is absent.

    A shape: a pattern, a range of numbers, `[shape]`, a dict of shapes (`*`: of every member),
    a tuple: any of these; None, and `object` for whatever it is.
    """
    match shape:
        case tuple():
            for one in shape[:-1]:
                try:
                    return fitted(value, one)
                except ValueError:
                    continue
            return fitted(value, shape[-1])
        case [inner]:
            check(isinstance(value, list))
            return [fitted(item, inner) for item in value]
        case dict():
            check(isinstance(value, dict))
            if "*" in shape:
                return {name: fitted(item, shape["*"]) for name, item in value.items()}
            return {name: fitted(value.get(name), inner) for name, inner in shape.items()}
        case str():
            check(isinstance(value, str) and re.fullmatch(shape, value, re.DOTALL))
            value.encode()  # UnicodeEncodeError, a ValueError, for half a sign
        case range():
            check(type(value) is int and value in shape)
        case None:
            check(value is None)
    return value


HASH, UUID, TEXT = "[0-9a-f]{64}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", ".*"
TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z"
VERSION, AMOUNT, MICROSECONDS = range(1, 2**31), range(-MOST, MOST + 1), range(MOST + 1)
STOOD = {"version": VERSION, "hash": HASH, "at": TIME, "checkpoint": (TEXT, None)}
SIGNED = {**STOOD, "session": UUID, "key": (HASH, None)}
EVENT = {
    "version": VERSION,
    "type": TEXT,
    "schema": VERSION,
    "at": MICROSECONDS,
    "by": TEXT,
    "data": TEXT,
    "hash": HASH,
}
COMERS = {
    "session_opened": {"players": [TEXT], "names": [TEXT]},
    "player_joined": {"player": TEXT, "name": TEXT},
}
CALLED = {"id": TEXT, "name": (TEXT, None), "salt": ("(?:[0-9a-f]{2}){1,64}", None)}
LABELS = {
    "title": (TEXT, None),
    "names": ([CALLED], None),
    "remarks": ([{"version": VERSION, "remark": TEXT}], None),
    "labels": (TEXT, None),
}
EXPORT = {**SIGNED, **LABELS, "events": [EVENT]}
RECEIPT = {**SIGNED, "head": STOOD, "inclusion": [HASH], "consistency": [HASH]}
STATEMENT = {
    "session": UUID,
    "version": VERSION,
    "hash": HASH,
    "key": (HASH, None),
    "checkpoint": (TEXT, None),
    "player": (TEXT, None),
    "opening": AMOUNT,
    "closing": AMOUNT,
    "lines": [{"change": (AMOUNT, None), "balance": (AMOUNT, None)}],
    "balances": ({"*": AMOUNT}, None),
    "pot": (AMOUNT, None),
    "bets": ([{"amount": AMOUNT, "paid": object}], None),
}


def unhex(hashes):
    return [bytes.fromhex(one) for one in hashes]


def iso(at):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=at)  # noqa: UP017
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def main():
    parser = argparse.ArgumentParser(prog="verify.py", description=__doc__.split("\n")[0])
    parser.add_argument("file", help="an export, a receipt or a statement")
    parser.add_argument("--receipt", metavar="FILE", help="what you kept earlier")
    parser.add_argument("--key", metavar="HEX", help="the book's public key")
    given = parser.parse_args()
    try:
        document, earlier = [
            None if name is None else open(name, "rb").read()  # noqa: SIM115
            for name in (given.file, given.receipt)
        ]
    except OSError as error:
        print(f"Cannot read {error.filename}: {error.strerror}.", file=sys.stderr)
        return 2
    code, said, version = judge(document, earlier, given.key)
    sentence, key = SENTENCES[said], None
    if code == 0:
        sentence += SENTENCES["earlier"] if earlier else ""
        sentence += SENTENCES["given" if given.key else "own"]
        key = read(document)["key"]
    print(sentence.format(version=version, key=key), file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
