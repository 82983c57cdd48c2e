"""The PN532 itself: commands in, answers out, a radio field below (user manual UM0701-02, 7).

No clock and no port in here: `host.virtual.pn532` gives it bytes and time. Commands that may wait
for a tag return a `Waiting`, which is asked again until it answers or is aborted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from host.nfc.frames import CHIP_TO_HOST, HOST_TO_CHIP
from host.virtual.pn532_field import Field, Present, order
from host.virtual.tags import ACK, SmartCardTag

BAUD_RATES = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1288000)
FIRMWARE = bytes.fromhex("32010607")
#: "syntax error": the application level error frame's data
ERROR = b"\x7f"

_TIMEOUT, _FORMAT, _AUTH, _BAD_PARAMETER, _WRONG_CONTEXT = 0x01, 0x13, 0x14, 0x10, 0x27
_TX_MODE, _RX_MODE, _FIFO, _CONTROL, _BIT_FRAMING = 0x6302, 0x6303, 0x6339, 0x633C, 0x633D


@dataclass(slots=True)
class Reply:
    """What the chip answers: `data` from TFI on, after `seconds` of radio work."""

    data: bytes
    seconds: float = 0.0


@dataclass(slots=True)
class Waiting:
    """A command that waits for a tag: `ask` gives the answer when there is one. `until` is the time
    after which `give_up` is the answer; None: for ever. `every` seconds it looks again."""

    ask: Callable[[], bytes | None]
    until: float | None
    give_up: bytes
    every: float = 0.02


@dataclass(slots=True)
class Target:
    """A tag that the chip has initialised, under its number 1 or 2."""

    present: Present
    uid: str


@dataclass(slots=True)
class Pn532Chip:
    """One chip. `fault`-like switches are for chaos: `flicker` misses every second poll,
    `stale` answers a READ with the content of the tag read before (F14)."""

    radio: Field = field(default_factory=Field)
    baud: int = 115200
    next_baud: int | None = None
    asleep: bool = True
    flicker: bool = False
    stale: bool = False
    commands: int = 0
    targets: dict[int, Target] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)
    parameters: int = 0x14
    retries: int = 0xFF  # MxRtyPassiveActivation: for ever, until the host configures it
    sam_mode: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(532))
    _polls: int = 0
    _current: int = 0
    last_read: dict[int, bytes] = field(default_factory=dict)

    def reset(self) -> None:
        """Power on: everything the host configured is gone, the chip sleeps at 115,200 baud."""
        self.radio.switch(False)
        self.baud, self.next_baud, self.asleep = 115200, None, True
        self.parameters, self.retries, self.sam_mode = 0x14, 0xFF, 0
        self.targets.clear()
        self.registers.clear()
        self.last_read.clear()

    def command(self, data: bytes, now: float) -> Reply | Waiting:
        """Carries out one command (`data` from TFI on) at monotonic time `now`. Never raises."""
        self.commands += 1
        if len(data) < 2 or data[0] != HOST_TO_CHIP:
            return Reply(ERROR)
        handler = _COMMANDS.get(data[1])
        if handler is None:
            return Reply(ERROR)
        try:
            answer = handler(self, data[2:], now)
        except IndexError:  # parameters missing
            return Reply(ERROR)
        if isinstance(answer, bytes):
            return Reply(bytes((CHIP_TO_HOST, data[1] + 1)) + answer, _RADIO_SECONDS.get(data[1], 0.0))
        if isinstance(answer, Waiting):
            head = bytes((CHIP_TO_HOST, data[1] + 1))
            ask = answer.ask
            answer.ask = lambda: None if (found := ask()) is None else head + found
            answer.give_up = head + answer.give_up
            return answer
        return Reply(ERROR)

    def host_ack(self) -> None:
        """The host's ACK: a speed that was agreed is taken."""
        if self.next_baud is not None:
            self.baud, self.next_baud = self.next_baud, None

    # -- commands ---------------------------------------------------------------------------------

    def _diagnose(self, data: bytes, now: float) -> bytes:
        test = data[0]
        if test == 0x00:
            return data
        return b"\x00" if test in (0x01, 0x02, 0x04, 0x06, 0x07) else bytes((_BAD_PARAMETER,))

    def _firmware(self, data: bytes, now: float) -> bytes:
        return FIRMWARE

    def _status(self, data: bytes, now: float) -> bytes:
        told = b"".join(bytes((tg, 0, 0, 0x10)) for tg in sorted(self.targets))
        return bytes((0, int(self.radio.on), len(self.targets))) + told + bytes((self.sam_mode & 0x80,))

    def _read_register(self, data: bytes, now: float) -> bytes:
        pairs = [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data) - 1, 2)]
        return bytes(self.registers.get(address, 0) for address in pairs)

    def _write_register(self, data: bytes, now: float) -> bytes:
        for at in range(0, len(data) - 2, 3):
            self.registers[int.from_bytes(data[at : at + 2], "big")] = data[at + 2]
        return b""

    def _baud_rate(self, data: bytes, now: float) -> bytes | None:
        if data[0] >= len(BAUD_RATES):
            return None
        self.next_baud = BAUD_RATES[data[0]]
        return b""

    def _parameters(self, data: bytes, now: float) -> bytes:
        self.parameters = data[0]
        return b""

    def _sam(self, data: bytes, now: float) -> bytes | None:
        if not 1 <= data[0] <= 4:
            return None
        self.sam_mode = data[0]
        return b""

    def _power_down(self, data: bytes, now: float) -> bytes:
        data[0]  # the wake-up sources are required
        self.radio.switch(False)
        self.asleep = True
        return b"\x00"

    def _gpio(self, data: bytes, now: float) -> bytes:
        return b"\x3f\x07\x03"

    def _write_gpio(self, data: bytes, now: float) -> bytes:
        return b""

    def _rf_configuration(self, data: bytes, now: float) -> bytes:
        if data[0] == 0x01:
            self.radio.switch(bool(data[1] & 0x01))
            if not self.radio.on:
                self.targets.clear()
        elif data[0] == 0x05:
            self.retries = data[3]
        return b""

    def _list_passive(self, data: bytes, now: float) -> bytes | Waiting:
        most, kind, wanted = data[0], data[1], data[2:]
        self.targets.clear()
        self.last_read.clear()
        self.radio.switch(True)
        if kind != 0x00:
            return (self._list_felica() if kind in (0x01, 0x02) else b"") or b"\x00"
        if self.retries == 0xFF:
            return Waiting(lambda: self._list_106a(most, wanted, 2), None, b"\x00")
        found = self._list_106a(most, wanted, self.retries + 1)
        return found or b"\x00"

    def _list_106a(self, most: int, wanted: bytes, tries: int) -> bytes | None:
        """Type A at 106 kbit/s; None where nothing answered."""
        self.registers[_TX_MODE] = self.registers[_RX_MODE] = 0x80
        self._polls += 1
        if self.flicker and self._polls % 2 == 0:
            self.registers[_FIFO] = 0x26
            return None
        body = b""
        most = min(max(most, 1), 2)
        for number in range(1, most + 1):
            found = self._find(wanted, tries)
            if found is None:
                break
            self.radio.select(found)
            self.targets[number] = Target(found, found.tag.uid)
            body += bytes((number,)) + self._target_data(found)
            if number < most:
                self.radio.halt(found)
        if not self.targets:
            self.registers[_FIFO] = 0x26  # the request still lies there: nobody answered
            return None
        self.registers[_FIFO] = 0x00
        self._activate(len(self.targets))
        return bytes((len(self.targets),)) + body

    def _find(self, wanted: bytes, tries: int) -> Present | None:
        for _ in range(tries):
            answering = sorted(self.radio.request(), key=order)
            if wanted:
                answering = [item for item in answering if _cascaded(item.tag.uid) == wanted]
            if answering:
                return answering[0]
        return None

    def _target_data(self, item: Present) -> bytes:
        tag = item.tag
        uid = bytes.fromhex(tag.uid)
        told = bytes(reversed(tag.atqa)) + bytes((tag.sak, len(uid))) + uid
        if tag.sak & 0x20 and tag.ats is not None and self.parameters & 0x10:
            tag.exchange(b"\xe0\x50")
            told += bytes((len(tag.ats) + 1,)) + tag.ats
        return told

    def _list_felica(self) -> bytes:
        cards = self.radio.felica()[:1]
        return b"".join(b"\x01\x01\x12\x01" + bytes.fromhex(card.uid) + card.pmm for card in cards)

    def _activate(self, number: int) -> Present | None:
        """Makes target `number` the selected one, as the chip does by itself when it changes."""
        target = self.targets.get(number)
        if target is None or target.present not in self.radio.present:
            return None
        self._current = number
        active = self.radio.active()
        if active is not target.present:
            if active is not None:
                self.radio.halt(active)
            if target.present not in self.radio.request(wake=True):
                return None
            self.radio.select(target.present)
        return target.present

    def _data_exchange(self, data: bytes, now: float) -> bytes:
        number, sent = data[0] & 0x0F, data[1:]
        if number not in self.targets:
            return bytes((_WRONG_CONTEXT,))
        item = self.targets[number].present
        if number != self._current:
            # It does so only when it changes: a target that fell back is talked to in vain.
            self._activate(number)
        if isinstance(item.tag, SmartCardTag):
            return self._apdu(item, sent)
        if sent[:1] in (b"\x60", b"\x61") and len(sent) > 2:
            item.fall_back()
            return bytes((_AUTH,))
        if sent[:1] == b"\xa0" and len(sent) == 18:
            first = self.radio.exchange(item, sent[:2])
            answer = self.radio.exchange(item, sent[2:]) if first == bytes((ACK,)) else first
        else:
            answer = self.radio.exchange(item, sent)
        if answer is None:
            return bytes((_TIMEOUT,))
        if len(answer) == 1:
            return b"\x00" if answer[0] == ACK else bytes((_FORMAT,))
        if self.stale and sent[:1] == b"\x30":
            answer = self.last_read.setdefault(sent[1], answer)
        return b"\x00" + answer

    def _apdu(self, item: Present, sent: bytes) -> bytes:
        answer = self.radio.exchange(item, b"\x02" + sent)
        return bytes((_TIMEOUT,)) if answer is None else b"\x00" + answer[1:]

    def _communicate_thru(self, data: bytes, now: float) -> bytes:
        """Raw bytes to whoever listens; the CIU's registers say with which CRC and how many bits."""
        bits = self.registers.get(_BIT_FRAMING, 0) & 0x07
        with_crc = bool(self.registers.get(_TX_MODE, 0x80) & 0x80)
        self.registers[_CONTROL] = 0
        if not data:  # listens only
            return bytes((_TIMEOUT,))
        if bits == 7 and len(data) == 1:
            answer = self.radio.short_frame(data[0])
            return bytes((_TIMEOUT,)) if answer is None else b"\x00" + answer
        if not with_crc:
            if data[0] in (0x93, 0x95, 0x97) and data[1:2] == b"\x20":
                part, collided = self.radio.anticollision(data)
                return bytes((_TIMEOUT,)) if part is None else bytes((0x06 if collided else 0,)) + part
            if len(data) < 3 or crc_a(data[:-2]) != data[-2:]:
                return bytes((_TIMEOUT,))
            data = data[:-2]
        if data[0] in (0x93, 0x95, 0x97) and data[1:2] == b"\x70":
            sak = self.radio.select_frame(data)
            return bytes((_TIMEOUT,)) if sak is None else self._received(bytes((sak,)), False)
        item = self.radio.active()
        if item is not None and data[:2] == b"\x50\x00":
            self.radio.halt(item)
        answer = None if item is None else self.radio.exchange(item, data)
        if answer is None:
            return bytes((_TIMEOUT,))
        return self._received(answer, four_bits=len(answer) == 1)

    def _received(self, answer: bytes, four_bits: bool) -> bytes:
        """An answer as the CIU hands it on: CRC checked and removed, or left in place."""
        if self.registers.get(_RX_MODE, 0x80) & 0x80:
            return b"\x02" if four_bits else b"\x00" + answer
        if four_bits:
            self.registers[_CONTROL] = 0x04
            return b"\x00" + answer
        return b"\x00" + answer + crc_a(answer)

    def _deselect(self, data: bytes, now: float) -> bytes:
        for number in self._numbers(data[0]):
            if self._activate(number) is not None:
                self.radio.halt(self.targets[number].present)
        return b"\x00" if not data[0] or data[0] in self.targets else bytes((_WRONG_CONTEXT,))

    def _release(self, data: bytes, now: float) -> bytes:
        numbers = self._numbers(data[0])
        answer = self._deselect(data, now)
        for number in numbers:
            self.targets.pop(number, None)
        return answer

    def _numbers(self, number: int) -> list[int]:
        return sorted(self.targets) if number == 0 else [n for n in self.targets if n == number]

    def _select(self, data: bytes, now: float) -> bytes:
        if data[0] not in self.targets:
            return bytes((_WRONG_CONTEXT,))
        return b"\x00" if self._activate(data[0]) else bytes((_TIMEOUT,))

    def _auto_poll(self, data: bytes, now: float) -> Waiting | None:
        polls, period, kinds = data[0], data[1], data[2:]
        if not polls or not kinds:
            return None
        until = None if polls == 0xFF else now + polls * period * 0.15 * len(kinds)

        def ask() -> bytes | None:
            self.radio.switch(True)
            for kind in kinds:
                if kind in (0x00, 0x10, 0x20) and (found := self._list_106a(1, b"", 2)):
                    return bytes((1, kind, len(found) - 1)) + found[1:]
                if kind in (0x01, 0x02, 0x11, 0x12) and (found := self._list_felica()):
                    return bytes((1, kind, len(found) - 1)) + found[1:]
            return None

        return Waiting(ask, until, b"\x00", max(1, period) * 0.15)

    def _no_peer(self, data: bytes, now: float) -> bytes:
        return bytes((_TIMEOUT,))


