"""The link over Wi-Fi, for a crown on a battery: the same lines over TCP, beside the USB port.

Credentials come over USB only (`wifi ssid=HEX key=HEX`) and stay in flash. One host at a time: whoever
connects last is spoken to. Where nobody is connected over TCP, USB is spoken to.
"""

import binascii
import socket

import network
from micropython import const

JOIN_AGAIN_MS = const(10000)
LOOK_MS = const(200)
_ROOM = const(256)


def load_credentials(path):
    """(ssid, key), or None where none are stored."""
    try:
        with open(path) as stored:
            ssid, key = stored.read().split(",")
        return binascii.unhexlify(ssid).decode(), binascii.unhexlify(key).decode()
    except (OSError, ValueError):
        return None


def save_credentials(path, ssid, key):
    """Both as hex. Raises ValueError where one is none."""
    binascii.unhexlify(ssid)
    binascii.unhexlify(key)
    with open(path, "w") as stored:
        stored.write("%s,%s" % (ssid, key))


class WirelessPort:
    """A port for link.Link, over `usb` (another port) and a TCP server on `number`."""

    def __init__(self, usb, number, name, credentials):
        self._usb = usb
        self._number = number
        self._credentials = credentials
        self._server = None
        self._client = None
        self.from_usb = True  # where the last byte came from
        self._buffer = bytearray(_ROOM)
        self._at = 0
        self._size = 0
        self._tried_at = -JOIN_AGAIN_MS
        self._looked_at = -LOOK_MS
        self.joins = 0
        network.hostname(name)
        self._wlan = network.WLAN(network.STA_IF)
        self._wlan.active(True)

    def tick(self, now):
        """Joins the network, listens, takes who knocks. Never waits."""
        if now - self._looked_at < LOOK_MS:
            return
        self._looked_at = now
        if not self._wlan.isconnected():
            if self._credentials and now - self._tried_at >= JOIN_AGAIN_MS:
                self._tried_at = now
                self.joins += 1
                self._wlan.connect(*self._credentials)
            return
        try:
            if self._server is None:
                self._server = self._listen()
            self._accept(self._server)
        except OSError:  # nobody knocks, or the network has just gone
            pass

    def _listen(self):
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(socket.getaddrinfo("0.0.0.0", self._number)[0][-1])
        server.listen(1)
        server.setblocking(False)
        return server

    def _accept(self, server):
        client, _ = server.accept()
        client.setblocking(False)
        self._hang_up()
        self._client = client
        self.from_usb = False

    def _hang_up(self):
        if self._client is not None:
            self._client.close()
        self._client = None
        self.from_usb = True
        self._at = self._size = 0

    def read(self):
        """One byte as a number, or -1."""
        if self._at < self._size or self._fetch():
            self._at += 1
            self.from_usb = False
            return self._buffer[self._at - 1]
        byte = self._usb.read()
        if byte >= 0:
            self.from_usb = True
        return byte

    def _fetch(self):
        if self._client is None:
            return False
        try:
            size = self._client.readinto(self._buffer)
        except OSError:
            size = 0
        if size is None:  # nothing there just now
            return False
        if not size:
            self._hang_up()
            return False
        self._at = 0
        self._size = size
        return True

    def write(self, data):
        """How many bytes of `data` were taken."""
        if self._client is None or self.from_usb:
            return self._usb.write(data)
        try:
            return self._client.write(data) or 0
        except OSError:
            self._hang_up()
            return 0
