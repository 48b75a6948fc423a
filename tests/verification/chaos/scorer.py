"""Phones that keep score at random. Two share each table, so that their writes conflict."""

from __future__ import annotations

from typing import Any

from tests.support.player_names import FOUR_PLAYERS
from tests.verification.chaos.phone import Phone
from tests.verification.chaos.run_context import Group, Meeting, RunContext, Table

PLAYERS = ("p1", "p2", "p3", "p4")
DEALS_AN_EVENING = 25
AGREED = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "carry": True}


class Scorer(Phone):
    """A phone that keeps score of one table after the other, together with another phone."""

    def __init__(self, number: int, context: RunContext, seed: str, meeting: Meeting) -> None:
        super().__init__(number, context, seed)
        self.meeting = meeting

    def run(self) -> None:
        while not self.context.stop.is_set():
            table = self.meeting.table
            if table is None or table.closed:
                self._sit_down()
            else:
                self._take_action(table)

    def _sit_down(self) -> None:
        """Open an evening: mostly of the group, carried forward, and sometimes without it."""
        group = self.meeting.group
        if group is None:
            return self._found_group()
        terms = {"options": {"bet_payment": self.die.choice(("immediate", "on_collection"))}}
        if self.die.random() < 0.75:
            body = {**AGREED, **terms}
            reply = self.ask("open_group_session", "POST", f"{group.path}/sessions", body, group)
        else:
            body = {"game": AGREED["game"], "players": FOUR_PLAYERS, **terms}
            reply = self.ask("open_session", "POST", "/v1/sessions", body)
        if reply:
            self.meeting.table = Table(session=reply["id"], token=reply["tokens"]["host"])
        return None

    def _found_group(self) -> None:
        reply = self.ask(
            "create_group", "POST", "/v1/groups", {"name": "Torsdagar", "members": FOUR_PLAYERS}
        )
        if reply:
            self.meeting.group = Group(reply["id"], reply["tokens"]["host"])

    def _take_action(self, table: Table) -> None:
        state = self.ask("read", "GET", table.path, at=table)
        if state is None:
            return
        if state["status"] == "closed":
            table.closed = True
            return
        number, waiting = state["deal"]["number"], state["deal"]["phase"] == "waiting"
        roll = self.die.random()
        if number > DEALS_AN_EVENING and waiting:
            self._write(table, "close", "POST", "/closure", {})
        elif roll < 0.08:
            self._actions(table, "undo", {"type": "undo"})
        elif roll < 0.16:
            payer, payee = self.die.sample(PLAYERS, 2)
            amount = next(self.context.amounts)
            body = {"from": payer, "to": payee, "amount": amount}
            self._write(table, "transfer", "POST", "/transfers", body)
        elif roll < 0.21:
            self._take_cost_action(table, state.get("costs", []))
        elif roll < 0.27 and number > 1 and waiting:
            correction = {"actions": self._deal(), "reason": "fel skrivet", "later": "void"}
            deal_number = self.die.randint(max(1, number - 3), number - 1)
            self._write(table, "correct", "PUT", f"/deals/{deal_number}", correction)
        elif roll < 0.29 and number > 1:
            self._write(table, "void", "DELETE", f"/deals/{number - waiting}?later=void", None)
        elif waiting and roll < 0.85:
            opens = {"type": "open_deal", "number": number}
            self._actions(table, "deal", opens, *self._deal())
        elif waiting:
            self._actions(table, "action", {"type": "open_deal", "number": number})
        elif "declarers" not in state["deal"]:
            self._actions(table, "action", self._deal()[0])
        else:
            self._actions(table, "action", self._outcome())

    def _take_cost_action(self, table: Table, costs: list[dict[str, Any]]) -> None:
        """Record a cost, or correct or void one. No two costs have the same amount."""
        payer, other = self.die.sample(PLAYERS, 2)
        body: dict[str, Any] = {"payer": payer, "amount": next(self.context.amounts)}
        if self.die.random() < 0.5:
            body |= {"parts": {payer: self.die.randint(0, 2), other: 1}, "purpose": "Pizza"}
        roll = self.die.random() if costs else 0
        path = f"/costs/{self.die.choice(costs)['number']}" if costs else ""
        if roll < 0.5:
            self._write(table, "cost", "POST", "/costs", body)
        elif roll < 0.8:
            self._write(table, "correct_cost", "PUT", path, body)
        else:
            self._write(table, "void_cost", "DELETE", path, None)

    def _deal(self) -> list[dict[str, Any]]:
        if self.die.random() < 0.08:
            return [{"type": "all_pass"}]
        return [{"type": "declare", "players": [self.die.choice(PLAYERS)]}, self._outcome()]

    def _outcome(self) -> dict[str, Any]:
        player = self.die.choice(PLAYERS)
        if self.die.random() < 0.5:
            return {
                "type": "result",
                "la_vola": {"player": player, "won": self.die.random() < 0.9},
            }
        return {"type": "result", "winner": player}

    def _actions(self, table: Table, operation: str, *actions: dict[str, Any]) -> None:
        self._write(table, operation, "POST", "/actions", {"actions": list(actions)})

    def _write(self, table: Table, operation: str, method: str, path: str, body: Any) -> None:
        self.ask(operation, method, table.path + path, body, table)
