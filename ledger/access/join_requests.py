"""Joining without a link: a join code finds the session, and the host answers a join request.

The code gives no access; it only says which session to ask.
"""

import secrets
from uuid import UUID

import msgspec
from psycopg.rows import class_row

from engine.errors import RuleViolation
from ledger.access.devices import Device, NoNumberLeft, add_device
from ledger.store.connection_pool import Connection, Pool, fetch_value

OPEN_CODE = """
INSERT INTO vola.join_codes (code, session_id, expires_at)
VALUES (%(code)s, %(session_id)s, clock_timestamp() + %(seconds)s * interval '1 second')
ON CONFLICT DO NOTHING
RETURNING (extract(epoch FROM expires_at) * 1000000)::bigint
"""
CLOSE_CODE = """
UPDATE vola.join_codes SET expires_at = '-infinity'
 WHERE session_id = %(session_id)s AND expires_at > '-infinity'
"""
"""The row stays, so that a repeated join request still finds the session, and with it its reply."""
DELETE_EXPIRED_CODE = """
DELETE FROM vola.join_codes WHERE code = %(code)s
   AND expires_at NOT BETWEEN clock_timestamp() AND clock_timestamp() + %(far)s * interval '1 s'
"""
SESSION_OF_CODE = "SELECT session_id FROM vola.join_codes WHERE code = %(code)s"
CURRENT_CODE = """
SELECT code, (extract(epoch FROM expires_at) * 1000000)::bigint FROM vola.join_codes
 WHERE session_id = %(session_id)s AND expires_at > '-infinity'
   AND expires_at BETWEEN clock_timestamp() AND clock_timestamp() + %(far)s * interval '1 s'
"""
JOIN_REQUESTS = """
SELECT request_number AS number, label, role, made_at AS created_at, device_number, refused,
       withdrawn
  FROM vola.join_requests
 WHERE session_id = %(session_id)s AND request_number = coalesce(%(number)s, request_number)
 ORDER BY request_number
"""
"""Those of a session, or the one with this number."""
NEXT_NUMBER = """
SELECT coalesce(max(request_number), 0) + 1,
       count(*) FILTER (WHERE device_number IS NULL AND NOT refused),
       count(*) FILTER (WHERE withdrawn AND made_at >= %(code_made_at)s)
  FROM vola.join_requests WHERE session_id = %(session_id)s
"""
ADD_JOIN_REQUEST = """
INSERT INTO vola.join_requests (session_id, request_number, label, role, made_at)
VALUES (%(session_id)s, %(number)s, %(label)s, %(role)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
"""
CLOSE_JOIN_REQUEST = """
UPDATE vola.join_requests
   SET device_number = %(device_number)s, refused = %(refused)s, withdrawn = %(withdrawn)s,
       label = NULL
 WHERE session_id = %(session_id)s AND request_number = %(number)s
"""

CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The characters of a code, without those that are mistaken for others: 0, 1, I, O."""
CODE_LENGTH = 6
CODE_LIFETIME_SECONDS = 2 * 3600
FAR_SECONDS = 2 * CODE_LIFETIME_SECONDS
"""A code that seems to be valid for longer was made while the clock was ahead; it has expired."""
NO_ANSWER = {"device_number": None, "refused": False, "withdrawn": False}
MAX_WAITING = 20
MAX_WITHDRAWN = 50
"""Of the requests with one code, which ends then: someone could use up all numbers with it."""
MAX_REQUEST_NUMBER = 9999


class UnknownJoinCode(Exception):
    """No session has this code at present."""


class UnknownJoinRequest(Exception):
    """There is no join request with this number."""


class TooManyJoinRequests(RuleViolation):
    """The session has its maximum of waiting requests."""


class AlreadyAnswered(RuleViolation):
    """Join request {number} already has another answer."""


class JoinRequestWithdrawn(RuleViolation):
    """The requester has withdrawn join request {number}."""


class JoinCode(msgspec.Struct, frozen=True):
    """`expires_at` in microseconds since 1970, UTC."""

    code: str
    expires_at: int


class JoinRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for access, and its answer. `created_at` in microseconds since 1970, UTC."""

    number: int
    label: str | None
    role: str
    created_at: int
    device_number: int | None = None
    refused: bool = False
    withdrawn: bool = False

    @property
    def status(self) -> str:
        if self.withdrawn:
            return "withdrawn"
        if self.refused:
            return "refused"
        return "pending" if self.device_number is None else "approved"


def open_join_code(db: Connection, session_id: UUID) -> JoinCode:
    """Replace the session's code by a new one, which is valid for two hours."""
    close_join_code(db, session_id)
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        db.execute(DELETE_EXPIRED_CODE, {"code": code, "far": FAR_SECONDS})
        new_code = {"code": code, "session_id": session_id, "seconds": CODE_LIFETIME_SECONDS}
        if expires_at := fetch_value(db, OPEN_CODE, new_code):
            return JoinCode(code, expires_at)


