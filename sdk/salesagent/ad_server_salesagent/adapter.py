"""The adapter, for the registry of Prebid's Sales Agent. It runs inside of it: ``src`` is the Sales Agent's own package."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ad_server_client import AdServer as Client
from ad_server_client import Problem, Unreachable
from src.adapters.base import AdapterCapabilities, AdServerAdapter, TargetingCapabilities
from src.core.exceptions import AdCPAdapterError, AdCPCapabilityNotSupportedError
from src.core.schemas import (
    AdapterGetMediaBuyDeliveryResponse,
    AdapterPackageDelivery,
    AffectedPackage,
    AssetStatus,
    CheckMediaBuyStatusResponse,
    DeliveryTotals,
    UpdateMediaBuySuccess,
)

from .desk import Desk, Package, waits
from .rules import NotKept, targeting_of

#: Seconds for each answer: the Sales Agent holds a lock meanwhile.
_TIMEOUT = 30.0
_PREFIX = "adserver_"


class AdServer(AdServerAdapter):
    """
    ``config``: ``url`` of the ad server, ``token`` (an API token with the role trafficker), ``publisher_id``, and ``placements``: ``{product_id: [placement, …]}`` for products that are not named after a placement. The mapping of a
    principal for ``ad_server`` is the id of its advertiser.
    """

    adapter_name = "ad_server"
    default_channels = ["display", "olv"]
    capabilities = AdapterCapabilities(supports_geo_targeting=True, supported_pricing_models=["cpm"])

    def __init__(self, config: dict[str, Any], principal: Any, *more: Any, **named: Any) -> None:
        super().__init__(config, principal, *more, **named)
        url = self._require_config(config.get("url"), field="url")
        token = self._require_config(config.get("token"), field="token")
        publisher = self._require_config(config.get("publisher_id"), field="publisher_id")
        advertiser = self._require_config(self.adapter_principal_id, field="advertiser_id")
        # A call is not sent again for long, either.
        client = Client(url, token=token, timeout=_TIMEOUT, retries=1, max_wait=5.0)
        self._desk = Desk(client, int(publisher), int(advertiser))
        self._placements: dict[str, list[str]] = config.get("placements") or {}

    def get_targeting_capabilities(self) -> TargetingCapabilities:
        return TargetingCapabilities(geo_countries=True, geo_regions=True)

    def create_media_buy(
        self, request: Any, packages: list[Any], start_time: datetime, end_time: datetime, package_pricing_info: Any = None
    ) -> Any:
        with _in_words():
            wanted = [self._package(one, (package_pricing_info or {}).get(one.package_id)) for one in packages]
            if self.dry_run:
                return self._build_create_success(request, f"{_PREFIX}dry_run", packages)
            order = getattr(request, "po_number", None)
            name = ", ".join([self.principal.name, *([order] if order else []), start_time.date().isoformat()])
            campaign = self._desk.book(name[:200], order, start_time, end_time, wanted)
            return self._build_create_success(request, f"{_PREFIX}{campaign}", packages)

    def _package(self, one: Any, pricing: Any) -> Package:
        if not pricing:
            raise NotKept(f"Package {one.package_id} has no price.")
        if str(pricing.get("pricing_model", "cpm")).lower() != "cpm":
            raise NotKept(f"Prices are per thousand impressions (cpm), and not {pricing['pricing_model']}.")
        price = pricing["rate"] if pricing["is_fixed"] else pricing.get("bid_price")
        if not price:
            raise NotKept(f"Package {one.package_id} has no bid.")
        product = getattr(one, "product_id", None) or one.package_id
        return Package(
            package_id=one.package_id,
            name=one.name,
            placements=self._placements.get(product, [product]),
            price=float(price),
            impressions=int(one.impressions),
            guaranteed=one.delivery_type == "guaranteed",
            targeting=targeting_of(one.targeting_overlay),
        )

    def add_creative_assets(self, media_buy_id: str, assets: list[dict[str, Any]], today: datetime) -> list[Any]:
        """One that is refused is ``failed``, and its words are in the log: the others are added."""
        statuses = []
        for asset in assets:
            try:
                status = "approved" if self.dry_run else self._desk.add_creative(_campaign_of(media_buy_id), asset)
            except (NotKept, Problem, Unreachable) as fault:
                self.log(f"Creative {asset['creative_id']} was refused: {fault}", dry_run_prefix=False)
                status = "failed"
            statuses.append(AssetStatus(creative_id=asset["creative_id"], status=status))
        return statuses

    def associate_creatives(self, line_item_ids: list[str], platform_creative_ids: list[str]) -> list[dict[str, Any]]:
        results = []
        for item in line_item_ids:
            for creative in platform_creative_ids:
                result = {"line_item_id": item, "creative_id": creative, "status": "success"}
                try:
                    if not self.dry_run:
                        self._desk.copy_creative(int(item), int(creative))
                except (NotKept, Problem, Unreachable, ValueError) as fault:
                    result.update(status="failed", error=str(fault))
                results.append(result)
        return results

    def check_media_buy_status(self, media_buy_id: str, today: datetime) -> Any:
        with _in_words():
            status = "active" if self.dry_run else self._desk.state(_campaign_of(media_buy_id))
            return CheckMediaBuyStatusResponse(media_buy_id=media_buy_id, status=status)

    def get_media_buy_delivery(self, media_buy_id: str, date_range: Any, today: datetime) -> Any:
        with _in_words():
            first, last = date_range.start.date().isoformat(), date_range.end.date().isoformat()
            figures = self._desk.figures(_campaign_of(media_buy_id), first, last)
            totals = figures["totals"]
            rate = totals["clicks"] / totals["impressions"] if totals["impressions"] else 0.0
            return AdapterGetMediaBuyDeliveryResponse(
                media_buy_id=media_buy_id,
                reporting_period=date_range,
                totals=DeliveryTotals(**totals, ctr=rate),
                by_package=[
                    AdapterPackageDelivery(package_id=name, impressions=one["impressions"], spend=one["spend"])
                    for name, one in figures["packages"].items()
                ],
                currency=figures["currency"],
            )

    def update_media_buy_performance_index(self, media_buy_id: str, package_performance: list[Any]) -> bool:
        """The ad server rotates by clicks, and follows no foreign index."""
        return False

    def update_media_buy(self, media_buy_id: str, action: str, package_id: str | None, budget: int | None, today: datetime) -> Any:
        with _in_words():
            touched = self._change(_campaign_of(media_buy_id), action, package_id, budget)
            packages = [
                AffectedPackage(package_id=one, paused=action.startswith("pause"), changes_applied=None, buyer_package_ref=None)
                for one in touched
            ]
            return UpdateMediaBuySuccess(media_buy_id=media_buy_id, affected_packages=packages, implementation_date=today)

    def _change(self, campaign: int, action: str, package: str | None, value: int | None) -> list[str]:
        if self.dry_run:
            return [package] if package else []
        if action in ("pause_media_buy", "resume_media_buy", "activate_order"):
            return self._desk.switch(campaign, None, action != "pause_media_buy")
        if action in ("pause_package", "resume_package") and package:
            return self._desk.switch(campaign, package, action == "resume_package")
        if action == "update_package_budget" and package and value is not None:
            self._desk.resize(campaign, package, budget=value)
            return [package]
        if action == "update_package_impressions" and package and value is not None:
            self._desk.resize(campaign, package, impressions=value)
            return [package]
        if action == "archive_order":
            self._desk.archive(campaign)
            return []
        raise NotKept(f"{action} is not done through this adapter: people of the publisher do it in the ad server.")


class _in_words:
    """Says what the ad server refused as the Sales Agent says it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, fault: BaseException | None, trace: Any) -> bool:
        if isinstance(fault, NotKept):
            raise AdCPCapabilityNotSupportedError(str(fault)) from fault
        if isinstance(fault, Problem):
            more = " A person of the publisher has to approve it: book it there." if waits(fault) else ""
            raise AdCPAdapterError(f"{fault}{more}") from fault
        if isinstance(fault, Unreachable):
            raise AdCPAdapterError(f"The ad server did not answer: {fault}") from fault
        return False


def _campaign_of(media_buy_id: str) -> int:
    number = media_buy_id.removeprefix(_PREFIX)
    if not number.isdigit():
        raise NotKept(f"There is no media buy {media_buy_id}.")
    return int(number)
