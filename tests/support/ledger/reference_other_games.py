"""Reference scoring of Polskpas, Spader and Knektpass, written from docs/rules.md alone: plain
dicts, nothing from the packages.

A deal is a dict with `dealer` and the members that the function of its game names. After a deal
each function returns the next dealer.
"""


def next_player(player, seats):
    return seats[(seats.index(player) + 1) % len(seats)]


# --- Polskpas (§2.3) -----------------------------------------------------------------------------


def new_polskpas_book(options, seats):
    return {"options": options, "seats": seats, "has": dict.fromkeys(seats, 0), "pot": 0}


def polskpas_has_credit(book, dealer):
    """Return whether the stake leaves the dealer at or above the credit limit (A-PP-15)."""
    limit = book["options"]["credit_limit"]
    return limit is None or book["has"][dealer] - book["options"]["stake"] >= -limit


def score_polskpas(book, deal):
    """Score a deal: `all_pass`, or `soloist`, `winner`, and `vole`: None, `won`, or `lost`."""
    options, has = book["options"], book["has"]
    has[deal["dealer"]] -= options["stake"]
    book["pot"] += options["stake"]
    pot = book["pot"]
    if not deal.get("all_pass"):
        soloist, winner, vole = deal["soloist"], deal["winner"], deal["vole"]
        if vole == "won":
            price = pot if options["vole_amount"] == "pot" else options["stake"]
            for opponent in book["seats"]:
                if opponent != soloist:
                    has[opponent] -= price
                    has[soloist] += price
            if options["vole_sweeps_pot"]:
                has[soloist] += pot
                book["pot"] = 0
        elif vole == "lost" and options["vole_stop_at_loss"]:
            pass  # at the first lost trick nothing is paid
        elif vole == "lost" and winner == soloist:
            pass  # won, but not every trick
        elif vole == "lost" and options["vole_lost_outright"] == "void":
            pass
        elif winner == soloist:
            has[soloist] += pot
            book["pot"] = 0
        else:
            has[soloist] -= pot
            book["pot"] += pot
            if options["opponent_win"] == "winner_takes":
                has[winner] += pot
                book["pot"] -= pot
    return next_player(deal["dealer"], book["seats"])


