"""Every chaos scenario on a running virtual table: the right state in the end, the right words on screen."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from host.journal import Journal
from host.layout import find_layout
from host.match import rebuilt
from host.virtual.chaos import SCENARIOS
from tests.system.evening import OPERATOR, Evening
from tests.system.test_virtual_evening import running, view

CAVALRY, CAPTAIN = "cremisi/cavalry/1", "aurea/captain/1"
#: scenarios whose test is elsewhere: they need a process of their own, or are pulled cables
ELSEWHERE = {
    "unplug-link": "test_devices_lost.py",
    "unplug-scan": "test_devices_lost.py",
    "unplug-camera": "test_devices_lost.py",
    "disk-full": "test_a_disk_that_takes_nothing",
    "disk-read-only": "test_a_disk_that_takes_nothing",
}


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(find_layout("althera-3"), tmp_path)
    try:
        evening.within(120, lambda: all(evening.device(d) == "up" for d in ("pico", "scan", "dice")))
        evening.begin_duel()
        yield evening
    finally:
        evening.running.stop()


def played(evening: Evening, count: int, seconds: float = 20.0) -> None:
    evening.within(seconds, lambda: len(evening.duel()["plays"]) == count)


def detail(evening: Evening, name: str) -> str:
    return next(str(d["detail"]) for d in evening.view()["devices"] if d["id"] == name)


def watch(evening: Evening, name: str, seconds: float) -> set[tuple[str, str]]:
    """What a device has said of itself meanwhile: state and detail."""
    seen = set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        seen.add((evening.device(name), detail(evening, name)))
        time.sleep(0.02)
    return seen


def facts(evening: Evening, name: str) -> dict[str, Any]:
    """The numbers that a device's health page has."""
    return dict(next(d["facts"] for d in evening.view()["devices"] if d["id"] == name))


def banners(evening: Evening) -> dict[str, str]:
    """What stands over every page: text and what to do."""
    return {row["text"]: row["cure"] for row in evening.view()["banner"]}


def test_every_failure_of_readers_links_power_and_pi_has_its_scenario() -> None:
    named = {number for scenario in SCENARIOS.values() for number in scenario.failures.split()}
    wanted = [*range(1, 18), *range(20, 26), 34, *range(50, 54)]
    assert {f"F{number:02d}" for number in wanted} <= named


def test_every_scenario_has_its_test() -> None:
    own = {name for name in SCENARIOS if f"def test_{name.replace('-', '_')}(" in Path(__file__).read_text()}
    assert own | set(ELSEWHERE) == set(SCENARIOS)
    for name, scenario in SCENARIOS.items():
        assert scenario.failures.startswith("F"), name


def test_reader_restart(evening: Evening) -> None:
    evening.lay(CAPTAIN, "scan")
    evening.within(5, lambda: (evening.view()["scan"] or {}).get("card") == CAPTAIN)
    first = evening.view()["scan"]
    assert evening.running.stand_ins is not None
    chip = evening.running.stand_ins.levers().pn532s["scan"]
    losses = chip.power_losses
    evening.chaos("reader-restart")
    seen = watch(evening, "scan", 9)
    evening.chaos("reader-restart", False)
    assert chip.power_losses >= losses + 2
    # Mostly it is opened again before anybody need be alarmed; where not, what is said is a sentence.
    assert all("not answer" in text or "try" in text for state, text in seen if state == "lost")
    evening.within(10, lambda: evening.device("scan") == "up")
    assert evening.view()["scan"] == first
    evening.lay(CAPTAIN, "hand")
    evening.lay(CAVALRY, "scan")
    evening.within(8, lambda: evening.view()["scan"]["card"] == CAVALRY)


def test_flicker(evening: Evening) -> None:
    evening.chaos("flicker")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    time.sleep(6)
    assert evening.duel()["plays"] == [CAVALRY]
    assert not [f for f in evening.view()["findings"] if f["open"]]
    assert CAVALRY in evening.lying("seat1.field")
    evening.chaos("flicker", False)
    evening.lay(CAVALRY, "pile")
    evening.within(10, lambda: not evening.lying("seat1.field"))


def test_mute_reader(evening: Evening) -> None:
    evening.chaos("mute-reader")
    evening.within(5, lambda: evening.device("scan") == "lost")
    evening.within(5, lambda: any("antenna 1 of pico" in d["detail"] for d in evening.view()["devices"]))
    cure = "Enter its cards by hand, and check its antenna."
    evening.within(5, lambda: banners(evening).get("The field spot of Bruno does not answer.") == cure)
    assert "not answer" in detail(evening, "scan")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("mute-reader", False)
    evening.within(15, lambda: evening.device("scan") == "up" and evening.device("pico") == "up")
    evening.within(5, lambda: not banners(evening))
    assert "The field spot of Bruno is read again." in evening.notices()
    evening.lay(CAPTAIN, "seat2.field")
    played(evening, 2)


