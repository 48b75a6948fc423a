"""Whoever is shown what happens at the table, and somebody who is shown nothing."""

from typing import Protocol

from ledger.entries import Entry
from ledger.session import Session


class Told(Protocol):
    """Shown each thing after it has been written."""

    def happened(self, session: Session, facts: tuple[Entry, ...]) -> None:
        """These facts, of one action or of a whole deal."""
        ...

    def taken_back(self, session: Session, anything: bool) -> None:
        """A person wanted his last choice back; whether there was one."""
        ...

    def left(self, session: Session, playing_on: bool) -> None:
        """The evening cannot close, for money is left to play for."""
        ...


class Silent:
    """For an evening that nobody watches."""

    def happened(self, session: Session, facts: tuple[Entry, ...]) -> None:
        pass

    def taken_back(self, session: Session, anything: bool) -> None:
        pass

    def left(self, session: Session, playing_on: bool) -> None:
        pass
