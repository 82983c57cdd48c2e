"""A match around its duels: the crown, turns, elimination, the count and the tie-break."""

from typing import Any

import pytest

from engine.althera import GAME
from engine.althera.state import State, declarer
from tests.engine.althera_play import after, codes, ruleset, said, started, table

#: A retreat that costs nothing: the duel ends and nobody has gained or lost a card.
DRAWN = ("{a}: champion", "{b} retreats", "{b} rolls 6")


def drawn(a: int, b: int) -> tuple[str, ...]:
    return (f"{a} > {b}", *(text.format(a=a, b=b) for text in DRAWN))


def won(a: int, b: int) -> tuple[str, ...]:
    """The attacker wins a commoner where a duel takes one play each."""
    return (f"{a} > {b}", f"{a}: champion", f"{b}: commoners")


def public(state: State) -> dict[str, Any]:
    return GAME.state_json(state)


class TestInitiative:
    def test_those_tied_for_highest_roll_again(self) -> None:
        state = started(ruleset({}), [1, 2, 4])
        state = after(state, "1 rolls 5", "2 rolls 2", "4 rolls 5")
        assert public(state)["awaiting_rolls"] == [1, 4]
        assert codes(said(state, "2 rolls 6")) == ["unexpected-roll"]
        assert codes(said(state, "1 > 2")) == ["not-your-declaration"]
        state = after(state, "4 rolls 2", "1 rolls 1")
        assert (state.match.phase, state.match.crown) == ("duels", 4)

    def test_the_crown_given_by_hand_ends_the_rolling(self) -> None:
        verdict = said(started(ruleset({}), [1, 2]), "crown 2")
        assert (verdict.ok, codes(verdict)) == (True, ["crown-moved"])
        assert declarer(verdict.state) == 2

    def test_a_stray_roll_changes_nothing_and_is_taken_back_by_undo(self) -> None:
        state = table()
        stray = said(state, "2 rolls 3").state
        assert public(stray) == public(state)
        twice = said(stray, "2 rolls 3").state
        assert said(twice, "undo").state == stray
        assert said(said(twice, "undo").state, "undo").state == state


class TestDeclaring:
    def test_clockwise_from_the_crown_passing_over_the_busy(self) -> None:
        state = table(5)
        assert declarer(state) == 1
        state = after(state, "1 > 3")
        assert declarer(state) == 2
        state = after(state, "2 > 4")
        assert declarer(state) is None
        state = after(state, "1: champion", "3 retreats", "3 rolls 6")
        assert declarer(state) == 3
        assert codes(said(state, "3 > 1")) == ["already-faced"]
        assert codes(said(state, "5 > 1")) == ["not-your-declaration"]
        assert codes(said(state, "3 > 2")) == ["already-duelling"]

    def test_the_turn_ends_when_every_pair_has_met(self) -> None:
        state = after(table(3), *drawn(1, 2), *drawn(2, 3))
        assert state.match.pairs_left == ((1, 3),)
        state = after(state, *drawn(3, 1))
        assert (state.match.turn, len(state.match.pairs_left)) == (2, 3)

    def test_nobody_declares_against_oneself(self) -> None:
        assert codes(said(table(), "1 > 1")) == ["bad-input"]


class TestCrown:
    def turn(self, **rulings: Any) -> State:
        """One turn of three, in which seat 3 wins a card of seat 1's."""
        state = after(table(3, plays=1, **rulings), *drawn(1, 2), *drawn(2, 3))
        return after(state, *won(3, 1))

    @pytest.mark.parametrize(("initiative", "crown"), [("fixed", 1), ("clockwise", 2), ("leader", 3)])
    def test_at_the_turns_end(self, initiative: str, crown: int) -> None:
        state = self.turn(initiative=initiative)
        assert (state.match.turn, state.match.crown, declarer(state)) == (2, crown, crown)

    def test_leader_with_a_tie_stays(self) -> None:
        state = table(3, initiative="leader")
        assert after(state, *drawn(1, 2), *drawn(2, 3), *drawn(3, 1)).match.crown == 1

    def test_by_hand_is_a_warning_where_it_stays(self) -> None:
        for initiative, severity in (("fixed", "warning"), ("leader", "info")):
            verdict = said(table(initiative=initiative), "crown 3")
            assert [(f.code, f.severity) for f in verdict.findings] == [("crown-moved", severity)]
            assert verdict.state.match.crown == 3

    def test_by_hand_to_nobody(self) -> None:
        assert codes(said(table(), "crown 4")) == ["seat-unknown"]
        assert said(table(), "crown 1").findings == ()


