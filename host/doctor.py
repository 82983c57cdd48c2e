"""`crowntable doctor`: is this table fit to play? Each line: ok, warn or fail; what it saw; what to do.

It opens every device of the layout with the table's own driver and reports what that says.
"""

from __future__ import annotations

import io
import json
import os
import platform
import shutil
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from engine.errors import CrowntableError
from host.devices import Devices
from host.journal import Journal
from host.layout import Layout, load_layout
from host.logs import LOG, scrubbed, secrets_of
from host.pi import HOT, PiFacts, judged, read_facts
from host.settings import FILE as SETTINGS
from host.settings import STEPS, load_settings
from host.sighting import Health, Sighting

Level = Literal["ok", "warn", "fail"]
#: seconds that a device gets to say how it is
PATIENCE = 8.0
FEW_BYTES = 200 * 2**20
#: kernel modules that take USB readers for themselves (F15)
RIVAL_MODULES = ("pn533_usb", "pn533")


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `do` is empty where there is nothing to do."""

    name: str
    level: Level
    saw: str
    do: str = ""


def examine(layout: Layout | None, data: Path, sys_folder: Path = Path("/sys")) -> list[Check]:
    """Every check, in the order in which a person would make them."""
    checks = examine_machine(data, sys_folder)
    if layout is None:
        return checks
    busy = _table_running(data)
    if busy is not None:
        return [*checks, busy]
    return [*checks, *_devices(layout)]


def examine_machine(data: Path, sys_folder: Path = Path("/sys")) -> list[Check]:
    """The checks that need no device: what the computer itself is like."""
    facts = read_facts(sys_folder)
    return [
        *_machine(),
        *_settings(data),
        _disk(data),
        _clock(time.time()),
        *_power(facts),
        *_heat(facts),
        *_rivals(sys_folder),
    ]


def layout_check(path_or_name: str) -> tuple[Layout | None, Check]:
    """The layout, or None with the check that says what is wrong with it."""
    from host.layout import shipped_layouts

    try:
        layout = load_layout(shipped_layouts().get(path_or_name, Path(path_or_name)))
    except CrowntableError as error:
        return None, Check("layout", "fail", error.what, error.cure)
    spots = f"{len(layout.seats)} seats, {len(layout.zones)} zones, {len(layout.readers)} readers"
    return layout, Check("layout", "ok", f"{layout.name}: {spots}")


def _machine() -> Iterator[Check]:
    version = platform.python_version()
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield Check("python", "ok" if fits else "fail", f"Python {version}", "" if fits else "Use 3.11 to 3.13.")


def _settings(data: Path) -> Iterator[Check]:
    """What the set-up page has written, where it has written anything."""
    try:
        settings = load_settings(data)
    except CrowntableError as error:
        yield Check("settings", "warn", error.what, error.cure)
        return
    if settings.steps:
        left = [step for step in STEPS if settings.steps.get(step) != "done"]
        saw = "Every step of the set-up is done." if not left else f"Set-up steps left: {', '.join(left)}."
        yield Check("settings", "ok", saw)


def _heat(facts: PiFacts) -> Iterator[Check]:
    if facts.celsius is None:
        yield Check("temperature", "ok", "This machine does not say.")
    elif facts.celsius >= HOT:
        yield Check("temperature", "warn", f"The processor is at {facts.celsius:.0f} °C.", "Give it air.")
    else:
        yield Check("temperature", "ok", f"The processor is at {facts.celsius:.0f} °C.")


def _disk(data: Path) -> Check:
    folder = data
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        cure = f"Give the table's user the folder: sudo chown $(whoami) {folder}"
        return Check("disk", "fail", f"{folder} can't be written.", cure)
    free = shutil.disk_usage(folder).free
    room = f"{free >> 30} GB" if free >= 10 * 2**30 else f"{free >> 20} MB"
    left = f"{room} free for {data}"
    if free < FEW_BYTES:
        level: Level = "fail" if free < 2**20 else "warn"
        return Check("disk", level, left, "Free some space: df -h shows the disks.")
    return Check("disk", "ok", left)


def _clock(now: float) -> Check:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    if now < 1_735_689_600:  # 2025: before this program was written
        do = "Matches are in order all the same; set it for right dates."
        return Check("clock", "warn", f"It says {day}.", do)
    return Check("clock", "ok", day)


def _power(facts: PiFacts) -> Iterator[Check]:
    if facts.low_now is None:
        yield Check("voltage", "ok", "This machine does not say; it is no Raspberry Pi.")
        return
    state, detail = judged(facts)
    level: Level = "fail" if facts.low_now else "warn" if state == "weak" or facts.low_before else "ok"
    do = "" if level == "ok" else "Use the Pi's own supply (5 V, 3 A or more) and a short cable."
    yield Check("voltage", level, detail, do)


def _rivals(sys_folder: Path) -> Iterator[Check]:
    """Who else takes USB readers for themselves (F15)."""
    for module in RIVAL_MODULES:
        if (sys_folder / "module" / module).exists():
            cure = f"echo blacklist {module} | sudo tee /etc/modprobe.d/{module}.conf; sudo rmmod {module}"
            yield Check("usb readers", "warn", f"The kernel's {module} takes USB readers for itself.", cure)
    for process in Path("/proc").glob("[0-9]*/comm"):
        try:
            name = process.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            continue
        if name == "pcscd":
            cure = "sudo systemctl disable --now pcscd.socket pcscd.service"
            saw = f"pcscd (process {process.parent.name}) takes USB readers for itself."
            yield Check("usb readers", "warn", saw, cure)


def _table_running(data: Path) -> Check | None:
    """A table that runs has the devices; they are not taken from it."""
    if not (data / "lock").exists():
        return None
    try:
        Journal(data).close()
    except CrowntableError as error:
        if "Another Crowntable" in error.what:
            do = "Its health page shows the devices; stop it to check them here."
            return Check("devices", "ok", error.what, do)
        return Check("journal", "fail", error.what, error.cure)
    return None


def _devices(layout: Layout) -> Iterator[Check]:
    """Opens each device with its own driver and waits for its word."""
    said: dict[str, Health] = {}
    news = threading.Event()

    def hear(sighting: Sighting) -> None:
        if isinstance(sighting, Health):
            said[sighting.device] = sighting
            news.set()

    devices = Devices(layout)
    for device in devices.all:
        device.start(hear)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and any(_undecided(said.get(d.id)) for d in devices.all):
        news.wait(0.2)
        news.clear()
    devices.stop()
    for device in devices.all:
        yield check_device(device.id, said.get(device.id))


def _undecided(health: Health | None) -> bool:
    return health is None or health.state in ("starting", "lost")


def check_device(name: str, health: Health | None) -> Check:
    """What a device's last word on itself means, and what to do; `health` None: it has said nothing."""
    if health is None:
        return Check(name, "fail", "It says nothing.", "Check its cable and its entry in the layout.")
    level: Level = {"up": "ok", "weak": "warn"}.get(health.state, "fail")  # type: ignore[assignment]
    what, _, do = health.detail.partition(". ")
    if level != "ok" and not do:
        do = "Check its cable and power, and its entry in the layout; then run this again."
    if health.kind == "crown" and health.state != "up":
        # Without LEDs the dashboard shows the same crown: nothing is missing at the table (F53).
        level, do = "warn", "Nothing is missing: the dashboard shows the same crown. For LEDs install lgpio."
    exposure = dict(health.facts).get("exposure")
    if exposure:
        what += f"; exposure {exposure}"
    return Check(name, level, what, "" if level == "ok" else do)


