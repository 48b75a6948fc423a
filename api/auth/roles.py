"""The roles that an access token may have."""

from typing import Literal

from api.http.problems import Problem

Role = Literal["host", "scorer", "viewer"]
ROLES: tuple[Role, ...] = ("host", "scorer", "viewer")  # each may do what those after it may


def check_role(role: Role, required: Role) -> None:
    """Raise Problem 403 unless `role` is the required one or a higher one."""
    if ROLES.index(role) > ROLES.index(required):
        raise Problem(403, "role_too_low", role=role, needed=required)
