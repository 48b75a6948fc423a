"""Joining without a link: type a short code, ask for access, wait for the host's answer.

The code only says which session it is; the role is the host's to give.
"""

import hashlib

from flask import Blueprint, Response, g

from api.auth.access import authenticate_join_request, requires
from api.auth.tokens import derive_numbered_token
from api.http.app_state import event_store, token_secret
from api.http.idempotency import append_request, read_write_request
from api.http.problems import Problem, register_refusal
from api.http.responses import json_response, reply_response
from api.http.session_request import change_metadata
from api.rate_limit.policy import Policy
from api.representations.access import join_code_view, join_request_view
from api.schemas.access import AdmissionSchema, EmptySchema, JoinRequestSchema
from api.schemas.strict import load_body
from ledger.access import join_requests
from ledger.events.recorded_event import UnknownSession
from ledger.store.append_request import AppendRequest

blueprint = Blueprint("join_requests", __name__, url_prefix="/v1")
register_refusal(blueprint, join_requests.UnknownJoinCode, 404, "unknown_code")
register_refusal(blueprint, join_requests.TooManyJoinRequests, 409, "too_many_knocks")
register_refusal(blueprint, join_requests.UnknownJoinRequest, 404, "unknown_knock", "knock")
register_refusal(blueprint, join_requests.AlreadyAnswered, 409, "already_answered", "knock")
register_refusal(blueprint, join_requests.JoinRequestWithdrawn, 409, "knock_withdrawn", "knock")


@blueprint.get("/sessions/<session>/code")
@requires("host")
def show_code() -> Response:
    """Return the code that finds this session, while there is one."""
    code = join_requests.current_join_code(event_store().pool, g.session_id)
    if code is None:
        raise Problem(404, "door_shut")
    return json_response(join_code_view(code))


@blueprint.post("/sessions/<session>/code")
@requires("host", writes=True)
def open_code() -> Response:
    """Make a new code, for two hours; the one before it ends."""
    load_body(EmptySchema, g.body)
    reply = change_metadata(
        lambda db: join_code_view(join_requests.open_join_code(db, g.session_id))
    )
    return reply_response(reply, reply.operands)


@blueprint.delete("/sessions/<session>/code")
@requires("host", writes=True)
def close_code() -> Response:
    """End the code; requests that were made with it still wait."""
    reply = change_metadata(lambda db: join_requests.close_join_code(db, g.session_id))
    return reply_response(reply, {"code": None, "until": None})


@blueprint.post("/knocks")
@Policy(short_code=True)
def create_join_request() -> Response:
    """Ask for access; the token in the response reads the answer."""
    read_write_request(creates=True)
    request = load_body(JoinRequestSchema, g.body)
    session_id = join_requests.find_session(event_store().pool, request["code"])
    reply = change_metadata(
        lambda db: {
            "knock": join_requests.create_join_request(
                db, session_id, request["label"], request["role"]
            )
        },
        session_id,
        _requester_request(),
    )
    number = reply.operands["knock"]
    view = {
        "knock": number,
        "status": "waiting",
        "session": str(session_id),
        "token": derive_numbered_token(token_secret(), "knock", session_id, number),
    }
    return reply_response(reply, view)


@blueprint.get("/sessions/<session>/knock")
def show_own_join_request(session: str) -> Response:
    """Return the answer to the requester's own request; once accepted, with a device's token."""
    session_id, number = authenticate_join_request(session)
    try:
        own = join_requests.read_join_request(event_store().pool, session_id, number)
    except join_requests.UnknownJoinRequest:
        raise UnknownSession from None
    view: dict[str, object] = {"knock": own.number, "status": own.status}
    if own.device_number is not None:
        view["token"] = derive_numbered_token(
            token_secret(), "phone", session_id, own.device_number
        )
    return json_response(view)


show_own_join_request.needs_role = "knock"  # type: ignore[attr-defined]  # the contract test reads it


@blueprint.delete("/sessions/<session>/knock")
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
    except join_requests.AlreadyAnswered:
        raise Problem(409, "already_answered", knock=number) from None
    return reply_response(reply, {"knock": number, "status": "withdrawn"})


withdraw_join_request.needs_role = "knock"  # type: ignore[attr-defined]  # the contract test reads it


@blueprint.get("/sessions/<session>/knocks")
@requires("host")
def list_join_requests() -> Response:
    """Return the requests that wait for an answer."""
    requests = join_requests.list_join_requests(event_store().pool, g.session_id)
    waiting = [request for request in requests if request.status == "waiting"]
    return json_response({"knocks": [join_request_view(request) for request in waiting]})


@blueprint.put("/sessions/<session>/knocks/<int:knock>")
@requires("host", writes=True)
def accept_join_request(knock: int) -> Response:
    """Give the device access, in the role it asked for or as `role`."""
    role = load_body(AdmissionSchema, g.body)["role"]
    reply = change_metadata(
        lambda db: {"phone": join_requests.accept(db, g.session_id, knock, role).id}
    )
    view = {"knock": knock, "status": "let_in", "phone": reply.operands["phone"]}
    return reply_response(reply, view)


@blueprint.delete("/sessions/<session>/knocks/<int:knock>")
@requires("host", writes=True)
def refuse_join_request(knock: int) -> Response:
    """Refuse access to the device."""
    reply = change_metadata(lambda db: join_requests.refuse(db, g.session_id, knock))
    return reply_response(reply, {"knock": knock, "status": "refused", "phone": None})


def _requester_request(scope: str = "") -> AppendRequest:
    """Return the request for the store, its key apart from those of people inside the session.

    `scope` keeps apart the keys of different requesters. No version is compared: outsiders do not
    know it.
    """
    key = f"○ knock {scope}" + hashlib.sha256(g.key.encode()).hexdigest()
    return append_request("any", key, by="knock")
