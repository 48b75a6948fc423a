"""A phone: what it keeps of a session, and the form's own modules, which judge what it sees."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.browser.javascript_engine import JavaScriptEngine

Doc = dict[str, Any]
TASKS = Path(__file__).with_name("phone_tasks.js")


class HostView(NamedTuple):
    """What a host shows: the session's version and players, and the answer to each request."""

    session: str
    version: int
    players: list[Doc]
    answer: Callable[[str], Doc | None]

    @property
    def screen(self) -> Doc:
        return {"version": self.version, "players": self.players}


class Phone:
    """A phone that keeps a record of one session, as the form does."""

    def __init__(self, engine: JavaScriptEngine, record: Doc | None = None) -> None:
        self.engine = engine
        self.record: Doc = record or engine.run("emptyRecord")

    def copy(self) -> Phone:
        return Phone(self.engine, deepcopy(self.record))

    def lose_storage(self) -> None:
        self.record = self.engine.run("emptyRecord")

    def keep_receipt(self, receipt: Doc) -> None:
        """Keep the receipt of a write of this phone."""
        self.record = self.engine.run("keepReceipt", {"record": self.record, "receipt": receipt})

    @property
    def newest_version(self) -> int:
        """The newest version of the kept checkpoint and of its own writes; 0 if none."""
        head, receipts = self.record["head"], self.record["receipts"]
        claims = [*([head] if head else []), *receipts]
        return max((claim["version"] for claim in claims), default=0)

    def look(self, view: HostView) -> str | None:
        """Make a phone's own checks. Return the reason for its alarm, or None."""
        argument = {"session": view.session, "record": self.record, "screen": view.screen}
        result = self.engine.run("look", argument, view.answer)
        self.record = result["record"]
        alarm: str | None = result["alarm"]
        return alarm

    def check_export(self, players: list[Doc], text: str) -> str | None:
        """Compare an export with what is kept. Return why it does not hold, or None."""
        argument = {"record": self.record, "players": players, "text": text}
        reason: str | None = self.engine.run("checkExport", argument)
        return reason

    def compare_files(self, document: str, earlier: str | None) -> str | None:
        """Return the verifier's code if a file does not hold beside one that was saved earlier."""
        argument = {"document": document, "earlier": earlier}
        code: str | None = self.engine.run("compareFiles", argument)
        return code
