"""Sends calls, again where that is safe."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from .problem import Unreachable, problem_of
from .record import Record, if_match_of

_FIRST_WAIT = 0.2
_LONGEST_WAIT = 5.0


class Calls:
    """
    :param base_url: of the service: ``https://ads.example.com``
    :param token: an API token, or what reads the current one
    :param retries: how often a call is sent again
    :param timeout: seconds for each answer
    :param max_wait: seconds; a longer Retry-After is not waited for
    :param page_size: records of a page of a list
    """

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str],
        *,
        retries: int = 4,
        timeout: float = 30.0,
        max_wait: float = 60.0,
        page_size: int = 500,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._retries = retries
        self._timeout = timeout
        self._max_wait = max_wait
        self._page_size = page_size

    @staticmethod
    def step(value: str | int) -> str:
        """A step of a path."""
        if not isinstance(value, (str, int)):
            raise TypeError("An id must be a number or a text.")
        return quote(str(value), safe="")

    def call(self, method: str, path: str, **more: Any) -> Any:
        """Calls an operation. Returns the JSON of its answer, the bytes of a file, or None."""
        headers, content = self._ask(method, path, **more)
        if not content:
            return None
        if "json" not in headers.get("Content-Type", ""):
            return content
        value = json.loads(content)
        if isinstance(value, dict):
            value = Record(value)
            value.etag = headers.get("ETag")
        return value

    def pages(
        self,
        method: str,
        path: str,
        *,
        max_page: int,
        page_size: int | None = None,
        query: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Iterator[Any]:
        """Goes through a list, which is read page by page."""
        limit = min(page_size or self._page_size, max_page)
        offset = 0
        while True:
            asked = {**(query or {}), "limit": limit, "offset": offset}
            headers, content = self._ask(method, path, query=asked, **more)
            rows = json.loads(content)
            yield from rows
            offset += len(rows)
            # A page of long records ends early; then the header says that the list goes on.
            if 'rel="next"' not in headers.get("Link", "") and len(rows) < limit:
                return

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        joined: Sequence[str] = (),
        body: Any = None,
        media_type: str | None = None,
        if_match: Mapping[str, object] | str | None = None,
        note: str | None = None,
        keyed: bool = False,
        idempotency_key: str | None = None,
    ) -> tuple[Mapping[str, str], bytes]:
        headers = {"Accept": "application/json"}
        if media_type is not None:
            headers["Content-Type"] = media_type
        if note is not None:
            headers["Change-Note"] = quote(note)
        if if_match is not None:
            headers["If-Match"] = if_match_of(if_match)
        if keyed:
            # The same for every time that the call is sent, so that it is carried out once.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        token = self._token if isinstance(self._token, str) else self._token()
        headers["Authorization"] = f"Bearer {token}"
        is_json = media_type is not None and media_type.endswith("json")
        data = json.dumps(body).encode() if is_json else body
        url = f"{self._base_url}{path}{_query_of(query or {}, joined)}"
        is_repeatable = method in ("GET", "POST") or if_match is None
        return self._send(Request(url, data, headers, method=method), is_repeatable)

    def _send(self, request: Request, is_repeatable: bool) -> tuple[Mapping[str, str], bytes]:
        """Sends a call, again after 408, 429 and a 409 that says when; after a loss only if it is repeatable."""
        was_lost = False
        for attempt in range(self._retries + 1):
            fault: Exception
            status = 0
            said = None
            try:
                with urlopen(request, timeout=self._timeout) as answer:
                    return answer.headers, answer.read()
            except HTTPError as refused:
                status = refused.code
                said = _retry_after(refused.headers.get("Retry-After"))
                fault = problem_of(status, _content_of(refused))
            except (URLError, HTTPException, OSError) as lost:
                fault = Unreachable(f"{self._base_url} gave no answer: {lost}")
                fault.__cause__ = lost
            if was_lost and request.get_method() == "DELETE" and status == 404:
                # The first of several was carried out, and its answer was lost.
                return {}, b""
            is_refused = status in (408, 429) or (status == 409 and said is not None)
            is_lost = status == 0 or status >= 500
            if attempt == self._retries or not (is_refused or (is_lost and is_repeatable)):
                raise fault
            wait = said if said is not None else min(_LONGEST_WAIT, _FIRST_WAIT * 2**attempt) * random.uniform(0.5, 1)
            if wait > self._max_wait:
                raise fault
            was_lost = was_lost or is_lost
            time.sleep(wait)
        raise AssertionError("The last attempt returns or raises.")


def _content_of(refused: HTTPError) -> bytes:
    try:
        return refused.read()
    except (HTTPException, OSError):
        return b""


def _query_of(query: Mapping[str, Any], joined: Sequence[str]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        values = value if isinstance(value, (list, tuple, set)) else [value]
        words = ["true" if one is True else "false" if one is False else str(one) for one in values]
        pairs += [(name, ",".join(words))] if name in joined else [(name, word) for word in words]
    return f"?{urlencode(pairs)}" if pairs else ""


def _retry_after(text: str | None) -> float | None:
    """Seconds, of seconds or of a date."""
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None
