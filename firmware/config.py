"""What this board is wired to: `key=value` words from the host, kept in flash with a checksum."""

import os

from link import crc16

DEFAULTS = {
    "name": "pico",  # the reader's id in the table's layout
    "antennas": "8",
    "chip": "mfrc522",  # mfrc522 | pn532
    "spi": "0,18,19,16",  # bus, SCK, MOSI, MISO
    "select": "154:2,3,4,5/6,7",  # 154:A0,A1,A2,A3/E[,E2] (74HC154) | gpio:CS0,CS1,...
    "reset": "20",  # the chips' common reset line, - for none
    "gain": "7",  # 0 to 7: 18 to 48 dB
    "ring": "22:24",  # the crown's pin : its LEDs; - for none
    "lamps": "21:1",  # the zones' pin : LEDs an antenna; - for none
    "buttons": "-",  # name:pin[,name:pin]
    "brightness": "96",  # 0 to 255, of everything
    "budget": "900",  # mA for all LEDs together
    "round": "60",  # ms: a round of all antennas takes at least so long
    "tcp": "-",  # the port on which a wireless crown is spoken to; - for USB only
    "battery": "-",  # the analogue pin (26 to 28) at the middle of two equal resistors; - for none
}
MOST_ANTENNAS = 32
LIMITS = {
    "antennas": (0, MOST_ANTENNAS),
    "gain": (0, 7),
    "brightness": (0, 255),
    "budget": (50, 20000),
    "round": (0, 2000),
}


class ConfigError(Exception):
    """A configuration that this board cannot be. The text is the key that is wrong."""


def text(given):
    """The settings that the host gave, in one line, sorted: what is stored, and what `cfg` is of."""
    return " ".join("%s=%s" % (key, given[key]) for key in sorted(given))


def checksum(given):
    return crc16(text(given).encode())


def checked(words):
    """The defaults with `words` put over them. Raises ConfigError with the key that is wrong."""
    config = dict(DEFAULTS)
    for key, value in words.items():
        if key not in DEFAULTS:
            raise ConfigError(key)
        config[key] = value
    for key, (low, high) in LIMITS.items():
        try:
            number = int(config[key])
        except ValueError:
            raise ConfigError(key) from None
        if not low <= number <= high:
            raise ConfigError(key)
    if config["chip"] not in ("mfrc522", "pn532"):
        raise ConfigError("chip")
    try:
        if len(selects(config)) < int(config["antennas"]):
            raise ConfigError("select")
    except (ValueError, IndexError):
        raise ConfigError("select") from None
    for key, parse in (("spi", numbers), ("ring", pair), ("lamps", pair), ("buttons", buttons)):
        try:
            parse(config[key])
        except (ValueError, IndexError):
            raise ConfigError(key) from None
    for key, low, high in (("tcp", 1, 65535), ("battery", 26, 28), ("reset", 0, 29)):
        if config[key] != "-" and not (config[key].isdigit() and low <= int(config[key]) <= high):
            raise ConfigError(key)
    if len(numbers(config["spi"])) != 4:
        raise ConfigError("spi")
    return config


def numbers(value):
    """[1, 2] of "1,2"."""
    return [int(part) for part in value.split(",")]


def pair(value):
    """(pin, count) of "22:24"; None of "-"."""
    if value == "-":
        return None
    pin, count = value.split(":")
    return int(pin), int(count)


def buttons(value):
    """[("done", 14)] of "done:14"; [] of "-"."""
    found = []
    if value != "-":
        for part in value.split(","):
            name, pin = part.split(":")
            found.append((name, int(pin)))
    return found


def selects(config):
    """One entry an antenna that could be selected: a pin, or (four address pins, level, enable)."""
    kind, rest = config["select"].split(":")
    if kind == "gpio":
        return numbers(rest)
    if kind != "154":
        raise ValueError(kind)
    address, enables = rest.split("/")
    pins = numbers(address)
    if len(pins) != 4:
        raise ValueError(address)
    return [(pins, code, enable) for enable in numbers(enables) for code in range(16)]


def load(path):
    """(configuration, what of it was given): the defaults, None where the file is missing or damaged."""
    try:
        with open(path) as stored:
            line = stored.read().strip()
        body, star, crc = line.rpartition("*")
        if star and int(crc, 16) == crc16(body.encode()):
            given = {}
            for part in body.split():
                key, _, value = part.partition("=")
                given[key] = value
            return checked(given), given
    except (OSError, ValueError, ConfigError):
        pass
    return dict(DEFAULTS), None


def save(path, given):
    """Writes beside the old file, then renames: a power cut leaves the old or the new one."""
    body = text(given)
    with open(path + ".new", "w") as stored:
        stored.write("%s*%04X\n" % (body, crc16(body.encode())))
    try:
        os.rename(path + ".new", path)
    except OSError:  # FAT does not rename over a file
        os.remove(path)
        os.rename(path + ".new", path)
