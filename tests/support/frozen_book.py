"""Freeze a book: play sessions of every game with this version, and store its responses.

`python -m tests.support.frozen_book FOLDER` fills the folder with a backup, exports, statements,
receipts, and each session's state, which later versions must reproduce. Run it before a release;
never change what it has written.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

from ledger import embedded as servers
from ledger.operations import settlement_failures
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from ledger.transfer import backup
from tests.support.api.http_client import RemoteSession, ask, new_key
from tests.support.api.point_games import count_tricks, knektpass_deal, spader_deal
from tests.support.cosigned_evening import play_cosigned, rotate_key
from tests.support.engine import knektpass_deals, spader_deals
from tests.support.frozen_files import save_group, save_session
from tests.support.ledger.store_session import act
from tests.support.player_names import FIVE_NAMES
from tests.support.server_process import run_server
from tests.support.worked_evenings import E1, E3, E5, lines, polskpas_lines

OPEN, PASS = {"type": "open_deal"}, {"type": "all_pass"}
Phones = dict[str, RemoteSession]


def freeze(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data_folder:
        data = Path(data_folder)
        own = {"VOLA_DATA": data_folder, "DATABASE_URL": "", "REDIS_URL": ""}
        with run_server(own, data / "server.log") as server:
            cosigned = play_cosigned(server.url)
            rotate_key(data, folder / "cosigned", cosigned)
            phones, group = play_all(server.url)
            phones["cosigned"] = cosigned
            for name, phone in phones.items():
                phone.settled()
                save_session(folder, name, phone)
            save_group(folder, server.url, group)
        with servers.postgres(data) as running:
            fail_to_settle(running.app_url, UUID(phones["settlement_failure"].id))
            backup.write_backup(running.owner_url, folder / "book.dump", lambda size: None)


def play_all(url: str) -> tuple[Phones, dict[str, Any]]:
    phones = {
        "polskt_pass": play_readme_session(url),
        "corrections": play_corrections(url),
        "misdeals": play_misdeals(url),
        "five_players": play_five_players(url),
        "polskpas": play_polskpas(url),
        "spader": play_spader(url),
        "knektpass": play_knektpass(url),
        "cards": play_cards(url),
        "erased_name": erase_name(url),
        "reopened": close_and_reopen(url),
        "corrected_name": correct_name(url),
        "costs_and_paper": record_costs_and_paper(url),
        "settlement_failure": RemoteSession(url).open(title="Betalningar som väntar"),
    }
    group, group_phones = play_group_of_five(url)
    return {**phones, **group_phones}, group


def play_readme_session(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(title="Fredag")
    for line in lines(E1):
        check_status(phone.act(*line.actions()))
    phone.settled()
    close(phone, "carry")
    check_status(
        phone.write("/transfers", payment_body("p2", "p3", 40), version=phone.state()["version"])
    )
    return phone


def play_corrections(url: str) -> RemoteSession:
    """Play corrected and voided deals, reseatings and later undo."""
    phone = RemoteSession(url).open(title="Rättelser")
    for line in lines(E1):
        check_status(phone.act(*line.actions()))
    phone.settled()
    corrected_deal = [{"type": "declare", "players": ["p4"]}, {"type": "result", "winner": "p4"}]
    check_status(
        change(
            phone, "PUT", "/deals/2", {"actions": corrected_deal, "reason": "Disa tog tre stick"}
        )
    )
    check_status(change(phone, "DELETE", "/deals/5?later=void&reason=Fel+kort"))
    phone.settled()
    check_status(phone.act({"type": "undo"}))
    joined = check_status(
        phone.write("/players", {"name": "Emil"}, version=phone.state()["version"])
    )
    check_status(phone.act({"type": "reseat", "players": ["p1", "p2", "p3", joined["id"]]}))
    check_status(phone.act(OPEN, PASS))
    check_status(change(phone, "PUT", "/deals/1", {"actions": [PASS]}))
    check_status(phone.act({"type": "undo"}))
    return phone


def play_misdeals(url: str) -> RemoteSession:
    """Play misdeals after which the next player deals, and undo past them."""
    phone = RemoteSession(url).open(
        title="Omgivar", options={"stake": 10, "misdeal_policy": "next_dealer"}
    )
    check_status(phone.act(OPEN, PASS))
    check_status(phone.act(OPEN))
    check_status(change(phone, "DELETE", "/deals/2"))
    check_status(phone.act({"type": "undo"}))
    check_status(phone.act({"type": "declare", "players": ["p2"]}))
    check_status(phone.act({"type": "undo"}, PASS))
    last = check_status(phone.act(OPEN, PASS))["session"]["deal"]["number"] - 1
    check_status(change(phone, "DELETE", f"/deals/{last}"))
    return phone


def play_five_players(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(5, title="Fem")
    for line in lines(E3):
        check_status(phone.act(*line.actions()))
    close(phone, "refund_bets")
    return phone


def play_polskpas(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(game="polskpas", options={"stake": 5}, currency="DKK")
    for line in polskpas_lines(E5):
        check_status(phone.act(*line.actions()))
    phone.settled()
    close(phone, "split_equal")
    return phone


def play_spader(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(game="spader", options={"point_value": 10}, title="Spader")
    for number, (n, e, tricks, *_) in enumerate(spader_deals.parse_e7(), start=1):
        check_status(phone.act(*spader_deal(number, n, e, tricks, count_tricks)))
    check_status(phone.write("/closure", {}, version=phone.state()["version"]))
    return phone


def play_knektpass(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(game="knektpass", options={}, title="Knektpass")
    for number, (declarations, tricks, *_) in enumerate(
        knektpass_deals.parse_deals(knektpass_deals.E8), start=1
    ):
        check_status(
            phone.act(*knektpass_deal(number, declarations, tricks, knektpass_deals.count_command))
        )
    return phone


def play_cards(url: str) -> RemoteSession:
    """Play a deal card by card, and open another."""
    phone = RemoteSession(url).open(title="Kort för kort")
    turn_up = [{"type": "cut", "card": "9H"}, {"type": "turn_up", "card": "AS"}]
    bids = [{"type": "decline"}, {"type": "bid", "player": "p2", "call": "accept"}]
    check_status(phone.act(OPEN, *turn_up, *bids))
    for trick in ("p2:AH p3:9S p4:KH p1:QH", "p3:9C p4:AC p1:10C p2:KC"):
        plays = (play.split(":") for play in trick.split())
        check_status(
            phone.act(*({"type": "play", "player": player, "card": card} for player, card in plays))
        )
    return phone


def erase_name(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(title="Ett namn är borta")
    for line in list(lines(E1))[:3]:
        check_status(phone.act(*line.actions()))
    check_status(phone.write("/players/p2/name", None, method="DELETE"))
    return phone


def close_and_reopen(url: str) -> RemoteSession:
    """Play a session that is closed, reopened and closed with another policy."""
    phone = RemoteSession(url).open(title="Stängd för tidigt")
    for line in list(lines(E1))[:4]:
        check_status(phone.act(*line.actions()))
    check_status(change(phone, "PUT", "/deals/3", {"actions": [PASS]}))
    check_status(phone.act({"type": "undo"}))
    close(phone, "carry")
    check_status(phone.write("/closure", None, method="DELETE", version=phone.state()["version"]))
    close(phone, "refund_bets")
    return phone


def correct_name(url: str) -> RemoteSession:
    phone = RemoteSession(url).open(title="Ett namn är rättat")
    check_status(phone.write("/players/p3/name", {"name": "Cecilia"}, method="PUT"))
    for line in list(lines(E1))[:2]:
        check_status(phone.act(*line.actions()))
    return phone


def record_costs_and_paper(url: str) -> RemoteSession:
    """Record costs, of which one is corrected and one voided, and deals that were kept on paper."""
    phone = RemoteSession(url).open(title="Utgifter och papper")
    check_status(phone.act({**OPEN, "late_entry": True}, PASS))
    pizza = {"payer": "p4", "amount": 43_001, "purpose": "Pizza till Cilla"}
    for amount in (40_000, 500, 7):
        check_status(phone.write("/costs", {**pizza, "amount": amount}))
    check_status(change(phone, "PUT", "/costs/1", {**pizza, "parts": {"p1": 2, "p3": 1}}))
    check_status(change(phone, "DELETE", "/costs/2"))
    check_status(phone.act({**OPEN, "late_entry": True}))
    check_status(change(phone, "DELETE", "/deals/2"))
    check_status(phone.act(OPEN, PASS))
    return phone


def play_group_of_five(url: str) -> tuple[dict[str, Any], Phones]:
    """Play two sessions of a group, the second carrying the first forward."""
    names = [{"name": name} for name in FIVE_NAMES]
    group = post(f"{url}/v1/groups", {"name": "Torsdagar", "members": names})
    first = open_session(url, group, ["m1", "m2", "m3", "m4"])
    for line in list(lines(E1))[:4]:
        check_status(first.act(*line.actions()))
    close(first, "carry")
    second = open_session(url, group, ["m2", "m3", "m5"], carry=True)
    check_status(second.act(OPEN, PASS))
    return group, {"group_first": first, "group_second": second}


def open_session(
    url: str, group: dict[str, Any], members: list[str], **fields: Any
) -> RemoteSession:
    body = {"game": "polskt_pass", "members": members, "options": {"stake": 10}, **fields}
    path = f"{url}/v1/groups/{group['id']}/sessions"
    created = post(path, body, group["tokens"]["host"])
    tokens = created["tokens"]
    return RemoteSession(url, id=created["id"], token=tokens["host"], tokens=tokens)


def fail_to_settle(app_url: str, session_id: UUID) -> None:
    """Record failed settlements of due payments, while no server runs that would settle them."""
    pool = database.open_pool(app_url, size=2)
    store = EventStore(pool)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    settlement_failures.record_failure(pool, session_id, RuntimeError())
    pool.close()


def close(phone: RemoteSession, policy: str) -> None:
    body = {"leftover_policy": policy}
    check_status(phone.write("/closure", body, version=phone.state()["version"]))


def change(phone: RemoteSession, method: str, path: str, body: Any = None) -> Any:
    return phone.write(path, body, method=method, version=phone.state()["version"])


def payment_body(payer: str, payee: str, amount: int) -> dict[str, Any]:
    return {"from": payer, "to": payee, "amount": amount, "method": "cash"}


def check_status(answer: Any) -> Any:
    assert answer.status < 300, answer.raw
    return answer.json


def post(url: str, body: Any, token: str = "") -> Any:
    headers = {"Idempotency-Key": new_key(), **(bearer(token) if token else {})}
    return check_status(ask(url, "POST", body, headers))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


if __name__ == "__main__":
    freeze(Path(sys.argv[1]))