def report(checks: list[Check]) -> str:
    """The checks as text for a terminal."""
    mark = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
    lines = []
    for check in checks:
        lines.append(f"{mark[check.level]}  {check.name}: {check.saw}")
        if check.do:
            lines.append(f"      {check.do}")
    return "\n".join(lines)


def bundle(path: Path, checks: list[Check], layout: Layout | None, data: Path) -> None:
    """A zip for whoever helps, as `bundle_bytes` makes it. Raises CrowntableError where the file can't be
    written."""
    names = {seat.name for seat in layout.seats if seat.name} if layout else set()
    try:
        path.write_bytes(bundle_bytes(checks, layout, data, names))
    except OSError as error:
        raise CrowntableError(f"{path} can't be written: {error.strerror}.", "Give another file.") from None


def bundle_bytes(checks: list[Check], layout: Layout | None, data: Path, names: set[str]) -> bytes:
    """The checks, the layout, the settings, versions and the log's end as a zip; no PIN, nobody's `names`."""
    parts = {
        "doctor.json": json.dumps([asdict(c) for c in checks], indent=1),
        "layout.json": json.dumps(asdict(layout), indent=1) if layout else "{}",
        "machine.txt": f"{platform.platform()}\nPython {sys.version}\n",
        "settings.toml": _end_of(data / SETTINGS),
        "log.txt": _end_of(data / LOG),
    }
    hidden = secrets_of(data)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, scrubbed(text, names, hidden))
    return made.getvalue()


def _end_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[-200_000:]
    except OSError:
        return ""
