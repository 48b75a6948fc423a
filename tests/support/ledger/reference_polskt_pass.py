"""Reference scoring of Polskt pass, written from docs/rules.md alone: plain dicts, nothing from
the packages.

A deal is a dict: `seats`, `dealer`, and then one of
    `all_pass`: True
    `declarers` with `winner` (None: nobody)
    `declarers` with `vola` and `won`
and `merge`: True or False, if the two bets just laid were merged or split.
"""


def find_winner(tricks):
    """Return the winner by §1.5: three tricks, or the first to two when nobody has three."""
    for player in set(tricks):
        if tricks.count(player) > 2:
            return player
    second_tricks = [
        ([place for place, taker in enumerate(tricks) if taker == player][1], player)
        for player in set(tricks)
        if tricks.count(player) == 2
    ]
    return min(second_tricks)[1] if second_tricks else None


def score_session(options, players, deals, policy="carry"):
    """Return all balances, the pot, and the bets in playing order, when all is settled."""
    book = {"pot": 0, "bets": [], "has": dict.fromkeys(players, 0)}
    for number, deal in enumerate(deals, start=1):
        score_deal(book, options, deal, number)
    if deals:
        share_leftovers(book, policy, deals[-1])
    in_order = playing_order(book, options)
    return book["has"], book["pot"], [(tuple(bet["by"]), bet_amount(bet)) for bet in in_order]


def score_deal(book, options, deal, number):
    """Score a deal by §1.6 and §1.7."""
    has, stake = book["has"], options["stake"]
    has[deal["dealer"]] -= stake
    book["pot"] += stake
    to_win = book["pot"] if options["amount_basis"] == "pot" else stake
    smallest = playing_order(book, options)[:1]
    amount = to_win + sum(bet_amount(bet) for bet in smallest)

    if deal.get("all_pass"):
        return
    declarers = deal["declarers"]
    failed, sweeper = [], None
    if "vola" in deal:
        if deal["won"]:
            sweeper = deal["vola"]
            for opponent in deal["seats"]:
                if opponent != sweeper:
                    has[opponent] -= amount
                    has[sweeper] += amount
        elif options["failed_vola_declarer_bet"] == "bet" and deal["vola"] in declarers:
            failed = [deal["vola"]]
    else:
        sweeper = deal["winner"]
        failed = [player for player in declarers if player != sweeper]
        if sweeper is None and len(failed) == 2 and options["all_one_two_declarers"] == "none":
            failed = []

    if sweeper is not None:
        book["pot"] -= to_win
        has[sweeper] += to_win
        for bet in smallest:
            book["bets"].remove(bet)
            has[sweeper] += bet_amount(bet)
            if not bet["paid"]:
                for owner in bet["by"]:
                    has[owner] -= bet["each"]

    # the cutter, at the dealer's right, comes before the dealer
    failed.sort(key=lambda player: player == deal["dealer"])
    is_merged = options["merge_double_bets"] if deal.get("merge") is None else deal["merge"]
    stacks = [failed] if len(failed) == 2 and is_merged else [[player] for player in failed]
    for owners in stacks:
        paid = options["bet_payment"] == "immediate"
        stake = options["bet_multiplier"] * amount
        book["bets"].append({"by": owners, "each": stake, "deal": number, "paid": paid})
        if paid:
            for owner in owners:
                has[owner] -= stake


def bet_amount(bet):
    return bet["each"] * len(bet["by"])


def playing_order(book, options):
    """Sort bets by §1.8: the smallest first, then the oldest (or newest) deal, then the order
    laid."""
    newest_first = options["bet_tie"] == "newest"
    return sorted(
        book["bets"],
        key=lambda bet: (bet_amount(bet), -bet["deal"] if newest_first else bet["deal"]),
    )


def share_leftovers(book, policy, last_deal):
    """Divide what is left by §5: equal shares for all of the last deal; single units clockwise from
    the dealer's left."""
    has = book["has"]
    if policy == "carry":
        return
    total = book["pot"]
    for bet in book["bets"]:
        if policy == "split_equal":
            total += bet_amount(bet)
            if not bet["paid"]:
                for owner in bet["by"]:
                    has[owner] -= bet["each"]
        elif bet["paid"]:
            for owner in bet["by"]:
                has[owner] += bet["each"]
    seats = last_deal["seats"]
    dealer_place = seats.index(last_deal["dealer"])
    for player in seats:
        has[player] += total // len(seats)
    for step in range(total % len(seats)):
        has[seats[(dealer_place + 1 + step) % len(seats)]] += 1
    book["pot"], book["bets"] = 0, []
