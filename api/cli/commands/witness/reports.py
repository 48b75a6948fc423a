"""What `vola witness` prints about each session: only news, and each problem once."""

import click

from api.cli.refusal import print_refusal
from api.observability.logging_config import escape_control_characters
from api.witness.invite_link import InviteLink
from api.witness.session_watch import HistoryContradicted, Observation, OtherKey
from ledger.proofs.signing_key import key_words

VALID, CONTRADICTED, UNREACHABLE = 0, 1, 2
"""The exit codes."""
CONTRADICTIONS = {
    "other_key": "version {version} is signed with a key that the known one does not endorse",
    "other_session": "version {version} is of another session",
    "checkpoint_wrong": "the checkpoint of version {version} is about something else",
    "signature_wrong": "the signature of version {version} is not by the book's key",
    "rewritten": "version {version} is not the one that this witness has seen",
    "tail_missing": "version {version}, which this witness has seen, is missing",
    "inclusion_wrong": "the book cannot show that version {version} is in its history",
    "consistency_wrong": "the book cannot show that its history continues version {version}",
}


class Reports:
    """Prints news to the standard output, and problems to the error output."""

    def __init__(self) -> None:
        self.exit_code = VALID
        self._troubles: dict[InviteLink, str] = {}

    def show_observation(self, link: InviteLink, observation: Observation) -> None:
        receipt, earlier = observation.receipt, observation.earlier
        title, version, key = observation.title, receipt.head.version, receipt.key
        words = f"{key_words(bytes.fromhex(key))} ({key})"
        if earlier is None:
            _say(f"{title}: version {version}, signed with the key {words}.")
            _say("  Compare its words with those on the table's page or a printed statement.")
        elif receipt.earlier_keys != earlier.earlier_keys:
            _say(f"{title}: a new key, endorsed by the one before: {words}.")
        if earlier and earlier.head.version != version:
            _say(f"{title}: version {version} continues version {earlier.head.version}.")
        if observation.refusal:
            code = observation.refusal
            self.show_trouble(link, f"{title} holds, but the book refuses the cosignature: {code}.")
        elif self._troubles.pop(link, None):
            _say(f"{title}: reached again, at version {version}.")

    def show_contradiction(self, link: InviteLink, error: HistoryContradicted) -> None:
        self.exit_code = CONTRADICTED
        contradiction = error.contradiction
        if contradiction is None:
            if link in self._troubles:
                return
            reason = "an earlier look found so"
        else:
            reason = CONTRADICTIONS[contradiction.reason].format(version=contradiction.version)
        sentence = f"{error.title} DOES NOT HOLD: {reason}. Both documents are in {error.file}; as"
        self._show_once(link, f"{sentence} long as that file is there, nothing is cosigned.")

    def show_other_key(self, link: InviteLink, error: OtherKey) -> None:
        self.exit_code = CONTRADICTED
        words = key_words(bytes.fromhex(error.key))
        sentence = f"{error.title} is signed with the key {words} ({error.key}), not with that of"
        self._show_once(link, f"{sentence} --key: compare them. Nothing was kept or cosigned.")

    def note_reached(self, link: InviteLink) -> None:
        """Forget the problem with a group, so that it is printed again if it returns."""
        if link.kind == "c":
            self._troubles.pop(link, None)

    def show_trouble(self, link: InviteLink, sentence: str) -> None:
        self.exit_code = self.exit_code or UNREACHABLE
        self._show_once(link, sentence)

    def _show_once(self, link: InviteLink, sentence: str) -> None:
        if self._troubles.get(link) != sentence:
            self._troubles[link] = sentence
            print_refusal(sentence)


def _say(sentence: str) -> None:
    click.echo(escape_control_characters(sentence))