def test_late_reader(tmp_path: Path) -> None:
    evening = Evening(find_layout("althera-3"), tmp_path, chaos=("late-reader",))
    try:
        evening.within(10, lambda: evening.device("scan") == "lost")
        assert "Plug the reader in" in detail(evening, "scan") or "there is no" in detail(evening, "scan")
        time.sleep(5)
        evening.chaos("late-reader", False)
        evening.within(10, lambda: evening.device("scan") == "up")
    finally:
        evening.running.stop()


def test_marginal(evening: Evening) -> None:
    evening.chaos("marginal")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1, 15)
    evening.within(30, lambda: "reads badly" in evening.notices())
    assert "check the spacer" in evening.notices()
    assert evening.duel()["plays"] == [CAVALRY]
    assert CAVALRY in evening.lying("seat1.field")


def test_ghost_neighbour(evening: Evening) -> None:
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("ghost-neighbour")
    both = "is read at the field spot of Ada and at the field spot of Bruno"
    evening.within(15, lambda: both in evening.notices())
    assert evening.lying("seat1.field") == [CAVALRY]
    assert evening.lying("seat2.field") == []
    assert evening.duel()["plays"] == [CAVALRY]
    assert not [f for f in evening.view()["findings"] if f["open"]]


def test_stack(evening: Evening) -> None:
    evening.chaos("stack")
    time.sleep(1)
    evening.lay(CAVALRY, "seat1.field")
    evening.within(10, lambda: evening.view()["banner"])
    (banner,) = evening.view()["banner"]
    assert (banner["level"], banner["text"]) == ("amber", "Cards overlap at the field spot of Ada.")
    assert banner["cure"] == "Spread them, or enter the card by hand."
    assert "Cards overlap at the field spot of Ada: spread them" in evening.notices()
    assert evening.device("pico") == "up"
    assert evening.duel()["plays"] == []
    evening.do(do="play", seat=1, card=CAVALRY)
    evening.lay(CAPTAIN, "seat2.field")  # the other spots are read as ever
    played(evening, 2)
    evening.chaos("stack", False)
    evening.within(10, lambda: evening.lying("seat1.field") == [CAVALRY])
    evening.within(5, lambda: not evening.view()["banner"])
    assert "The field spot of Ada is read again." in evening.notices()
    assert evening.duel()["plays"] == [CAVALRY, CAPTAIN]


def test_twin(evening: Evening) -> None:
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.lay(CAPTAIN, "seat2.field")
    played(evening, 2)
    evening.chaos("twin")
    evening.within(10, lambda: "Captain is read at" in evening.notices())
    alarm = "Two tags carry the number of Captain, one at the field spot of Bruno and one at the field "
    alarm += "spot of Ada."
    cure = "Only the first counts; enrol one of the two cards with another tag."
    evening.within(20, lambda: banners(evening).get(alarm) == cure)
    assert evening.duel()["plays"] == [CAVALRY, CAPTAIN]
    assert len(evening.lying("seat1.field") + evening.lying("seat2.field")) == 2
    assert [e for e in evening.view()["events"] if e["kind"] == "notice" and "Two tags carry" in e["text"]]
    evening.chaos("twin", False)
    evening.within(15, lambda: not banners(evening))


def test_phone(evening: Evening, tmp_path: Path) -> None:
    evening.chaos("phone")
    evening.within(10, lambda: "A phone" in evening.notices() and "field spot of Ada" in evening.notices())
    time.sleep(5)
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    said = [e for e in evening.table.entries(limit=1000) if e["kind"] == "notice" and "hone" in e["text"]]
    assert len(said) == 1
    assert said[0]["evidence"][0]["uid"] == ""


def test_reversed_number(evening: Evening) -> None:
    evening.chaos("reversed-number")
    said = "A blank tag; its number is nearly that of aurea/captain/1 (the bytes reversed)."
    evening.within(10, lambda: (evening.view()["scan"] or {}).get("text") == said)
    assert evening.view()["scan"]["card"] is None
    evening.chaos("reversed-number", False)
    evening.lay(CAVALRY, "scan")
    evening.within(10, lambda: evening.view()["scan"]["card"] == CAVALRY)


def test_rival_program(evening: Evening) -> None:
    evening.chaos("rival-program")
    evening.within(10, lambda: evening.device("scan") == "lost")
    evening.within(10, lambda: "another program" in detail(evening, "scan"))
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("rival-program", False)
    evening.within(20, lambda: evening.device("scan") == "up")


