"""Stand-in for MicroPython's `network`: a Wi-Fi that is there as soon as somebody joins with a key."""

STA_IF = 0
_NAME = [""]


def hostname(name=None):
    if name is not None:
        _NAME[0] = name
    return _NAME[0]


class WLAN:
    def __init__(self, interface):
        self._on = False
        self._joined = False

    def active(self, on=None):
        if on is not None:
            self._on = bool(on)
        return self._on

    def connect(self, ssid, key):
        self._joined = self._on and bool(ssid) and len(key) >= 8

    def isconnected(self):
        return self._joined
