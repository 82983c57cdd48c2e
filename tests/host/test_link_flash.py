"""`crowntable flash` with the real mpremote, onto a virtual Pico that runs what is in its flash."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import pytest

from engine.errors import CrowntableError
from host.link import cli, flash
from host.link.device import LinkDevice
from host.virtual.pico import VirtualPico
from tests.host.link_board import UID, Heard, card_memory, wait_until


@pytest.fixture
def pico() -> Iterator[VirtualPico]:
    pico = VirtualPico("pico", 2, from_flash=True)
    pico.start()
    yield pico
    pico.stop()


def run(pico: VirtualPico, *words: str) -> int:
    parser = argparse.ArgumentParser()
    cli.register(parser.add_subparsers())
    args = parser.parse_args(["flash", "--port", pico.path, *words])
    return int(args.run(args))


def test_a_new_board_gets_everything_an_old_one_only_what_differs(
    pico: VirtualPico, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = "antennas=2 name=pico*0000\n"
    (pico.flash / "config.txt").write_text(settings, encoding="ascii")
    assert run(pico, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    names = [path.name for path in flash.files()]
    assert report["copied"] == names
    assert names[-1] == "main.py"
    assert (report["before"], report["after"]) == (None, "0.1.0")
    assert (pico.flash / "config.txt").read_text(encoding="ascii") == settings
    assert not (pico.flash / "sim").exists()

    (pico.flash / "lights.py").write_text("# an older one\n" + (pico.flash / "lights.py").read_text())
    assert run(pico, "--dry-run") == 0
    told = capsys.readouterr().out
    assert "firmware 0.1.0" in told
    assert "differs  lights.py" in told
    assert "1 of" in told
    assert "older" in (pico.flash / "lights.py").read_text()

    assert run(pico) == 0
    assert "1 of" in capsys.readouterr().out
    assert "older" not in (pico.flash / "lights.py").read_text()

    heard, link = Heard(), LinkDevice("pico", pico.path, 2)
    link.start(heard)
    pico.place(1, UID, card_memory("s2/5"))
    assert heard.tags(1, {UID}).tags[0].card == "s2/5"
    link.stop()


def test_a_port_in_use_and_a_missing_one_are_said_with_their_cure(pico: VirtualPico) -> None:
    wait_until(lambda: pico.starts > 0)
    with flash._opened(pico.path), pytest.raises(CrowntableError, match="nother program"):
        flash.to_prompt(pico.path)
    with pytest.raises(CrowntableError, match="is not there"):
        flash.find_port("/dev/ttyACM99")
