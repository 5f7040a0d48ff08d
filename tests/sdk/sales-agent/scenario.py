import json
import os
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace as Made

from ad_server_salesagent.adapter import AdServer

principal = Made(name="Acme", principal_id="acme", get_adapter_id=lambda name: os.environ["ADVERTISER"] if name == "ad_server" else None)
config = {"url": os.environ["API"], "token": os.environ["TOKEN"], "publisher_id": os.environ["PUBLISHER"], "placements": {"news": ["top", "side"]}}
agent = AdServer(config, principal, tenant_id="t")
now = datetime.now(timezone.utc).replace(microsecond=0)
start, end = now - timedelta(hours=1), now + timedelta(days=7)
order = Made(po_number="PO-7")
rate = {"pricing_model": "cpm", "rate": 8.0, "is_fixed": True, "currency": "USD"}


def package(package_id, product, **more):
    given = {"delivery_type": "guaranteed", "impressions": 10_000, "targeting_overlay": {"geo_countries": ["DE"]}, **more}
    return Made(package_id=package_id, product_id=product, name=f"Package {package_id}", **given)


def refusal(call):
    try:
        call()
    except Exception as fault:
        return [type(fault).__name__, str(fault)]
    return None


two = [package("p1", "news"), package("p2", "top", delivery_type="non_guaranteed", targeting_overlay=None)]
prices = {"p1": rate, "p2": {"pricing_model": "cpm", "rate": None, "is_fixed": False, "bid_price": 3.5}}


def buy(packages, pricing):
    return agent.create_media_buy(order, packages, start, end, pricing)


bought = buy(two, prices)
again = buy(two, prices)
media_buy = bought.media_buy_id
before = agent.check_media_buy_status(media_buy, now).status
html = {"creative_id": "c1", "name": "Boots", "snippet": "<b>Boots</b>", "snippet_type": "html", "width": 300, "height": 250}
assets = [
    {**html, "package_assignments": ["p1"]},
    {"creative_id": "c2", "name": "Nothing", "format": "image", "package_assignments": ["p1"]},
    {**html, "creative_id": "c3", "package_assignments": ["p9"]},
]
added = [one.status for one in agent.add_creative_assets(media_buy, assets, now)]
repeated = [one.status for one in agent.add_creative_assets(media_buy, [{**assets[0], "name": "Boots 2"}], now)]
update = lambda action, package_id=None, value=None: agent.update_media_buy(media_buy, action, package_id, value, now)
paused = update("pause_package", "p2").affected_packages
update("update_package_budget", "p1", 120)
update("update_package_impressions", "p2", 20_000)
delivered = agent.get_media_buy_delivery(media_buy, Made(start=start, end=now), now)
campaign = int(media_buy.removeprefix("adserver_"))
print(json.dumps({
    "campaign": campaign,
    "again": again.media_buy_id == media_buy,
    "states": [before, agent.check_media_buy_status(media_buy, now).status],
    "creatives": [added, repeated, len(agent.logged)],
    "paused": [[one.package_id, one.paused] for one in paused],
    "delivered": [delivered.currency, delivered.totals.impressions, delivered.totals.spend, sorted(one.package_id for one in delivered.by_package)],
    "refused": [
        refusal(lambda: buy([package("p3", "news", targeting_overlay={"geo_metros": ["501"]})], {"p3": rate})),
        refusal(lambda: buy([package("p3", "elsewhere")], {"p3": rate})),
        refusal(lambda: buy([package("p3", "news")], {"p3": {**rate, "pricing_model": "cpcv"}})),
        refusal(lambda: update("approve_order")),
        refusal(lambda: update("pause_package", "p9")),
        refusal(lambda: agent.check_media_buy_status("gam_5", now)),
    ],
}))
