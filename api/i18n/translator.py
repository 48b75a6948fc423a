"""What the program says, in the reader's language: Swedish first.

A sentence is looked up by a stable code and filled with operands; names of players replace their
ids, amounts are written as the language writes them. Catalogs: `sv.json` and its siblings.
"""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from babel.numbers import format_currency, format_decimal, get_currency_precision
from flask import has_request_context, request

from api.i18n.field_errors import as_field_error
from api.i18n.message import CountedNoun, Message, parse_message
from engine.cards import Card, pack, rank, suit
from engine.values import Amount, Player
from ledger.projections.postings import Posting
from ledger.reporting.deal_outcome import DealOutcome
from ledger.reporting.posting_reasons import Explanation

LANGUAGES = ("sv", "en", "da", "de")
LOCALES = {"sv": "sv_SE", "en": "en_GB", "da": "da_DK", "de": "de_DE"}
CURRENCY_SIGNS = {"SEK": "kr", "NOK": "kr", "DKK": "kr."}
"""Where a locale only knows the code: an evening has one currency, so the short sign is clear.
English readers at a Nordic table write "10 kr", too."""

HTTP_CODES = {
    400: "malformed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    500: "internal_error",
    503: "database_unavailable",
}

Names = Mapping[Player, str | None]

AMOUNT_OPERANDS = frozenset({"stake", "balance", "limit", "amount", "pot", "bets"})
"""Operands of refusals that are money."""
CARD_OPERANDS = frozenset({"card", "legal"})
"""Operands of refusals that are cards."""
DECK = frozenset(pack("2"))


class _Operands(dict[str, object]):
    """Operands of a sentence; a missing one shows as its own name in braces."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _without_double_stop(sentence: str) -> str:
    """Drop the second full stop of a sentence that ends in Danish "10 kr."."""
    return sentence.replace("kr..", "kr.")


@cache
def catalog(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        (Path(__file__).parent / "catalogs" / f"{language}.json").read_text("utf-8")
    )
    return loaded


@cache
def text(language: str, key: str) -> str:
    """Return the catalog's text under a key such as `statement.title`."""
    entry: Any = catalog(language)
    for part in key.split("."):
        entry = entry[part]
    return str(entry)


@cache
def message(language: str, kind: str, code: str) -> Message:
    """Return a parsed message of the section `why` or `outcome`."""
    return parse_message(text(language, f"{kind}.{code}"), catalog(language)["counted"])


def request_translator() -> "Translator":
    """Return a translator for the language that the request asks for, or Swedish."""
    if has_request_context():
        language = request.args.get("lang")
        if language in LANGUAGES:
            return Translator(str(language))
        return Translator(preferred_language())
    return Translator("sv")


def preferred_language() -> str:
    """Return the first language in Accept-Language that has a catalog, or Swedish.

    Werkzeug's own choice prefers any exact match to taking `de-AT` for German.
    """
    wanted = (tag.lower().partition("-")[0] for tag, quality in request.accept_languages if quality)
    return next((language for language in wanted if language in LANGUAGES), "sv")


def is_whole_units(amount: Amount, currency: str) -> bool:
    """Whether the amount has no minor units, as in 10 kr."""
    return currency == "chips" or not amount % 10 ** get_currency_precision(currency)


