"""Who uses which pin of the Pico and of the Pi, and the firmware's configuration that follows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from host.link.files import firmware_folder
from host.products.build import Build, wrong

#: Pico: GP number -> pin of the board.
PICO = {
    **dict(zip(range(16), (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20), strict=True)),
    16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32, 28: 34,
}  # fmt: skip
#: Raspberry Pi: BCM number -> pin of the 40-pin header.
PI = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
#: The RP2040's buses: (SCK, MOSI, MISO) pins that each may use.
_SPI = {
    0: ({2, 6, 18, 22}, {3, 7, 19}, {0, 4, 16, 20}),
    1: ({10, 14, 26}, {11, 15, 27}, {8, 12, 28}),
}
MOST_DIRECT = 14  # select lines straight from the Pico; more take a decoder
MOST_ANTENNAS = 32
#: Pi's serial ports by nfcpy's name for them, with their (TXD, RXD)
_UARTS = {"AMA0": (14, 15), "S0": (14, 15), "serial0": (14, 15)}


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody uses a pin: `board` is "Pico" or "Pi", `gpio` its GP or BCM number, `pin` the board's own."""

    board: str
    gpio: int
    pin: int
    who: str


@dataclass(frozen=True, slots=True)
class Pinning:
    """The Pico's pins. `select`: pins straight to the readers, or empty where `decoder` has the address
    pins (A0 to A3) and `enables` one pin for every sixteen; `buttons` name and pin."""

    spi: int
    sck: int
    mosi: int
    miso: int
    reset: int
    select: tuple[int, ...]
    decoder: tuple[int, ...]
    enables: tuple[int, ...]
    ring: int | None
    lamps: int | None
    buttons: tuple[tuple[str, int], ...]