def test_no_rights(evening: Evening) -> None:
    evening.chaos("no-rights")
    evening.within(10, lambda: evening.device("scan") == "lost")
    evening.within(10, lambda: "this user may not open" in detail(evening, "scan"))
    assert "dialout" in detail(evening, "scan")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("no-rights", False)
    evening.within(20, lambda: evening.device("scan") == "up")


def test_torn_tag(evening: Evening) -> None:
    evening.chaos("torn-tag")
    said = "A half-written tag: write it again."
    evening.within(10, lambda: (evening.view()["scan"] or {}).get("text") == said)
    assert evening.view()["scan"]["card"] is None
    evening.chaos("torn-tag", False)
    evening.lay(CAPTAIN, "scan")
    evening.within(10, lambda: evening.view()["scan"]["card"] == CAPTAIN)


def test_under_voltage(evening: Evening) -> None:
    evening.within(10, lambda: evening.device("pi") == "up")
    evening.chaos("under-voltage")
    evening.within(10, lambda: evening.device("pi") == "weak")
    assert "too little power" in detail(evening, "pi")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("under-voltage", False)
    evening.within(10, lambda: evening.device("pi") == "up")
    assert "there was under-voltage" in detail(evening, "pi")


def test_no_pins(tmp_path: Path) -> None:
    evening = Evening(find_layout("althera-3"), tmp_path, chaos=("no-pins",))
    try:
        evening.within(20, lambda: evening.device("crown") == "lost")
        assert "on screen only" in evening.view()["crown"]["hardware"]
        evening.within(20, lambda: evening.device("pico") == "up")
        evening.begin_duel()
        evening.lay(CAVALRY, "seat1.field")
        played(evening, 1)
        evening.chaos("no-pins", False)
        evening.within(20, lambda: evening.device("crown") == "up")
    finally:
        evening.running.stop()


def test_stale_content(evening: Evening) -> None:
    evening.lay(CAVALRY, "scan")
    evening.within(5, lambda: (evening.view()["scan"] or {}).get("card") == CAVALRY)
    evening.chaos("stale-content")
    evening.lay(CAVALRY, "hand")
    time.sleep(2)
    before = evening.view()["scan"]
    evening.lay(CAPTAIN, "scan")
    time.sleep(3)
    now = evening.view()["scan"]
    assert now in (before, None) or now["card"] in (None, CAPTAIN)
    evening.chaos("stale-content", False)
    evening.lay(CAPTAIN, "hand")
    time.sleep(2)
    evening.lay(CAPTAIN, "scan")
    evening.within(8, lambda: (evening.view()["scan"] or {}).get("card") == CAPTAIN)


def test_babble(evening: Evening) -> None:
    evening.chaos("babble")
    time.sleep(1)
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.lay(CAPTAIN, "seat2.field")
    played(evening, 2)
    assert evening.duel()["field"] == {"owner": 2, "value": 52}
    assert evening.device("pico") == "up"
    (pico,) = [d for d in evening.view()["devices"] if d["id"] == "pico"]
    evening.within(10, lambda: facts(evening, "pico")["damaged lines"] > 0)
    assert facts(evening, "pico")["lines"] > 10
    assert pico["detail"] == "6 antennas"


def test_brown_out(evening: Evening) -> None:
    evening.chaos("brown-out")
    evening.table.command({"cmd": "new-match"}, OPERATOR)  # "roll now": the ring sweeps white
    said = "brightness: the Pico lost its power again and again; check its 5 V supply"
    evening.within(60, lambda: said in detail(evening, "pico"))
    assert evening.device("pico") == "weak"
    for seat, face in ((1, 6), (2, 2), (3, 1)):
        evening.do(do="roll", seat=seat, face=face)
    evening.do(do="declare", seat=1, against=2)
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1, 15)


def test_glare(evening: Evening) -> None:
    evening.table.command({"cmd": "new-match"}, OPERATOR)
    for seat, face in ((2, 2), (3, 1)):
        evening.do(do="roll", seat=seat, face=face)
    evening.chaos("glare")
    time.sleep(1.5)
    evening.world(throw=1, face=4)
    evening.within(20, lambda: evening.view()["questions"])
    (question,) = evening.view()["questions"]
    assert question["text"].startswith("The die of Ada can't be read")
    assert [a["id"] for a in question["answers"]] == ["1", "2", "3", "4", "5", "6"]
    answer = {"cmd": "answer", "question": question["id"], "answer": "4"}
    assert evening.table.command(answer, OPERATOR).ok
    assert "Ada rolls a 4" in evening.view()["events"][0]["text"]


