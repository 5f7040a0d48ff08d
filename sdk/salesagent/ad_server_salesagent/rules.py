"""What buyers ask for, in the fields of the ad server. What has no equal is refused, never left out silently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


class NotKept(Exception):
    """What a booking cannot keep, in words: nothing was booked."""


_RULES = {
    "geo_countries": "countries",
    "geo_regions": "regions",
    "device_type_any_of": "devices",
    "language": "languages",
}
_EXCLUDED = {"geo_countries_exclude": "countries", "geo_regions_exclude": "regions"}
_DEVICES = {"desktop", "mobile", "tablet"}
#: Of an overlay, what says nothing about who sees an ad.
_SILENT = {"tenant_id", "created_at", "updated_at"}


def _plain(value: Any) -> Any:
    """A value without the classes of the Sales Agent: texts may be in ``root`` or ``value``."""
    if isinstance(value, (list, tuple, set)):
        return [_plain(one) for one in value]
    for name in ("root", "value"):
        if not isinstance(value, (str, int, float, bool, Mapping)) and hasattr(value, name):
            return _plain(getattr(value, name))
    return value


def _members(overlay: Any) -> Iterable[tuple[str, Any]]:
    if overlay is None:
        return []
    given = overlay if isinstance(overlay, Mapping) else overlay.model_dump(exclude_none=True)
    return [(name, _plain(value)) for name, value in given.items() if value not in (None, [], {}, "") and name not in _SILENT]


def targeting_of(overlay: Any) -> dict[str, Any]:
    """The targeting of a line item. Raises NotKept for a rule that line items do not have."""
    targeting: dict[str, Any] = {}
    exclude: dict[str, Any] = {}
    for name, value in _members(overlay):
        if name in ("key_value_pairs", "axe_include_segment"):
            raise NotKept(f"Signals ({name}) are not known to the ad server: leave them out.")
        if name in _EXCLUDED:
            exclude[_EXCLUDED[name]] = value
        elif name not in _RULES:
            raise NotKept(f"Impressions cannot be targeted by {name}: understood are {', '.join([*_RULES, *_EXCLUDED])}.")
        elif name == "device_type_any_of" and not set(value) <= _DEVICES:
            raise NotKept(f"Devices are {', '.join(sorted(_DEVICES))}; {', '.join(sorted(set(value) - _DEVICES))} is none.")
        else:
            targeting[_RULES[name]] = value
    return {**targeting, **({"exclude": exclude} if exclude else {})}


def creative_of(asset: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a creative. Raises NotKept for an asset that makes none."""
    fields: dict[str, Any] = {"name": str(asset.get("name") or asset["creative_id"])}
    if asset.get("click_url"):
        fields["click_url"] = asset["click_url"]
    if asset.get("width") and asset.get("height"):
        fields.update(width=int(asset["width"]), height=int(asset["height"]))
    url = asset.get("media_url") or asset.get("url")
    snippet, kind = asset.get("snippet"), asset.get("snippet_type")
    if snippet and kind in ("vast_url", "vast_xml"):
        if kind == "vast_xml":
            raise NotKept("VAST is taken as an address (vast_url), not as XML.")
        return {**fields, "format": "video", "content": json.dumps({"tag": snippet})}
    if snippet:
        return {**fields, "format": "html", "content": snippet}
    if not url:
        raise NotKept("It has neither an address of a picture or a video (media_url, url) nor a snippet.")
    if "video" in str(asset.get("format", "")):
        if not asset.get("duration"):
            raise NotKept("A video needs its duration, in seconds.")
        size = {name: fields[name] for name in ("width", "height") if name in fields}
        media = [{"url": url, "type": asset.get("mime_type", "video/mp4"), **size}]
        return {**fields, "format": "video", "content": json.dumps({"duration": asset["duration"], "media": media})}
    return {**fields, "format": "banner", "content": json.dumps({"image": url, "alt": fields["name"]})}