#: Six cards a house: commoners and a champion, or specials in their place.
POOR: dict[str, dict[str, Any]] = {
    "score": {
        "commoners": {"copies": 4},
        "champion": {"copies": 1},
        **{k: {"copies": 0} for k in ("vanguard", "marksman", "cavalry", "guardian", "captain")},
    },
    "specials": {"shield": 0, "overtake": 1, "alteration": 0, "oracle": 0},
}


class TestElimination:
    def test_loser_is_out_and_the_winner_gets_the_rest(self) -> None:
        state = after(table(3, **POOR), "1 > 2", "1: champion", "2: commoners", "1: commoners")
        state = after(state, "2: commoners/2", "1: commoners/2")
        verdict = said(state, "2: commoners/3")
        assert codes(verdict) == ["seat-eliminated"]
        state = verdict.state
        assert [(s.cards, s.hand, s.out) for s in state.seats.values()] == [
            (12, 5, False),
            (0, 0, True),
            (6, 5, False),
        ]
        assert state.match.pairs_left == ((1, 3),)
        assert codes(said(state, "1 > 2")) == ["seat-out", "not-your-declaration"]
        assert codes(said(state, "2 for 1: overtake"))[0] == "seat-out"
        assert declarer(state) == 3

    def test_last_player_standing_wins_at_once(self) -> None:
        state = after(table(2, **POOR), "1 > 2", "1: champion", "2: commoners", "1: commoners")
        state = said(after(state, "2: commoners/2", "1: commoners/2"), "2: commoners/3").state
        assert (state.match.phase, state.match.winners, state.match.turn) == ("over", (1,), 1)
        assert codes(said(state, "1 > 2")) == ["match-over"]

    def test_a_winner_left_short_by_its_specials_leaves_its_cards_to_the_enemy(self) -> None:
        # Five cards a house: seat 1 opens with its oracle, seat 2 retreats, and the oracle is seat 2's.
        score = {**POOR["score"], "commoners": {"copies": 3}}
        specials = {**POOR["specials"], "overtake": 0, "oracle": 1}
        state = after(table(3, score=score, specials=specials), "1 > 2", "1: oracle", "1 rolls 6")
        state = after(state, "2 retreats", "2 rolls 6")
        last = state.match.last_duel
        assert last is not None and last.winner == 1
        assert [(s.cards, s.out) for s in state.seats.values()] == [(0, True), (10, False), (5, False)]

    def test_the_crown_leaves_a_player_who_is_out_when_the_turn_ends(self) -> None:
        state = after(table(3, **POOR), "1 > 2", "1: commoners", "2: champion", "1: commoners/2")
        state = said(after(state, "2: commoners", "1: commoners/3"), "2 stands").state
        assert (state.seats[1].out, state.match.crown, declarer(state)) == (True, 1, 2)
        state = after(state, "2 > 3", "2: champion", "3 retreats", "3 rolls 6")
        assert (state.match.turn, state.match.crown) == (2, 2)


class TestEnd:
    def test_most_cards_win(self) -> None:
        state = after(table(2, plays=1), *won(1, 2), *drawn(1, 2), *drawn(1, 2))
        assert (state.match.phase, state.match.winners) == ("over", (1,))
        assert GAME.actions(state) == []
        assert codes(said(state, "1: captain")) == ["match-over"]
        assert public(said(state, "undo").state)["phase"] == "duels"

    def test_a_new_setup_drops_the_old_match(self) -> None:
        state = after(table(2, plays=1), *won(1, 2), *drawn(1, 2), *drawn(1, 2))
        setup = GAME.setup_action([2, 5])
        state = GAME.apply(state, GAME.parse(setup)).state
        assert (state.match.phase, list(state.seats)) == ("initiative", [2, 5])
        assert codes(said(state, "undo")) == ["nothing-to-undo"]

    def test_no_setup_in_mid_match_but_by_force(self) -> None:
        setup = GAME.setup_action([2, 5])
        verdict = GAME.apply(table(), GAME.parse(setup))
        assert (verdict.ok, codes(verdict)) == (False, ["bad-input"])
        verdict = GAME.apply(table(), GAME.parse(setup | {"force": True}))
        assert (verdict.ok, list(verdict.state.seats)) == (True, [2, 5])


