"""Sentences, names, amounts and numbers in the reader's language, by default Swedish.

A sentence is looked up by a stable code and filled with operands; names of players replace their
ids, and amounts are written as the language writes them.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from babel import Locale
from babel.numbers import format_currency, format_decimal
from flask import request

from api.i18n.catalog import LANGUAGES, LOCALES, catalog, message
from api.i18n.field_errors import MARSHMALLOW_CODES, FieldError
from api.i18n.message import Message, PluralForms
from api.i18n.text_direction import isolate_name
from engine.cards import Card, pack, rank, suit
from engine.values import Amount, Player
from ledger.events.currency import KRONA_CURRENCIES, currency_places
from ledger.reporting.deal_outcome import DealOutcome
from ledger.reporting.posting_reasons import Explanation

KRONA_SIGNS = {"da": "kr."}
"""How the sign of KRONA_CURRENCIES is written, by language; otherwise `kr`, as in the form. Locales
write "Nkr", "Dkr" or a code, but an evening has one currency, so the short sign is clear. English
readers at a Nordic table write it, too."""

DAY_PATTERNS = {
    "sv": ("%Y-%m-%d", "%m-%d"),
    "en": ("%d/%m/%Y", "%d/%m"),
    "da": ("%d.%m.%Y", "%d.%m."),
    "de": ("%d.%m.%Y", "%d.%m."),
}
"""How a day is written in figures, with its year and without, by language, for `strftime`."""

NARROW_SIGNS = {"GBP": "£"}
"""Signs that the form writes and Babel's Swedish does not."""

CODE_BEFORE_DIGIT = re.compile(r"(?<=[A-Z])(?=\d)")
"""English sets a sign, `£5`, beside its amount, but a code, `KWD 5`, apart from it."""

Names = Mapping[Player, str | None]
NO_NAMES: Names = {}

AMOUNT_OPERANDS = frozenset({"stake", "balance", "limit", "amount", "pot", "bets"})
"""Operands of refusals that are money."""
CARD_OPERANDS = frozenset({"card", "legal"})
"""Operands of refusals that are cards."""
DAY_OPERAND = "day"
"""The operand of refusals that is a day, `2026-11-30`."""
DECK = frozenset(pack("2"))
CACHE_SIZE = 256
"""The most cached texts of each kind: amounts, numbers, people, accounts."""


def request_translator(names: Names = NO_NAMES) -> "Translator":
    """Return a translator for the language that the request asks for, or Swedish."""
    language = request.args.get("lang", "")
    return Translator(language if language in LANGUAGES else preferred_language(), names)


def preferred_language() -> str:
    """Return the first language in Accept-Language that has a catalog, or Swedish.

    Werkzeug's own choice prefers any exact match to taking `de-AT` for German.
    """
    accepted = (tag.partition("-")[0].lower() for tag, q in request.accept_languages if q)
    return next((language for language in accepted if language in LANGUAGES), "sv")


