"""What people said is kept: whole, once a phone and match, deleted for good, counted right."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from engine.errors import CrowntableError
from engine.records.record import hash_of
from host.feedback import (
    FOLDER,
    LONGEST,
    MOST,
    OPEN_S,
    SCALES,
    Answer,
    Feedback,
    Moment,
    Said,
    answer_of,
    answers,
    read,
    said,
    window,
)
from host.feedback_report import as_csv, folder_report, in_words, report
from host.moments import stretches
from host.records import find_match, rows_of
from host.replays import Replays
from tests.host.long_matches import legal_walk, written
from tests.shared_data import ROOT
from tests.small_disk import run_on_small_disk

Json = dict[str, Any]


def row(number: int = 3, started: float = 1000.0, ended: float | None = 2000.0, **more: Any) -> Json:
    """A match as the list of matches has it."""
    about = {"id": f"m{number}", "number": number, "started": started, "ended": ended, "game": "althera"}
    return {
        **about,
        "ruleset": "v2",
        "ruleset_hash": "ab" * 32,
        "seats": [{"seat": 1, "name": "Ada"}],
        **more,
    }


POINTS = st.dictionaries(st.sampled_from(SCALES), st.integers(1, 5))
MOMENTS = st.none() | st.builds(
    Moment,
    st.sampled_from(["play", "duel"]),
    st.integers(1, 10**9),
    st.integers(0, 10**4),
    st.floats(0, 1e6),
    st.text(max_size=60),
)
#: everything that a browser or a program can send, half characters too
TEXTS = st.text(st.characters(codec=None, categories=None), max_size=200)


# -- the store


@settings(max_examples=80, deadline=None)
@given(points=POINTS, text=TEXTS, seat=st.none() | st.integers(1, 5), moment=MOMENTS, secret=TEXTS)
def test_what_was_given_is_what_is_read_again(
    points: dict[str, int], text: str, seat: int | None, moment: Moment | None, secret: str
) -> None:
    try:
        told = said(points, text, seat=seat, moment=moment, language="it")
    except CrowntableError:
        assert not points and moment is None and not said({"fun": 1}, text).text
        return
    assert not any(unicodedata.category(one) in ("Cc", "Cs") for one in told.text if one != "\n")
    with tempfile.TemporaryDirectory() as name:
        store = Feedback(Path(name))
        kept = store.keep(secret or "s", row(), told, 5000.7)
        assert Feedback(Path(name)).mine(secret or "s", row()) == kept
        assert answers(Path(name)) == answers(Path(name), "m3") == [kept] and not answers(Path(name), "m4")
        assert kept.said == told and kept.at == 5000
        assert store.forget(kept.id) and store.mine(secret or "s", row()) is None
        assert not store.forget(kept.id)


class Phones(RuleBasedStateMachine):
    """Several phones answer, change and delete at several matches, with restarts between: a plain dict knows
    what must be there."""

    phones: Bundle[str] = Bundle("phones")

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.store = Feedback(Path(self.place.name))
        self.must: dict[tuple[str, int, float], Said] = {}

    @rule(target=phones, secret=st.text("abc", min_size=1, max_size=3))
    def phone(self, secret: str) -> str:
        return secret

    @rule(
        phone=phones, number=st.integers(1, 2), started=st.sampled_from([1.0, 2.0]), points=POINTS, text=TEXTS
    )
    def answer(self, phone: str, number: int, started: float, points: dict[str, int], text: str) -> None:
        told = said({"fun": 3, **points}, text)
        self.store.keep(phone, row(number, started), told, 1.0)
        self.must[phone, number, started] = told

    @rule(phone=phones, number=st.integers(1, 2), started=st.sampled_from([1.0, 2.0]))
    def delete(self, phone: str, number: int, started: float) -> None:
        mine = self.store.mine(phone, row(number, started))
        assert (mine is not None) == ((phone, number, started) in self.must)
        if mine is not None:
            assert self.store.forget(mine.id)
            del self.must[phone, number, started]

    @rule()
    def restart(self) -> None:
        self.store = Feedback(Path(self.place.name))

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        found, broken = read(Path(self.place.name))
        assert not broken and len(found) == len(self.must)
        for (phone, number, started), told in self.must.items():
            mine = self.store.mine(phone, row(number, started))
            assert mine is not None and mine.said == told and mine in found

    def teardown(self) -> None:
        self.place.cleanup()


TestPhones = Phones.TestCase
TestPhones.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


def test_answers_of_one_phone_to_two_matches_do_not_show_that_they_are_one_phones(tmp_path: Path) -> None:
    store = Feedback(tmp_path)
    first, second = (store.keep("secret", row(n), said({"fun": 1}, ""), 1.0) for n in (1, 2))
    assert first.id != second.id
    for path in tmp_path.rglob("*.json"):
        assert "secret" not in path.read_text()
        assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("points", "text", "what"),
    [
        ({}, " \n\t", "nothing in this answer"),
        ({"fun": 6}, "", "no point of a scale"),
        ({"fun": 0}, "", "no point of a scale"),
        ({"joy": 3}, "", "no point of a scale"),
        ({}, "x" * (LONGEST + 1), "1001 characters; 1000 is the most"),
    ],
)
def test_what_is_no_answer_is_one_sentence(points: dict[str, int], text: str, what: str) -> None:
    with pytest.raises(CrowntableError, match=what) as refused:
        said(points, text)
    assert refused.value.cure.endswith(".")


def test_a_browsers_line_ends_count_once() -> None:
    assert said({}, "a\r\n" * 333 + "b").text == "a\n" * 333 + "b"


def test_more_answers_than_a_match_may_have_are_refused_and_may_still_be_changed(tmp_path: Path) -> None:
    store = Feedback(tmp_path)
    for n in range(MOST):
        store.keep(f"phone {n}", row(), said({"fun": 3}, ""), 1.0)
    with pytest.raises(CrowntableError, match=f"{MOST} answers already"):
        store.keep("one more", row(), said({"fun": 3}, ""), 1.0)
    store.keep("phone 7", row(), said({"fun": 5}, ""), 2.0)
    assert len(answers(tmp_path)) == MOST
    store.keep("one more", row(4), said({"fun": 3}, ""), 1.0)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300) | st.from_regex(rb'\{"said": .*\}', fullmatch=True))
def test_a_damaged_file_costs_no_other_answer(tmp_path: Path, data: bytes) -> None:
    kept = Feedback(tmp_path).keep("a", row(), said({"fun": 4}, "good"), 1.0)
    bad = tmp_path / FOLDER / "m3" / ("0" * 20 + ".json")
    bad.write_bytes(data)
    assert read(tmp_path) == ([kept], [bad])
    assert folder_report(tmp_path)["damaged"] == 1


VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers())
)


@settings(max_examples=200, deadline=None)
@given(
    spot=st.sampled_from(["said", "at", "form", "started", "scales", "seat", "moment", "fun"]), value=VALUES
)
def test_a_field_of_another_kind_is_no_answer_or_a_sound_one(spot: str, value: Any) -> None:
    told: Json = {
        "scales": {"fun": 3},
        "text": "",
        "seat": 1,
        "by_link": False,
        "moment": None,
        "language": "en",
    }
    kept: Json = {"id": "0" * 20, "match": "m1", "started": 1.0, "game": "althera", "ruleset": "",
                  "ruleset_hash": "", "at": 1, "form": 1, "said": told}  # fmt: skip
    place = kept if spot in kept else told if spot in told else told["scales"]
    place[spot] = value
    try:
        found = answer_of(kept)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return
    assert isinstance(found, Answer) and all(1 <= point <= 5 for point in found.said.scales.values())


WRITER = """
import sys
from pathlib import Path
from host.feedback import Feedback, said
store = Feedback(Path(sys.argv[1]))
row = {"id": "m1", "started": 1.0, "game": "althera", "ruleset": "v2", "ruleset_hash": ""}
for n in range(1, 100000):
    store.keep(f"phone {n % 5}", row, said({"fun": 1 + n % 5}, f"{n} " + "x" * 900), float(n))
    print(n, flush=True)
