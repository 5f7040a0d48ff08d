"""Records with their ETag."""

from __future__ import annotations

from collections.abc import Mapping


class Record(dict):
    """An answer, with the ETag that came with it."""

    etag: str | None = None


def etag_of(record: Mapping[str, object]) -> str | None:
    """The ETag of a record that the client read or changed; None: it came from a list, or is a copy."""
    return getattr(record, "etag", None)


def if_match_of(match: Mapping[str, object] | str) -> str:
    """The If-Match header for a change of a record that was read."""
    tag = match if isinstance(match, str) else etag_of(match)
    if tag is None:
        raise ValueError("if_match needs an ETag, or a record that was read by its id.")
    return tag
