"""What calls raise."""

from __future__ import annotations

import json
from typing import TypedDict


class FieldFault(TypedDict):
    """A fault of a body or a parameter."""

    pointer: str
    detail: str


class Problem(Exception):
    """What the service refused, as it says it (RFC 9457)."""

    def __init__(self, status: int, body: dict) -> None:
        self.status = status
        self.code: str = body.get("code", "unknown")
        self.detail: str = body.get("detail") or body.get("title") or f"The service answered {status}."
        self.errors: list[FieldFault] = body.get("errors", [])
        #: By which the service's log names the call.
        self.request_id: str | None = body.get("request_id")
        super().__init__("\n".join([self.detail, *(f"{one['pointer']} {one['detail']}" for one in self.errors)]))


class Unreachable(Exception):
    """The service could not be reached, or did not answer in time. A change may have been carried out all the same."""


def problem_of(status: int, content: bytes) -> Problem:
    from .problems import BY_CODE

    try:
        body = json.loads(content)
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    return BY_CODE.get(str(body.get("code")), Problem)(status, body)