@cache
def firmware_defaults() -> Mapping[str, str]:
    """The firmware's own defaults, read from its file without running it."""
    tree = ast.parse((firmware_folder() / "config.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DEFAULTS":
            return dict(ast.literal_eval(node.value))
    raise AssertionError("firmware/config.py has no DEFAULTS")


def pinning(build: Build) -> Pinning:
    """The Pico's pins: the firmware's defaults with the build's [pins] over them. Raises CrowntableError."""
    usual = firmware_defaults()
    pins = build.pins
    count = len(build.antennas())
    if count > MOST_ANTENNAS:
        raise wrong(
            build.name, f"it has {count} antennas on one Pico.", f"At most {MOST_ANTENNAS} are possible."
        )
    numbers = _numbers(build, "spi", str(pins.get("spi", usual["spi"])), 4)
    kind, _, rest = str(pins.get("select", _select(count, usual["select"]))).partition(":")
    direct: tuple[int, ...] = ()
    address: tuple[int, ...] = ()
    enables: tuple[int, ...] = ()
    if kind == "gpio":
        direct = _numbers(build, "select", rest, None)
    elif kind == "154":
        first, _, second = rest.partition("/")
        address, enables = _numbers(build, "select", first, 4), _numbers(build, "select", second, None)
    else:
        raise wrong(
            build.name, f"[pins] select = {kind!r}… is not known.", 'It begins with "gpio:" or "154:".'
        )
    if count > len(direct) + 16 * len(enables):
        room = len(direct) + 16 * len(enables)
        raise wrong(
            build.name, f"it has {count} antennas but select lines for {room}.", "Add pins to select."
        )
    spi, sck, mosi, miso = numbers
    return Pinning(
        spi, sck, mosi, miso,
        int(pins.get("reset", usual["reset"])),
        direct[:count], address, enables[: -(-count // 16)] if enables else (),
        int(pins.get("ring", usual["ring"].partition(":")[0])) if build.ring else None,
        int(pins.get("lamps", usual["lamps"].partition(":")[0])) if build.lamps else None,
        _buttons(build),
    )  # fmt: skip


def _select(count: int, usual: str) -> str:
    if count <= MOST_DIRECT:
        return "gpio:" + ",".join(map(str, range(count)))
    return usual


def _numbers(build: Build, key: str, text: str, count: int | None) -> tuple[int, ...]:
    words = [word for word in text.split(",") if word]
    if not all(word.isdigit() for word in words) or (count is not None and len(words) != count):
        raise wrong(
            build.name, f"[pins] {key} = {text!r} are not pins.", "See firmware/config.py for its form."
        )
    return tuple(int(word) for word in words)


def _buttons(build: Build) -> tuple[tuple[str, int], ...]:
    link = build.link()
    names = [button.id for button in build.layout.buttons if link is not None and button.reader == link.id]
    given = build.pins.get("buttons", {})
    free = iter((14, 15, 17, 26, 27, 28))
    found = []
    for name in names:
        pin = given[name] if name in given else next(free, None)
        if pin is None:
            raise wrong(build.name, f"button {name!r} has no pin.", f'Add "{name}" = … to [pins.buttons].')
        found.append((name, int(pin)))
    return tuple(found)


def claims(build: Build) -> tuple[Claim, ...]:
    """Every use of a pin, checked. Raises CrowntableError where two want the same, or a pin is none."""
    found: dict[tuple[str, int], Claim] = {}
    for board, gpio, who in _wanted(build):
        known = PICO if board == "Pico" else PI
        sign = f"GP{gpio}" if board == "Pico" else f"GPIO{gpio}"
        if gpio not in known:
            raise wrong(build.name, f"{sign}, wanted by {who}, is no pin of the {board}.", "Give it another.")
        before = found.get((board, gpio))
        if before is not None:
            free = [n for n in known if (board, n) not in found]
            raise wrong(
                build.name,
                f"{sign} of the {board} (pin {known[gpio]}) is given to {before.who} and to {who}.",
                f"Give one of them another pin; free are {', '.join(map(str, free))}.",
            )
        found[board, gpio] = Claim(board, gpio, known[gpio], who)
    if build.link() is not None:
        _check_bus(build, pinning(build))
    return tuple(found.values())


def _wanted(build: Build) -> Iterator[tuple[str, int, str]]:
    if build.link() is not None:
        yield from _wanted_pico(build, pinning(build))
    ports: dict[str, str] = {}
    for reader in build.layout.readers:
        if reader.driver != "nfc" or not reader.port.startswith("tty:"):
            continue
        port = reader.port.split(":")[1]
        if port in ports:
            raise wrong(
                build.name, f"readers {ports[port]!r} and {reader.id!r} both want {port}.", "One a port."
            )
        ports[port] = reader.id
        for gpio, what in zip(_UARTS.get(port, ()), ("RXD", "TXD"), strict=False):
            yield "Pi", gpio, f"reader {reader.id!r} ({what} of its board)"
    for gpio, colour in zip(build.layout.crown.gpio or (), ("red", "green", "blue"), strict=False):
        if build.pi != "own-computer":
            yield "Pi", gpio, f"the crown's LED ({colour})"


def _wanted_pico(build: Build, pins: Pinning) -> Iterator[tuple[str, int, str]]:
    for gpio, what in ((pins.sck, "SCK"), (pins.mosi, "MOSI"), (pins.miso, "MISO"), (pins.reset, "RST")):
        yield "Pico", gpio, f"{what} of the readers' bus"
    for antenna, gpio in enumerate(pins.select):
        yield "Pico", gpio, f"the select line of antenna {antenna}"
    for i, gpio in enumerate(pins.decoder):
        yield "Pico", gpio, f"A{i} of the decoders"
    for i, gpio in enumerate(pins.enables):
        yield "Pico", gpio, f"E of decoder {i + 1}"
    if pins.ring is not None:
        yield "Pico", pins.ring, "the crown's ring"
    if pins.lamps is not None:
        yield "Pico", pins.lamps, "the zones' lamps"
    for name, gpio in pins.buttons:
        yield "Pico", gpio, f"button {name!r}"


def _check_bus(build: Build, pins: Pinning) -> None:
    may = _SPI.get(pins.spi)
    if may is None:
        raise wrong(build.name, f"[pins] spi names bus {pins.spi}.", "The Pico has buses 0 and 1.")
    for gpio, allowed, what in zip(
        (pins.sck, pins.mosi, pins.miso), may, ("SCK", "MOSI", "MISO"), strict=True
    ):
        if gpio not in allowed:
            raise wrong(
                build.name,
                f"GP{gpio} can't be {what} of SPI {pins.spi}.",
                f"It can be {', '.join(f'GP{n}' for n in sorted(allowed))}.",
            )


def firmware_config(build: Build) -> dict[str, str]:
    """The settings that differ from the firmware's defaults (firmware/config.py); empty without a Pico."""
    link = build.link()
    if link is None:
        return {}
    pins, usual = pinning(build), firmware_defaults()
    if pins.select:
        select = "gpio:" + ",".join(map(str, pins.select))
    else:
        select = f"154:{','.join(map(str, pins.decoder))}/{','.join(map(str, pins.enables))}"
    words = {
        "name": link.id,
        "antennas": str(len(build.antennas())),
        "spi": f"{pins.spi},{pins.sck},{pins.mosi},{pins.miso}",
        "select": select,
        "reset": str(pins.reset),
        "ring": f"{pins.ring}:{build.ring}" if pins.ring is not None else "-",
        "lamps": f"{pins.lamps}:{build.lamps}" if pins.lamps is not None else "-",
        "buttons": ",".join(f"{name}:{pin}" for name, pin in pins.buttons) or "-",
        "budget": str(build.budget),
    }
    return {key: value for key, value in sorted(words.items()) if value != usual[key]}
