"""A book of every game with two groups, its archive, and archives that were tampered with."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID
from warnings import catch_warnings, simplefilter
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

from engine.games.registry import GAMES
from ledger.groups.group_events import MemberLeft
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.guest_session import play_with_guests
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.two_sessions import play_two_sessions
from tests.support.ledger.random_group_events import random_history
from tests.support.ledger.stored_groups import append_events
from tests.support.player_names import FIVE_NAMES
from tests.verification.attack.stored_sessions import play

Files = dict[str, bytes]
MANIFEST = "manifest.json"
NEW_ID = "00000000-0000-4000-8000-000000000000"


def play_book(app: Any) -> list[GroupClient]:
    """Play a session of each game, and two groups with sessions that carry forward; in the first
    group a guest becomes a member, a name is erased, and there are events. Return the groups."""
    for game in GAMES:
        play(app.extensions["store"], f"an archived {game}", game, steps=16)
    first = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    play_with_guests(first)
    first.open_session("m1", "m2", "m3", carry=True)
    answer = first.write("/members/m5/name", method="DELETE", role="host")
    assert answer.status_code == 200, answer.text
    die, left = Random(11), MemberLeft(member="m5")
    events = random_history(die, 30, departures=False)
    append_events(app.extensions["store"].pool, UUID(first.id), [*events, left])
    return [first, random_group_of_sessions(app, Random(7))]


def read_files(archive: Path) -> Files:
    with ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def session_names(files: Files) -> list[str]:
    """Return the names of the sessions' files, in the order of the manifest."""
    listed = [file["path"] for file in json.loads(files[MANIFEST])["files"]]
    return [path for path in listed if path.startswith("sessions/")]


def zip_of(files: Files, **entries: ZipInfo) -> bytes:
    """Return a ZIP file of these files; `entries` replace the entries of some."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(entries.get(name, name), content)
    return buffer.getvalue()


def relist(files: Files, **changes: Any) -> Files:
    """Return the files with a manifest that lists them, changed by `changes`."""
    other_files = {name: content for name, content in files.items() if name != MANIFEST}
    manifest = {
        **json.loads(files[MANIFEST]),
        "sessions": sum(name.startswith("sessions/") for name in other_files),
        "groups": sum(name.startswith("groups/") for name in other_files),
        "files": [
            {"path": name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
            for name, content in other_files.items()
        ],
        **changes,
    }
    return {**other_files, MANIFEST: json.dumps(manifest).encode()}


def hostile_archives(files: Files) -> dict[str, tuple[bytes, str]]:
    """Return forged archives that are refused as a whole, by what is wrong with them, each with
    words of the refusal."""
    session, other_session, *_ = session_names(files)
    group, other_group = (name for name in files if name.startswith("groups/"))
    manifest = json.loads(files[MANIFEST])
    whole = zip_of(files)

    def files_without(name: str) -> Files:
        return {other: content for other, content in files.items() if other != name}

    def with_group(change: Callable[[Any], object]) -> bytes:
        forged = json.loads(files[group])
        change(forged)
        return zip_of(relist({**files, group: json.dumps(forged).encode()}))

    def with_manifest(**changes: Any) -> bytes:
        return zip_of({**files, MANIFEST: json.dumps({**manifest, **changes}).encode()})

    def with_name(name: str) -> bytes:
        return zip_of({**files, name: b"{}"})

    link, packed = ZipInfo(MANIFEST), ZipInfo(MANIFEST)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed.compress_type = ZIP_BZIP2
    directory = whole.index(b"PK\x01\x02")
    overlapping = bytearray(whole)
    overlapping[directory + 20 : directory + 24] = len(whole).to_bytes(4, "little")
    encrypted = bytearray(whole)
    encrypted[directory + 8] |= 1
    flipped = bytearray(whole)
    flipped[whole.index(session.encode()) + len(session) + 40] ^= 1
    other = NEW_ID.join(session.split(session[9:45])).encode()
    stolen = json.loads(files[other_group])["sessions"][0]
    duplicate = io.BytesIO(whole)
    with ZipFile(duplicate, "a") as archive, catch_warnings():
        simplefilter("ignore")
        archive.writestr(session, files[session])
    strange, changed, damaged = "which is no file of an archive", "is not what its", "is damaged"
    packing, no_json, unknown = "packed in a way", "not valid JSON", "not in the archive, or in two"
    return {
        "no ZIP at all": (b"PK, and then something else", "no complete archive"),
        "cut short": (whole[: len(whole) // 2], "no complete archive"),
        "a bit flipped": (bytes(flipped), damaged),
        "another name inside": (whole.replace(session.encode(), other, 1), damaged),
        "files that overlap": (bytes(overlapping), "overlap"),
        "encrypted": (bytes(encrypted), packing),
        "another way of packing": (zip_of(files, **{MANIFEST: packed}), packing),
        "a symbolic link": (zip_of(files, **{MANIFEST: link}), "no ordinary file"),
        "a path that leads out": (with_name("../../etc/passwd"), strange),
        "an absolute path": (with_name("/etc/passwd"), strange),
        "a folder": (with_name("sessions/"), strange),
        "a file of another kind": (with_name("run.sh"), strange),
        "a session's name in capitals": (with_name(session.upper()), strange),
        "a file twice": (duplicate.getvalue(), "twice"),
        "no manifest": (zip_of(files_without(MANIFEST)), "holds no manifest.json"),
        "a manifest that is no JSON": (zip_of({**files, MANIFEST: b"{"}), no_json),
        "a key twice in the manifest": (
            zip_of({**files, MANIFEST: b'{"at": 1, ' + files[MANIFEST].lstrip()[1:]}),
            "duplicate key",
        ),
        "another format": (with_manifest(format="vola archive 2"), "/format"),
        "an unknown field": (with_manifest(secret="x"), "no such field"),
        "other counts": (with_manifest(sessions=manifest["sessions"] + 1), "counts other"),
        "a file listed twice": (
            with_manifest(files=[*manifest["files"], manifest["files"][-1]]),
            "twice",
        ),
        "a missing file": (zip_of(files_without(session)), "is missing"),
        "a surplus file": (with_name(f"sessions/{NEW_ID}.json"), "does not list"),
        "no schema": (zip_of(relist(files_without("schemas/group.json"))), "is missing"),
        "another digest": (zip_of({**files, session: files[session] + b" "}), changed),
        "two files exchanged": (zip_of({**files, session: files[other_session]}), changed),
        "a bomb": (zip_of(relist({**files, session: b" " * 8_000_000})), "grows too much"),
        "a huge file": (zip_of({**files, session: b" " * (2**26 + 1)}), "grows too much"),
        "a group of another name": (
            with_group(lambda group: group.update(group=NEW_ID)),
            "holds another group",
        ),
        "a group with a name too long": (
            with_group(lambda group: group.update(name="x" * 41)),
            "/name: Must be 1 to 40",
        ),
        "a group with a control character": (
            with_group(lambda group: group["members"][0].update(name="Ada\u202e")),
            "/members/0/name: Control",
        ),
        "a session in two groups": (
            with_group(lambda group: group["sessions"].append(stolen)),
            unknown,
        ),
        "a group without its session": (
            zip_of(relist(files_without(f"sessions/{stolen['session']}.json"))),
            unknown,
        ),
    }
