class AdCPAdapterError(Exception):
    pass


class AdCPCapabilityNotSupportedError(Exception):
    pass