class TestTiebreak:
    def tied(self, seats: int, **rulings: Any) -> State:
        """All tied after one turn of duels that nobody gains from."""
        state = table(seats, turns=[1], plays=1, **rulings)
        pairs = {2: [(1, 2)], 3: [(1, 2), (2, 3), (3, 1)]}[seats]
        for a, b in pairs:
            state = after(state, *drawn(a, b))
        return state

    def test_two_tied_duel_once_more_with_their_own_decks(self) -> None:
        state = self.tied(2)
        shown = public(state)
        assert (shown["phase"], shown["declarer"], shown["pairs_left"]) == ("tiebreak", None, [[1, 2]])
        assert [(d["attacker"], d["defender"]) for d in shown["duels"]] == [(1, 2)]
        state = after(state, "1: champion", "2: commoners")
        assert (state.match.phase, state.match.winners) == ("over", (1,))
        assert [seat["cards"] for seat in public(state)["seats"]] == [24, 24]
        assert GAME.cards(state)["aurea/commoners/1"] == 2

    def test_without_a_winner_they_duel_again(self) -> None:
        state = after(self.tied(2), "1: shield", "2: shield")
        assert (state.match.phase, state.duels[0].cards) == ("tiebreak", ())
        assert said(state, "1: cremisi/shield").ok

    def test_no_duel_is_declared_in_a_tiebreak(self) -> None:
        state = self.tied(3)
        assert codes(said(state, "3 > 1")) == ["already-duelling", "not-your-declaration"]
        assert said(state, "3 > 1", force=True).state.duels == state.duels

    def test_round_robin_goes_on_among_those_still_tied(self) -> None:
        state = self.tied(3)
        assert state.match.pairs_left == ((1, 2), (1, 3), (2, 3))
        state = after(state, "1: champion", "2: commoners", "1: commoners", "3: champion")
        state = after(state, "2: champion", "3: commoners")
        assert (state.match.phase, state.match.pairs_left) == ("tiebreak", ((1, 2), (1, 3), (2, 3)))
        state = after(state, "1: champion", "2: commoners", "1: champion", "3: commoners")
        assert state.match.phase == "tiebreak"
        state = after(state, "2: champion", "3: commoners")
        assert (state.match.phase, state.match.winners) == ("over", (1,))

    def test_sudden_death_the_winner_stays_on(self) -> None:
        state = self.tied(3, tiebreak_many="sudden_death")
        assert state.match.pairs_left == ((1, 2),)
        state = after(state, "1: champion", "2: commoners")
        assert state.match.pairs_left == ((1, 3),)
        assert after(state, "1: champion", "3: commoners").match.winners == (1,)
        assert after(state, "1: commoners", "3: champion").match.winners == (3,)

    def test_the_others_intervene_with_what_is_theirs(self) -> None:
        state = after(table(3, turns=[1], plays=1), *drawn(1, 2), *won(2, 3))
        state = after(state, "3 > 1", "3: commoners/2", "1: champion")
        shown = public(state)
        assert shown["phase"] == "tiebreak"
        assert [(s["cards"], s["hand"], s["deck"]) for s in shown["seats"]] == [
            (25, 5, 19),
            (25, 5, 19),
            (22, 5, 17),
        ]
        verdict = said(state, "1: celeste/commoners/2")
        assert codes(verdict) == ["not-your-card"]
        assert "set aside" in verdict.findings[0].text
        state = after(state, "1: commoners", "3 for 2: overtake", "2: commoners")
        assert (state.match.winners, public(state)["seats"][2]["cards"]) == ((2,), 22)
        assert public(said(state, "undo").state)["phase"] == "tiebreak"