def test_nudged_dice(evening: Evening) -> None:
    evening.table.command({"cmd": "new-match"}, OPERATOR)
    time.sleep(1.5)
    evening.world(throw=1, face=5)
    evening.within(15, lambda: 1 not in evening.view()["game"]["awaiting_rolls"])
    for seat, face in ((2, 2), (3, 1)):
        evening.do(do="roll", seat=seat, face=face)
    evening.chaos("nudged-dice")
    said = "The die of Ada was a 5 and now shows 6; the roll stands."
    evening.within(15, lambda: said in evening.notices())
    assert evening.view()["game"]["crown"] == 1
    assert evening.view()["dice"]["last"][0]["face"] == 5
    rolls = [e for e in evening.table.entries(limit=1000) if (e["action"] or {}).get("do") == "roll"]
    assert [e["action"]["face"] for e in rolls[-3:]] == [5, 2, 1]


def test_hand_over_tray(evening: Evening) -> None:
    evening.table.command({"cmd": "new-match"}, OPERATOR)
    time.sleep(1)
    evening.chaos("hand-over-tray")
    time.sleep(1)
    evening.world(throw=1, face=5)
    time.sleep(3)
    assert 1 in evening.view()["game"]["awaiting_rolls"]
    evening.chaos("hand-over-tray", False)
    evening.within(10, lambda: 1 not in evening.view()["game"]["awaiting_rolls"])
    assert evening.view()["dice"]["last"][0]["face"] == 5


def test_frozen_camera(evening: Evening) -> None:
    evening.chaos("frozen-camera")
    assert evening.within(4.0, lambda: evening.device("dice") == "lost") < 3.5
    assert "repeats one picture" in detail(evening, "dice")
    crown = evening.view()["crown"]
    assert crown["pattern"] != "dim" or crown["why"] == "dice is out; play goes on by hand."
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("frozen-camera", False)
    evening.within(15, lambda: evening.device("dice") == "up")


def test_clock_step(evening: Evening) -> None:
    evening.chaos("clock-step")
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    evening.chaos("clock-step", False)
    evening.do(do="play", seat=2, card=CAPTAIN)
    assert 0 < evening.view()["match"]["elapsed"] < 120
    entries = evening.table.entries(limit=1000)
    walls = [e["at"] for e in entries]
    assert walls != sorted(walls)
    assert [e["seq"] for e in entries] == list(range(1, len(entries) + 1))
    assert [e["mono"] for e in entries] == sorted(e["mono"] for e in entries)
    assert [e["text"][:9] for e in evening.view()["events"][:2]] == ["Bruno pla", "Ada plays"]


def test_power_cut(tmp_path: Path) -> None:
    """`--chaos power-cut` pulls the plug in mid-play; the next start goes on where it was."""
    with running(tmp_path, "--virtual", "--speed", "50", "--chaos", "power-cut") as (process, _):
        assert process.wait(90) == -signal.SIGKILL
    journal = Journal(tmp_path)
    seqs = [e.seq for e in journal.read()]
    begun = journal.match_entries()
    journal.close()
    assert seqs == list(range(1, len(seqs) + 1))
    with running(tmp_path, "--virtual", "--bots", "none") as (_, address):
        now: Any = view(address)
    if begun:
        journal = Journal(tmp_path)
        match, _ = rebuilt(list(journal.read(match=begun[-1].seq)))
        journal.close()
        state = match.game.state_json(match.state)
        assert {k: now["game"][k] for k in ("phase", "turn", "seats")} == {
            k: state[k] for k in ("phase", "turn", "seats")
        }
    assert now["banner"] == []
    assert now["seq"] > len(seqs)


@pytest.mark.parametrize("name", ["disk-full", "disk-read-only"])
def test_a_disk_that_takes_nothing(evening: Evening, name: str) -> None:
    data = evening.running.options.data
    evening.chaos(name)
    saved = evening.view()["seq"]
    evening.lay(CAVALRY, "seat1.field")
    played(evening, 1)
    outcome = evening.table.act({"do": "play", "seat": 2, "card": CAPTAIN}, OPERATOR)
    while outcome.seq is not None:  # the last free page took some more
        outcome = evening.table.command({"cmd": "flag", "text": "x" * 400}, OPERATOR)
    assert outcome.ok
    assert "Not recorded yet" in outcome.text
    (banner,) = evening.view()["banner"]
    assert banner["level"] == "red"
    assert "Nothing is recorded" in banner["text"]
    assert evening.view()["events"][0]["recorded"] is False
    assert len(evening.duel()["plays"]) == 2
    evening.chaos(name, False)
    evening.within(5, lambda: not evening.view()["banner"])
    assert evening.view()["events"][0]["recorded"] is True
    evening.running.stop()
    journal = Journal(data)
    seqs = [e.seq for e in journal.read()]
    journal.close()
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) > saved + 1
