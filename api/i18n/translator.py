"""What the program says, in the reader's language: Swedish first.

A sentence is looked up by a stable code and filled with operands; names of players replace their
ids, amounts are written as the language writes them. Catalogs: `sv.json` and its siblings.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from babel.numbers import format_currency, format_decimal, get_currency_precision
from flask import has_request_context, request

from api.words.fields import told_apart
from api.words.sentences import Counted, Sentence, cut
from engine.values import Amount, Player
from ledger.postings import Posting
from ledger.why import Reason, Told

LANGUAGES = ("sv", "en", "da", "de")
LOCALES = {"sv": "sv_SE", "en": "en_GB", "da": "da_DK", "de": "de_DE"}
SIGNS = {"SEK": "kr", "NOK": "kr", "DKK": "kr."}
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

AMOUNTS = frozenset({"stake", "balance", "limit", "amount", "pot", "bets"})
"""Operands of refusals that are money."""


class _Known(dict[str, object]):
    """Operands; one that a sentence names and nobody gave is shown as it is called."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _stopped_once(said: str) -> str:
    """A sentence that ends in Danish "10 kr." has its full stop already."""
    return said.replace("kr..", "kr.")


@cache
def catalog(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        (Path(__file__).parent / f"{language}.json").read_text("utf-8")
    )
    return loaded


@cache
def text(language: str, key: str) -> str:
    """What a catalog has under `statement.title`."""
    found: Any = catalog(language)
    for part in key.split("."):
        found = found[part]
    return str(found)


@cache
def sentence(language: str, kind: str, code: str) -> Sentence:
    """One of the many: under `why` or `outcome`."""
    return cut(text(language, f"{kind}.{code}"), catalog(language)["counted"])


def speaker(language: str | None = None) -> "Speaker":
    """In this language, or the one the reader asked for (`?lang=`, Accept-Language), or Swedish."""
    if language in LANGUAGES:
        return Speaker(str(language))
    if has_request_context():
        asked = request.args.get("lang")
        if asked in LANGUAGES:
            return Speaker(str(asked))
        return Speaker(asked_for())
    return Speaker("sv")


def asked_for() -> str:
    """The first language that the reader asks for and we have, whatever country he speaks it in;
    else Swedish. (Werkzeug's own choice takes any exact match before `de-AT` is German.)"""
    wishes = (tag.lower().partition("-")[0] for tag, quality in request.accept_languages if quality)
    return next((wish for wish in wishes if wish in LANGUAGES), "sv")


def whole(amount: Amount, currency: str) -> bool:
    """Whether it can be written without öre."""
    return currency == "chips" or not amount % 10 ** get_currency_precision(currency)


