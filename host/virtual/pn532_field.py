"""The radio field of a virtual reader: which tags lie in it, and ISO/IEC 14443-3 type A's states.

    IDLE  --REQA/WUPA-->  READY  --select-->  ACTIVE  --HLTA-->  HALT  --WUPA-->  READY

An ACTIVE tag that hears a REQA falls back to IDLE without an answer: that is why readers that poll
without switching the field off miss every second time (failure F02).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum

from host.virtual.tags import ACK, FelicaTag, SmartCardTag, Tag

CASCADE = 0x88


class State(Enum):
    """Where a tag stands in the selection protocol."""

    IDLE = "idle"
    READY = "ready"
    ACTIVE = "active"
    HALT = "halt"


@dataclass(slots=True, eq=False)
class Present:
    """A tag in the field. `strength` is the share of polls that it answers (F07), `level` how many
    cascade levels of its UID are selected."""

    tag: Tag
    state: State = State.IDLE
    was_halted: bool = False
    strength: float = 1.0
    level: int = 0

    def fall_back(self) -> None:
        """To IDLE, or to HALT where it came from."""
        self.state = State.HALT if self.was_halted else State.IDLE
        self.level = 0


@dataclass(slots=True)
class Field:
    """The tags over one antenna. `overlap`: they lie on each other and none is heard (F10)."""

    present: list[Present] = field(default_factory=list)
    on: bool = False
    overlap: bool = False
    rng: random.Random = field(default_factory=lambda: random.Random(532))

    def place(self, tag: Tag, strength: float = 1.0) -> None:
        """Lays a tag into the field; one that lies there already only changes its strength."""
        for item in self.present:
            if item.tag is tag:
                item.strength = strength
                return
        if isinstance(tag, SmartCardTag):
            tag.tapped()
        tag.power_up()
        self.present.append(Present(tag, strength=strength))

    def lift(self, tag: Tag) -> None:
        """Takes a tag away; none happens where it does not lie there."""
        self.present = [item for item in self.present if item.tag is not tag]

    def switch(self, on: bool) -> None:
        """The carrier on or off; without it every tag forgets."""
        if self.on and not on:
            for item in self.present:
                item.state, item.was_halted, item.level = State.IDLE, False, 0
                item.tag.power_up()
        self.on = on

    # -- by commands, as the chip's own firmware does it ------------------------------------------

    def request(self, wake: bool = False) -> list[Present]:
        """REQA or (`wake`) WUPA: the tags that answer and are READY now."""
        if not self.on:
            return []
        answering = []
        for item in self.present:
            if isinstance(item.tag, FelicaTag):
                continue
            if item.state is State.IDLE or (wake and item.state is State.HALT):
                if self.overlap or (item.strength < 1 and self.rng.random() >= item.strength):
                    continue
                item.was_halted = item.state is State.HALT
                item.state, item.level = State.READY, 0
                answering.append(item)
            elif item.state in (State.READY, State.ACTIVE):
                item.fall_back()
        return answering

    def select(self, chosen: Present) -> None:
        """Anticollision won by `chosen`: it is ACTIVE, the others fall back."""
        for item in self.present:
            if item is chosen:
                item.state = State.ACTIVE
            elif item.state is State.READY:
                item.fall_back()

    def halt(self, chosen: Present) -> None:
        """HLTA: `chosen` answers WUPA only."""
        if chosen in self.present:
            chosen.state, chosen.was_halted, chosen.level = State.HALT, True, 0

    def exchange(self, chosen: Present, data: bytes) -> bytes | None:
        """`data` to a selected tag; what it answers (a byte below 16: ACK or NAK), None for silence."""
        if not self.on or chosen not in self.present or chosen.state is not State.ACTIVE:
            return None
        if self.overlap:
            return None
        answer = chosen.tag.exchange(data)
        if answer is None or (len(answer) == 1 and answer[0] != ACK):
            chosen.fall_back()
        return answer

    def active(self) -> Present | None:
        """The selected tag."""
        return next((item for item in self.present if item.state is State.ACTIVE), None)

    def felica(self) -> list[FelicaTag]:
        """The type F cards."""
        return [item.tag for item in self.present if isinstance(item.tag, FelicaTag)] if self.on else []

    # -- by raw frames, as a host does it that selects by hand ------------------------------------

    def short_frame(self, command: int) -> bytes | None:
        """Seven bits: REQA (26) or WUPA (52). Answers of several tags lie on each other (wired or)."""
        if command not in (0x26, 0x52):
            return None
        atqas = [item.tag.atqa for item in self.request(command == 0x52)]
        if not atqas:
            return None
        merged = bytearray(2)
        for atqa in atqas:
            for at in range(2):
                merged[at] |= atqa[at]
        return bytes(merged)

    def anticollision(self, data: bytes) -> tuple[bytes | None, bool]:
        """`93|95|97 20`: UID part and check byte of the READY tags; True when they collided."""
        level = (data[0] - 0x93) // 2
        ready = [i for i in self.present if i.state is State.READY and i.level == level]
        parts = {_level_bytes(item.tag.uid, level) for item in ready}
        parts.discard(b"")
        if not parts:
            return None, False
        return min(parts, key=_bit_order), len(parts) > 1

    def select_frame(self, data: bytes) -> int | None:
        """`93|95|97 70` with UID part and check byte: the SAK of the tag that takes it."""
        level = (data[0] - 0x93) // 2
        part = data[2:7]
        for item in self.present:
            if item.state is State.READY and item.level == level:
                if _level_bytes(item.tag.uid, level) != part:
                    item.fall_back()
                elif part[0] == CASCADE and len(item.tag.uid) > 8 + 6 * level:
                    item.level += 1
                    return item.tag.sak | 0x04
                else:
                    self.select(item)
                    return item.tag.sak
        return None


def _level_bytes(uid: str, level: int) -> bytes:
    """The four UID bytes of a cascade level (0, 1, 2) and their check byte; empty beyond the last."""
    raw = bytes.fromhex(uid)
    levels = {4: 1, 7: 2, 10: 3}.get(len(raw), 0)
    if level >= levels:
        return b""
    part = raw[3 * level : 3 * level + 4]
    if level < levels - 1:
        part = bytes((CASCADE,)) + part[:3]
    return part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],))


def order(item: Present) -> tuple[int, ...]:
    """Sorts tags as anticollision finds them: by the first differing bit, lowest bit first."""
    return _bit_order(bytes.fromhex(item.tag.uid))


def _bit_order(raw: bytes) -> tuple[int, ...]:
    return tuple(byte >> bit & 1 for byte in raw for bit in range(8))