def close_join_code(db: Connection, session_id: UUID) -> None:
    """End the session's code, if it has one."""
    db.execute(CLOSE_CODE, {"session_id": session_id})


def current_join_code(db: Connection, session_id: UUID) -> JoinCode | None:
    """Return the session's code, if it has one that is valid."""
    row = db.execute(CURRENT_CODE, {"session_id": session_id, "far": FAR_SECONDS}).fetchone()
    return None if row is None else JoinCode(*row)


def find_session(pool: Pool, code: str) -> UUID:
    """Return the session that has this code, however it is typed, also if the code is no longer
    valid. Raise UnknownJoinCode."""
    with pool.connection() as db:
        session_id: UUID | None = fetch_value(db, SESSION_OF_CODE, {"code": _stored_code(code)})
    if session_id is None:
        raise UnknownJoinCode
    return session_id


def _stored_code(code: str) -> str:
    return "".join(sign for sign in code.upper() if sign.isalnum())


def create_join_request(db: Connection, session_id: UUID, code: str, label: str, role: str) -> int:
    """Add a request and return its number, in a transaction that has locked the session.
    Raise UnknownJoinCode, also for a code that is no longer valid or with which too many requests
    were made and withdrawn; TooManyJoinRequests, NoNumberLeft."""
    current = current_join_code(db, session_id)
    if current is None or current.code != _stored_code(code):
        raise UnknownJoinCode
    code_made_at = current.expires_at - CODE_LIFETIME_SECONDS * 1_000_000
    numbered = {"session_id": session_id, "code_made_at": code_made_at}
    ((number, waiting, withdrawn),) = db.execute(NEXT_NUMBER, numbered)
    if withdrawn >= MAX_WITHDRAWN:
        raise UnknownJoinCode
    if number > MAX_REQUEST_NUMBER:
        raise NoNumberLeft
    if waiting >= MAX_WAITING:
        raise TooManyJoinRequests
    parameters = {"session_id": session_id, "number": number, "label": label, "role": role}
    db.execute(ADD_JOIN_REQUEST, parameters)
    return int(number)


def approve(db: Connection, session_id: UUID, number: int, role: str | None) -> Device:
    """Give the requester's device access, in the role it asked for or as `role`.
    Raise UnknownJoinRequest, JoinRequestWithdrawn, AlreadyAnswered, devices.TooManyDevices,
    NoNumberLeft."""
    join_request = read_join_request(db, session_id, number)
    if join_request.withdrawn:
        raise JoinRequestWithdrawn(number=number)
    if join_request.status != "pending":
        raise AlreadyAnswered(number=number)
    device = add_device(db, session_id, role or join_request.role, join_request.label, None)
    _close(db, session_id, number, device_number=device.number)
    return device


def refuse(db: Connection, session_id: UUID, number: int) -> None:
    """Refuse the request; a second time changes nothing. Raise UnknownJoinRequest,
    JoinRequestWithdrawn, AlreadyAnswered."""
    join_request = read_join_request(db, session_id, number)
    if join_request.withdrawn:
        raise JoinRequestWithdrawn(number=number)
    if join_request.status == "approved":
        raise AlreadyAnswered(number=number)
    _close(db, session_id, number, refused=True)


def withdraw(db: Connection, session_id: UUID, number: int) -> None:
    """Withdraw the request; a second time changes nothing. Raise UnknownJoinRequest,
    AlreadyAnswered."""
    if read_join_request(db, session_id, number).status in ("approved", "refused"):
        raise AlreadyAnswered(number=number)
    _close(db, session_id, number, refused=True, withdrawn=True)


def read_join_request(db: Connection, session_id: UUID, number: int) -> JoinRequest:
    """Return one request. Raise UnknownJoinRequest."""
    for join_request in list_join_requests(db, session_id, number):
        return join_request
    raise UnknownJoinRequest


def list_join_requests(
    db: Connection, session_id: UUID, number: int | None = None
) -> list[JoinRequest]:
    """Return all requests, the oldest first; or the one with this number, if there is one."""
    with db.cursor(row_factory=class_row(JoinRequest)) as cursor:
        parameters = {"session_id": session_id, "number": number}
        return cursor.execute(JOIN_REQUESTS, parameters).fetchall()


def _close(db: Connection, session_id: UUID, number: int, **answer: object) -> None:
    parameters = {"session_id": session_id, "number": number, **NO_ANSWER, **answer}
    db.execute(CLOSE_JOIN_REQUEST, parameters)
