"""A PN53x through nfcpy's own driver: opened whatever state it was left in, asked, closed.

nfcpy's `ContactlessFrontend` knows one tag at a time and polls slowly; here its chipset object is
asked directly for two at once (the chip's own InListPassiveTarget), and everything that can come
out of it ends as a `ReaderError` or a `TagError`.
"""

from __future__ import annotations

import errno
import importlib
import logging
import os
import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nfc.clf.device
import nfc.clf.pn53x
import nfc.clf.pn532
import nfc.clf.transport

from engine.errors import CrowntableError
from host import uid as uids
from host.nfc.faults import (
    WIRING,
    ReaderError,
    ReaderSilentError,
    TagRefusedError,
    TagSilentError,
    port_fault,
)
from host.nfc.frames import ACK, encode
from host.nfc.port import PORT_ERRORS, SerialTransport, Transport, UsbTransport

#: nfcpy's chip driver logs here: every time-out as an error, which the reader says once as Health
#: instead. `logging.getLogger("nfc.crowntable").setLevel(9)` shows every frame.
_LOG = logging.getLogger("nfc.crowntable")
_LOG.setLevel(logging.CRITICAL)
_CHIP_ERROR = nfc.clf.pn53x.Chipset.Error
#: what nfcpy's code raises over an answer it did not expect
_DRIVER_ERRORS = (*PORT_ERRORS, IndexError, KeyError, AssertionError, struct.error)
#: speeds that another program may have left a chip at, and their codes in SetSerialBaudRate
_OTHER_SPEEDS = (921600, 460800, 230400, 57600, 38400, 19200, 9600)
_CODE_115200 = 4
_WAKE = b"\x55\x55" + bytes(14)
#: seconds that a first answer may take, by try; USB adapters on a Pi need up to one
_PATIENCE = (0.1, 0.3, 1.0)
_LOGIN = re.compile(rb"login:|password:|\$ $", re.IGNORECASE)
_COMMAND_SECONDS = 0.25
#: two polls for two tags take under 50 ms; a chip that lost its settings would wait for ever
_LIST_SECONDS = 0.3
#: seconds that all late answers and the echo behind them may take, and how often it is tried
_ECHO_SECONDS, _ECHO_TRIES = 0.25, 3
#: most tags that are looked for in one field
MOST_TAGS = 6
_SILENT_STATUS = 0x01


@dataclass(frozen=True, slots=True)
class Target:
    """A tag as the chip's anticollision found it. `uid` is canonical, `number` the chip's 1 or 2."""

    number: int
    uid: str
    atqa: bytes
    sak: int


