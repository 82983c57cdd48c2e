"""Transports for nfcpy's chip drivers, made for months: bounded in time, exclusive, deaf to noise.

nfcpy's own TTY reads six bytes and trusts the fourth: one more zero or a stray tail costs the frame,
garbage makes it wait for 129 bytes more, and after an unplug it lets termios.error, IndexError and
TypeError out. Here every failure of the port is an OSError, and `broken` remembers that it happened,
because nfcpy turns every OSError into the same EIO.
"""

from __future__ import annotations

import errno
import logging
import termios
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import nfc.clf.transport
import serial

from host.nfc.frames import ACK, NACK, FrameParser, encode

# nfcpy logs every time-out as an error; those are said once, in our words, by the reader's Health.
logging.getLogger("nfc").addHandler(logging.NullHandler())

#: what pyserial, termios and libusb raise once a port is gone
PORT_ERRORS = (OSError, termios.error, TypeError, ValueError, AttributeError)
_WRITE_SECONDS = 0.5
_USB_MS = 1000

T = TypeVar("T")


class Transport(Protocol):
    """What nfcpy's chipset classes use of a transport, and what we want to know of it."""

    TYPE: str
    broken: OSError | None

    def read(self, timeout: int = 0) -> bytearray:
        """The next frame within `timeout` milliseconds. Raises OSError."""

    def write(self, frame: bytes) -> None:
        """Sends a frame. Raises OSError."""

    def close(self) -> None:
        """Closes. Never raises."""


class SerialTransport:
    """A serial port that carries PN532 frames. The constructor raises OSError."""

    TYPE = "TTY"
    manufacturer_name = None
    product_name = None

    def __init__(self, path: str) -> None:
        self.port = path
        self.broken: OSError | None = None
        #: seconds that every answer may take at least: more while a port wakes up
        self.patience = 0.0
        self._frames: deque[bytes] = deque()
        self._parser = FrameParser()
        self._tty: serial.Serial | None = serial.Serial(
            path, 115200, timeout=0.05, write_timeout=_WRITE_SECONDS, exclusive=True
        )

    @property
    def noise(self) -> bytes:
        """The last bytes that were no frame, to tell "silent" from "speaks something else"."""
        return bytes(self._parser.noise)

    @property
    def baudrate(self) -> int:
        """The port's speed."""
        return int(self._tty.baudrate) if self._tty is not None else 0

    @baudrate.setter
    def baudrate(self, baud: int) -> None:
        self._guarded(lambda: setattr(self._tty, "baudrate", baud))

    def read(self, timeout: int = 0) -> bytearray:
        """The next whole frame within `timeout` milliseconds, with one leading zero.

        Raises OSError: ETIMEDOUT, or another one when the port is gone."""
        until = time.monotonic() + max(timeout / 1000, self.patience)
        while not self._frames:
            left = until - time.monotonic()
            if left <= 0:
                raise OSError(errno.ETIMEDOUT, "no frame in time")
            self._take(self._guarded(lambda: self._some(until)))
        return bytearray(self._frames.popleft())

    def _some(self, until: float) -> bytes:
        if self._tty is None:
            raise OSError(errno.EBADF, "closed")
        self._tty.timeout = max(0.0, min(until - time.monotonic(), 0.05))
        return bytes(self._tty.read(self._tty.in_waiting or 1))

    def _take(self, data: bytes) -> None:
        for frame in self._parser.feed(data):
            known = {"ack": ACK, "nack": NACK}.get(frame.kind)
            self._frames.append(known if known is not None else encode(frame.data))

    def write(self, frame: bytes) -> None:
        """Drops whatever came unasked, then sends. Raises OSError."""
        self._guarded(lambda: self._send(bytes(frame)))

    def _send(self, frame: bytes) -> None:
        if self._tty is None:
            raise OSError(errno.EBADF, "closed")
        self._tty.reset_input_buffer()
        self._frames.clear()
        self._parser.reset()
        self._tty.write(frame)

    def echo(self, question: bytes, answer: bytes, seconds: float) -> bool:
        """Sends `question` and throws frames away up to `answer`; False when it does not come in time.

        Raises OSError when the port is gone."""
        until = time.monotonic() + seconds
        self.write(question)
        while (left := until - time.monotonic()) > 0:
            try:
                if self.read(int(1000 * left) + 1) == answer:
                    return True
            except OSError:
                if self.broken is not None:
                    raise
        return False

    def close(self) -> None:
        """Closes; never raises. What was not sent is dropped: draining can hang for half a minute."""
        tty, self._tty = self._tty, None
        if tty is None:
            return
        for step in (tty.reset_output_buffer, tty.close):
            try:
                step()
            except PORT_ERRORS:
                continue

    def _guarded(self, step: Callable[[], T]) -> T:
        try:
            return step()
        except serial.SerialTimeoutException as fault:  # the far end takes nothing: silent, not gone
            raise OSError(errno.ETIMEDOUT, "nothing is taken") from fault
        except PORT_ERRORS as fault:
            code = fault.args[0] if fault.args and isinstance(fault.args[0], int) else errno.EIO
            self.broken = OSError(code, str(fault) or type(fault).__name__)
            raise self.broken from fault


class UsbTransport:
    """nfcpy's USB transport with an end to every wait (its own default waits for ever)."""

    TYPE = "USB"

    def __init__(self, bus: int, address: int) -> None:
        self.broken: OSError | None = None
        self._usb: Any = nfc.clf.transport.USB(bus, address)

    @property
    def manufacturer_name(self) -> str | None:
        """As the device gives it."""
        return self._usb.manufacturer_name or ""

    @property
    def product_name(self) -> str | None:
        """As the device gives it."""
        return self._usb.product_name or "USB reader"

    def read(self, timeout: int = 0) -> bytearray:
        """One bulk transfer. Raises OSError."""
        return bytearray(self._guarded(lambda: self._usb.read(timeout or _USB_MS)))

    def write(self, frame: bytes) -> None:
        """One bulk transfer. Raises OSError."""
        self._guarded(lambda: self._usb.write(frame, _USB_MS))

    def close(self) -> None:
        """Closes; never raises."""
        try:
            self._usb.close()
        except (*PORT_ERRORS, nfc.clf.transport.libusb.USBError):
            return

    def _guarded(self, step: Callable[[], T]) -> T:
        try:
            answer = step()
        except OSError as fault:
            if fault.errno != errno.ETIMEDOUT:
                self.broken = fault
            raise
        except (*PORT_ERRORS, nfc.clf.transport.libusb.USBError) as fault:
            self.broken = OSError(errno.EIO, str(fault))
            raise self.broken from fault
        return answer
