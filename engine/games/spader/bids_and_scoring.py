"""Two sides of partners: what a side may bid, what its tricks are worth, and who has won.

Pure functions of what the table has agreed. Does not know which cards took the tricks, nor whose
turn it is to play. Source: docs/rules.md §3.2 (bid forms), §3.3 and §3.4.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from engine import commands, errors, events
from engine.commands import Contestant, Side
from engine.games.spader.options import Options
from engine.scoring.rule_references import reference_rules
from engine.scoring.score_sheet import ScoreSheet
from engine.table_view import LegalAction, one_of
from engine.values import Player, Seats

TRICKS = 13
PER_TRICK = 10  # for a trick that was bid, made or missing

RULES = reference_rules(
    {
        "score_bid_made": "§3.3",
        "score_bid_failed": "§3.3 undertricks",
        "score_nil_made": "§3.3",
        "score_nil_failed": "§3.3",
        "score_blind_nil_made": "§3.3",
        "score_blind_nil_failed": "§3.3",
        "score_bags": "§3.3",
        "score_joint_nil_made": "§3.3",
        "score_bid_made_apart": "§3.3 failed_nil_tricks_count",
        "score_bid_failed_apart": "§3.3 failed_nil_tricks_count undertricks",
        "score_joint_nil_failed": "A-SP-1",
        "score_joint_nil_bags": "A-SP-1",
        "score_bag_points": "A-SP-7",
        "points_paid": "§3.4",
    },
    {"failed_nil_tricks_count": "A-SP-14", "undertricks": "A-SP-13"},
)
"""The paragraph behind each reason for points, or for money paid for them."""

TrickCounts = Mapping[Contestant, int]
Row = partial[events.Scored]
"""Makes a line of the sheet; its deal and side are already filled in."""


def sides(seats: Seats) -> tuple[Side, Side]:
    """Partners sit opposite each other; a side is named in the order of the seats."""
    first, second, third, fourth = seats
    return f"{first}+{third}", f"{second}+{fourth}"


def partners(side: Side) -> tuple[Player, Player]:
    first, second = side.split("+")
    return first, second


def side_of(player: Player, seats: Seats) -> Side:
    return sides(seats)[seats.index(player) % 2]


def blind_nil_bidders(bid: commands.SideBid | events.SideBidMade) -> tuple[Player, ...]:
    """Return who of the side bids nil without having looked at the cards."""
    match bid.blind_nil:
        case None:
            return ()
        case str(player):
            return (player,)
        case players:
            return players


def nil_bidders(bid: commands.SideBid | events.SideBidMade) -> tuple[Player, ...]:
    """Return who of the side bids a nil, blind or not."""
    return (*(() if bid.nil is None else (bid.nil,)), *blind_nil_bidders(bid))


def all_nil_bidders(bids: Sequence[events.SideBidMade]) -> Seats:
    return tuple(player for bid in bids for player in nil_bidders(bid))


def check_bid(
    options: Options,
    sheet: ScoreSheet,
    bid: commands.SideBid,
    turn: Side,
    looked: frozenset[Player],
) -> events.SideBidMade:
    """Return the bid as it goes on the sheet. Raise a RuleViolation if the side may not make it
    (docs/rules.md §3.2). `turn`: the side that is to bid; `looked`: the players whose cards are
    known."""
    if bid.side not in sheet.scores:
        raise errors.NotASide(side=bid.side, sides=list(sheet.scores))
    if bid.side != turn:
        raise errors.OtherSideBids(turn=turn, side=bid.side)
    side_players = partners(bid.side)
    for player in nil_bidders(bid):
        if player not in side_players:
            raise errors.NotOfThisSide(player=player, side=bid.side)
    _check_blind(options, sheet, bid, looked)
    unseen = bid.blind_nil
    if isinstance(unseen, tuple):
        unseen = side_players  # in the order of the seats, whichever was named first
    return events.SideBidMade(**msgspec.structs.asdict(bid) | {"blind_nil": unseen})


def _check_blind(
    options: Options, sheet: ScoreSheet, bid: commands.SideBid, looked: frozenset[Player]
) -> None:
    unseen = blind_nil_bidders(bid)
    if not unseen:
        return
    if len(set(nil_bidders(bid))) != len(nil_bidders(bid)):
        raise errors.PartnerMustBid  # the same player twice, and nothing from the other
    if len(unseen) == 2 and not options.double_blind_nil:
        raise errors.OneBlindNil
    if bid.nil and not options.blind_nil_partner_zero:
        raise errors.PartnerMustBid
    deficit = _deficit(options, sheet, bid.side)
    if deficit < (needed := options.blind_nil_deficit):
        if options.blind_nil_deficit_mode == "absolute":
            points = sheet.scores[bid.side]
            raise errors.BlindNilNotBelowZero(side=bid.side, points=points, needed=needed)
        raise errors.BlindNilNotBehind(side=bid.side, behind=deficit, needed=needed)
    for player in unseen:
        if player in looked:
            raise errors.BlindNilHasLooked(player=player)


def _deficit(options: Options, sheet: ScoreSheet, side: Side) -> int:
    """Return by how many points the side is behind the other, or below zero (A-SP-4)."""
    own = sheet.scores[side]
    if options.blind_nil_deficit_mode == "absolute":
        return -own
    (opponents_points,) = (
        points for contestant, points in sheet.scores.items() if contestant != side
    )
    return opponents_points - own


def bid_views(bids: Sequence[events.SideBidMade]) -> tuple[dict[str, object], ...]:
    """Return each side with the fields of its bid that are set."""
    return tuple(
        {name: value for name, value in msgspec.to_builtins(bid).items() if name != "type"}
        for bid in bids
    )


def legal_bids(
    options: Options, sheet: ScoreSheet, side: Side, looked: frozenset[Player]
) -> Iterator[LegalAction]:
    """Every bid that this side may make, one entry for each form."""
    side_players = partners(side)
    trick_count = {"min": 1, "max": TRICKS}
    form = partial(LegalAction.of, "side_bid", side=one_of(side))
    yield form(tricks=trick_count)
    yield form(tricks=trick_count, nil=one_of(*side_players))
    yield form(joint_nil=one_of(True))
    unseen = tuple(player for player in side_players if player not in looked)
    if not unseen or _deficit(options, sheet, side) < options.blind_nil_deficit:
        return
    yield form(tricks=trick_count, blind_nil=one_of(*unseen))
    if options.blind_nil_partner_zero:
        for player, partner in (side_players, side_players[::-1]):
            if player in unseen:
                yield form(blind_nil=one_of(player), nil=one_of(partner))
    if options.double_blind_nil and unseen == side_players:
        yield form(blind_nil=one_of(list(side_players)))


def score(
    options: Options, deal: int, bid: events.SideBidMade, trick_counts: TrickCounts, overtricks: int
) -> Iterator[events.Scored]:
    """Yield one side's lines for a played deal, a line for each reason (docs/rules.md §3.3).
    `trick_counts`: of each player, or of each side; `overtricks`: those of the side in the game so
    far."""
    row = partial(events.Scored, deal=deal, to=bid.side)
    rows = tuple(_rows(options, row, bid, trick_counts))
    yield from rows
    new_overtricks = sum(scored.overtricks for scored in rows)
    yield from _bags(options, row, overtricks, overtricks + new_overtricks)


def _rows(
    options: Options, row: Row, bid: events.SideBidMade, trick_counts: TrickCounts
) -> Iterator[events.Scored]:
    contestants = (bid.side,) if bid.side in trick_counts else partners(bid.side)
    side_tricks = sum(trick_counts[contestant] for contestant in contestants)
    if bid.joint_nil:
        yield from _joint_nil(options, row, side_tricks)
    if bid.tricks is not None:
        (nil,) = nil_bidders(bid) or (None,)
        nil_failer = (
            nil if nil and trick_counts[nil] and not options.failed_nil_tricks_count else None
        )
        counted = side_tricks - (trick_counts[nil_failer] if nil_failer else 0)
        yield _tricks(options, partial(row, player=nil_failer), bid.tricks, counted)
    for player in nil_bidders(bid):
        is_blind = player != bid.nil
        kind, points = ("blind_nil", options.blind_nil) if is_blind else ("nil", options.nil)
        took = trick_counts[player]
        if took:
            yield row(rule=f"{kind}_failed", points=-points, player=player, taken=took)
        else:
            yield row(rule=f"{kind}_made", points=points, player=player, taken=0)


def _tricks(options: Options, row: Row, bid: int, tricks: int) -> events.Scored:
    """Return the line for the bid: ten points for each trick bid and one for each more, or ten off
    for each one missing (A-SP-13). It names a player whose failed nil does not count (A-SP-14)."""
    if tricks >= bid:
        overtricks = tricks - bid
        return row(
            rule="bid_made",
            points=PER_TRICK * bid + overtricks,
            bid=bid,
            taken=tricks,
            each=PER_TRICK,
            overtricks=overtricks,
        )
    lost = bid - tricks if options.undertricks == "per_trick" else bid
    return row(rule="bid_failed", points=-PER_TRICK * lost, bid=bid, taken=tricks, each=PER_TRICK)


def _joint_nil(options: Options, row: Row, tricks: int) -> Iterator[events.Scored]:
    """Yield the lines of a joint nil: the partners bid no trick together, which is one bid, made or
    failed once (A-SP-1)."""
    if not tricks:
        yield row(rule="joint_nil_made", points=options.joint_nil, taken=0)
        return
    yield row(rule="joint_nil_failed", points=options.joint_nil_fail, taken=tricks)
    if options.joint_nil_fail_bags:
        yield row(rule="joint_nil_bags", points=tricks, taken=tricks, each=1, overtricks=tricks)


def _bags(options: Options, row: Row, before: int, after: int) -> Iterator[events.Scored]:
    """Yield a penalty each time that the overtricks of the whole game fill another `bag_limit`."""
    filled = after // options.bag_limit - before // options.bag_limit
    if filled and options.bag_penalty:
        lost = options.bag_penalty * filled
        yield row(rule="bags", points=-lost, taken=after, each=options.bag_penalty)
    if filled and options.bag_points_removed:
        # takes off the points of these overtricks, not their count, which never restarts (A-SP-7)
        yield row(rule="bag_points", points=-options.bag_limit * filled, taken=after, each=1)


def winners(options: Options, scores: Mapping[Side, int]) -> tuple[Side, ...]:
    """Return who has won, once both sides' lines of a deal are on the sheet (docs/rules.md §3.4).
    When a side has reached the target or fallen to the floor (A-SP-12), the higher side wins."""
    best, worst = max(scores.values()), min(scores.values())
    floored = options.loss_floor is not None and worst <= options.loss_floor
    if best < options.target and not floored:
        return ()
    if best == worst and options.tie_at_target == "play_on":
        return ()
    return tuple(side for side, points in scores.items() if points == best)
