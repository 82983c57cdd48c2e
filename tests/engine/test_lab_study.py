"""The worked study: what it plays, that stopping loses nothing, and that its text says what was played."""

from __future__ import annotations

import re
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import CrowntableError
from engine.lab.plan import hashes
from engine.lab.show.study import MATCHES, ROUNDS, RULINGS, Kept, Part, parts, play, whole
from engine.lab.show.study_text import _worth, findings, write
from engine.lab.tally import Tally

#: The parts that are quick enough for a test; the rest is played by the same code.
QUICK = ("seats/2", "rulings/2", "never/shield", "careful/seats")


def quick(matches: int = 700) -> tuple[Part, ...]:
    return tuple(part for part in parts(matches) if part.name in QUICK)


@pytest.fixture(name="kept")
def _kept(tmp_path: Path) -> Iterator[Kept]:
    with Kept(tmp_path / "study.sqlite") as kept:
        yield kept


def sums(kept: Kept, name: str) -> list[dict[str, list[int]]]:
    """All that was counted of a part, by ruleset."""
    blocks = kept.blocks(name)
    totals = [Tally() for _ in blocks[0].tallies]
    for block in blocks:
        for total, tally in zip(totals, block.tallies, strict=True):
            total.add(tally)
    return [total.sums for total in totals]


def test_a_million_matches_are_dealt_out_to_every_question() -> None:
    todo = parts()
    assert MATCHES - 1000 <= whole(todo) <= MATCHES
    names = [part.name for part in todo]
    assert {"seats/2", "seats/5", "length/5/10", "rulings/2", "rulings/3", "never/oracle"} <= set(names)
    assert len(set(names)) == len(names) and len({part.key for part in todo}) == len(todo)
    by_name = {part.name: part for part in todo}
    assert len(by_name["rulings/2"].plans) == 1 + len(RULINGS)
    # Every ruling is another than the printed one.
    rules = [plan.ruleset for plan in by_name["rulings/2"].plans]
    assert all(one != rules[0] for one in rules[1:])
    assert {plan.seed for plan in by_name["rulings/2"].plans} == {"althera-v2/rulings/2"}


def test_it_goes_on_where_it_was_stopped_and_comes_to_the_same(tmp_path: Path, kept: Kept) -> None:
    todo = quick(300)[:1]
    with Kept(tmp_path / "whole.sqlite") as at_once:
        play(at_once, todo)
        want = sums(at_once, "seats/2")
    calls = 0

    def enough(done: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(kept, todo, told=enough)
    there = sum(block.tallies[0].matches for block in kept.blocks("seats/2"))
    assert 0 < there < todo[0].seeds
    told: list[int] = []
    assert play(kept, todo, told=told.append) == todo[0].seeds
    assert told[0] > there and sums(kept, "seats/2") == want
    assert play(kept, todo) == todo[0].seeds and not kept.missing(todo[0])


def test_every_part_has_its_turn_before_any_is_done() -> None:
    from engine.lab.show import study

    class Empty:
        def missing(self, part: Part) -> list[tuple[int, int]]:
            return [(0, part.seeds)]

    todo = parts(100_000)
    jobs = study._rounds(Empty(), todo)  # type: ignore[arg-type]
    half = {name for name, *_ in jobs[: len(jobs) // 10]}
    assert half == {part.name for part in todo} and ROUNDS > 10
    assert sum((stop - start) * len(plans) for _, plans, start, stop in jobs) == whole(todo)


def test_a_file_of_other_rules_is_refused(kept: Kept, tmp_path: Path) -> None:
    todo = quick(100)[:1]
    play(kept, todo)
    with sqlite3.connect(tmp_path / "study.sqlite") as base:
        base.execute("update part set key = 'other'")
    with pytest.raises(CrowntableError, match="another version"):
        play(kept, todo)
    with pytest.raises(CrowntableError, match="can't be used"):
        Kept(Path("/proc/none/study.sqlite"))


def test_the_text_says_what_was_played_and_shows_it(kept: Kept, tmp_path: Path) -> None:
    todo = quick()
    with pytest.raises(CrowntableError, match="Nothing has been played"):
        findings(kept, todo)
    played = play(kept, todo)
    found = findings(kept, parts(700))
    path = write(found, parts(700), tmp_path / "out")
    text = path.read_text("utf-8")
    assert played == found.played and f"What {played:,} simulated matches of the {found.asked:,}" in text
    first = next(row for row in found.reports["seats/2"]["measures"] if row["measure"] == "win.first")
    assert f"{100 * first['value']:.1f} % ({100 * first['low']:.1f} to {100 * first['high']:.1f})" in text
    for key, value in RULINGS:
        assert f"| `{key} = {value}` |" in text
    assert "## What bots can't tell" in text and "# Each special's worth" in text
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(pictures) >= 5
    spoken = re.findall(r"!\[([^\]]+)\]", text)
    assert len(set(spoken)) == len(spoken), "each picture is told in its own words"
    for picture in pictures:
        assert ET.parse(path.parent / picture).getroot().tag.endswith("svg")
    assert "nan" not in text and "None" not in text


@pytest.mark.parametrize(
    ("how", "wins", "words"),
    [
        ("never", 0.46, "the special is worth 4.0 points to whoever has it"),
        ("never", 0.53, "the special costs 3.0 points"),
        ("always", 0.525, "the bot gains 2.5 points by that"),
        ("always", 0.41, "the bot loses 9.0 points by that"),
        ("always", 0.505, "no difference is shown"),
        ("never", 0.495, "no difference is shown"),
    ],
)
def test_a_restricted_bots_wins_are_said_of_the_bot_or_of_the_special(
    how: str, wins: float, words: str
) -> None:
    """A bot that *never* lays a special and wins less shows its worth; one that *always* lays it, that
    the bot gains or loses by laying it so."""
    row = {"value": wins, "low": wins - 0.01, "high": wins + 0.01}
    assert _worth(row, how) == words


def test_the_study_in_the_docs_is_of_a_million_matches_by_these_rules() -> None:
    """Where it fails: `crowntable lab study`, which writes docs/studies anew."""
    path = Path(__file__).parents[2] / "docs/studies/althera-v2.md"
    text = path.read_text("utf-8")
    played = re.search(r"What ([\d,]+) simulated matches say", text)
    assert played is not None and int(played[1].replace(",", "")) > MATCHES - 1000
    rules, cards = hashes(parts()[0].plans[0])
    assert f"({rules[:8]})" in text and cards[:8] in text
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(pictures) > 8 and all((path.parent / picture).stat().st_size > 1000 for picture in pictures)
