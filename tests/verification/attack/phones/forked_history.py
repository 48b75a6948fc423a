"""Histories that the host forks: one phone is shown one branch, and another phone the other."""

from __future__ import annotations

import json

from tests.support.proofs.cosigned_documents import witness_claim
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Attempt, Hosts, answer_from
from tests.verification.attack.phones.phone import Doc

FORKED = Hosts()


def fork_history(attempt: Attempt, first: int = 1) -> tuple[int, SignedBook]:
    """Return the last version that both branches have, and the branch of the other phone."""
    shared = attempt.draw_seen_version(first + 1) - 1
    return shared, attempt.branch(shared, len(attempt.book.events) + 3)


@FORKED.register("the phone is answered from the other branch")
def _(attempt: Attempt) -> str | None:
    return attempt.look_somehow(fork_history(attempt)[1])


@FORKED.register("the phone comes from the other branch to this one")
def _(attempt: Attempt) -> str | None:
    version, last = max(attempt.seen_version, 1), len(attempt.book.events)
    if version >= last:
        raise NotApplicable
    branch = attempt.branch(attempt.die.randint(version, last - 1), last + 3)
    assert attempt.look(branch) is None, "nothing that it knew is missing"
    return attempt.look_somehow(attempt.book)


@FORKED.register("both branches joined again, one after the other")
def _(attempt: Attempt) -> str | None:
    shared, branch = fork_history(attempt)
    joined = [*branch.events, *attempt.history()[shared:]]
    return attempt.look_somehow(attempt.forge_book(joined))


@FORKED.register("each answer from either branch")
def _(attempt: Attempt) -> str | None:
    branch = fork_history(attempt)[1]
    answers = (answer_from(attempt.book), answer_from(branch))
    differing_paths: list[str] = []

    def answer(path: str) -> Doc:
        """Answer from either branch at random, and at least once from the other phone's branch."""
        document = answers[not differing_paths or attempt.die.random() < 0.5](path)
        differing_paths.extend([path] if document != answers[0](path) else [])
        return document

    return attempt.look(attempt.book, answer)


@FORKED.register("a write of the phone is only in the other branch")
def _(attempt: Attempt) -> str | None:
    head, last = attempt.phone.record["head"], len(attempt.book.events)
    shared = attempt.die.randint(head["version"] if head else 1, last)
    if shared == last:
        raise NotApplicable
    attempt.phone.keep_receipt(attempt.book.bare_receipt(attempt.die.randint(shared + 1, last)))
    return attempt.look(attempt.branch(shared, last + 3))


@FORKED.register("the phone is given the other phone's export")
def _(attempt: Attempt) -> str | None:
    return attempt.check_export(fork_history(attempt)[1])


@FORKED.register("receipts of both phones, on the page /verify")
def _(attempt: Attempt) -> str | None:
    shared, branch = fork_history(attempt)
    version = attempt.die.randint(shared + 1, min(len(branch.events), len(attempt.book.events)))
    own, other = (book.receipt(version) for book in (attempt.book, branch))
    return attempt.phone.compare_files(json.dumps(other), json.dumps(own))


@FORKED.register("a receipt and the other phone's export, on the page /verify")
def _(attempt: Attempt) -> str | None:
    shared, branch = fork_history(attempt)
    own = attempt.book.receipt(attempt.die.randint(1, attempt.seen_version), attempt.seen_version)
    assert shared < attempt.seen_version
    return attempt.phone.compare_files(json.dumps(branch.export()), json.dumps(own))


@FORKED.register("cosignatures of one branch under the other, on the page /verify")
def _(attempt: Attempt) -> str | None:
    shared, branch = fork_history(attempt)
    cosigned = witness_claim(
        attempt.book, attempt.die.randint(shared + 1, attempt.seen_version), "p1", "p2"
    )
    export = {**branch.export(), "witnessed": cosigned}
    return attempt.phone.compare_files(json.dumps(export), None)
