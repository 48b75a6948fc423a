"""Histories that the host forks: one phone is shown one branch, and another phone the other."""

from __future__ import annotations

import json

from tests.support.proofs.cosigned_documents import witness_claim
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Scene, answers_of, dishonest
from tests.verification.attack.phones.phone import Doc

FORKED = "history forked between two phones"


def fork(scene: Scene, first: int = 1) -> tuple[int, SignedBook]:
    """Return the last version that both branches have, and the branch of the other phone."""
    shared = scene.version_seen(first + 1) - 1
    return shared, scene.branch(shared, len(scene.book.events) + 3)


@dishonest(FORKED, "the phone is answered from the other branch")
def _(scene: Scene) -> str | None:
    return scene.look_somehow(fork(scene)[1])


@dishonest(FORKED, "the phone comes from the other branch to this one")
def _(scene: Scene) -> str | None:
    version, last = max(scene.seen, 1), len(scene.book.events)
    if version >= last:
        raise NotApplicable
    branch = scene.branch(scene.die.randint(version, last - 1), last + 3)
    assert scene.look(branch) is None, "nothing that it knew is missing"
    return scene.look_somehow(scene.book)


@dishonest(FORKED, "both branches joined again, one after the other")
def _(scene: Scene) -> str | None:
    shared, branch = fork(scene)
    joined = [*branch.events, *scene.history()[shared:]]
    return scene.look_somehow(scene.forged(joined))


@dishonest(FORKED, "each answer from either branch")
def _(scene: Scene) -> str | None:
    branch = fork(scene)[1]
    answers, differing = (answers_of(scene.book), answers_of(branch)), list[str]()

    def answer(path: str) -> Doc:
        """Answer from either branch at random, and at least once from the other phone's branch."""
        given = answers[not differing or scene.die.random() < 0.5](path)
        differing.extend([path] if given != answers[0](path) else [])
        return given

    return scene.look(scene.book, answer)


@dishonest(FORKED, "a write of the phone is only in the other branch")
def _(scene: Scene) -> str | None:
    head, last = scene.phone.record["head"], len(scene.book.events)
    shared = scene.die.randint(head["version"] if head else 1, last)
    if shared == last:
        raise NotApplicable
    scene.phone.keep_receipt(scene.book.bare_receipt(scene.die.randint(shared + 1, last)))
    return scene.look(scene.branch(shared, last + 3))


@dishonest(FORKED, "the phone is given the other phone's export")
def _(scene: Scene) -> str | None:
    return scene.check_export(fork(scene)[1])


@dishonest(FORKED, "receipts of both phones, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork(scene)
    version = scene.die.randint(shared + 1, min(len(branch.events), len(scene.book.events)))
    own, other = (book.receipt(version) for book in (scene.book, branch))
    return scene.phone.compare_files(json.dumps(other), json.dumps(own))


@dishonest(FORKED, "a receipt and the other phone's export, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork(scene)
    own = scene.book.receipt(scene.die.randint(1, scene.seen), scene.seen)
    assert shared < scene.seen
    return scene.phone.compare_files(json.dumps(branch.export()), json.dumps(own))


@dishonest(FORKED, "cosignatures of one branch under the other, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork(scene)
    cosigned = witness_claim(scene.book, scene.die.randint(shared + 1, scene.seen), "p1", "p2")
    export = {**branch.export(), "witnessed": cosigned}
    return scene.phone.compare_files(json.dumps(export), None)
