"""What screens are given: steps, sums, changes, options."""

from typing import Any

from engine.althera import GAME
from engine.althera.state import State
from engine.game import Audience
from tests.engine.althera_play import after, table


def view(state: State, seat: int | None = None) -> dict[str, Any]:
    audience = Audience("spectator") if seat is None else Audience("seat", seat)
    return GAME.view(state, audience)


def sums(state: State, *moves: str) -> list[str]:
    return [step["sum"] for step in view(after(state, *moves))["duels"][0]["steps"]]


def effects(state: State, *moves: str) -> list[tuple[str, int | None]]:
    steps = view(after(state, *moves))["duels"][0]["steps"]
    return [(step["effect"], step["value"]) for step in steps]


def duel(seats: int = 3, **rulings: Any) -> State:
    return after(table(seats, **rulings), "1 > 2")


def test_the_sum_grows_card_by_card() -> None:
    moves = ("1: cavalry", "2: marksman", "1: commoners", "2: captain")
    assert sums(duel(), *moves) == ["15", "15 + 9 = 24", "15 + 9 + 2 = 26", "15 + 9 + 2 + 37 = 63"]
    assert effects(duel(), *moves) == [("opens", 15), ("absorbed", 9), ("adds", 2), ("takes", 37)]


def test_after_a_multiplication_the_sum_starts_from_its_result() -> None:
    moves = ("1: champion", "2: alteration +", "1: vanguard")
    assert sums(duel(), *moves) == ["61", "61 x 1.5 = 92", "92 + 5 = 97"]
    assert effects(duel(), *moves)[1] == ("takes", 31)
    assert sums(duel(), "1: vanguard", "2: alteration -")[1] == "5 x 0.5 = 3"
    state = duel(alteration_rounding="change_up")
    assert sums(state, "1: vanguard", "2: alteration -")[1] == "5 - 3 = 2"


def test_overtake_is_worth_one_more_than_the_field() -> None:
    assert sums(duel(), "1: captain", "2: overtake")[1] == "37 + 38 = 75"
    assert effects(duel(), "1: captain", "2: overtake")[1] == ("takes", 38)
    assert sums(duel(overtake_value="replaces"), "1: captain", "2: overtake")[1] == "37 + 1 = 38"


def test_an_oracle_awaits_its_roll_and_counts_the_dies_value() -> None:
    assert effects(duel(), "1: oracle") == [("awaits-roll", None)]
    assert sums(duel(), "1: oracle") == [""]
    assert effects(duel(), "1: oracle", "1 rolls 6") == [("opens", 37)]


def test_what_a_shield_undoes_counts_no_more() -> None:
    moves = ("1: cavalry", "2: oracle", "2 rolls 6", "1: shield")
    steps = view(after(duel(), *moves))["duels"][0]["steps"]
    assert [step["effect"] for step in steps] == ["opens", "cancelled", "shield"]
    assert steps[2]["before"] == {"owner": 2, "value": 52}
    assert steps[2]["after"] == {"owner": 1, "value": 15}
    assert steps[2]["sum"] == "15"


def test_the_steps_end_at_the_field_whatever_was_undone() -> None:
    moves = ("1: commoners", "2: oracle", "2 rolls 6", "1: guardian", "2: vanguard", "1: shield")
    state = after(duel(shield_reach="whole_duel"), *moves)
    shown = view(state)["duels"][0]
    assert shown["steps"][-1]["after"] == shown["field"] == {"owner": 1, "value": 30}
    assert [step["sum"] for step in shown["steps"]][-1] == "2 + 23 + 5 = 30"


def test_an_intervention_says_by_whom_and_for_whom() -> None:
    step = view(after(duel(), "1: vanguard", "3 for 2: overtake"))["duels"][0]["steps"][1]
    assert (step["by"], step["for"], step["kind"]) == (3, 2, "intervene")


def test_the_last_duel_keeps_its_steps_and_the_turn_its_changes() -> None:
    state = after(duel(plays=1), "1: captain", "2: commoners")
    shown = view(state)
    assert [step["card"] for step in shown["last_duel_steps"]] == ["cremisi/captain/1", "aurea/commoners/1"]
    assert shown["change"] == {"1": 1, "2": -1, "3": 0}
    assert "steps" not in GAME.state_json(state)["last_duel"]


def test_names_are_shown_as_given() -> None:
    setup = GAME.setup_action([1, 2], names={2: "Ada"})
    state = GAME.apply(GAME.initial(GAME.ruleset()), GAME.parse(setup)).state
    assert view(state)["names"] == {"2": "Ada"}


def why(state: State, seat: int, **wanted: Any) -> str | None:
    """Why the seat can't do that, None where it can."""
    options = view(state, seat)["options"]
    [option] = [o for o in options if wanted.items() <= o["action"].items()]
    assert option["legal"] == (option["why"] is None)
    text: str | None = option["why"] and option["why"]["text"]
    return text


def test_options_say_what_can_be_done_and_why_not() -> None:
    state = after(duel(4), "1: vanguard")
    assert why(state, 2, do="play", kind="score") is None
    assert why(state, 2, do="play", kind="overtake") is None
    assert why(state, 2, do="retreat") is None
    assert why(state, 2, do="stand") == "One stands after the attacker's card 3, with one card left."
    assert why(state, 1, do="play", kind="score") == "It is seat 2's play, not seat 1's."
    assert why(state, 3, do="declare", against=4) is None
    assert why(state, 3, do="intervene", **{"for": 2}, kind="overtake") is None
    text = "Overtake can only answer: the enemy must own the field."
    assert why(state, 3, do="intervene", **{"for": 1}, kind="overtake") == text
    assert why(state, 3, do="roll") == "No roll of seat 3's is awaited."
    assert why(after(state, "2: oracle"), 2, do="roll") is None


def test_options_of_a_seat_with_none_of_a_kind() -> None:
    state = after(duel(), "1: vanguard", "2: shield", "1: commoners")
    text = "A Shield is not seat 2's to play: none is left in deck and hand."
    assert why(state, 2, do="play", kind="shield") == text


def test_no_options_before_and_after() -> None:
    assert GAME.options(GAME.initial(GAME.ruleset()), 1) == []
    assert GAME.options(table(), 5) == []
    assert GAME.state_json(GAME.initial(GAME.ruleset()))["phase"] == "setup"
