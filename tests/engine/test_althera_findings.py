"""What a verdict names: which findings come alone, which come together, in which order, in which words."""

from typing import Any

import pytest

from engine.althera import GAME
from engine.althera.rulebook import FINDINGS
from engine.althera.state import State
from engine.game import Verdict
from tests.engine.althera_play import after, codes, done, said, started, table
from tests.engine.test_althera_match import POOR


def ended() -> State:
    """Seat 2 is out, and the match with it is over."""
    state = after(table(2, **POOR), "1 > 2", "1: champion", "2: commoners", "1: commoners")
    verdict = said(after(state, "2: commoners/2", "1: commoners/2"), "2: commoners/3")
    assert isinstance(verdict.state, State)
    return verdict.state


class TestAlone:
    NO_ACTION = ("3 > 3", "2: commoners +", "9: champion -", "2 for 1: commoners +")

    @pytest.mark.parametrize("text", NO_ACTION)
    @pytest.mark.parametrize("force", [False, True])
    def test_bad_input_whatever_else_is_wrong_and_never_forced(self, text: str, force: bool) -> None:
        for state in (started(GAME.ruleset(), [1, 2, 3]), after(table(), "1 > 2"), ended()):
            verdict = said(state, text, force)
            assert (verdict.ok, codes(verdict), verdict.state is state) == (False, ["bad-input"], True)
            assert verdict.findings[0].text.startswith("Not an action: ")

    EVERYTHING = ("1 > 2", "1 > 9", "1: captain", "9: nonsense", "2 for 1: captain", "2 stands", "9 redraws")

    @pytest.mark.parametrize("text", (*EVERYTHING, "2 retreats", "1 rolls 3", "9 rolls 3", "crown 2"))
    def test_match_over(self, text: str) -> None:
        assert codes(said(ended(), text)) == ["match-over"]

    @pytest.mark.parametrize("text", (*EVERYTHING, "1 rolls 3", "crown 1"))
    def test_not_set_up(self, text: str) -> None:
        assert codes(said(GAME.initial(GAME.ruleset()), text)) == ["not-set-up"]


class TestTogether:
    def test_a_missing_sign_whatever_the_duel_is(self) -> None:
        state = table(4)
        assert codes(said(state, "3: alteration")) == ["not-in-duel", "sign-missing"]
        assert codes(said(state, "3 for 1: alteration")) == ["not-in-duel", "sign-missing"]
        state = after(state, "1 > 2", "1: oracle")
        assert codes(said(state, "2: alteration")) == ["sign-missing", "roll-awaited"]
        assert codes(said(state, "9: alteration")) == ["seat-unknown"]

    def test_in_the_order_of_the_table(self) -> None:
        state = after(table(4), "1 > 2", "1: vanguard", "3 for 2: oracle")
        for text in ("3 for 1: aurea/alteration", "2 for 1: celeste/oracle", "2 retreats", "4 > 1"):
            named = codes(said(state, text))
            assert len(named) > 1
            assert named == sorted(named, key=list(FINDINGS).index)


class TestRolls:
    def waiting_oracle(self) -> State:
        """Seat 3 has gone out in a duel with seat 4; its oracle lies between seats 1 and 2 and waits."""
        few: dict[str, Any] = {
            "plays": 1,
            "min_hand": 1,
            "hand_size": 3,
            "score": {kind: {"copies": 0} for kind in ("vanguard", "marksman", "cavalry", "guardian")}
            | {"commoners": {"copies": 1}, "captain": {"copies": 1}},
            "specials": {"shield": 0, "overtake": 0, "alteration": 0, "oracle": 1},
        }
        state = after(table(4, **few), "1 > 2", "1: commoners", "3 for 1: oracle")
        return after(state, "3 > 4", "3: commoners", "4: champion")

    def test_a_player_who_is_out_rolls_for_an_oracle_that_waits(self) -> None:
        state = self.waiting_oracle()
        assert [number for number, seat in state.seats.items() if seat.out] == [3]
        assert GAME.state_json(state)["awaiting_rolls"] == [3]
        assert {action.seat for action in GAME.actions(state)} >= {3}
        verdict = said(state, "3 rolls 6")
        assert (verdict.ok, verdict.findings) == (True, ())
        assert verdict.state.duels[0].field == (1, 39)

    def test_one_too_many_is_a_warning_and_nothing_else_whoever_threw_it(self) -> None:
        state = after(self.waiting_oracle(), "3 rolls 6")
        for seat in (1, 3):
            verdict = said(state, f"{seat} rolls 2")
            assert verdict.ok
            assert [(f.code, f.severity) for f in verdict.findings] == [("unexpected-roll", "warning")]
            assert GAME.state_json(verdict.state) == GAME.state_json(state)
            assert said(verdict.state, "undo").state == state

    def test_where_nobody_sits_nobody_rolls(self) -> None:
        verdict = said(table(), "5 rolls 2")
        assert (verdict.ok, codes(verdict)) == (False, ["seat-unknown"])


def test_a_forced_undo_of_nothing_is_nothing_to_take_back() -> None:
    for state in (GAME.initial(GAME.ruleset()), started(GAME.ruleset(), [1, 2])):
        forced = said(state, "undo", force=True)
        assert (forced.ok, forced.state is state) == (True, True)
        assert not said(forced.state, "undo").ok


class TestNames:
    def named(self, *names: str) -> State:
        given = dict(enumerate(names, 1))
        state = done(GAME.initial(GAME.ruleset()), GAME.setup_action(list(given), names=given))
        return after(state, "1 rolls 6", *(f"{seat} rolls 1" for seat in list(given)[1:]))

    def text(self, verdict: Verdict) -> str:
        return verdict.findings[0].text

    def test_players_are_called_by_name_where_they_have_one(self) -> None:
        state = self.named("Ada", "Bruno", "")
        assert self.text(said(state, "2 > 1")) == "It is Ada's turn to declare, not Bruno's."
        state = after(state, "1 > 2")
        assert self.text(said(state, "2: captain")) == "It is Ada's play, not Bruno's."
        assert self.text(said(state, "3: captain")) == "Seat 3 is in no duel."
        assert self.text(said(state, "1: aurea/captain")) == (
            "Captain (aurea/captain/1) is not Ada's to play: Bruno owns it."
        )
        state = after(state, "1: vanguard", "2: overtake")
        assert self.text(said(state, "1: shield")) == "Ada's Shield undoes: Overtake. The field is 5, Ada's."
        options = {str(option.action): option.why for option in GAME.options(state, 2)}
        why = options[str({"do": "retreat", "seat": 2})]
        assert why is not None and why.text == "It is Ada's play, not Bruno's."

    def test_a_shared_or_empty_name_is_no_name(self) -> None:
        state = after(self.named("Ada", "Ada", " "), "1 > 2")
        assert self.text(said(state, "2: captain")) == "It is seat 1's play, not seat 2's."
        assert self.text(said(state, "2: celeste/oracle")).endswith("not seat 2's to play: seat 3 owns it.")

    def test_a_name_without_end_is_cut(self) -> None:
        state = after(self.named("A" * 60_000, "Bruno"), "1 > 2")
        assert len(self.text(said(state, "2: captain"))) < 100
