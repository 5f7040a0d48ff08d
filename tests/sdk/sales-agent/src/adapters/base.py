"""What an adapter of Prebid's Sales Agent must have, by its names: a stand-in, which keeps and checks no more than that."""

from abc import ABC, abstractmethod
from types import SimpleNamespace


class AdapterCapabilities(SimpleNamespace):
    pass


class TargetingCapabilities(SimpleNamespace):
    pass


class AdServerAdapter(ABC):
    def __init__(self, config, principal, dry_run=False, creative_engine=None, tenant_id=None):
        self.config, self.principal, self.dry_run = config, principal, dry_run
        self.adapter_principal_id = principal.get_adapter_id(self.adapter_name)
        self.logged = []

    def _require_config(self, value, *, field, message=None):
        if not value:
            raise ValueError(field)
        return value

    def log(self, message, dry_run_prefix=True):
        self.logged.append(message)

    def _build_create_success(self, request, media_buy_id, packages, **more):
        return SimpleNamespace(media_buy_id=media_buy_id, packages=[one.package_id for one in packages])


for _name in (
    "create_media_buy",
    "add_creative_assets",
    "associate_creatives",
    "check_media_buy_status",
    "get_media_buy_delivery",
    "update_media_buy_performance_index",
    "update_media_buy",
):
    setattr(AdServerAdapter, _name, abstractmethod(lambda self, *given: None))
    AdServerAdapter.__abstractmethods__ |= {_name}