"""


def test_kill_9_in_the_middle_of_writing_loses_nothing_that_was_promised(tmp_path: Path) -> None:
    newest = 0
    for _ in range(4):
        command = [sys.executable, "-c", WRITER, str(tmp_path)]
        writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        promised = [int(writer.stdout.readline()) for _ in range(30)]
        writer.send_signal(signal.SIGKILL)
        promised += [int(line) for line in writer.stdout.read().splitlines()]
        writer.wait()
        writer.stdout.close()
        newest = max(promised)
        found, broken = read(tmp_path)
        assert broken == [] and len(found) == 5
        # The one under way may have been finished without a word; none that was told may be missing.
        assert {newest - n for n in range(1, 4)} <= {answer.at for answer in found}
        assert max(answer.at for answer in found) in (newest, newest + 1)
        assert all(a.said.text.startswith(f"{a.at} ") and len(a.said.text) > 900 for a in found)
    Feedback(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.name.startswith(".")] == []


FULL_DISK = """
import sys
from pathlib import Path
from engine.errors import CrowntableError
from host.feedback import Feedback, answers, said
folder = Path(sys.argv[1])
store = Feedback(folder)
row = {"id": "m1", "started": 1.0, "game": "althera", "ruleset": "v2", "ruleset_hash": ""}
first = store.keep("a", row, said({"fun": 3}, "before"), 1.0)
filler = folder / "filler"
with filler.open("wb", buffering=0) as file:
    try:
        while True:
            file.write(b"x" * 4096)
    except OSError:
        pass
