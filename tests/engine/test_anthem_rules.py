"""Anthem, rule by rule: given a table, when a card is laid, then this is the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.anthem import GAME
from engine.anthem.state import State
from engine.errors import CrowntableError
from engine.game import Audience, Finding, Game
from tests.engine.anthem_walks import codes, do, judge, started


def lay(seat: int, card: str, place: int, **more: Any) -> dict[str, Any]:
    return {"do": "lay", "seat": seat, "card": card, "place": place, **more}


def keep(seat: int) -> dict[str, Any]:
    return {"do": "keep", "seat": seat}


def claim(seat: int, win: str, shown: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"do": "claim", "seat": seat, "win": win, **({} if shown is None else {"shown": shown}), **more}


def hands(state: State) -> list[int]:
    return [seat.hand for seat in state.seats]


def with_layout(state: State, seat: int, *cards: str | None) -> State:
    """The state with that layout between start and end; the hands stay as they are."""
    seats = [
        replace(s, layout=(s.layout[0], *cards, s.layout[7])) if s.seat == seat else s for s in state.seats
    ]
    return replace(state, seats=tuple(seats))


FULL = ("s1/1", "s2/2", "s1/4", "s3/5", "s1/6", "s2/8")


def test_the_start_of_a_match() -> None:
    state = do(GAME.initial(GAME.ruleset()), GAME.setup_action([2, 3], first=3))
    assert GAME.state_json(state) == {
        "game": "anthem",
        "phase": "play",
        "turn": 1,
        "to_move": 3,
        "seats": [
            {
                "seat": s,
                "layout": [f"s{k}/0", *[None] * 6, f"s{k}/9"],
                "hand": 9,
                "complete": False,
                "stuck": False,
            }
            for k, s in ((1, 2), (2, 3))
        ],
        "winners": None,
        "dragon": False,
    }


def test_the_kth_player_listed_brings_set_k_and_seats_stand_clockwise() -> None:
    players = [{"seat": 4}, {"seat": 1, "name": "Ada"}, {"seat": 3}]
    state = do(GAME.initial(GAME.ruleset()), {"do": "setup", "players": players, "first": 4})
    assert [(s.seat, s.set, s.name) for s in state.seats] == [
        (1, "s2", "Ada"),
        (3, "s3", None),
        (4, "s1", None),
    ]
    assert do(state, keep(4)).to_move == 1


def test_a_turn_draws_from_the_right_and_lays_or_keeps() -> None:
    state = started({})
    laid = do(state, lay(1, "s3/4", 2))
    assert hands(laid) == [9, 9, 8]  # seat 3 sits on seat 1's right
    assert (laid.turn, laid.to_move, laid.seats[0].layout[2]) == (2, 2, "s3/4")
    assert hands(do(state, keep(1))) == [10, 9, 8]
    assert hands(do(laid, keep(2))) == [8, 10, 8]


@pytest.mark.parametrize(
    ("cards", "lays", "expected"),
    [
        ((None, None, "s1/5", None, None, None), ("s2/4", 2), []),
        ((None, None, "s1/5", None, None, None), ("s2/4", 3), ["place-taken"]),
        ((None, None, "s1/5", None, None, None), ("s2/4", 4), ["not-rising"]),
        ((None, None, "s1/5", None, None, None), ("s2/6", 1), ["not-rising"]),
        ((None, None, "s1/5", None, None, None), ("s2/5", 4), ["value-twice"]),
        (("s1/3", "s1/5", None, None, None, None), ("s2/4", 3), ["not-rising", "no-room"]),
        (("s1/3", "s1/5", None, None, None, None), ("s2/4", 2), ["place-taken", "no-room"]),
        (("s1/3", None, "s1/5", None, None, None), ("s2/4", 2), []),
        ((None,) * 6, ("s2/dead", 3), ["dead-laid"]),
        ((None,) * 6, ("s2/0", 3), ["value-twice", "already-laid"]),
        ((None,) * 6, ("s1/0", 3), ["card-moved"]),
        (("s1/3", None, None, None, None, None), ("s1/3", 2), ["card-moved"]),
        (("s1/3", None, None, None, None, None), ("s1/3", 1), ["already-laid"]),
        ((None,) * 6, ("s4/3", 1), ["unknown-card"]),
        ((None,) * 6, ("s1/10", 1), ["unknown-card"]),
        ((None,) * 6, ("", 1), ["unknown-card"]),
    ],
)
def test_where_a_card_may_lie(
    cards: tuple[str | None, ...], lays: tuple[str, int], expected: list[str]
) -> None:
    state = with_layout(started({}), 1, *cards)
    verdict = judge(state, lay(1, *lays))
    assert codes(verdict) == expected
    assert verdict.ok == (expected == [])


def test_a_card_in_a_neighbours_layout_lies_already() -> None:
    state = do(started({}), lay(1, "s2/5", 3))
    assert codes(judge(state, lay(2, "s2/5", 3))) == ["already-laid"]
    assert codes(judge(state, lay(9, "s7/5", 3))) == ["unknown-card", "seat-unknown"]


def test_turns_nobody_reported_count_as_kept() -> None:
    state = started({})
    verdict = judge(state, lay(3, "s1/7", 6))
    assert verdict.ok
    assert [(f.code, f.severity, f.seats) for f in verdict.findings] == [("keeps-inferred", "info", (1, 2))]
    assert verdict.state.turn == 4
    assert hands(verdict.state) == hands(do(state, keep(1), keep(2), lay(3, "s1/7", 6)))
    later = judge(verdict.state, keep(2))
    assert [(f.code, f.seats) for f in later.findings] == [("keeps-inferred", (1,))]


def test_a_second_lay_in_a_row_is_a_whole_round_later() -> None:
    state = do(started({}), lay(1, "s1/7", 6))
    verdict = judge(state, lay(1, "s1/2", 1))
    assert [(f.code, f.seats) for f in verdict.findings] == [("keeps-inferred", (2, 3))]
    assert (verdict.state.turn, verdict.state.to_move) == (5, 2)


def test_an_illegal_lay_infers_nothing() -> None:
    state = started({})
    verdict = judge(state, lay(3, "s1/dead", 1))
    assert codes(verdict) == ["dead-laid"]
    assert verdict.state is state


def test_a_layout_that_can_no_longer_be_completed() -> None:
    for hints, expected in (("off", []), ("on", [("layout-stuck", "warning", (1,))])):
        verdict = judge(started({"hints": hints}), lay(1, "s1/5", 1))
        assert [(f.code, f.severity, f.seats) for f in verdict.findings] == expected
        assert GAME.state_json(verdict.state)["seats"][0]["stuck"] is True
    fine = judge(started({"hints": "on"}), lay(1, "s1/2", 1))
    assert codes(fine) == [] and not GAME.state_json(fine.state)["seats"][0]["stuck"]
    more = judge(do(started({"hints": "on"}), lay(1, "s1/5", 1)), lay(1, "s1/6", 6))
    assert codes(more) == ["keeps-inferred"]  # said once, not at every lay after it


@pytest.mark.parametrize(
    ("cards", "stuck"),
    [
        ((None,) * 6, False),
        ((None, "s1/3", None, "s1/5", None, None), False),  # each gap has exactly the values it needs or more
        (("s1/1", None, "s1/3", "s1/4", "s1/5", "s1/6"), False),
        ((None, None, "s1/3", None, "s1/5", None), False),
        ((None, None, "s1/2", None, None, None), True),
        ((None, None, None, "s1/4", None, "s1/5"), True),
        ((None, None, None, None, "s1/6", "s1/7"), False),
        ((None, None, None, None, None, "s1/5"), True),
        (FULL, False),
    ],
)
def test_stuck_is_a_gap_wider_than_its_values(cards: tuple[str | None, ...], stuck: bool) -> None:
    state = with_layout(started({}), 1, *cards)
    assert GAME.state_json(state)["seats"][0]["stuck"] is stuck


def test_no_room_is_neighbours_side_by_side_and_a_dead_is_none() -> None:
    state = do(started({}), lay(1, "s1/dead", 1, force=True), lay(1, "s1/2", 2))
    assert codes(judge(state, lay(1, "s2/1", 6))) == ["not-rising"]
    assert codes(judge(state, lay(1, "s2/1", 1))) == ["place-taken"]


def test_a_layout_whose_end_was_moved_is_stuck_like_one_whose_start_was() -> None:
    for card, place in (("s1/9", 3), ("s1/0", 4)):
        state = do(started({}), lay(1, card, place, force=True))
        assert GAME.state_json(state)["seats"][0]["stuck"] is True
    state = do(started({}), lay(1, "s1/6", 6), lay(2, "s1/0", 1, force=True))
    assert GAME.state_json(state)["seats"][0]["stuck"] is True  # six places below 6, and its 0 is gone


AUDIENCES: list[tuple[Any, int | None]] = [
    ("seat", 1),
    ("seat", 2),
    ("spectator", None),
    ("stream", None),
    ("operator", None),
]


def test_a_hint_is_for_its_player_alone() -> None:
    state = do(started({"hints": "on"}), lay(1, "s1/5", 1))
    told = {
        (kind, seat): ["stuck" in s for s in GAME.view(state, Audience(kind, seat))["seats"]]
        for kind, seat in AUDIENCES
    }
    assert told["seat", 1] == [True, False, False]
    assert told["seat", 2] == [False, True, False]
    assert told["spectator", None] == told["stream", None] == [False, False, False]
    assert told["operator", None] == [True, True, True]
    silent = do(started({}), lay(1, "s1/5", 1))
    assert not any("stuck" in s for s in GAME.view(silent, Audience("seat", 1))["seats"])


def test_the_view_for_a_screen() -> None:
    setup = GAME.setup_action([1, 2, 3], names={2: "Ben"}, first=2)
    state = do(GAME.initial(GAME.ruleset()), setup, lay(3, "s1/6", 4))
    view = GAME.view(state, Audience("seat", 1))
    assert view["names"] == {"2": "Ben"}
    assert (view["draws_from"], view["laid"], view["inferred_keeps"]) == (3, {"seat": 3, "place": 4}, [2])
    assert view["in_hands"] == {str(v): 2 if v == 6 else 3 for v in range(1, 9)} | {"dead": 3}
    assert view["seats"][2]["fits"]["7"] == [5, 6] and view["seats"][2]["fits"]["6"] == []
    assert view["proofs"] == []
    assert {"action": {"do": "keep", "seat": 1}, "legal": True, "why": None} in view["options"]
    assert "options" not in GAME.view(state, Audience("spectator"))


PLAIN = ["s1/2", "s1/3", "s1/5", "s1/7", "s1/8", "s2/1", "s2/3", "s2/4", "s2/5"]
DEADS = ["s1/dead", "s2/dead", "s3/dead"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (PLAIN, []),
        (PLAIN[:8], ["claim-hand-mismatch"]),
        ([*PLAIN[:8], "s1/2"], ["claim-hand-mismatch"]),
        ([*PLAIN[:8], "s1/4"], ["claim-hand-mismatch"]),
        ([*PLAIN[:8], "s4/4"], ["unknown-card"]),
        ([*PLAIN[:8], "s2/dead"], ["claim-dead-in-hand"]),
        (["s2/dead"], ["claim-dead-in-hand", "claim-hand-mismatch"]),
        (None, ["bad-input"]),
    ],
)
def test_the_heros_claim(shown: list[str] | None, expected: list[str]) -> None:
    state = with_layout(started({}), 1, *FULL)
    verdict = judge(state, claim(1, "hero", shown))
    assert codes(verdict) == expected
    assert GAME.state_json(verdict.state)["winners"] == (None if expected else [1])


def test_the_hero_needs_a_complete_layout() -> None:
    state = with_layout(started({}), 1, *FULL[:5], None)
    assert codes(judge(state, claim(1, "hero", PLAIN))) == ["claim-incomplete"]
    assert codes(judge(with_layout(state, 2, *FULL), claim(2, "hero", PLAIN))) == []  # at anybody's turn


@pytest.mark.parametrize(
    ("dragon", "shown", "expected"),
    [
        ("on", [*DEADS, *PLAIN[:6]], []),
        ("on", [*DEADS[:2], *PLAIN[:7]], ["claim-not-all-dead"]),
        ("on", [*DEADS, *PLAIN[:5]], ["claim-hand-mismatch"]),
        ("on", DEADS[:2], ["claim-hand-mismatch", "claim-not-all-dead"]),
        ("off", [*DEADS, *PLAIN[:6]], ["dragon-off"]),
        ("off", DEADS[:2], ["claim-hand-mismatch", "claim-not-all-dead", "dragon-off"]),
    ],
)
def test_the_dragons_claim(dragon: str, shown: list[str], expected: list[str]) -> None:
    verdict = judge(started({"dragon": dragon}), claim(2, "dragon", shown))
    assert codes(verdict) == expected
    after = GAME.state_json(verdict.state)
    assert (after["winners"], after["dragon"]) == ((None, False) if expected else ([2], True))


def test_the_word_is_enough_where_the_table_trusts_it() -> None:
    state = with_layout(started({"proof": "trust", "dragon": "on"}), 1, *FULL)
    assert judge(state, claim(1, "hero")).ok
    assert judge(state, claim(2, "dragon")).ok
    # Cards that are shown all the same still count.
    assert codes(judge(state, claim(1, "hero", ["s2/dead", *PLAIN[:8]]))) == ["claim-dead-in-hand"]


@pytest.mark.parametrize(
    ("both_win", "outcomes"),
    [
        ("hero", {("hero", "dragon"): ([1], False), ("dragon", "hero"): ([1], False)}),
        ("dragon", {("hero", "dragon"): ([2], True), ("dragon", "hero"): ([2], True)}),
        ("shared", {("hero", "dragon"): ([1, 2], True), ("dragon", "hero"): ([1, 2], True)}),
    ],
)
def test_both_wins_at_once(both_win: str, outcomes: dict[tuple[str, str], tuple[list[int], bool]]) -> None:
    """Whoever claims first, the ruling decides; a claim it sets behind comes too late."""
    for order, (winners, dragon) in outcomes.items():
        state = with_layout(started({"dragon": "on", "both_win": both_win, "proof": "trust"}), 1, *FULL)
        for i, win in enumerate(order):
            verdict = judge(state, claim(1 if win == "hero" else 2, win))
            behind = i == 1 and both_win not in ("shared", win)
            assert codes(verdict) == (["match-over"] if behind else [])
            state = verdict.state
        after = GAME.state_json(state)
        assert (after["winners"], after["dragon"]) == (winners, dragon)
        assert codes(judge(state, claim(3, "dragon"))) == ["match-over"]
        assert codes(judge(state, keep(1))) == ["match-over"]


def test_nobody_wins_both() -> None:
    state = with_layout(started({"dragon": "on", "both_win": "shared", "proof": "trust"}), 1, *FULL)
    won = do(state, claim(1, "hero"))
    assert codes(judge(won, claim(1, "dragon"))) == ["match-over"]
    assert codes(judge(won, claim(2, "hero"))) == ["match-over"]
    assert judge(won, claim(2, "dragon")).ok


def test_force_goes_as_far_as_it_has_a_meaning() -> None:
    state = do(started({}), lay(1, "s1/5", 3))
    twice = judge(state, lay(2, "s1/5", 2, force=True))
    assert (twice.ok, [(f.code, f.severity) for f in twice.findings]) == (True, [("already-laid", "warning")])
    assert twice.state.seats[0].layout[3] is None and twice.state.seats[1].layout[2] == "s1/5"
    assert hands(twice.state) == hands(state) and twice.state.to_move == 2  # moved, no turn taken
    wrong = judge(state, lay(2, "s1/dead", 1, force=True))
    assert wrong.ok and hands(wrong.state) == [8, 9, 8]
    taken = judge(state, lay(1, "s1/6", 3, force=True))  # two cards can't have one place
    assert taken.ok and taken.state == state and judge(taken.state, {"do": "undo"}).state is state
    unproved = judge(state, claim(3, "hero", force=True))
    assert not unproved.ok and codes(unproved) == ["bad-input"] and unproved.state is state
    won = judge(state, claim(3, "dragon", DEADS, force=True))
    assert won.ok and {f.severity for f in won.findings} == {"warning"} and won.state.dragon


def test_nothing_before_a_setup_and_none_in_mid_match() -> None:
    state = GAME.initial(GAME.ruleset())
    for obj in (lay(1, "s1/5", 3), keep(1), claim(1, "hero", [])):
        assert codes(judge(state, obj)) == ["not-set-up"]
    assert codes(judge(state, {"do": "undo"})) == ["not-set-up", "nothing-to-undo"]
    assert codes(judge(started({}), GAME.setup_action([1, 2]))) == ["bad-input"]
    over = do(with_layout(started({"proof": "trust"}), 1, *FULL), claim(1, "hero"))
    again = do(over, GAME.setup_action([1, 2]))
    assert again.phase == "play"
    assert codes(judge(again, {"do": "undo"})) == ["nothing-to-undo"]


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        ([], "object"),
        ({}, "do"),
        ({"do": "dance"}, "do"),
        ({"do": "keep"}, "seat"),
        ({"do": "keep", "seat": True}, "seat"),
        ({"do": "keep", "seat": "1"}, "seat"),
        ({"do": "keep", "seat": 1, "card": "s1/2"}, "card"),
        ({"do": "lay", "seat": 1, "card": 5, "place": 3}, "card"),
        ({"do": "lay", "seat": 1, "card": "s1/5", "place": 0}, "place"),
        ({"do": "lay", "seat": 1, "card": "s1/5", "place": 7}, "place"),
        ({"do": "lay", "seat": 1, "card": "s1/5", "place": 3, "force": 1}, "force"),
        ({"do": "claim", "seat": 1, "win": "both"}, "win"),
        ({"do": "claim", "seat": 1, "win": "hero", "shown": "s1/5"}, "shown"),
        ({"do": "claim", "seat": 1, "win": "hero", "shown": [1]}, "shown"),
        ({"do": "setup", "players": [{"seat": 1}], "first": 1}, "players"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 1}], "first": 1}, "players"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 6}], "first": 1}, "seat"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 2, "house": "x"}], "first": 1}, "house"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 2}], "first": 3}, "first"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 2}]}, "first"),
        ({"do": "setup", "players": [{"seat": 1}, {"seat": 2}], "first": 1, "turns": 3}, "turns"),
    ],
)
def test_bad_input_names_the_field(obj: object, field: str) -> None:
    finding = GAME.parse(obj)
    assert isinstance(finding, Finding) and finding.code == "bad-input"
    assert field in finding.text


def test_options_say_what_is_possible_and_why_not() -> None:
    state = with_layout(started({}), 1, "s1/3", "s1/5", None, None, None, None)
    options = {(o.action["do"], o.action.get("kind", o.action.get("win"))): o for o in GAME.options(state, 1)}
    assert options["keep", None].legal
    assert options["lay", "7"].action["places"] == [3, 4, 5, 6]
    reasons = {key: o.why.code for key, o in options.items() if o.why is not None}
    assert reasons["lay", "4"] == "no-room"
    assert options["lay", "1"].why is not None and options["lay", "1"].why.code == "no-room"
    assert reasons["lay", "5"] == "value-twice"
    assert reasons["lay", "dead"] == "dead-laid"
    assert reasons["claim", "hero"] == "claim-incomplete"
    assert reasons["claim", "dragon"] == "dragon-off"
    assert [o.why.code for o in GAME.options(state, 5) if o.why] == ["seat-unknown"] * 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('dragon = "maybe"', ["dragon", "maybe", '"off", "on"']),
        ("proof = 3", ["proof", "3", '"show", "trust"']),
        ('wyvern = "on"', ["wyvern"]),
        ("dragon =", ["TOML"]),
    ],
)
def test_a_wrong_ruleset_is_refused_by_name(text: str, words: list[str]) -> None:
    with pytest.raises(CrowntableError) as caught:
        GAME.ruleset(text)
    assert all(word in caught.value.what for word in words)
    assert caught.value.cure


def test_it_keeps_the_contract_of_a_game() -> None:
    game: Game = GAME
    assert next(iter(game.findings)) == "bad-input" and all(rule in game.rules for rule in used_rules())


def used_rules() -> set[str]:
    return {kind.rule for kind in GAME.findings.values() if kind.rule}


def test_a_ruleset_survives_its_json() -> None:
    rules = GAME.ruleset('name = "ours"\nboth_win = "shared"', {"dragon": "on"})
    assert (rules.name, rules.dragon, rules.both_win, rules.proof) == ("ours", "on", "shared", "show")
    assert GAME.ruleset_from_json(GAME.ruleset_json(rules)) == rules