def share_polskpas(book, last_dealer):
    """Return all money after §5: equal shares of the pot, single units clockwise from the last
    dealer's left."""
    seats, pot = book["seats"], book["pot"]
    has, player = dict(book["has"]), last_dealer
    for _ in range(pot % len(seats)):
        player = next_player(player, seats)
        has[player] += 1
    return {player: amount + pot // len(seats) for player, amount in has.items()}


# --- Spader (§3.3 and §3.4) ----------------------------------------------------------------------


def new_spader_book(options, seats):
    sides = (seats[0] + "+" + seats[2], seats[1] + "+" + seats[3])
    return {
        "options": options,
        "seats": seats,
        "points": dict.fromkeys(sides, 0),
        "bags": dict.fromkeys(sides, 0),
        "won": (),
    }


def may_bid_blind(book, side):
    """Return whether the side may bid blind (A-SP-4)."""
    own = book["points"][side]
    (other_points,) = (points for name, points in book["points"].items() if name != side)
    needed = book["options"]["blind_nil_deficit"]
    if book["options"]["blind_nil_deficit_mode"] == "absolute":
        return own <= -needed
    return other_points - own >= needed


def score_spader(book, deal):
    """Score a deal: `redealt`, or `bids` (by side: `tricks`, `nils`, `blind`, `joint`) and
    `tricks_taken`."""
    options = book["options"]
    if deal.get("redealt"):
        assert options["redeal_dealer"] == "next", "else it is still the same deal"
        return next_player(deal["dealer"], book["seats"])
    for side, bid in deal["bids"].items():
        points, bags = score_spader_row(options, bid, side.split("+"), deal["tricks_taken"])
        before = book["bags"][side]
        after = before + bags
        tens = after // options["bag_limit"] - before // options["bag_limit"]
        points -= options["bag_penalty"] * tens
        if options["bag_points_removed"]:
            points -= options["bag_limit"] * tens
        book["points"][side] += points
        book["bags"][side] = after
    book["won"] = spader_winners(options, book["points"])
    return next_player(deal["dealer"], book["seats"])


def score_spader_row(options, bid, players, tricks_taken):
    """Return points and overtricks by the table of §3.3, before the bags."""
    tricks = sum(tricks_taken[player] for player in players)
    if bid.get("joint"):
        if tricks == 0:
            return options["joint_nil"], 0
        if options["joint_nil_fail_bags"]:
            return options["joint_nil_fail"] + tricks, tricks
        return options["joint_nil_fail"], 0
    points, bags = 0, 0
    for kind, worth in (("nils", options["nil"]), ("blind", options["blind_nil"])):
        for player in bid.get(kind, ()):
            points += worth if tricks_taken[player] == 0 else -worth
    if "tricks" in bid:
        counted = tricks
        if not options["failed_nil_tricks_count"]:
            counted -= sum(tricks_taken[p] for p in (*bid.get("nils", ()), *bid.get("blind", ())))
        if counted >= bid["tricks"]:
            bags = counted - bid["tricks"]
            points += 10 * bid["tricks"] + bags
        elif options["undertricks"] == "per_bid":
            points -= 10 * bid["tricks"]
        else:
            points -= 10 * (bid["tricks"] - counted)
    return points, bags


def spader_winners(options, points):
    """Return the winners: §3.4, A-SP-5, A-SP-12. Two at the floor: the higher, as two at the
    target."""
    (first_side, a), (second_side, b) = points.items()
    floor = options["loss_floor"]
    game_over = a >= options["target"] or b >= options["target"]
    game_over = game_over or (floor is not None and (a <= floor or b <= floor))
    if not game_over:
        return ()
    if a == b:
        return (first_side, second_side) if options["tie_at_target"] == "shared" else ()
    return (first_side,) if a > b else (second_side,)


def spader_payments(book):
    """Return what each partner gets from, or pays to, one opponent: the difference times
    `point_value`."""
    (first_side, a), (_, b) = book["points"].items()
    due = (a - b) * (book["options"]["point_value"] or 0)
    return {p: due if p in first_side.split("+") else -due for p in book["seats"]}


# --- Knektpass (§4.3 and §4.4) -------------------------------------------------------------------


def new_knektpass_book(options, seats):
    points = dict.fromkeys(seats, options["start"])
    return {"options": options, "seats": seats, "points": points, "won": ()}


def score_knektpass(book, deal):
    """Score a deal: `all_pass`, `alone`, or `exchanged` (by player: whether the player exchanged
    the turn-up, and a list of rounds) with `tricks_taken` by player and `order`: their takers one
    by one, or None."""
    options, seats = book["options"], book["seats"]
    if deal.get("all_pass"):
        same_dealer = options["all_pass_dealer"] == "same"
        return deal["dealer"] if same_dealer else next_player(deal["dealer"], seats)
    before = dict(book["points"])
    points = {}
    if "alone" in deal:
        book["points"][deal["alone"]] -= options["solo_deduction"]
        played = [deal["alone"]]
    else:
        played = list(deal["exchanged"])
        for player, (turn_up, rounds) in deal["exchanged"].items():
            must, took = find_quota(options, turn_up, rounds), deal["tricks_taken"].get(player, 0)
            points[player] = took >= must
            if took >= must:
                book["points"][player] -= took
            else:
                book["points"][player] += options["penalty_per_trick"] * (must - took)
    if options["finish"] == "clamp_zero":
        for player in played:
            book["points"][player] = max(book["points"][player], 0)
    book["won"] = knektpass_winners(
        options, before, book["points"], played, points, deal.get("order")
    )
    return next_player(deal["dealer"], seats)


def count_rounds(order, spoken):
    """Return the number of rounds with exchanges (§4.2). Each round goes once around, forehand
    first."""
    count, place = 1, -1
    for player in spoken:
        if order.index(player) <= place:
            count += 1
        place = order.index(player)
    return count


def find_quota(options, turn_up, rounds):
    """Return the tricks that a player must take (A-KP-1 to A-KP-3)."""
    extra = 1 if turn_up and options["turn_up_counts"] else 0
    must = {
        "sum": sum(rounds) + extra,
        "capped_at_5": min(5, sum(rounds) + extra),
        "last_round": (rounds[-1] if rounds else 0) + extra,
    }[options["exchange_quota"]]
    return max(must, options["min_trick_floor"])


def knektpass_winners(options, old_points, new_points, played, points, order):
    """Return the winners (§4.4, A-KP-4 and A-KP-5)."""
    exact = options["finish"] == "exact"
    home = [p for p in played if (new_points[p] == 0 if exact else new_points[p] <= 0)]
    if not home:
        return ()
    if options["finish_tie"] == "trick_order" and order:
        left = {p: old_points[p] for p in home if points.get(p)}
        for player in order:
            if player in left:
                left[player] -= 1
                if left[player] == 0:
                    return (player,)
    lowest = min(new_points[p] for p in home)
    return tuple(p for p in home if new_points[p] == lowest)


def knektpass_payments(book):
    """Return what each player gets: a player pays the difference to each one with fewer points."""
    points, value = book["points"], book["options"]["point_value"] or 0
    return {p: value * sum(points[o] - points[p] for o in points) for p in points}
