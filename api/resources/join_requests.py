"""Joining without a link: type a join code, ask for access, wait for the host's answer.

The code only says which session it is; the role is the host's to give.
"""

import hashlib

from flask import Blueprint, Response, g

from api.auth.access import authenticate_join_request, requires
from api.auth.tokens import derive_numbered_token
from api.http import pagination
from api.http.app_state import event_store, token_secret
from api.http.idempotency import append_request, read_write_request
from api.http.problems import Problem, register_refusal
from api.http.responses import json_response, reply_response
from api.http.session_request import change_metadata
from api.rate_limit.policy import Policy
from api.representations.access import join_code_view, join_request_view
from api.schemas.access import ApprovalSchema, EmptySchema, JoinRequestSchema
from api.schemas.strict import load_body
from ledger.access import join_requests
from ledger.events.recorded_event import UnknownSession
from ledger.store.append_request import AppendRequest

blueprint = Blueprint("join_requests", __name__, url_prefix="/v1")
register_refusal(blueprint, join_requests.UnknownJoinCode, 404, "unknown_join_code")
register_refusal(blueprint, join_requests.UnknownJoinRequest, 404, "unknown_join_request", "number")


@blueprint.get("/sessions/<session>/join-code")
@requires("host")
def show_code() -> Response:
    """Return the code that finds this session, while there is one."""
    with event_store().pool.connection() as db:
        code = join_requests.current_join_code(db, g.session_id)
    if code is None:
        raise Problem(404, "no_join_code")
    return json_response(join_code_view(code))


@blueprint.post("/sessions/<session>/join-code")
@requires("host", writes=True)
def open_code() -> Response:
    """Make a new code, for two hours; the one before it ends."""
    load_body(EmptySchema)
    reply = change_metadata(
        lambda db: join_code_view(join_requests.open_join_code(db, g.session_id))
    )
    return reply_response(reply, reply.operands, "/join-code")


@blueprint.delete("/sessions/<session>/join-code")
@requires("host", writes=True)
def close_code() -> Response:
    """End the code; requests that were made with it still wait."""
    reply = change_metadata(lambda db: join_requests.close_join_code(db, g.session_id))
    return reply_response(reply, {"code": None, "expires_at": None})


@blueprint.post("/join-requests")
@Policy(limits_attempts=True)
def create_join_request() -> Response:
    """Ask for access; the token in the response reads the answer."""
    read_write_request(creates=True)
    request = load_body(JoinRequestSchema)
    session_id = join_requests.find_session(event_store().pool, request["code"])
    reply = change_metadata(
        lambda db: {"number": join_requests.create_join_request(db, session_id, **request)},
        session_id,
        _requester_request(),
    )
    number = reply.operands["number"]
    view = {
        "number": number,
        "status": "pending",
        "session": str(session_id),
        "token": derive_numbered_token(token_secret(), "join", session_id, number),
    }
    return reply_response(reply, view, "/join-request")


@blueprint.get("/sessions/<session>/join-request")
def show_own_join_request(session: str) -> Response:
    """Return the answer to the requester's own request; once accepted, with a device's token."""
    session_id, number = authenticate_join_request(session)
    try:
        with event_store().pool.connection() as db:
            own = join_requests.read_join_request(db, session_id, number)
    except join_requests.UnknownJoinRequest:
        raise UnknownSession from None
    view: dict[str, object] = {"number": own.number, "status": own.status}
    if own.device_number is not None:
        view["token"] = derive_numbered_token(
            token_secret(), "phone", session_id, own.device_number
        )
    return json_response(view)


show_own_join_request.needs_role = "join_request"  # type: ignore[attr-defined]  # the contract test reads it


@blueprint.delete("/sessions/<session>/join-request")
def withdraw_join_request(session: str) -> Response:
    """Withdraw the requester's own request, so that the host no longer sees it."""
    read_write_request()
    session_id, number = authenticate_join_request(session)
    try:
        reply = change_metadata(
            lambda db: join_requests.withdraw(db, session_id, number),
            session_id,
            _requester_request(f"{number} "),
        )
    except join_requests.UnknownJoinRequest:
        raise UnknownSession from None
    return reply_response(reply, {"number": number, "status": "withdrawn"})


withdraw_join_request.needs_role = "join_request"  # type: ignore[attr-defined]  # the contract test reads it


@blueprint.get("/sessions/<session>/join-requests")
@requires("host")
def list_join_requests() -> Response:
    """Return the requests that wait for an answer."""
    with event_store().pool.connection() as db:
        requests = join_requests.list_join_requests(db, g.session_id)
    pending = [request for request in requests if request.status == "pending"]
    page, next_page = pagination.paginate(
        "join-requests", pending, lambda _, request: request.number
    )
    return json_response({"join_requests": [join_request_view(r) for r in page], **next_page})


@blueprint.post("/sessions/<session>/join-requests/<int:number>/approval")
@requires("host", writes=True)
def approve_join_request(number: int) -> Response:
    """Give the device access, in the role it asked for or as `role`."""
    role = load_body(ApprovalSchema)["role"]
    reply = change_metadata(
        lambda db: {"device": join_requests.approve(db, g.session_id, number, role).id}
    )
    device = reply.operands["device"]
    view = {"number": number, "status": "approved", "device": device}
    return reply_response(reply, view, f"/devices/{device}")


@blueprint.delete("/sessions/<session>/join-requests/<int:number>")
@requires("host", writes=True)
def refuse_join_request(number: int) -> Response:
    """Refuse access to the device."""
    reply = change_metadata(lambda db: join_requests.refuse(db, g.session_id, number))
    return reply_response(reply, {"number": number, "status": "refused"})


def _requester_request(scope: str = "") -> AppendRequest:
    """Return the request for the store, its key apart from those of people inside the session.

    `scope` keeps apart the keys of different requesters. No version is compared: outsiders do not
    know it.
    """
    key = f"○ join request {scope}" + hashlib.sha256(g.key.encode()).hexdigest()
    return append_request("any", key, by="join_request")