class Chip:
    """An opened reader. Methods raise ReaderError (`ReaderSilentError` where a repeat may help).

    `beat` is called before every command; what it raises ends the command and comes out here."""

    def __init__(
        self, device: Any, transport: Transport, path: str, beat: Callable[[], None] | None = None
    ) -> None:
        self.path = path
        self.commands = 0
        self.failures = 0
        self._device = device
        self._chipset = device.chipset
        self._transport = transport
        self._beat = beat or (lambda: None)
        self._astray = True  # opening may have left answers under way
        self._echoes = int.from_bytes(os.urandom(2), "big") << 16

    @property
    def firmware(self) -> str:
        """The chip and its firmware, as `PN532 1.6`."""
        return str(self._device.chipset_name).replace("v", " ", 1)

    def close(self) -> None:
        """Field off, port closed; never raises. Without PowerDown: not every board wakes from it."""
        try:
            if self._transport.TYPE == "TTY":
                self._transport.write(ACK)
            self._device.mute()
        except (*_DRIVER_ERRORS, _CHIP_ERROR):
            _LOG.debug("the reader was gone at close")
        self._transport.close()

    def command(self, code: int, data: bytes, seconds: float = _COMMAND_SECONDS, tries: int = 2) -> bytes:
        """The chip's answer to a command, repeated once where it gets lost."""
        for left in range(tries - 1, -1, -1):
            self._beat()
            if self._astray:
                self._find_back()
            self.commands += 1
            try:
                return bytes(self._chipset.command(code, bytearray(data), seconds) or b"")
            except (_CHIP_ERROR, *_DRIVER_ERRORS) as fault:
                self.failures += 1
                self._astray = True
                self._judge(fault, last=not left)
        raise AssertionError("the last try returns or raises")

    def _judge(self, fault: BaseException, last: bool) -> None:
        """Raises what `fault` means, unless another try may help."""
        if self._transport.broken is not None:
            raise port_fault(self.path, self._transport.broken) from fault
        if last:
            raise ReaderSilentError() from fault

    def _find_back(self) -> None:
        """After a lost answer: ends what the chip is still at, and drops what comes late.

        Answers carry no numbers: a late one would pass for the answer to the next question of its
        kind, a page of the tag before for a page of this one (F14). So the chip is asked to repeat a
        text that was never sent before (Diagnose), and all before that echo is thrown away. Raises
        ReaderError."""
        if isinstance(self._transport, SerialTransport):
            for _ in range(_ECHO_TRIES):
                self._beat()
                if self._echoed(self._transport):
                    break
                self.failures += 1
            else:
                raise ReaderSilentError()
        self._astray = False

    def _echoed(self, transport: SerialTransport) -> bool:
        self._echoes += 1
        text = b"\x00crowntable" + self._echoes.to_bytes(4, "big")
        try:
            transport.write(_WAKE + ACK)
            time.sleep(0.002)
            return transport.echo(encode(b"\xd4\x00" + text), encode(b"\xd5\x01" + text), _ECHO_SECONDS)
        except OSError as fault:
            self._judge(fault, last=True)
            return False

    def ask_firmware(self) -> None:
        """A question that a living chip always answers."""
        self.command(0x02, b"", 0.1)

    def field_off(self) -> None:
        """Takes the carrier away, so that every tag starts anew."""
        self.command(0x32, b"\x01\x00")

    def list_targets(self, most: int = 2, uid: str | None = None) -> list[Target]:
        """Up to two tags that are not halted, or the one with `uid`, selected and numbered."""
        wanted = b"" if uid is None else _cascaded(bytes.fromhex(uid))
        answer = self.command(0x4A, bytes((most, 0)) + wanted, _LIST_SECONDS)
        return parse_targets(answer)

    def inventory(self) -> list[Target]:
        """Every type A tag in the field (up to MOST_TAGS), from a field that was off before."""
        self.field_off()
        found: dict[str, Target] = {}
        while len(found) < MOST_TAGS:
            batch = self.list_targets()
            fresh = [target for target in batch if target.uid not in found]
            found.update((target.uid, target) for target in fresh)
            if len(batch) < 2 or not fresh:
                break
            self.command(0x44, b"\x00")  # HLTA to both: the next two answer
        return list(found.values())

    def select(self, uid: str) -> None:
        """Starts the field anew and selects only this tag. Raises TagSilentError when it is not there."""
        self.field_off()
        if [target.uid for target in self.list_targets(1, uid)] != [uid]:
            raise TagSilentError(f"{uid} does not answer")

    def exchange(self, data: bytes) -> bytes:
        """`data` to the selected tag and its answer, both without CRC.

        Raises TagSilentError or TagRefusedError; the tag has to be selected anew after either."""
        answer = self.command(0x40, b"\x01" + data)
        if not answer:
            raise ReaderSilentError("the reader answered with nothing")
        status = answer[0] & 0x3F
        if status == _SILENT_STATUS:
            raise TagSilentError("no answer")
        if status:
            raise TagRefusedError(f"refused (status {status:02X})")
        return answer[1:]


def parse_targets(answer: bytes) -> list[Target]:
    """The targets of an InListPassiveTarget answer at 106 kbit/s type A.

    Raises ReaderSilentError when the answer does not add up: it was garbled on its way."""
    if not answer or not answer[0]:
        return []
    for with_ats in (False, True):
        if (found := _targets(answer, with_ats)) is not None:
            return found
    raise ReaderSilentError("the reader's list of tags makes no sense")


def _targets(answer: bytes, with_ats: bool) -> list[Target] | None:
    found, at = [], 1
    for _ in range(answer[0]):
        if at + 5 > len(answer):
            return None
        number, sak, size = answer[at], answer[at + 3], answer[at + 4]
        raw = answer[at + 5 : at + 5 + size]
        try:
            uid = uids.from_bytes(raw)
        except CrowntableError:
            return None
        if len(uid) != 2 * size:
            return None
        found.append(Target(number, uid, bytes((answer[at + 2], answer[at + 1])), sak))
        at += 5 + size
        if with_ats and sak & 0x20 and at < len(answer):
            at += max(1, answer[at])
    return found if at == len(answer) else None


def _cascaded(raw: bytes) -> bytes:
    """A UID with its cascade bytes, as the chip wants it named."""
    if len(raw) == 7:
        return b"\x88" + raw
    return b"\x88" + raw[:3] + b"\x88" + raw[3:] if len(raw) == 10 else raw


# -- opening ------------------------------------------------------------------------------------


def open_chip(path: str, beat: Callable[[], None] | None = None) -> Chip:
    """Opens `tty:NAME:pn532`, a device path, or `usb[:vendor:product]`. Raises ReaderError.

    Serial chips are found awake, asleep, in the middle of a command and at any speed that another
    program left them at; they are worked with at 115,200 baud, so that a crash leaves nothing odd."""
    if path == "usb" or path.startswith("usb:"):
        return _open_usb(path, beat)
    port = device_path(path)
    try:
        transport = SerialTransport(port)
    except PORT_ERRORS as fault:
        raise port_fault(port, fault if isinstance(fault, OSError) else OSError(errno.EIO, "")) from fault
    try:
        device = _start(transport, port, beat or (lambda: None))
    except BaseException:
        transport.close()
        raise
    return Chip(device, transport, port, beat)


