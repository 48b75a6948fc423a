"""Whole sessions of spader and knektpass, sent deal by deal to a running server."""

from __future__ import annotations

import msgspec

from engine import commands as c
from tests.support.api.http_client import RemoteSession
from tests.support.engine import knektpass_deals, spader_deals

SIDES = ["p1+p3", "p2+p4"]


def open_session(url, game, **options):
    return RemoteSession(url).open(game=game, options=options)


def action_bodies(*commands):
    """Return actions as a client writes them, without defaults."""
    return [
        {k: v for k, v in msgspec.to_builtins(command).items() if v not in (None, False)}
        for command in commands
    ]


def check_accepted(answer):
    assert answer.status == 201, answer.raw
    return answer.json["session"]


def spader_deal(number, n, e, tricks, record):
    """Return both bids, the forehand's side first: Ada deals the odd deals, so Bo's side bids first
    in them."""
    north, east = (spader_deals.bid(side, bid) for side, bid in zip(SIDES, (n, e), strict=True))
    bids = [east, north] if number % 2 else [north, east]
    return action_bodies(c.OpenDeal(number=number), *bids, *record(tricks))


def knektpass_deal(number, declarations, tricks, record):
    dealer = knektpass_deals.TEN_PLAYERS[(number - 1) % 4]
    _, *declarations = knektpass_deals.deal_commands(declarations, dealer=dealer)
    return action_bodies(c.OpenDeal(number=number), *declarations, *record(tricks))


def count_tricks(tricks):
    return [spader_deals.count_command(tricks)]


def record_both_games(url):
    """Return E7 and E8, recorded in full."""
    spader, knektpass = open_session(url, "spader"), open_session(url, "knektpass")
    for number, (n, e, tricks, *_) in enumerate(spader_deals.parse_e7(), start=1):
        check_accepted(spader.act(*spader_deal(number, n, e, tricks, count_tricks)))
    for number, (declarations, tricks, *_) in enumerate(
        knektpass_deals.parse_deals(knektpass_deals.E8), start=1
    ):
        check_accepted(
            knektpass.act(
                *knektpass_deal(number, declarations, tricks, knektpass_deals.count_command)
            )
        )
    return spader, knektpass
