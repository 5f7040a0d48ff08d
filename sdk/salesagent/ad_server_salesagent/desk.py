"""A buyer's desk at the ad server: bookings, creatives, changes and figures of one advertiser at one publisher."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from ad_server_client import AdServer, Problem

from .rules import NotKept, creative_of

_REPORT_PAGE = 500
_COPIED = ("name", "format", "content", "width", "height", "click_url")


@dataclass(frozen=True)
class Package:
    """What is bought of some placements. ``price`` is per thousand impressions, in the currency of the publisher."""

    package_id: str
    name: str
    placements: Sequence[str]
    price: float
    impressions: int
    guaranteed: bool
    targeting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def budget(self) -> float:
        return round(self.price * self.impressions / 1000, 6)


class Desk:
    def __init__(self, ads: AdServer, publisher_id: int, advertiser_id: int) -> None:
        self._ads = ads
        self._of = {"publisher_id": publisher_id, "advertiser_id": advertiser_id}

    def book(self, name: str, order: str | None, start: datetime, end: datetime, packages: Sequence[Package]) -> int:
        """Books a campaign with a line item for each package, in one transaction. The same call again is the same campaign."""
        flight = {"start_date": _moment(start), "end_date": _moment(end)}
        items = [{**_line_item(one), **flight} for one in packages]
        campaign = {**self._of, "name": name, "order_number": order, **flight, "budget": round(sum(one.budget for one in packages), 6)}
        key = hashlib.sha256(json.dumps([campaign, items], sort_keys=True).encode()).hexdigest()[:24]
        for item in items:
            item["external_key"] = f"salesagent:{key}:{item['external_key']}"
        campaign["external_key"] = f"salesagent:{key}"
        body = {"campaign": {"fields": campaign}, "line_items": [{"fields": item} for item in items]}
        booked = self._ads.book_campaign(body, idempotency_key=f"salesagent-{key}")
        return booked["campaign"]["id"]

    def items_of(self, campaign_id: int) -> dict[str, dict[str, Any]]:
        """The line items of a campaign of this desk, by the ids of their packages."""
        campaign = self._ads.get_campaign(campaign_id)
        if any(campaign[name] != value for name, value in self._of.items()):
            raise NotKept(f"Campaign {campaign_id} is of another advertiser or publisher.")
        found = {}
        for item in self._ads.list_line_items(campaign_id=campaign_id):
            found[str(item["external_key"] or item["id"]).split(":", 2)[-1]] = item
        return found

    def add_creative(self, campaign_id: int, asset: Mapping[str, Any]) -> str:
        """Adds a creative to the packages that it is assigned to, or gives it its new content. Returns ``pending`` or ``approved``."""
        fields = creative_of(asset)
        items = self.items_of(campaign_id)
        wanted = [one["package_id"] if isinstance(one, Mapping) else one for one in asset.get("package_assignments") or items]
        missing = [one for one in wanted if one not in items]
        if missing:
            raise NotKept(f"The media buy has no package {', '.join(missing)}.")
        states = {self._put(items[one]["id"], str(asset["creative_id"]), fields)["status"] for one in wanted}
        return "pending" if "pending" in states else "approved"

    def copy_creative(self, line_item_id: int, creative_id: int) -> None:
        """Adds a creative of another line item to one. The line item keeps its own."""
        creative = self._ads.get_creative(creative_id)
        if creative["line_item_id"] != line_item_id:
            fields = {name: creative[name] for name in _COPIED if creative.get(name) is not None}
            self._put(line_item_id, str(creative_id), fields)

    def _put(self, line_item_id: int, creative_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        key = f"{line_item_id}:{creative_id}"
        for one in self._ads.list_creatives(line_item_id=line_item_id):
            if one["external_key"] == key:
                return self._ads.update_creative(one["id"], dict(fields))
        return self._ads.create_creative({"line_item_id": line_item_id, "external_key": key, **fields})

    def state(self, campaign_id: int) -> str:
        """``pending_creative``, ``active``, ``paused`` or ``completed``."""
        items = self.items_of(campaign_id)
        campaign = self._ads.get_campaign(campaign_id)
        if campaign["archived"] or _ends(campaign) <= datetime.now(timezone.utc):
            return "completed"
        if not any(any(True for _ in self._ads.list_creatives(line_item_id=one["id"])) for one in items.values()):
            return "pending_creative"
        return "active" if campaign["active"] and any(one["active"] for one in items.values()) else "paused"

    def figures(self, campaign_id: int, first_day: str, last_day: str) -> dict[str, Any]:
        """Net impressions, clicks and spend of UTC days, in all and by package."""
        names = {item["id"]: name for name, item in self.items_of(campaign_id).items()}
        packages = {name: {"impressions": 0, "clicks": 0, "spend": 0.0} for name in names.values()}
        offset = 0
        while True:
            report = self._ads.get_campaign_report(campaign_id, from_=first_day, to=last_day, limit=_REPORT_PAGE, offset=offset)
            for row in report["rows"]:
                sums = packages.get(names.get(row["line_item_id"], ""))
                if sums:
                    for name in sums:
                        sums[name] += row[name]
            offset += len(report["rows"])
            if offset >= report["row_count"] or not report["rows"]:
                totals = {name: report["totals"][name] for name in ("impressions", "clicks", "spend")}
                return {"totals": totals, "packages": packages, "currency": report["currency"]}

    def switch(self, campaign_id: int, package_id: str | None, active: bool) -> list[str]:
        """Pauses or resumes a campaign, or one of its packages. Returns the packages."""
        items = self.items_of(campaign_id)
        if package_id is None:
            self._ads.update_campaign(campaign_id, {"active": active})
            return list(items)
        self._ads.update_line_item(_one(items, package_id)["id"], {"active": active})
        return [package_id]

    def resize(self, campaign_id: int, package_id: str, *, budget: float | None = None, impressions: int | None = None) -> None:
        """Changes what a package buys at its price: its budget or its impressions, and the budget of the campaign with it."""
        items = self.items_of(campaign_id)
        item = _one(items, package_id)
        price = item["cpm"] or 0
        if price <= 0 or (budget is None) == (impressions is None):
            raise NotKept("A package with a price gets either a new budget or new impressions.")
        spend = budget if budget is not None else round(price * (impressions or 0) / 1000, 6)
        goal = impressions if impressions is not None else int(spend / price * 1000)
        fields = {"budget": spend, **({"goal_impressions": goal} if item["goal_impressions"] is not None else {})}
        others = sum(one["budget"] or 0 for name, one in items.items() if name != package_id)
        campaign = {"id": campaign_id, "fields": {"budget": round(others + spend, 6)}}
        self._ads.book_campaign({"campaign": campaign, "line_items": [{"id": item["id"], "fields": fields}]})

    def archive(self, campaign_id: int) -> None:
        self.items_of(campaign_id)
        self._ads.update_campaign(campaign_id, {"archived": True})


def waits(problem: Problem) -> bool:
    """Whether a second person of the publisher has to approve it."""
    return problem.code == "approval_required"


def _one(items: Mapping[str, dict[str, Any]], package_id: str) -> dict[str, Any]:
    if package_id not in items:
        raise NotKept(f"The media buy has no package {package_id}.")
    return items[package_id]


def _moment(at: datetime) -> str:
    whole = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return whole.astimezone(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def _ends(campaign: Mapping[str, Any]) -> datetime:
    """A day ends with it."""
    text = campaign["end_date"]
    return datetime.fromisoformat(f"{text}T23:59:59+00:00" if len(text) == 10 else text.replace("Z", "+00:00"))


def _line_item(one: Package) -> dict[str, Any]:
    """Guaranteed impressions come before those that are sold without a guarantee."""
    return {
        "external_key": one.package_id,
        "name": one.name,
        "active": True,
        "placement_ids": list(one.placements),
        "budget_type": "CPM",
        "cpm": one.price,
        "budget": one.budget,
        "pacing": "Even",
        "priority": 2 if one.guaranteed else 3,
        "targeting": dict(one.targeting),
        **({"goal_impressions": one.impressions} if one.guaranteed else {}),
    }
