"""What people put right, and what a restart brings back: the journal keeps all of it (promise 3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from host import decisions
from host.core import Core
from tests.host.table_kit import OPERATOR, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    return desk


def test_undo_redo_and_amend_are_entries_and_history_stays(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    played = desk.core.seq
    there = desk.state()
    desk.do(do="undo")
    assert desk.duel()["field"] is None
    assert desk.core.redo(OPERATOR).ok
    assert desk.state() == there
    seq = next(e["seq"] for e in desk.view()["events"] if "Cavalry (15): the field" in e["text"])
    fixed = {"do": "play", "seat": 1, "card": "cremisi/captain/2"}
    assert decisions.amend(desk.core, seq, fixed, OPERATOR).text.startswith(
        "Corrected: Ada plays Cavalry (15)"
    )
    assert desk.duel()["field"]["value"] == 37
    assert next(e for e in desk.view()["events"] if e["seq"] == seq)["edited"]
    kinds = [e.kind for e in desk.core.journal.read(after=played)]
    assert kinds == ["undo", "redo", "amend"]


def test_what_no_longer_holds_after_a_correction_is_shown_not_dropped(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/captain/1")
    seq = next(e["seq"] for e in desk.view()["events"] if "Captain" in e["text"])
    desk.play(2, "aurea/overtake/1")
    assert decisions.amend(desk.core, seq, {"do": "play", "seat": 1, "card": "cremisi/shield/1"}, OPERATOR).ok
    (broken,) = desk.view()["match"]["broken"]
    assert broken["text"] == "Bruno plays Overtake"


def test_an_undo_of_the_setup_is_refused_and_an_unknown_answer_named(desk: Desk) -> None:
    for _ in range(3):
        assert desk.do(do="undo").ok
    assert desk.do(do="undo").text == "There is nothing to undo."
    assert not desk.core.redo(OPERATOR).ok or desk.state()["awaiting_rolls"] != [1, 2, 3]
    assert decisions.answer(desk.core, "q999", "yes", OPERATOR).text == "That question is no longer open."
    assert not decisions.allow(desk.core, 1, OPERATOR).ok
    assert not decisions.amend(desk.core, 1, {"do": "roll", "seat": 1, "face": 1}, OPERATOR).ok


def shown(core: Core) -> tuple[object, ...]:
    """What must be the same before and after a restart."""
    match = core.match
    assert match is not None
    open_findings = [f for f in match.findings if f.open]
    state = match.game.state_json(match.state)
    return state, list(match.questions.values()), open_findings, match.edited, match.lines, match.redo


def test_a_restart_at_any_moment_goes_on_with_the_same_state(desk: Desk) -> None:
    def answer() -> None:
        decisions.answer(desk.core, desk.view()["questions"][0]["id"], "+", OPERATOR)

    steps: list[Callable[[], object]] = [
        lambda: desk.do(do="declare", seat=1, against=2),
        lambda: desk.lay(1, "cremisi/cavalry/1"),
        lambda: desk.lay(2, "aurea/alteration/1"),
        lambda: desk.lay(3, "celeste/captain/1"),
        answer,
        lambda: desk.lift(2, "aurea/alteration/1"),
        lambda: desk.do(do="undo"),
        lambda: desk.core.redo(OPERATOR),
        lambda: desk.lift(3, "celeste/captain/1"),
    ]
    for step in steps:
        step()
        before, seq = desk.core, desk.core.seq
        after = desk.pull_the_plug()
        assert shown(before) == shown(after)
        assert after.seq == seq + 1  # the boot entry
        for antenna in range(3):
            desk.scan(antenna, 3)  # the cards that lie there are seen again, and mean nothing new
        assert shown(before) == shown(after)


def test_a_play_taken_back_is_asked_and_not_played_again_after_a_restart(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(1, "cremisi/cavalry/1")
    desk.do(do="undo")
    desk.pull_the_plug()
    desk.scan(0, 3)
    assert desk.duel()["plays"] == []
    (question,) = desk.view()["questions"]
    assert question["text"].endswith("its play was taken back. Does it count now?")
    assert decisions.answer(desk.core, question["id"], "yes", OPERATOR).ok
    assert desk.duel()["field"]["value"] == 15


def test_a_card_laid_while_the_table_was_off_is_played_when_it_is_back(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.pull_the_plug()
    desk.lay(1, "cremisi/cavalry/1")
    assert desk.duel()["field"] == {"owner": 1, "value": 15}


def test_a_verdict_is_the_same_however_often_it_is_asked_and_never_that_of_another_action(desk: Desk) -> None:
    desk.begin()
    match = desk.core.match
    assert match is not None
    action = {"do": "declare", "seat": 1, "against": 2}
    first = match.judge(action)
    assert match.judge(action) is first  # not worked out again
    action["against"] = 3  # the caller's own to change
    other = match.judge(action)
    assert other.ok and other.state != first.state
    assert desk.do(**action).ok
    assert match.state == other.state
    assert not match.judge(action).ok  # the state is another one now
    desk.core.undo(OPERATOR)
    assert match.judge(action).ok