class Speaker:
    """Says things in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = catalog(language)

    def __call__(self, key: str, **operands: object) -> str:
        return _stopped_once(text(self.language, key).format(**operands))

    def name(self, player: Player, names: Names) -> str:
        """A player's name; without one he is numbered, as an erased name is."""
        return names.get(player) or self("nameless", number=player[1:])

    def people(self, players: tuple[Player, ...] | list[Player], names: Names) -> str:
        said = [self.name(player, names) for player in players]
        return self("and", first=", ".join(said[:-1]), last=said[-1]) if len(said) > 1 else said[0]

    def money(
        self, amount: Amount, currency: str, *, sign: bool = False, fixed: bool = False
    ) -> str:
        """`1 234,50 kr`; whole kronor without decimals, unless `fixed`. Exact: no float."""
        plus = "+" if sign and amount > 0 else ""
        if currency == "chips":
            return plus + self(
                "chips", amount=format_decimal(amount, locale=LOCALES[self.language])
            )
        kronor = self.language == "en" and currency in SIGNS
        locale = Locale.parse("en_SE" if kronor else LOCALES[self.language])
        places = get_currency_precision(currency)
        pattern = locale.currency_formats["standard"].pattern
        short = not fixed and whole(amount, currency)
        written = format_currency(
            Decimal(amount).scaleb(-places),
            currency,
            pattern.replace(".00", "") if short else pattern,
            locale,
            currency_digits=not short,
        )
        kr = "kr." if self.language == "da" and currency in SIGNS else SIGNS.get(currency, currency)
        return plus + written.replace(currency, kr).replace("-", "−")

    def problem(
        self, code: str, operands: Mapping[str, Any], names: Names, currency: str | None = None
    ) -> str:
        """The sentence of a refusal, or the bare code when nobody has put it into words."""
        sentence = self._words["problems"].get(code)
        if sentence is None:
            return code.replace("_", " ")
        said = {k: self._operand(k, v, names, currency) for k, v in operands.items()}
        return _stopped_once(str(sentence).format_map(_Known(said)))

    def field(self, sentence: str) -> str:
        """What is wrong with a field; as the schema says it when nobody has put it into words."""
        known = told_apart(sentence)
        return self(f"fields.{known[0]}", **known[1]) if known else sentence

    def _operand(self, key: str, value: Any, names: Names, currency: str | None) -> object:
        if isinstance(value, str):
            return self._named(value, names)
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return ", ".join(str(self._operand(key, v, names, currency)) for v in value)
        if key in AMOUNTS and currency and isinstance(value, int):
            return self.money(value, currency)
        return value

    def _named(self, value: str, names: Names) -> str:
        """A player by his name, partners by theirs; any other word as it is."""
        who = value.split("+")
        return self.people(who, names) if all(player in names for player in who) else value

    def why(self, reason: Reason, names: Names, currency: str) -> str:
        """One sentence that names the rule and its numbers."""
        moved = {"amount": self.amount(reason.posting, currency)}
        said = self._filled("why", reason, names, currency, moved)
        return f"{said} ({reason.rule})" if reason.rule else said

    def outcome(self, told: Told, names: Names, currency: str) -> str:
        points = [
            self("score", who=self.people(who, names), points=self.number(points, sign=True))
            for who, points in told.scores
        ]
        return self._filled("outcome", told, names, currency, {"scores": ", ".join(points)})

    def amount(self, posting: Posting, currency: str) -> str:
        """What a posting moves, in money or in points."""
        if posting.unit == "money":
            return self.money(posting.amount, currency)
        return self.points(posting.amount)

    def points(self, points: int) -> str:
        one = "point" if abs(points) == 1 else "points"
        return self(one, points=self.number(points))

    def number(self, number: int, *, sign: bool = False) -> str:
        """A whole number with a real minus sign; with `sign`, a plus as well."""
        written = str(format_decimal(number, locale=LOCALES[self.language])).replace("-", "−")
        return f"+{written}" if sign and number > 0 else written

    def _filled(
        self,
        kind: str,
        said: Reason | Told,
        names: Names,
        currency: str,
        more: Mapping[str, str],
    ) -> str:
        """The sentence of its code with its operands, each as the language writes it."""
        form, operands, counted = sentence(self.language, kind, said.code)
        players, amounts, numbers = said.players, said.amounts, said.numbers
        filled = list[object]()
        for name in operands:
            if name in more:
                filled.append(more[name])
            elif name in players:
                who = players[name]
                ids = (who,) if isinstance(who, str) else who
                filled.append(self.people(ids, names) if ids and ids[0] else "")
            elif name in amounts:
                filled.append(self.money(amounts[name], currency))
            elif name in numbers:
                filled.append(numbers[name])
            else:
                filled.append(self._counted(counted[name], numbers))
        return _stopped_once(form % tuple(filled))

    def _counted(self, counted: Counted, numbers: Mapping[str, int]) -> str:
        """A number with the noun that the sentence counts: `taken_tricks` is "1 trick"."""
        number = numbers[counted.number]
        form = counted.one if number == 1 else counted.many
        return form.format(number=self.number(number))

    def account(self, account: str, names: Names) -> str:
        kind, _, which = account.partition(":")
        if kind == "player":
            return self.name(which, names)
        if kind == "score":
            return self("accounts.score", who=self.people(which.split("+"), names))
        return self(f"accounts.{kind}", number=which)
