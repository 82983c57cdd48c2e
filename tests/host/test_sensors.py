"""The sensors' trace: an evening judged again comes out the same, and otherwise with other thresholds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import CrowntableError
from host import decisions
from host.face import Who
from host.layout import find_layout, parse_layout, shipped_layouts, to_toml
from host.sensors import SensorLog, read_trace, rejudge_match
from host.sighting import DiceFrame, DieSeen, Inventory, TagRead
from tests.host.table_kit import OPERATOR, Desk


def opened(folder: Path) -> tuple[Desk, SensorLog]:
    """A duel whose first card lies, and what its sensors are kept in."""
    desk = Desk(folder)
    desk.sensors = sensors = SensorLog(folder / "sensors", desk.layout, "boot1", 1.0)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    return desk, sensors


def evening(folder: Path) -> Desk:
    desk, sensors = opened(folder)
    desk.lay(2, "aurea/alteration/1")
    decisions.answer(desk.core, desk.view()["questions"][0]["id"], "-", Who("seat", "2"))
    desk.lift(2, "aurea/alteration/1")
    desk.do(do="undo")
    desk.core.redo(OPERATOR)
    desk.lay(1, "cremisi/overtake/1")
    desk.do(do="play", seat=2, card="aurea/captain/1")
    sensors.close()
    return desk


def number(desk: Desk) -> int:
    assert desk.core.match is not None
    return int(desk.core.match.begun.body["number"])


@pytest.mark.parametrize("name", sorted(shipped_layouts()))
def test_a_layout_written_out_reads_back_the_same(name: str) -> None:
    layout = find_layout(name)
    assert parse_layout(to_toml(layout), name) == layout


def test_an_evening_judged_again_from_its_sensors_is_the_same_evening(tmp_path: Path) -> None:
    desk = evening(tmp_path)
    again = rejudge_match(tmp_path, number(desk))
    assert again.difference is None
    cards = [a["card"] for a in again.now if a["do"] == "play"]
    assert cards == ["cremisi/cavalry/1", "aurea/alteration/1", "cremisi/overtake/1", "aurea/captain/1"]


def test_what_an_answer_does_is_done_once(tmp_path: Path) -> None:
    desk, sensors = opened(tmp_path)
    desk.play(2, "aurea/oracle/1")
    for frame in range(20):  # a die that no frame shows a number of
        desk.now += 0.1
        die = DieSeen(None, "gold", (60, 100, 40, 40), 0.2, "glare")
        desk.see(DiceFrame(desk.now, "dice", frame, (die,), frame < 4))
    (question,) = desk.view()["questions"]
    desk.ticking = 0.006  # as on a real clock an answer's entry and its action's are a little apart
    assert decisions.answer(desk.core, question["id"], "4", Who("seat", "2")).ok
    sensors.close()
    again = rejudge_match(tmp_path, number(desk))
    assert again.then[-1] == {"do": "roll", "seat": 2, "face": 4}
    assert again.difference is None


def test_other_thresholds_give_what_they_would_have_given(tmp_path: Path) -> None:
    desk = evening(tmp_path)
    slow = replace(desk.layout, thresholds=replace(desk.layout.thresholds, arrive_reads=50))
    again = rejudge_match(tmp_path, number(desk), slow)
    assert again.difference is not None
    assert [a for a in again.now if a["do"] == "play" and a["card"].startswith("cremisi")] == []


def test_nothing_of_a_strangers_tag_is_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.sensors = SensorLog(tmp_path / "sensors", desk.layout, "boot1", 1.0)
    for uid in ("08AABBCC", "08AABBDD", "08AABBCC"):
        desk.see(Inventory(desk.now, "pico", 1, (TagRead(uid, None, "a phone"),)))
    desk.sensors.close()
    (path,) = (tmp_path / "sensors").iterdir()
    assert "08AABB" not in path.read_text()
    seen = [s.tags[0].uid for _, s in read_trace(path).sightings if isinstance(s, Inventory)]
    assert seen == ["stranger-1", "stranger-2", "stranger-1"]


def test_a_torn_trace_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    evening(tmp_path)
    (path,) = (tmp_path / "sensors").iterdir()
    whole = read_trace(path)
    path.write_bytes(path.read_bytes()[:-7])
    assert read_trace(path).sightings == whole.sightings[:-1]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    desk = evening(tmp_path)
    with pytest.raises(CrowntableError, match="no match m999"):
        rejudge_match(tmp_path, 999)
    (path,) = (tmp_path / "sensors").iterdir()
    path.write_text("nonsense")
    with pytest.raises(CrowntableError, match="no sensor trace"):
        read_trace(path)
    path.unlink()
    with pytest.raises(CrowntableError, match="trace of a part of this match is missing"):
        rejudge_match(tmp_path, number(desk))


def test_a_folder_that_takes_nothing_costs_only_the_trace(tmp_path: Path) -> None:
    (tmp_path / "sensors").write_text("a file where the folder should be")
    log = SensorLog(tmp_path / "sensors", find_layout("althera-2"), "b", 1.0)
    desk = Desk(tmp_path / "data")
    desk.sensors = log
    desk.scan(0)
    log.close()


def test_the_command_says_what_is_not_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from web.main import main

    desk = evening(tmp_path)
    name = f"{tmp_path}/m{number(desk)}"
    desk.core.journal.close()
    assert main(["replay", name, "--from-sensors"]) == 0
    assert "come out of the sensors as they were recorded" in capsys.readouterr().out
    other = to_toml(desk.layout).replace("arrive_reads = 2", "arrive_reads = 50")
    (tmp_path / "slow.toml").write_text(other)
    assert main(["replay", name, "--from-sensors", "--layout", str(tmp_path / "slow.toml")]) == 1
    assert "comes out otherwise: recorded" in capsys.readouterr().err
    assert main(["replay", "friday", "--from-sensors"]) == 1
    assert main(["replay", name]) == 0
