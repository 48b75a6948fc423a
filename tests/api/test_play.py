"""`vola play`: whole evenings with true cards, for a person at the prompt or for machines alone."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from itertools import chain, repeat
from uuid import UUID

import pytest

from api import cli, play, words
from api.play import choices, sense
from api.play.croupier import Croupier
from api.play.opponents import Chance, Sense
from api.play.seat import Seat
from api.play.telling import Telling
from api.play.terminal import Leaves, Person
from api.play.voice import Voice, catalog, in_order, read_card
from engine import commands as c
from engine import events as e
from engine.game import OpenDealView
from engine.games import GAMES
from ledger import audit, database
from ledger.projections.deals import newest_first
from ledger.proven import proven
from ledger.store import Store
from tests.conftest import copied

DEALS = {13: 1}
"""Thirteen tricks are long enough by themselves; other games are played for two deals."""

games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@pytest.fixture(scope="module")
def database_urls(cluster):
    return copied(cluster, "vola_play_tests")


@pytest.fixture(scope="module")
def store(database_urls):
    pool = database.pool(database_urls.app, size=4)
    yield Store(pool)
    pool.close()


@pytest.fixture
def clean(database_urls):
    import psycopg

    def look(session):
        with psycopg.connect(database_urls.audit) as db, audit.snapshot(db):
            return audit.audit(db, session.id) == []

    return look


def an_evening(store, game, **how):
    how = {"deals": DEALS.get(game.hand_size, 2), **how}
    return play.play(store, game, how.pop("agreed", None), **how)


def agreed(game, **options):
    return game.options(**options)


def happened(store, session):
    return [one.event for one in store.events(session.id, 0, 10_000)]


def told(facts):
    """Everything but the commitments to names, whose salt is never the same."""
    return [fact for fact in facts if isinstance(fact, e.Event)]


@games
@pytest.mark.parametrize("depth", play.DEPTHS)
def test_evenings_among_machines_end_closed_and_the_book_is_clean(store, clean, game, depth):
    for seed, opponents in (("1", "random"), ("2", "simple")):
        session = an_evening(store, game, depth=depth, seed=seed, opponents=opponents)
        assert session.status == "closed"
        assert session.table.number == DEALS.get(game.hand_size, 2) or session.sheet.winners
        assert all(payment.status == "settled" for payment in session.payments.values())
        assert clean(session)


@games
def test_the_hands_in_the_book_were_true(store, game):
    """No card is in two places, and nobody plays what he did not hold."""
    session = an_evening(store, game, seed="7")
    pack = set(game.pack(session.options, session.table.seats))
    hands, gone, played = {}, set(), 0
    for fact in happened(store, session):
        match fact:
            case e.DealOpened() | e.RedealClaimed():
                hands, gone = {}, set()
            case e.CardsSwapped() | e.CardsExchanged() | e.TurnUpExchanged():
                hands = {}  # who holds what is unknown, until it is shown again
            case e.HandShown(player=player, cards=cards):
                hands[player] = set(cards)
                assert len(hands[player]) == len(cards)
                assert hands[player] <= pack - gone
                shown = list(hands.values())
                assert sum(map(len, shown)) == len(set().union(*shown))
            case e.CardPlayed(player=player, card=card) | e.CardDiscarded(player=player, card=card):
                if player in hands:
                    hands[player].remove(card)
                assert card not in gone
                gone.add(card)
                played += 1
    assert played > game.hand_size * 2


@games
def test_the_same_seed_gives_the_same_evening(store, game):
    one, same, other = (an_evening(store, game, seed=seed) for seed in ("5", "5", "6"))
    assert told(happened(store, one)) == told(happened(store, same))
    assert told(happened(store, one)) != told(happened(store, other))


@games
def test_hands_kept_hidden_are_played_the_same_and_by_the_rules(store, game):
    shown, hidden = (
        an_evening(store, game, seed="9", opponents="random", hidden=way) for way in (False, True)
    )
    cards = [
        [fact for fact in happened(store, session) if isinstance(fact, e.CardPlayed)]
        for session in (shown, hidden)
    ]
    assert cards[0] == cards[1]
    for fact in happened(store, hidden):
        assert not isinstance(fact, e.HandShown)
        assert not (isinstance(fact, e.CardDiscarded) and fact.card)
    assert not [r for deal in newest_first(hidden.deals) for r in proven(hidden, deal)]


def test_a_game_for_points_goes_on_until_somebody_has_won(store):
    game = GAMES["knektpass"]
    session = play.play(store, game, agreed(game, start=3), seed="2")
    assert session.sheet.winners
    assert session.status == "closed"


def test_a_blind_nil_is_bid_before_looking_and_the_cards_it_swaps_are_shown_again(store):
    game = GAMES["spader"]
    easy = agreed(game, blind_nil_deficit=0)
    for seed in ("0", "1", "2", "3", "4", "5"):
        table = play.table(store, game, easy, deals=1, seed=seed, opponents="random")
        table.play()
        facts = happened(store, table.session)
        swapped = [place for place, fact in enumerate(facts) if isinstance(fact, e.CardsSwapped)]
        if swapped:
            break
    (place,) = swapped[:1]
    again = [fact.player for fact in facts[place:] if isinstance(fact, e.HandShown)]
    assert set(facts[place].side.split("+")) <= set(again)
    assert table.dealing.croupier.everywhere == sorted(game.pack(easy, ()))


def test_a_table_that_plays_on_for_what_is_left_does(store):
    game = GAMES["polskpas"]
    session = an_evening(
        store, game, agreed=agreed(game, leftover_policy="play_on"), seed="3", depth="result"
    )
    assert session.status == "closed"
    assert session.pot == 0
    assert session.table.number > 2


def test_when_nobody_may_put_in_the_stake_the_evening_ends(store):
    game = GAMES["polskt_pass"]
    session = an_evening(store, game, agreed=agreed(game, stake=100, credit_limit=0))
    assert session.status == "closed"
    assert session.table.number == 0


# --- cards, and a sense of them ------------------------------------------------------------------


def test_the_croupier_loses_no_card():
    pack = tuple(GAMES["knektpass"].pack(None, ("p1", "p2", "p3")))
    croupier = Croupier("1")
    croupier.take_up(pack, ("p2", "p3", "p1"), 5)
    bottom = croupier.lift()
    croupier.deal()
    assert croupier.pack[-1] == bottom
    up = croupier.turn()
    laid = croupier.hands["p1"][:1]
    croupier.follow((e.TurnUpExchanged(player="p1"),), laid)
    assert up in croupier.hands["p1"]
    for _ in range(9):  # more than the talon holds: what was laid away is shuffled in
        laid = croupier.hands["p2"]
        croupier.follow((e.CardsExchanged(player="p2", cards=5),), laid)
        assert len(croupier.hands["p2"]) == 5
    assert croupier.everywhere == sorted(pack)


def a_seat(hand, *table, **more):
    view = OpenDealView(phase="playing", cards=table, **more)
    seats = ("p1", "p2", "p3", "p4")
    return Seat(player="p1", hand=hand, view=view, dealer="p1", seats=seats)


def plays(*cards):
    return [c.Play(player="p1", card=card) for card in cards]


def test_the_last_to_play_takes_the_trick_as_cheaply_as_it_can():
    table = (("p2", "KH"), ("p3", "9H"), ("p4", "10H"))
    seat = a_seat(("AH", "9C", "JC"), *table, trump="C")
    assert Sense("1").chooses(seat, plays("9C", "AH", "JC")).card == "AH"


def test_who_cannot_take_the_trick_throws_the_lowest():
    seat = a_seat(("QH", "9H"), ("p2", "AH"), trump="C")
    assert Sense("1").chooses(seat, plays("QH", "9H")).card == "9H"


def test_who_bid_nil_stays_below_with_the_highest_that_does():
    bids = ({"side": "p1+p3", "tricks": 4, "nil": "p1"}, {"side": "p2+p4", "tricks": 5})
    seat = a_seat(("AH", "QH", "2H"), ("p2", "KH"), bids=bids)
    assert Sense("1").chooses(seat, plays("AH", "QH", "2H")).card == "QH"


def test_a_hand_full_of_jacks_is_bid_on_and_an_empty_one_passed():
    calls = [c.Bid(player="p1", call=call) for call in ("accept", "pass")]
    view = OpenDealView(phase="bidding", turn_up="9H")
    for hand, call in ((("JC", "JS", "JH", "AH", "9S"), "accept"), (("9S", "10S", "9C"), "pass")):
        seat = Seat(player="p1", hand=hand, view=view, dealer="p1", seats=("p1", "p2"))
        assert Sense("1").chooses(seat, calls).call == call


def test_what_sense_has_no_word_for_is_left_to_the_die():
    for mind in (Sense("1"), Chance("1")):
        chosen = mind.chooses(a_seat(()), [c.Merge(together=True), c.Merge(together=False)])
        assert isinstance(chosen, c.Merge)


@games
def test_every_action_of_a_game_is_either_the_croupiers_or_somebodys_decision(game):
    """None is forgotten: its depth is known, so it comes up at a table that plays at this depth."""
    for kind in game.commands:
        assert choices.depths(game.key, str(kind.__struct_config__.tag))


def test_sense_knows_standing_jacks_from_ordinary_ones():
    assert sense.height("JD", ("S", True)) > sense.height("AS", ("S", True))
    assert sense.height("JD", ("S", False)) < sense.height("QD", ("S", False))


# --- a person ------------------------------------------------------------------------------------


class Scripted:
    """A person whose lines are written beforehand; what is shown is kept."""

    def __init__(self, store, game, lines, language="en", **how):
        self.shown = []
        self.voice = Voice(language, game, play.seated(play.usual(game)))
        self.lines = chain(lines)
        options = how.pop("agreed", game.options())
        person = Person(self.voice, options, read=self.read, show=self.shown.append)
        self.table = play.table(
            store,
            game,
            options,
            minds={"p1": person},
            person="p1",
            between=person.waits,
            told=Telling(self.voice, self.shown.append),
            **how,
        )

    def read(self, ask):
        self.shown.append(ask)
        try:
            return next(self.lines)
        except StopIteration:
            raise EOFError from None

    def plays(self):
        self.table.play()
        return self.table.session


ANYTHING = ("1", "")
"""The first of the choices; Enter where a number makes no sense."""


TOLD = [
    pytest.param(game, language, id=f"{key}-{language}")
    for key, game in GAMES.items()
    for language in words.LANGUAGES
    if game.hand_size <= 5 or language == "sv"  # one long deal will do
]


@pytest.mark.parametrize(("game", "language"), TOLD)
def test_a_person_is_told_and_asked_in_every_language(store, game, language):
    scripted = Scripted(store, game, chain(["?"], *repeat(ANYTHING, 60)), language, deals=1)
    assert scripted.plays().status == "closed"
    told = "\n".join(scripted.shown)
    assert scripted.voice("help") in told
    assert "{" not in told


def own_cards(store, session):
    facts = happened(store, session)
    return [fact.card for fact in facts if isinstance(fact, e.CardPlayed) and fact.player == "p1"]


def offered(scripted):
    """The labels of the latest question, in order."""
    line = next(text for text in reversed(scripted.shown) if re.match(" ?1 ", text))
    return [label.strip().partition(" ")[2] for label in line.split("  ") if label.strip()]


@games
def test_a_choice_taken_back_is_made_again_with_the_same_cards(store, clean, game):
    """At the second question the first answer is taken back; the table is as it was then."""
    asked = []

    def lines():
        yield from ["u"]  # nothing has been chosen yet
        yield "1"
        asked.append(list(scripted.table.dealing.croupier.hands["p1"]))
        if scripted.shown[-1].startswith("How many"):
            yield "1"
        yield "u"
        asked.append(list(scripted.table.dealing.croupier.hands["p1"]))
        yield from chain.from_iterable(repeat(ANYTHING, 60))

    scripted = Scripted(store, game, lines(), deals=1, seed="8")
    session = scripted.plays()
    assert asked
    assert scripted.voice("nothing_to_take_back") in scripted.shown
    assert scripted.voice("taken_back") in scripted.shown
    assert session.status == "closed"
    assert clean(session)
    pack = sorted(game.pack(session.options, session.table.seats))
    assert scripted.table.dealing.croupier.everywhere == pack


def test_a_card_is_chosen_by_its_name_and_taken_back_from_the_next_deal(store, clean):
    game = GAMES["polskt_pass"]
    played = []

    def lines():
        for _ in range(60):
            if scripted.voice("next") == scripted.shown[-1]:
                break
            last = offered(scripted)[-1]
            yield last if re.fullmatch(r"\w{1,2}[CSHD]", last) else "1"
        played.append(own_cards(store, scripted.table.session))
        yield "u"  # between the deals: the last choice comes back
        assert scripted.table.session.table.open
        yield from chain.from_iterable(repeat(ANYTHING, 60))

    scripted = Scripted(store, game, lines(), deals=2, seed="4")
    session = scripted.plays()
    assert any(isinstance(fact, e.ActionUndone) for fact in happened(store, session))
    assert played[0]
    assert session.table.number == 2
    assert clean(session)


def test_a_person_may_stay_blind_pass_cards_and_get_others_back(store):
    game = GAMES["spader"]
    seen = []

    def lines():
        for _ in range(400):
            ask = scripted.shown[-1]
            seen.append(ask)
            if "partner" in ask or "give back" in ask:
                yield " ".join(in_order(scripted.table.dealing.croupier.hands["p1"])[:2])
            elif any("face down" in text for text in scripted.shown[-4:]):
                labels = offered(scripted)
                wanted = [n for n, label in enumerate(labels, 1) if re.search("blind|Blind", label)]
                yield str(wanted[0] if wanted else 1)
            else:
                yield "1" if "How many" in ask or "choice" in ask else ""

    easy = agreed(game, blind_nil_deficit=0)
    scripted = Scripted(store, game, lines(), deals=1, seed="11", agreed=easy)
    session = scripted.plays()
    bid = next(
        fact
        for fact in happened(store, session)
        if isinstance(fact, e.SideBidMade) and fact.side == "p1+p3"
    )
    assert bid.blind_nil == "p1"
    assert any(isinstance(fact, e.CardsSwapped) for fact in happened(store, session))
    assert any("partner" in ask for ask in seen)


def test_nothing_but_a_choice_is_taken_for_one(store):
    game = GAMES["polskt_pass"]
    nonsense = ["", "0", "99", "2X", "QX", "-1", "1 1", "٣"]
    scripted = Scripted(store, game, nonsense, deals=1)
    with pytest.raises(Leaves):
        scripted.plays()
    assert scripted.shown.count(scripted.voice("not_a_choice")) == len(nonsense)
    assert scripted.table.session.status == "open"


@pytest.mark.parametrize("text", ["QH", "qh", " Qh ", "♥Q", "Q♥", "hq"])
def test_a_card_is_read_as_people_write_it(text):
    assert read_card(text) == "QH"


def test_a_hand_is_held_by_suits_the_highest_first():
    assert in_order(["9D", "AH", "10S", "KS", "2C"]) == ["2C", "KS", "10S", "AH", "9D"]


def test_the_four_languages_say_the_same_things():
    spoken = {language: catalog(language) for language in words.LANGUAGES}
    operands = {
        language: {key: sorted(set(re.findall(r"{(\w+)", said))) for key, said in found.items()}
        for language, found in spoken.items()
    }
    assert all(found == operands["sv"] for found in operands.values())


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def environment(database_urls, data):
    return {
        **os.environ,
        "DATABASE_URL": database_urls.app,
        "DATABASE_OWNER_URL": database_urls.owner,
        "DATABASE_AUDIT_URL": database_urls.audit,
        "VOLA_DATA": str(data),
        "PORT": "",
        "PYTHONUNBUFFERED": "1",
    }


def command(*arguments):
    return [sys.executable, "-m", "api.cli", "play", *arguments]


def kept(text):
    """The address of the evening, from what was printed last."""
    return UUID(re.findall(r"/#/s/([0-9a-f-]{36})/host0\.", text)[-1])


@games
def test_a_person_plays_a_deal_through_a_pipe(environment, store, clean, game):
    lines = "\n".join(chain(["?"], *repeat(ANYTHING, 60)))
    done = subprocess.run(
        command(game.key, "--deals", "1", "--lang", "en"),
        env=environment,
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    session = store.read(kept(done.stdout))
    assert session.status == "closed"
    assert clean(session)


def test_on_a_terminal_the_suits_have_their_signs_and_ctrl_c_keeps_the_evening(environment, store):
    ours, theirs = pty.openpty()
    asked = command("polskt_pass", "--lang", "en", "--seed", "2")
    player = subprocess.Popen(
        asked,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=hears_ctrl_c,  # what a shell has put in the background does not
    )
    os.close(theirs)
    shown = until(ours, "Your choice")
    assert re.search("[♣♠♥♦]", shown)
    shown = until(ours, None, again=lambda: player.send_signal(signal.SIGINT))
    assert player.wait(20) == 130
    os.close(ours)
    assert store.read(kept(shown)).status == "open"


def hears_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def until(terminal, text, again=lambda: None):
    """What the terminal shows up to this text, or to its end. `again`: the key that is pressed
    until something comes, since one may be pressed a moment before it is waited for."""
    shown, deadline = "", time.monotonic() + 30
    while text is None or text not in shown:
        assert time.monotonic() < deadline, shown
        if not shown:
            again()
        if select.select([terminal], [], [], 0.5)[0]:
            try:
                more = os.read(terminal, 65536).decode()
            except OSError:  # the other end is closed
                more = ""
            if not more:
                return shown
            shown += more
    return shown


def test_the_end_of_the_lines_is_a_friendly_end(environment, store):
    done = subprocess.run(
        command("polskpas", "--lang", "en"),
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert store.read(kept(done.stdout)).status == "open"


def test_evenings_in_plenty_end_in_how_fast_they_went(environment):
    flags = "--watch --quiet --evenings 2 --deals 3 --depth result --opponents random --lang en"
    done = subprocess.run(
        command("spader", *flags.split(), "--option", "target=9000"),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    said = r"2 evenings, 6 deals, \d+ events in [\d.]+ s: [\d.]+ deals/s, \d+ events/s\n"
    assert re.fullmatch(said, done.stdout)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["poker"], "poker"),
        (["polskt_pass", "--players", "6"], "3 to 5"),
        (["spader", "--players", "3"], "4 players"),
        (["polskt_pass", "--players", "none"], "none"),
        (["polskt_pass", "--depth", "sea"], "sea"),
        (["polskt_pass", "--opponents", "clever"], "clever"),
        (["polskt_pass", "--lang", "fi"], "fi"),
        (["polskt_pass", "--quiet"], "--watch"),
        (["polskt_pass", "--depth", "tricks"], "--watch"),
        (["polskt_pass", "--option", "stake"], "NAME=VALUE"),
        (["polskt_pass", "--option", "stakes=5"], "stakes"),
        (["polskt_pass", "--option", "stake=0"], "stake=0"),
        (["polskt_pass", "--option", "stake=much"], "much"),
        (["spader", "--option", "stake=5"], "stake"),
        (["polskt_pass", "--faster"], "--faster"),
        (["polskt_pass", "spader"], "spader"),
        ([], "GAME"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(capsys, arguments, named):
    before = signal.getsignal(signal.SIGTERM)
    try:
        code = cli.main(["play", *arguments])
    except SystemExit as left:
        code = left.code
    finally:
        signal.signal(signal.SIGTERM, before)
    shown = capsys.readouterr()
    assert code == 2
    assert shown.out == ""
    assert shown.err.startswith("vola: ")
    assert len(shown.err.strip().splitlines()) == 1
    assert named in shown.err


def test_the_command_explains_itself(capsys):
    with pytest.raises(SystemExit) as left:
        cli.parser().parse_args(["play", "--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for word in ("--watch", "--depth", "--option", "DATABASE_URL"):
        assert word in shown


def test_no_word_of_the_catalogs_is_in_vain():
    """Every sentence is said somewhere."""
    from pathlib import Path

    code = "".join(f.read_text() for f in Path(play.__file__).parent.glob("*.py"))
    for key in catalog("sv"):
        assert f'"{key}"' in code or key.startswith("ask_"), json.dumps(key)