def crc_a(data: bytes) -> bytes:
    """CRC_A of ISO/IEC 14443-3, low byte first.

    >>> crc_a(bytes.fromhex("3004")).hex()
    '26ee'
    """
    crc = 0x6363
    for byte in data:
        low = byte ^ crc & 0xFF
        low = (low ^ low << 4) & 0xFF
        crc = (crc >> 8) ^ (low << 8) ^ (low << 3) ^ (low >> 4)
    return crc.to_bytes(2, "little")


def _cascaded(uid: str) -> bytes:
    """A UID as the host names the tag it wants: with its cascade bytes."""
    raw = bytes.fromhex(uid)
    if len(raw) == 7:
        return b"\x88" + raw
    if len(raw) == 10:
        return b"\x88" + raw[:3] + b"\x88" + raw[3:]
    return raw


_COMMANDS: dict[int, Callable[[Pn532Chip, bytes, float], bytes | Waiting | None]] = {
    0x00: Pn532Chip._diagnose,
    0x02: Pn532Chip._firmware,
    0x04: Pn532Chip._status,
    0x06: Pn532Chip._read_register,
    0x08: Pn532Chip._write_register,
    0x0C: Pn532Chip._gpio,
    0x0E: Pn532Chip._write_gpio,
    0x10: Pn532Chip._baud_rate,
    0x12: Pn532Chip._parameters,
    0x14: Pn532Chip._sam,
    0x16: Pn532Chip._power_down,
    0x32: Pn532Chip._rf_configuration,
    0x40: Pn532Chip._data_exchange,
    0x42: Pn532Chip._communicate_thru,
    0x44: Pn532Chip._deselect,
    0x46: Pn532Chip._no_peer,
    0x4A: Pn532Chip._list_passive,
    0x50: Pn532Chip._no_peer,
    0x52: Pn532Chip._release,
    0x54: Pn532Chip._select,
    0x56: Pn532Chip._no_peer,
    0x60: Pn532Chip._auto_poll,
}
#: radio time of the commands that talk to tags, seconds (bench: a sense is about 17 ms in all)
_RADIO_SECONDS = {0x4A: 0.008, 0x40: 0.003, 0x42: 0.003, 0x54: 0.004, 0x44: 0.002}
