"""Histories that the host forks: one phone is shown one branch, and another phone the other."""

from __future__ import annotations

import json

from tests.support.proofs.cosigned_documents import witness_claim
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones.dishonest_host import Scene, answer_from, register_host
from tests.verification.attack.phones.phone import Doc

FORKED = "history forked between two phones"


def fork_history(scene: Scene, first: int = 1) -> tuple[int, SignedBook]:
    """Return the last version that both branches have, and the branch of the other phone."""
    shared = scene.version_seen(first + 1) - 1
    return shared, scene.branch(shared, len(scene.book.events) + 3)


@register_host(FORKED, "the phone is answered from the other branch")
def _(scene: Scene) -> str | None:
    return scene.look_somehow(fork_history(scene)[1])


@register_host(FORKED, "the phone comes from the other branch to this one")
def _(scene: Scene) -> str | None:
    version, last = max(scene.seen, 1), len(scene.book.events)
    if version >= last:
        raise NotApplicable
    branch = scene.branch(scene.die.randint(version, last - 1), last + 3)
    assert scene.look(branch) is None, "nothing that it knew is missing"
    return scene.look_somehow(scene.book)


@register_host(FORKED, "both branches joined again, one after the other")
def _(scene: Scene) -> str | None:
    shared, branch = fork_history(scene)
    joined = [*branch.events, *scene.history()[shared:]]
    return scene.look_somehow(scene.forged(joined))


@register_host(FORKED, "each answer from either branch")
def _(scene: Scene) -> str | None:
    branch = fork_history(scene)[1]
    answers, differing = (answer_from(scene.book), answer_from(branch)), list[str]()

    def answer(path: str) -> Doc:
        """Answer from either branch at random, and at least once from the other phone's branch."""
        given = answers[not differing or scene.die.random() < 0.5](path)
        differing.extend([path] if given != answers[0](path) else [])
        return given

    return scene.look(scene.book, answer)


@register_host(FORKED, "a write of the phone is only in the other branch")
def _(scene: Scene) -> str | None:
    head, last = scene.phone.record["head"], len(scene.book.events)
    shared = scene.die.randint(head["version"] if head else 1, last)
    if shared == last:
        raise NotApplicable
    scene.phone.keep_receipt(scene.book.bare_receipt(scene.die.randint(shared + 1, last)))
    return scene.look(scene.branch(shared, last + 3))


@register_host(FORKED, "the phone is given the other phone's export")
def _(scene: Scene) -> str | None:
    return scene.check_export(fork_history(scene)[1])


@register_host(FORKED, "receipts of both phones, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork_history(scene)
    version = scene.die.randint(shared + 1, min(len(branch.events), len(scene.book.events)))
    own, other = (book.receipt(version) for book in (scene.book, branch))
    return scene.phone.compare_files(json.dumps(other), json.dumps(own))


@register_host(FORKED, "a receipt and the other phone's export, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork_history(scene)
    own = scene.book.receipt(scene.die.randint(1, scene.seen), scene.seen)
    assert shared < scene.seen
    return scene.phone.compare_files(json.dumps(branch.export()), json.dumps(own))


@register_host(FORKED, "cosignatures of one branch under the other, on the page /verify")
def _(scene: Scene) -> str | None:
    shared, branch = fork_history(scene)
    cosigned = witness_claim(scene.book, scene.die.randint(shared + 1, scene.seen), "p1", "p2")
    export = {**branch.export(), "witnessed": cosigned}
    return scene.phone.compare_files(json.dumps(export), None)