class Translator:
    """The sentences, names, amounts and numbers of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = catalog(language)

    def __call__(self, key: str, **operands: object) -> str:
        return _without_double_stop(text(self.language, key).format(**operands))

    def player_name(self, player: Player, names: Names) -> str:
        """Return a player's name, or a number for a name that was erased."""
        return names.get(player) or self("nameless", number=player[1:])

    def player_names(self, players: tuple[Player, ...] | list[Player], names: Names) -> str:
        shown_names = [self.player_name(player, names) for player in players]
        return (
            self("and", first=", ".join(shown_names[:-1]), last=shown_names[-1])
            if len(shown_names) > 1
            else shown_names[0]
        )

    def format_money(
        self, amount: Amount, currency: str, *, sign: bool = False, fixed: bool = False
    ) -> str:
        """`1 234,50 kr`; whole kronor without decimals, unless `fixed`. Exact: no float."""
        plus = "+" if sign and amount > 0 else ""
        if currency == "chips":
            return plus + self(
                "chips", amount=format_decimal(amount, locale=LOCALES[self.language])
            )
        kronor = self.language == "en" and currency in CURRENCY_SIGNS
        locale = Locale.parse("en_SE" if kronor else LOCALES[self.language])
        places = get_currency_precision(currency)
        pattern = locale.currency_formats["standard"].pattern
        short = not fixed and is_whole_units(amount, currency)
        written = format_currency(
            Decimal(amount).scaleb(-places),
            currency,
            pattern.replace(".00", "") if short else pattern,
            locale,
            currency_digits=not short,
        )
        kr = (
            "kr."
            if self.language == "da" and currency in CURRENCY_SIGNS
            else CURRENCY_SIGNS.get(currency, currency)
        )
        return plus + written.replace(currency, kr).replace("-", "−")

    def problem_detail(
        self, code: str, operands: Mapping[str, Any], names: Names, currency: str | None = None
    ) -> str:
        """The sentence of a refusal, or the bare code when nobody has put it into words."""
        sentence = self._words["problems"].get(code)
        if sentence is None:
            return code.replace("_", " ")
        said = {k: self._format_operand(k, v, names, currency) for k, v in operands.items()}
        text = _without_double_stop(str(sentence).format_map(_Operands(said)))
        return text[:1].upper() + text[1:] if sentence.startswith("{card}") else text

    def field_error(self, message: str) -> str:
        """Return what is wrong with a field; a message without a code stays as it is."""
        error = as_field_error(message)
        return self(f"fields.{error.code}", **error.operands) if error else message

    def card_name(self, card: Card) -> str:
        """A card by its name, as players say it: `klöver knekt`."""
        called = self._words["cards"]["names"]
        named = {"suit": called[suit(card)], "rank": called.get(rank(card), rank(card))}
        return str(self._words["cards"]["said"]).format(**named)

    def card_names(self, cards: Iterable[Card]) -> str:
        return ", ".join(map(self.card_name, cards))

    def _format_operand(self, key: str, value: Any, names: Names, currency: str | None) -> object:
        if isinstance(value, str) and key in CARD_OPERANDS and value in DECK:
            return self.card_name(value)
        if isinstance(value, str):
            return self._name_players(value, names)
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return ", ".join(str(self._format_operand(key, v, names, currency)) for v in value)
        if key in AMOUNT_OPERANDS and currency and isinstance(value, int):
            return self.format_money(value, currency)
        return value

    def _name_players(self, value: str, names: Names) -> str:
        """A player by his name, partners by theirs; any other word as it is."""
        who = value.split("+")
        return self.player_names(who, names) if all(player in names for player in who) else value

    def explain_posting(self, reason: Explanation, names: Names, currency: str) -> str:
        """Return one sentence that names the rule and its numbers."""
        moved = {"amount": self.posting_amount(reason.posting, currency)}
        said = self._fill("why", reason, names, currency, moved)
        return f"{said} ({reason.rule})" if reason.rule else said

    def describe_outcome(self, told: DealOutcome, names: Names, currency: str) -> str:
        points = [
            self(
                "score",
                who=self.player_names(who, names),
                points=self.format_number(points, sign=True),
            )
            for who, points in told.scores
        ]
        return self._fill("outcome", told, names, currency, {"scores": ", ".join(points)})

    def posting_amount(self, posting: Posting, currency: str) -> str:
        """What a posting moves, in money or in points."""
        if posting.unit == "money":
            return self.format_money(posting.amount, currency)
        return self.format_points(posting.amount)

    def format_points(self, points: int) -> str:
        one = "point" if abs(points) == 1 else "points"
        return self(one, points=self.format_number(points))

    def format_number(self, number: int, *, sign: bool = False) -> str:
        """A whole number with a real minus sign; with `sign`, a plus as well."""
        written = str(format_decimal(number, locale=LOCALES[self.language])).replace("-", "−")
        return f"+{written}" if sign and number > 0 else written

    def _fill(
        self,
        kind: str,
        said: Explanation | DealOutcome,
        names: Names,
        currency: str,
        more: Mapping[str, str],
    ) -> str:
        """The sentence of its code with its operands, each as the language writes it."""
        form, operands, counted = message(self.language, kind, said.code)
        players, amounts, numbers = said.players, said.amounts, said.numbers
        filled = list[object]()
        for name in operands:
            if name in more:
                filled.append(more[name])
            elif name in players:
                who = players[name]
                ids = (who,) if isinstance(who, str) else who
                filled.append(self.player_names(ids, names) if ids and ids[0] else "")
            elif name in amounts:
                filled.append(self.format_money(amounts[name], currency))
            elif name in numbers:
                filled.append(numbers[name])
            else:
                filled.append(self._counted_noun(counted[name], numbers))
        return _without_double_stop(form % tuple(filled))

    def _counted_noun(self, counted: CountedNoun, numbers: Mapping[str, int]) -> str:
        """A number with the noun that the sentence counts: `taken_tricks` is "1 trick"."""
        number = numbers[counted.number]
        form = {0: counted.none, 1: counted.one}.get(number, counted.many)
        return form.format(number=self.format_number(number))

    def account_name(self, account: str, names: Names) -> str:
        kind, _, which = account.partition(":")
        if kind == "player":
            return self.player_name(which, names)
        if kind == "score":
            return self("accounts.score", who=self.player_names(which.split("+"), names))
        return self(f"accounts.{kind}", number=which)