class Translator:
    """The sentences, amounts and numbers of one language, with the names of a session's players."""

    def __init__(self, language: str, names: Names = NO_NAMES) -> None:
        self.language = language
        self._names = names
        self._catalog = catalog(language)
        self.day_pattern, self.short_day_pattern = DAY_PATTERNS[language]

    def __call__(self, key: str, **operands: object) -> str:
        return self._render(message(self.language, key), operands, operands.__getitem__)

    def player_name(self, player: Player) -> str:
        """Return the name of a player or member, or a number for a name that was erased."""
        nameless = "statement.member" if player.startswith("m") else "nameless"
        name = self._names.get(player)
        return isolate_name(name) if name else self(nameless, number=player[1:])

    def player_names(self, players: tuple[Player, ...] | list[Player]) -> str:
        *first_names, last_name = map(self.player_name, players)
        if not first_names:
            return last_name
        return self("and", first=", ".join(first_names), last=last_name)

    def format_money(
        self, amount: Amount, currency: str, *, sign: bool = False, fixed: bool = False
    ) -> str:
        """Return `1 234,50 kr`; whole kronor without decimals, unless `fixed`. Exact: no float."""
        plus = "+" if sign and amount > 0 else ""
        if currency == "chips":
            return plus + self("chips", amount=amount)
        is_krona = currency in KRONA_CURRENCIES
        locale = Locale.parse(
            "en_SE" if is_krona and self.language == "en" else LOCALES[self.language]
        )
        places = currency_places(currency)
        pattern = locale.currency_formats["standard"].pattern
        decimals = f".{'0' * places}" if fixed or amount % 10**places else ""
        pattern = pattern.replace(".00", decimals if places else "")
        if is_krona:
            pattern = pattern.replace("¤", KRONA_SIGNS.get(self.language, "kr"))
        pattern = pattern.replace("¤", NARROW_SIGNS.get(currency, "¤"))
        number = Decimal(amount).scaleb(-places)
        # Babel's own number of decimals for a currency changes from version to version
        written = format_currency(number, currency, pattern, locale, currency_digits=False)
        written = written.replace("-", "−")
        return plus + CODE_BEFORE_DIGIT.sub("\N{NO-BREAK SPACE}", written)

    def format_day(self, day: str) -> str:
        """Return a day, `2026-11-30`, in the figures and the order of the language."""
        return date.fromisoformat(day).strftime(self.day_pattern)

    def problem_detail(
        self, code: str, operands: Mapping[str, Any], currency: str | None = None
    ) -> str:
        """Return the sentence of a refusal, or its bare code if the catalog lacks it. A missing
        operand shows as its own name in braces."""
        sentence = self._catalog["problems"].get(code)
        if sentence is None:
            return code.replace("_", " ")

        def value_of(name: str) -> object:
            if name not in operands:
                return f"{{{name}}}"
            return self._format_operand(name, operands[name], currency)

        detail = self._render(message(self.language, f"problems.{code}"), operands, value_of)
        return detail[:1].upper() + detail[1:] if sentence.startswith("{card}") else detail

    def field_error(self, message: str) -> dict[str, object]:
        """Return what is wrong with a field: code, sentence and operands.

        A message that is not in the catalogs stays as it is, under the code `invalid`.
        """
        if isinstance(message, FieldError):
            detail = self(f"fields.{message.code}", **message.operands)
            return {"code": message.code, "detail": detail, **message.operands}
        code = MARSHMALLOW_CODES.get(message)
        if code is None:
            return {"code": "invalid", "detail": message}
        return {"code": code, "detail": self(f"fields.{code}")}

    def card_name(self, card: Card) -> str:
        """Return a card as players call it: `klöver knekt`."""
        words = self._catalog["cards"]["names"]
        rank_name = words.get(rank(card), rank(card))
        return self("cards.said", suit=words[suit(card)], rank=rank_name)

    def _format_operand(self, key: str, value: Any, currency: str | None) -> object:
        if isinstance(value, str) and key in CARD_OPERANDS and value in DECK:
            return self.card_name(value)
        if isinstance(value, str) and key == DAY_OPERAND:
            return self.format_day(value)
        if isinstance(value, str):
            return self._name_players(value)
        if isinstance(value, list) and value and all(isinstance(v, str | int) for v in value):
            if all(v in self._names for v in value):
                return self.player_names(value)
            return ", ".join(str(self._format_operand(key, v, currency)) for v in value)
        if key in AMOUNT_OPERANDS and currency and isinstance(value, int):
            return self.format_money(value, currency)
        return value

    def _name_players(self, value: str) -> str:
        """Return the name of a player, or those of partners; any other word as it is."""
        players = value.split("+")
        is_side = all(player in self._names for player in players)
        return self.player_names(players) if is_side else value

    def explain_posting(self, reason: Explanation, currency: str) -> str:
        """Return one sentence that names the rule and its numbers."""
        posting = reason.posting
        if posting.unit == "points":
            amount = self.format_points(posting.amount)
        else:
            amount = self.format_money(posting.amount, currency)
        numbers = {"points": posting.amount, **reason.numbers}
        sentence = self._fill("why", reason, currency, numbers, {"amount": amount})
        return f"{sentence} ({reason.rule})" if reason.rule else sentence

    def describe_outcome(self, outcome: DealOutcome, currency: str) -> str:
        scores: list[str] = []
        for side, points in outcome.scores:
            change = self.format_number(points, sign=True)
            scores.append(self("score", who=self.player_names(side), points=change))
        joined = {"scores": ", ".join(scores)}
        return self._fill("outcome", outcome, currency, {}, joined)

    def format_points(self, points: int) -> str:
        return self("points", points=points)

    def format_number(self, number: int, *, sign: bool = False) -> str:
        """Return a whole number with a real minus sign; with `sign`, a plus as well."""
        written = str(format_decimal(number, locale=LOCALES[self.language])).replace("-", "−")
        return f"+{written}" if sign and number > 0 else written

    def _fill(
        self,
        kind: str,
        content: Explanation | DealOutcome,
        currency: str,
        numbers: Mapping[str, int],
        texts: Mapping[str, str],
    ) -> str:
        """Return the message of the content's code with its operands, or `texts` for them."""
        players, amounts = content.players, content.amounts

        def value_of(name: str) -> object:
            if name in texts:
                return texts[name]
            if name in players:
                side = players[name]
                ids = (side,) if isinstance(side, str) else side
                return self.player_names(ids) if ids and ids[0] else ""
            return self.format_money(amounts[name], currency) if name in amounts else numbers[name]

        return self._render(message(self.language, f"{kind}.{content.code}"), numbers, value_of)

    def _render(
        self, message: Message, numbers: Mapping[str, Any], value_of: Callable[[str], object]
    ) -> str:
        """Return the message with the values of its operands and the plural forms of `numbers`."""
        values = [
            self._plural_form(operand, numbers[operand.number])
            if isinstance(operand, PluralForms)
            else value_of(operand)
            for operand in message.operands
        ]
        sentence = message.form % tuple(values)
        return sentence.replace("kr..", "kr.")  # at the end, after Danish "10 kr."

    def _plural_form(self, plural: PluralForms, number: int) -> str:
        """Return the form for the number: "no tricks", "1 trick"."""
        return plural.choose(self.language, number).replace("#", self.format_number(number))

    def account_name(self, account: str) -> str:
        kind, _, owner = account.partition(":")
        if kind == "player":
            return self.player_name(owner)
        if kind == "score":
            return self("accounts.score", who=self.player_names(owner.split("+")))
        return self(f"accounts.{kind}", number=owner)


class CachedTranslator(Translator):
    """A translator that caches its texts: a long statement repeats a few hundred of them."""

    def __init__(self, language: str, names: Names) -> None:
        super().__init__(language, names)
        self._people = lru_cache(CACHE_SIZE)(super().player_names)
        amounts = (super().format_money, super().format_number, super().format_points)
        for method in (*amounts, super().account_name):
            setattr(self, method.__name__, lru_cache(CACHE_SIZE)(method))

    def player_names(self, players: tuple[Player, ...] | list[Player]) -> str:
        return self._people(tuple(players))
