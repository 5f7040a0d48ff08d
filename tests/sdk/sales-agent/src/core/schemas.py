from types import SimpleNamespace


class AdapterGetMediaBuyDeliveryResponse(SimpleNamespace):
    pass


class AdapterPackageDelivery(SimpleNamespace):
    pass


class AffectedPackage(SimpleNamespace):
    pass


class AssetStatus(SimpleNamespace):
    pass


class CheckMediaBuyStatusResponse(SimpleNamespace):
    pass


class DeliveryTotals(SimpleNamespace):
    pass


class UpdateMediaBuySuccess(SimpleNamespace):
    pass