for phone in ("a", "b"):
    try:
        store.keep(phone, row, said({"fun": 5}, "y" * 1000), 2.0)
        raise SystemExit("it was taken")
    except CrowntableError as error:
        assert error.what == "Your answer could not be kept: the table's disk is full.", error.what
        assert "still here" in error.cure
assert answers(folder) == [first]
assert store.forget(first.id) and answers(folder) == []
filler.unlink()
store.keep("b", row, said({"fun": 5}, "y" * 1000), 2.0)
assert len(answers(folder)) == 1
print("well")
"""


def test_a_full_disk_is_one_sentence_and_costs_nothing_that_was_there(tmp_path: Path) -> None:
    assert run_on_small_disk(tmp_path / "disk", FULL_DISK).endswith("well\n")


# -- until when


def test_a_match_takes_answers_for_two_days_and_the_last_ended_one_longer() -> None:
    rows = [row(3, 500.0, None), row(2, 300.0, 400.0), row(1, 100.0, 200.0)]
    later = 200.0 + OPEN_S
    assert window(rows, "m3", 600.0) == ("running", None)
    assert window(rows, "m2", 1e12) == ("open", None)
    assert window(rows, "m1", later) == ("open", later)
    assert window(rows, "m1", later + 1) == ("closed", later)
    assert window([row(1, 100.0, 200.0)], "m1", 1e12) == ("open", None)
    # One that was left ended when the next began.
    left = [row(3, 500.0, 600.0), row(2, 300.0, None), row(1, 100.0, 200.0)]
    assert window(left, "m2", 600.0) == ("open", 500.0 + OPEN_S)
    with pytest.raises(KeyError):
        window(rows, "m4", 0.0)


# -- the time line


@pytest.fixture(name="summary", scope="module")
def _summary(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """A whole match of five, in which several duels go on at once."""
    folder = tmp_path_factory.mktemp("five")
    written(folder, "althera", [legal_walk("althera", 5, 3)])
    replays = Replays(folder / "journal.sqlite")
    opened = replays.open(1, 60.0)
    replays.stop()
    assert opened is not None and opened.replay is not None
    return opened.replay.summary()


def test_every_card_that_was_played_is_in_exactly_one_stretch_of_its_own_duel(summary: Json) -> None:
    line = stretches(summary)
    assert [part["kind"] for part in line] == ["duel"] * len(summary["duels"]) and len(line) == 30
    plays = [step["seq"] for step in summary["steps"] if step["do"] in ("play", "intervene")]
    shown = [step["seq"] for part in line for step in part["steps"]]
    assert sorted(seq for seq in shown if seq in set(plays)) == plays
    for part in line:
        assert "challenges" in part["steps"][0]["text"] and part["seq"] == part["steps"][0]["seq"]
        clocks = [step["clock"] for step in part["steps"]]
        assert clocks == sorted(clocks) and (part["clock"], part["until"]) == (clocks[0], clocks[-1])


@pytest.mark.parametrize("game", ["anthem", "althera"])
def test_a_match_without_whole_duels_is_in_stretches(tmp_path: Path, game: str) -> None:
    written(tmp_path, game, [legal_walk(game, 3, 5, most=40 if game == "anthem" else 9)])
    replays = Replays(tmp_path / "journal.sqlite")
    summary = replays.open(1, 60.0).replay.summary()  # type: ignore[union-attr]
    replays.stop()
    line = stretches(summary)
    assert line and {part["kind"] for part in line} == {"part"}
    laid = [s["seq"] for s in summary["steps"] if s["do"] in ("lay", "play")]
    assert [s["seq"] for part in line for s in part["steps"] if s["seq"] in laid] == laid


# -- the report


def test_means_and_spread_are_those_of_the_standard_library(tmp_path: Path) -> None:
    store = Feedback(tmp_path)
    funs = [5, 4, 4, 1, 2]
    for n, fun in enumerate(funs):
        store.keep(str(n), row(), said({"fun": fun, "length": 3}, ""), 1.0)
    store.keep("other", row(4, ruleset_hash="cd" * 32), said({"fun": 1}, ""), 1.0)
    told = report(answers(tmp_path), [row(3), row(4, started=1000.0, ruleset_hash="cd" * 32)])
    ours, others = told["rules"]
    assert ours["scales"]["fun"] == {
        "n": 5, "mean": round(mean(funs), 2), "sd": round(stdev(funs), 2), "counts": [1, 1, 0, 2, 1],
    }  # fmt: skip
    assert ours["scales"]["length"]["sd"] == 0 and ours["scales"]["fair"]["mean"] is None
    assert (others["answers"], others["scales"]["fun"]["sd"]) == (1, None)


def test_a_csv_is_read_as_it_was_meant_and_starts_no_formula(tmp_path: Path) -> None:
    store = Feedback(tmp_path)
    texts = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", 'two\nlines, "quoted"; ok', "plain"]
    for n, text in enumerate(texts):
        store.keep(str(n), row(), said({}, text, seat=1), float(n))
    rows = list(csv.DictReader(io.StringIO(as_csv(answers(tmp_path)))))
    assert [one["text"].lstrip("'") for one in rows] == texts
    assert not any(cell.startswith(("=", "+", "-", "@")) for one in rows for cell in one.values())
    assert rows[0]["match_started"] == "1970-01-01T00:16:40Z"


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[Path]:
    written(tmp_path, "althera", [legal_walk("althera", 2, 7), legal_walk("althera", 2, 8)])
    yield tmp_path


def test_the_rules_hash_is_the_one_that_match_records_have(table: Path) -> None:
    record = find_match(f"{table}/m1", [])
    assert record is not None
    (one,) = rows_of(table, {"m1"})
    assert one["ruleset_hash"] == record.header.ruleset_hash == hash_of(record.header.ruleset)


def test_the_command_reports_beside_a_table(table: Path) -> None:
    (one,) = rows_of(table, {"m2"})
    moment = Moment("play", 9, 5, 4.5, "Ada plays Cavalry (15).")
    given = said({"fun": 4}, "Too long.\nStill good.", seat=1, moment=moment)
    kept = Feedback(table).keep("a", one, given, time.time())
    command = [str(ROOT / ".venv/bin/crowntable"), "lab", "feedback", "--data", str(table)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told == json.loads(json.dumps(folder_report(table))) and told["answers"] == 1
    (match,) = told["matches"]
    assert (match["match"], match["here"]) == ("m2", True)
    assert match["answers"][0]["id"] == kept.id
    target = table / "out.csv"
    plain = subprocess.run([*command, "m2", "--csv", str(target)], capture_output=True, text=True, check=True)
    assert plain.stdout == in_words(folder_report(table, "m2")) + "\n"
    for words in ("Ada (as said): fun 4", "play at 0:04: Ada plays Cavalry (15).", "    | Still good."):
        assert words in plain.stdout
    assert target.read_bytes().decode() == as_csv(answers(table))
    wrong = subprocess.run([*command, "../m2"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 2)
    nowhere = subprocess.run([*command[:-1], str(table / "no")], capture_output=True, text=True, check=False)
    assert (nowhere.returncode, nowhere.stdout) == (1, "")
    assert nowhere.stderr.startswith(f"There is no folder {table / 'no'}")
    (table / "new").mkdir()
    nothing = subprocess.run([*command[:-1], str(table / "new")], capture_output=True, text=True, check=True)
    assert nothing.stdout.startswith("Nobody has said anything")
