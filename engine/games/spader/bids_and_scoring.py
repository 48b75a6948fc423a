"""Two sides of partners: what a side may bid, what its tricks are worth, and who has won.

Pure functions of what the table has agreed. Does not know which cards took the tricks, nor whose
turn it is to play. Source: docs/rules.md §3.2 (bid forms), §3.3 and §3.4.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import msgspec

from engine import commands, errors, events
from engine.commands import Contestant, Side
from engine.games.spader.options import ScoringOptions
from engine.scoring.rule_references import reference_rules
from engine.scoring.score_sheet import ScoreSheet
from engine.table_view import LegalAction, one_of
from engine.values import Player, Seats

TRICKS = 13
PER_TRICK = 10  # for a trick that was bid, made or missing

USUAL = {
    f"score_{reason}": paragraph
    for paragraph, reasons in (
        ("§3.3", "bid_made bid_failed nil_made nil_failed blind_nil_made blind_nil_failed bags"),
        ("§3.3", "joint_nil_made"),
        ("§3.3, A-SP-14", "bid_made_apart bid_failed_apart"),
        ("A-SP-1", "joint_nil_failed joint_nil_bags"),
        ("A-SP-7", "bag_points"),
    )
    for reason in reasons.split()
}
RULES = reference_rules(
    USUAL,
    {
        "score_bid_failed": {"undertricks": "A-SP-13"},
        "score_bid_failed_apart": {"undertricks": "A-SP-13"},
    },
)
"""The paragraph behind each reason of a line on the sheet."""

TrickCounts = Mapping[Contestant, int]
Row = partial[events.Scored]
"""A line of the sheet of which the deal and the side are already written."""


def sides(seats: Seats) -> tuple[Side, Side]:
    """Partners sit opposite each other; a side is named in the order of the seats."""
    one, two, three, four = seats
    return f"{one}+{three}", f"{two}+{four}"


def partners(side: Side) -> tuple[Player, Player]:
    one, other = side.split("+")
    return one, other


def side_of(player: Player, seats: Seats) -> Side:
    return sides(seats)[seats.index(player) % 2]


def blind_nil_bidders(bid: commands.SideBid | events.SideBidMade) -> tuple[Player, ...]:
    """Who of the side bids nil without having looked."""
    match bid.blind_nil:
        case None:
            return ()
        case str(player):
            return (player,)
        case both:
            return both


def nil_bidders(bid: commands.SideBid | events.SideBidMade) -> tuple[Player, ...]:
    """Who of the side bids nil for himself, having looked or not."""
    return (*(() if bid.nil is None else (bid.nil,)), *blind_nil_bidders(bid))


def check_bid(
    terms: ScoringOptions,
    sheet: ScoreSheet,
    said: commands.SideBid,
    turn: Side,
    looked: frozenset[Player],
) -> events.SideBidMade:
    """The bid as it goes on the sheet, refused if the side may not bid so (docs/rules.md §3.2).

    `turn`: the side that is to bid; `looked`: whose cards are known.
    """
    if said.side not in sheet.scores:
        raise errors.NotASide(side=said.side, sides=list(sheet.scores))
    if said.side != turn:
        raise errors.OtherSideBids(turn=turn, side=said.side)
    both = partners(said.side)
    for player in nil_bidders(said):
        if player not in both:
            raise errors.NotOfThisSide(player=player, side=said.side)
    _check_blind(terms, sheet, said, looked)
    unseen = said.blind_nil
    if isinstance(unseen, tuple):
        unseen = both  # in the order of the seats, whichever was named first
    return events.SideBidMade(
        side=said.side,
        tricks=said.tricks,
        nil=said.nil,
        blind_nil=unseen,
        joint_nil=said.joint_nil,
    )


def _check_blind(
    terms: ScoringOptions, sheet: ScoreSheet, said: commands.SideBid, looked: frozenset[Player]
) -> None:
    unseen = blind_nil_bidders(said)
    if not unseen:
        return
    if len(set(nil_bidders(said))) != len(nil_bidders(said)):
        raise errors.PartnerMustBid  # the same player twice, and nothing from the other
    if len(unseen) == 2 and not terms.double_blind_nil:
        raise errors.OneBlindNil
    if said.nil and not terms.blind_nil_partner_zero:
        raise errors.PartnerMustBid
    behind = _behind(terms, sheet, said.side)
    if behind < terms.blind_nil_deficit:
        raise errors.BlindNilNotBehind(
            side=said.side, behind=behind, needed=terms.blind_nil_deficit
        )
    for player in unseen:
        if player in looked:
            raise errors.BlindNilHasLooked(player=player)


def _behind(terms: ScoringOptions, sheet: ScoreSheet, side: Side) -> int:
    """By how much: behind the other side, or under nought (A-SP-4)."""
    own = sheet.scores[side]
    if terms.blind_nil_deficit_mode == "absolute":
        return -own
    (other,) = (points for keeper, points in sheet.scores.items() if keeper != side)
    return other - own


def as_said(bid: events.SideBidMade) -> dict[str, object]:
    """The side and what it said, without what it left out."""
    said: dict[str, object] = msgspec.to_builtins(bid)
    return {name: value for name, value in said.items() if name != "type"}


def legal_bids(
    terms: ScoringOptions, sheet: ScoreSheet, side: Side, looked: frozenset[Player]
) -> Iterator[LegalAction]:
    """Every bid that this side may make, one entry for each form."""
    both = partners(side)
    some = {"min": 1, "max": TRICKS}

    def form(**fields: object) -> LegalAction:
        return LegalAction(type="side_bid", fields={"side": one_of(side), **fields})

    yield form(tricks=some)
    yield form(tricks=some, nil=one_of(*both))
    yield form(joint_nil=one_of(True))
    unseen = tuple(player for player in both if player not in looked)
    if not unseen or _behind(terms, sheet, side) < terms.blind_nil_deficit:
        return
    yield form(tricks=some, blind_nil=one_of(*unseen))
    if terms.blind_nil_partner_zero:
        for player, partner in (both, both[::-1]):
            if player in unseen:
                yield form(blind_nil=one_of(player), nil=one_of(partner))
    if terms.double_blind_nil and unseen == both:
        yield form(blind_nil=one_of(list(both)))


def score(
    terms: ScoringOptions, deal: int, bid: events.SideBidMade, taken: TrickCounts, overtricks: int
) -> Iterator[events.Scored]:
    """One side's lines for a played deal, a line for each reason (docs/rules.md §3.3).

    `taken`: tricks of each player, or of each side; `overtricks`: what the side had since the
    start of the game.
    """
    row = partial(events.Scored, deal=deal, to=bid.side)
    more = 0
    for scored in _rows(terms, row, bid, taken):
        more += scored.overtricks
        yield scored
    yield from _bags(terms, row, overtricks, overtricks + more)


def _rows(
    terms: ScoringOptions, row: Row, bid: events.SideBidMade, taken: TrickCounts
) -> Iterator[events.Scored]:
    one, other = partners(bid.side)
    together = taken[bid.side] if bid.side in taken else taken[one] + taken[other]
    if bid.joint_nil:
        yield from _joint_nil(terms, row, together)
    if bid.tricks is not None:
        (nil,) = nil_bidders(bid) or (None,)
        apart = nil if nil and taken[nil] and not terms.failed_nil_tricks_count else None
        counted = together - (taken[apart] if apart else 0)
        yield _tricks(terms, partial(row, player=apart), bid.tricks, counted)
    if bid.nil is not None:
        took = taken[bid.nil]
        if took:
            yield row(rule="nil_failed", points=-terms.nil, player=bid.nil, taken=took)
        else:
            yield row(rule="nil_made", points=terms.nil, player=bid.nil, taken=0)
    for player in blind_nil_bidders(bid):
        took = taken[player]
        if took:
            yield row(rule="blind_nil_failed", points=-terms.blind_nil, player=player, taken=took)
        else:
            yield row(rule="blind_nil_made", points=terms.blind_nil, player=player, taken=0)


def _tricks(terms: ScoringOptions, row: Row, bid: int, taken: int) -> events.Scored:
    """Ten for each trick bid and one for each more; or ten off for each one missing (A-SP-13).

    The row names a player whose failed nil does not count (A-SP-14).
    """
    if taken >= bid:
        over = taken - bid
        return row(
            rule="bid_made",
            points=PER_TRICK * bid + over,
            bid=bid,
            taken=taken,
            each=PER_TRICK,
            overtricks=over,
        )
    lost = bid - taken if terms.undertricks == "per_trick" else bid
    return row(rule="bid_failed", points=-PER_TRICK * lost, bid=bid, taken=taken, each=PER_TRICK)


def _joint_nil(terms: ScoringOptions, row: Row, taken: int) -> Iterator[events.Scored]:
    """Both together bid no trick at all: one bid, made or failed once (A-SP-1)."""
    if not taken:
        yield row(rule="joint_nil_made", points=terms.joint_nil, taken=0)
        return
    yield row(rule="joint_nil_failed", points=terms.joint_nil_fail, taken=taken)
    if terms.joint_nil_fail_bags:
        yield row(rule="joint_nil_bags", points=taken, taken=taken, each=1, overtricks=taken)


def _bags(terms: ScoringOptions, row: Row, before: int, after: int) -> Iterator[events.Scored]:
    """A penalty each time that the overtricks of the whole game fill another ten."""
    filled = after // terms.bag_limit - before // terms.bag_limit
    if filled and terms.bag_penalty:
        lost = terms.bag_penalty * filled
        yield row(rule="bags", points=-lost, taken=after, each=terms.bag_penalty)
    if filled and terms.bag_points_removed:
        # the points of these overtricks go; their count stays, as it was never begun anew (A-SP-7)
        yield row(rule="bag_points", points=-terms.bag_limit * filled, taken=after, each=1)


def winners(terms: ScoringOptions, scores: Mapping[Side, int]) -> tuple[Side, ...]:
    """Who has won, when both sides' lines of a deal stand on the sheet (docs/rules.md §3.4).

    Whether a side came to the target, or one fell to the floor (A-SP-12): the higher one wins.
    """
    best, worst = max(scores.values()), min(scores.values())
    floored = terms.loss_floor is not None and worst <= terms.loss_floor
    if best < terms.target and not floored:
        return ()
    if best == worst and terms.tie_at_target == "play_on":
        return ()
    return tuple(side for side, points in scores.items() if points == best)