def device_path(path: str) -> str:
    """The file behind a layout's path. Raises ReaderError for a form that we do not know.

    >>> device_path("tty:AMA0:pn532")
    '/dev/ttyAMA0'
    """
    if path.startswith("/"):
        return path
    match = re.fullmatch(r"tty:([A-Za-z0-9-]+)(?::pn532)?", path)
    if match is None:
        raise ReaderError(
            f"{path!r} names no reader",
            "Write tty:AMA0:pn532, usb, or the device's path such as /dev/serial/by-id/...",
        )
    name = match.group(1)
    serial_name = re.fullmatch(r"(S|ACM|AMA|USB)\d+", name) or Path(f"/dev/tty{name}").exists()
    return f"/dev/tty{name}" if serial_name else f"/dev/{name}"


def _start(transport: SerialTransport, port: str, beat: Callable[[], None]) -> Any:
    """Wakes the chip, finds its speed and hands it to nfcpy's driver."""
    chipset = nfc.clf.pn532.Chipset(transport, _LOG)
    try:
        for patience in _PATIENCE:
            if _answers(chipset, transport, 115200, patience, beat):
                break
        else:
            _rescue(chipset, transport, port, beat)
        transport.patience = 0.1
        last: BaseException | None = None
        for _ in range(3):
            beat()
            try:
                chipset.sam_configuration("normal")
                device = nfc.clf.pn532.Device(chipset, _LOG)
                transport.patience = 0.0
                return device
            except (_CHIP_ERROR, *_DRIVER_ERRORS) as fault:
                last = fault
                if transport.broken is not None:
                    raise
                _answers(chipset, transport, 115200, 0.1, beat)
        raise ReaderSilentError(f"the reader at {port} answers, but its self-test fails", WIRING) from last
    except (_CHIP_ERROR, *_DRIVER_ERRORS) as fault:
        raise port_fault(port, transport.broken or OSError(errno.EIO, "")) from fault


def _answers(
    chipset: Any, transport: SerialTransport, baud: int, patience: float, beat: Callable[[], None]
) -> bool:
    """Whether the chip says its firmware at this speed. Raises OSError when the port is gone."""
    beat()
    if transport.baudrate != baud:
        transport.baudrate = baud
    transport.patience = patience
    try:
        transport.write(_WAKE + ACK)
        time.sleep(0.003)
        chipset.command(0x02, b"", 0.1)
    except (_CHIP_ERROR, *_DRIVER_ERRORS):
        if transport.broken is not None:
            raise
        return False
    return True


def _rescue(chipset: Any, transport: SerialTransport, port: str, beat: Callable[[], None]) -> None:
    """Brings a chip back that another program left at another speed, or says what is there."""
    noise = transport.noise
    for baud in _OTHER_SPEEDS:
        if _answers(chipset, transport, baud, 0.1, beat):
            chipset.command(0x10, bytearray((_CODE_115200,)), 0.1)
            transport.write(ACK)
            time.sleep(0.005)
            if _answers(chipset, transport, 115200, 0.1, beat):
                return
    raise _stranger(port, noise)


def _stranger(port: str, noise: bytes) -> ReaderSilentError:
    """What is at a port that does not answer as a reader, by what it said at 115,200 baud."""
    if _LOGIN.search(noise):
        return ReaderSilentError(
            f"a login console runs on {port}", "Switch the serial console off (raspi-config, Interfaces)."
        )
    if noise:
        return ReaderSilentError(
            f"a device answers on {port}, but not in the reader's language",
            "It is not the reader, or runs at another speed: check the path, then power it off and on.",
        )
    return ReaderSilentError(f"the reader at {port} does not answer", WIRING)


def _open_usb(path: str, beat: Callable[[], None] | None) -> Chip:
    try:
        found = nfc.clf.transport.USB.find(path) or []
    except nfc.clf.transport.libusb.USBError as fault:
        raise ReaderError("USB can't be looked through", "Is a USB bus there, and libusb-1.0?") from fault
    for vendor, product, bus, address in found:
        module = nfc.clf.device.usb_device_map.get((vendor, product))
        if module is None:
            continue
        if module == "rcs380":
            raise ReaderError(
                "the USB reader is a Sony RC-S380, which can't list several tags",
                "Use a reader with a PN53x chip, such as an ACR122U or a PN532 board.",
            )
        name = f"usb:{bus:03}:{address:03}"
        try:
            transport = UsbTransport(bus, address)
            device = importlib.import_module(f"nfc.clf.{module}").init(transport)
        except (_CHIP_ERROR, *_DRIVER_ERRORS) as fault:
            raise _usb_fault(name, fault) from fault
        return Chip(device, transport, name, beat)
    raise ReaderError(f"there is no NFC reader on {path}", "Plug the reader in; lsusb should list it.")


def _usb_fault(name: str, fault: BaseException) -> ReaderError:
    code = fault.errno if isinstance(fault, OSError) else None
    if code in (errno.EBUSY, errno.EIO):
        return ReaderError(
            f"another driver holds the reader {name}",
            "sudo systemctl stop pcscd.socket pcscd; sudo modprobe -r pn533_usb pn533",
        )
    if code in (errno.EACCES, errno.EPERM):
        return ReaderError(
            f"this user may not use the reader {name}", "Install the udev rule in hardware/, then replug."
        )
    return ReaderSilentError(f"the reader {name} does not answer")
