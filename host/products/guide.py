"""The assembly guide of one table, as Markdown: what goes where, in which order, and what one should see."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Sequence

from host.layout import tables_folder
from host.products import bom
from host.products.build import Build
from host.products.geometry import HALF_CLOCK_NS, branches, closest_gaps, needed_gap
from host.products.parts import price_date
from host.products.pins import claims, firmware_config
from host.products.power import rails
from host.products.prints import printed_parts
from host.products.wires import Harness, harness, reader_id, select_source, zone_words


def guide(build: Build) -> str:
    """The guide. Raises CrowntableError where the build is wrong."""
    plan = harness(build)
    parts = [
        _head(build),
        _shopping(build),
        _places(build),
        _steps(build),
        _wiring(build, plan),
        _power(build),
    ]
    return "\n".join(part for part in parts if part)


def _head(build: Build) -> str:
    width, depth = build.table
    shape = f"a round table of {width:.0f} mm" if build.shape == "round" else f"{width:.0f} x {depth:.0f} mm"
    seats = _count(len(build.layout.seats), "seat")
    return f"""# Building {build.name}

Made by `crowntable hardware {build.name}` from `hardware/tables/{build.name}.toml` and
`hardware/builds/{build.name}.toml`: change those, not this.
{seats} at {shape}. Each step with what to do when it does not work: [docs/build.md](../../../docs/build.md).

![The table from above](table.svg)
"""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _shopping(build: Build) -> str:
    text = (
        f"## What it takes\n\n[bom.csv](bom.csv): {_count(len(bom.lines(build)), 'line')}, about "
        f"**{bom.total(build):.0f} EUR** (estimates of {price_date()}).\n"
    )
    printed = bom.prints(build)
    if printed:
        text += "\nTo print, without support (`crowntable hardware parts -o FOLDER` makes the STL files):\n\n"
        rows = [(f"{count} x", f"`{name}`", printed_parts()[name].what) for name, count in printed.items()]
        text += _table(("", "part", "what"), rows)
    return text


def _places(build: Build) -> str:
    near = {}
    for gap in reversed(closest_gaps(build)):
        near[gap.one.id], near[gap.other.id] = gap, gap
    rows = []
    for zone in build.layout.zones:
        x, y = build.where(zone)
        found = near.get(zone.id)
        free = f"{found.free:.0f} mm (needs {found.needed:.0f})" if found else "-"
        link = build.link()
        board = reader_id(zone) if link is not None and zone.reader == link.id else "PN532"
        rows.append((zone_words(zone), board, f"{x:.0f}, {y:.0f}", free))
    kind = "shielded" if build.shielded else "bare"
    diameters = _count(round(needed_gap(build)), "antenna diameter")
    return (
        "## Where the antennas lie\n\nMillimetres from the drawing's upper left corner of the table to the "
        "antenna's middle, which is the card's middle.\n\n"
        + _table(("spot", "board", "x, y", "free to the nearest antenna"), rows)
        + f"\nBetween {kind} antennas at least {diameters} must stay free, edge to edge, and one diameter to "
        "any metal (the red circles).\n"
    )


def _steps(build: Build) -> str:
    """The steps of `hardware/steps.toml` that fit this table, numbered."""
    has = _has(build)
    words = {
        "name": build.name,
        "count": len(build.antennas()),
        "holes": len(build.layout.zones),
        "branches": build.branches,
        "lights_from": "to the 5 V supply, its GND also to the Pico's GND" if build.supply else
        "to the Pico's VBUS (its USB plug's 5 V) and GND",
    }  # fmt: skip
    document = tomllib.loads((tables_folder().parent / "steps.toml").read_text(encoding="utf-8"))
    texts = [
        step["text"].strip().format(**words)
        for step in document["step"]
        if all((want.removeprefix("no-") in has) != want.startswith("no-") for want in step["when"])
    ]
    numbered = [f"{number}. " + textwrap.indent(text, "   ").lstrip() for number, text in enumerate(texts, 1)]
    body = "\n".join(numbered)
    return f"## In this order\n\n{body}\n"


def _has(build: Build) -> set[str]:
    """What a step may ask for."""
    asked = {
        "pico": build.link() is not None,
        "shielded": build.shielded,
        "hub": build.branches > 1,
        "settings": bool(firmware_config(build)),
        "lights": build.ring > 0 or build.lamps > 0,
        "tray": build.tray is not None,
        "header": any(claim.board == "Pi" for claim in claims(build)),
    }
    return {name for name, there in asked.items() if there}


def _wiring(build: Build, plan: Harness) -> str:
    text = (
        "## Wiring\n\n![The wiring](wiring.svg)\n\n[wiring.yml](wiring.yml) is the same for WireViz. "
        "Pins are counted as on the parts.\n"
    )
    text += _bus_text(build)
    to: dict[tuple[str, int], list[str]] = {}
    for cable in plan.cables:
        for wire in cable.wires:
            to.setdefault(wire.one, []).append(f"{wire.other[0]} {wire.other[1]}")
            to.setdefault(wire.other, []).append(f"{wire.one[0]} {wire.one[1]}")
    for device in plan.devices:
        if device.id[0] in "RL" and device.id[1:].isdigit():
            continue
        rows = [
            (str(pin), words, _shortened(to[device.id, pin]))
            for pin, words in device.pins
            if (device.id, pin) in to
        ]
        text += f"\n### {device.id}: {device.title}\n\n" + _table(("pin", "what", "goes to"), rows)
    return text


def _shortened(ends: list[str]) -> str:
    return ", ".join(ends) if len(ends) <= 8 else ", ".join(ends[:8]) + f" and {len(ends) - 8} more"


def _bus_text(build: Build) -> str:
    chains = branches(build)
    if not chains:
        return ""
    text = "\n### The readers' bus\n\nSCK, MOSI, MISO, RST, 3.3 V and GND go on from reader to reader.\n\n"
    rows = []
    for number, chain in enumerate(chains, 1):
        for zone, piece in zip(chain.zones, chain.pieces, strict=True):
            device, pin = select_source(build, zone)
            rows.append(
                (str(number), reader_id(zone), zone_words(zone), f"{device} pin {pin}", f"{piece:.2f} m")
            )
    text += _table(("branch", "board", "spot", "its SDA from", "wire from the one before"), rows)
    worst = max(chains, key=lambda chain: chain.delay)
    longest = max(chain.length for chain in chains)
    return text + (
        f"\nLongest branch {longest:.1f} m; an answer takes {worst.delay:.0f} ns "
        f"of the {HALF_CLOCK_NS:.0f} ns that half a clock at 4 MHz lasts (worked out, not measured).\n"
    )


def _power(build: Build) -> str:
    rows = []
    for rail in rails(build):
        draws = "; ".join(f"{who} {draw:.0f}" for who, draw in rail.draws)
        rows.append((rail.name, f"{rail.volts:g} V", draws, f"{rail.sum:.0f}", f"{rail.limit:.0f}"))
    text = "## Power\n\nMilliamperes at most, each at its own voltage. "
    text += "A plug-in supply is used to 80 % of its rating.\n\n"
    text += _table(("from", "", "draws", "sum", "may give"), rows)
    words = firmware_config(build)
    if build.link() is not None:
        told = " ".join(f"{key}={value}" for key, value in words.items()) or "none: its defaults fit"
        text += f"\n## The Pico's settings\n\n`{told}`\n"
        if words:
            text += "\nAs the board stores them: [pico-config.txt](pico-config.txt).\n"
    return text
