"""What the table rules otherwise: forced actions apply as far as they have a meaning."""

import pytest

from engine.althera import GAME
from engine.althera.state import State
from tests.engine.althera_play import after, codes, field, said, table


def forced(state: State, text: str, *expected: str) -> State:
    """The state after a forced sentence, whose findings stay as warnings."""
    plain = said(state, text)
    assert (plain.ok, plain.state is state) == (False, True)
    verdict = said(state, text, force=True)
    assert verdict.ok
    assert [(f.code, f.severity) for f in verdict.findings] == [(code, "warning") for code in expected]
    assert said(verdict.state, "undo").state == state
    assert isinstance(verdict.state, State)
    return verdict.state


def test_out_of_turn() -> None:
    state = forced(after(table(), "1 > 2"), "2: captain", "not-your-play")
    assert field(state) == (2, 37)
    assert state.duels[0].turn == 1


def test_a_special_against_its_timing() -> None:
    state = after(table(), "1 > 2", "1: vanguard", "2: commoners")
    assert field(forced(state, "1: alteration +", "special-timing")) == (1, 11)
    assert field(forced(state, "1: overtake", "special-timing")) == (1, 7)


def test_force_where_none_was_needed_changes_nothing() -> None:
    moves = ("1: commoners", "2: oracle", "2 rolls 1")
    state = after(table(shield_reach="whole_duel"), "1 > 2", *moves)
    plain, asked = (said(state, "1: alteration +", force=force).state for force in (False, True))
    assert plain == asked
    # Without the oracle seat 1 answered its own field: the alteration, not forced, has no effect.
    assert field(after(asked, "2: marksman", "1: shield")) == (2, 11)


def test_an_alteration_without_its_sign_does_nothing() -> None:
    state = forced(after(table(), "1 > 2", "1: vanguard"), "2: alteration", "sign-missing")
    assert field(state) == (1, 5)


def test_a_neighbours_card_is_the_players_from_then_on() -> None:
    state = after(table(), "1 > 2")
    state = forced(state, "1: celeste/captain/1", "not-your-card")
    assert GAME.cards(state)["celeste/captain/1"] == 1
    assert [seat.cards for seat in state.seats.values()] == [25, 24, 23]


def test_a_duel_out_of_order_and_a_second_one_of_a_pair() -> None:
    state = forced(table(), "2 > 3", "not-your-declaration")
    assert state.duels[0][:2] == (2, 3)
    state = after(state, "2: champion", "3 retreats", "3 rolls 6")
    state = forced(state, "3 > 2", "already-faced")
    assert state.match.pairs_left == ((1, 2), (1, 3))


def test_playing_on_gives_the_awaited_roll_up() -> None:
    state = after(table(), "1 > 2", "1: oracle")
    state = forced(state, "2: captain", "roll-awaited")
    assert (field(state), state.duels[0].awaited) == ((2, 37), None)


def test_an_intervener_draws_whatever_the_hand_was() -> None:
    state = after(table(plays=1, hand_size=2, min_hand=1), "1 > 2", "1: captain")
    for copy in (1, 2, 3):
        state = said(state, f"1: commoners/{copy}", force=True).state
    assert (state.seats[1].hand, state.seats[1].deck) == (0, 20)
    state = said(state, "1 for 1: shield", force=True).state
    assert (state.seats[1].hand, state.seats[1].deck) == (1, 18)


def test_a_retreat_that_gives_the_last_roll_up_and_fails_ends_the_duel() -> None:
    state = after(table(plays=1), "1 > 2", "1: commoners", "2: oracle")
    state = said(state, "1 retreats", force=True).state
    state = after(state, "1 rolls 2")
    last = state.match.last_duel
    assert last is not None
    assert (state.duels, last.winner, last.ended_by) == ((), 1, "three_cards")


def test_a_declaration_before_the_crown_is_rolled_for() -> None:
    state = GAME.initial(GAME.ruleset())
    state = GAME.apply(state, GAME.parse(GAME.setup_action([1, 2]))).state
    state = forced(state, "2 > 1", "not-your-declaration")
    assert (state.match.phase, state.match.crown, len(state.duels)) == ("duels", 2, 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("9: captain", "seat-unknown"),
        ("1: nonsense", "unknown-card"),
        ("3: captain", "not-in-duel"),
        ("1: purpurea/captain", "not-your-card"),
        ("1 > 3", "already-duelling"),
    ],
)
def test_what_has_no_meaning_changes_nothing(text: str, code: str) -> None:
    state = after(table(), "1 > 2")
    verdict = said(state, text, force=True)
    assert verdict.ok
    assert code in codes(verdict)
    assert GAME.state_json(verdict.state) == GAME.state_json(state)
    assert said(verdict.state, "undo").state == state


def test_what_is_no_action_is_never_forced() -> None:
    state = after(table(), "1 > 2")
    verdict = said(state, "1: captain +", force=True)
    assert (verdict.ok, codes(verdict)) == (False, ["bad-input"])
