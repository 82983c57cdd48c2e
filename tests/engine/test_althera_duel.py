"""Duels as the rulebook tells them: values, specials, shields, retreats, interventions."""

import pytest

from engine.althera.state import State
from tests.engine.althera_play import after, codes, field, said, table


def duel(seats: int = 3, **rulings: object) -> State:
    """Seat 1 has declared against seat 2."""
    return after(table(seats, **rulings), "1 > 2")


def test_the_source_example_stands_at_72() -> None:
    state = after(duel(), "1: cavalry", "2: marksman", "1: commoners", "2: captain", "1: marksman")
    assert field(state) == (2, 72)
    state = after(state, "2 stands")
    assert [seat.cards for seat in state.seats.values()] == [21, 27, 24]


def test_equal_goes_to_who_played_last() -> None:
    assert field(after(duel(), "1: marksman", "2: marksman")) == (2, 18)


class TestShieldReach:
    OPENING = ("1: cavalry", "2: oracle", "2 rolls 1", "1: captain", "2: overtake", "1: shield")

    def test_answered_and_later_undoes_the_play_before(self) -> None:
        assert field(after(duel(), *self.OPENING)) == (1, 54)

    def test_later_only_undoes_nothing(self) -> None:
        assert field(after(duel(shield_reach="later_only"), *self.OPENING)) == (2, 109)

    def test_whole_duel_works_the_field_out_again(self) -> None:
        assert field(after(duel(shield_reach="whole_duel"), *self.OPENING)) == (1, 52)

    def test_a_special_whose_condition_is_gone_has_no_effect(self) -> None:
        # Seat 1's overtake answered the oracle; without the oracle the field was seat 1's own.
        state = after(
            duel(shield_reach="whole_duel"),
            "1: cavalry",
            "2: oracle",
            "2 rolls 1",
            "1: overtake",
            "2: alteration -",
            "1: shield",
        )
        assert field(state) == (1, 15)

    def test_score_cards_are_weighed_again(self) -> None:
        # 2 + 37 (oracle, seat 2's), 23 absorbed: without the oracle 23 takes the field.
        moves = ("1: commoners", "2: oracle", "2 rolls 6", "1: guardian", "2: vanguard")
        state = after(duel(shield_reach="whole_duel"), *moves)
        assert field(state) == (2, 67)
        assert field(after(state, "1: shield")) == (1, 30)

    def test_an_undone_opening_leaves_the_field_empty(self) -> None:
        state = after(duel(), "1: oracle", "1 rolls 3", "2: shield")
        assert field(state) is None
        assert state.duels[0].turn == 1

    def test_only_the_play_just_before_is_answered(self) -> None:
        # Seat 3 came in between, so the oracle is not the play just before the shield.
        state = after(duel(4), "1: cavalry", "2: oracle", "2 rolls 1", "3 for 1: alteration -")
        assert field(state) == (1, 9)
        assert field(after(state, "4 for 1: shield")) == (1, 9)

    def test_an_intervener_for_the_enemy_is_the_enemy_side(self) -> None:
        moves = ("1: cavalry", "2: captain", "3 for 2: oracle", "3 rolls 1", "1: shield")
        assert field(after(duel(), *moves)) == (2, 52)

    def test_cancelled_oracle_is_rolled_all_the_same(self) -> None:
        state = after(duel(), "1: shield", "2: oracle")
        assert codes(said(state, "1: captain")) == ["roll-awaited"]
        assert field(after(state, "2 rolls 6")) is None

    def test_says_what_was_cancelled(self) -> None:
        state = after(duel(), "1: captain", "2: overtake")
        verdict = said(state, "1: shield")
        assert codes(verdict) == ["shield-cancels"]
        assert verdict.findings[0].severity == "info"
        state = after(verdict.state, "2: alteration +")
        assert codes(said(after(state, "1: commoners"), "2: oracle")) == ["shield-cancels"]

    def test_second_shield_of_the_enemy_is_cancelled(self) -> None:
        state = after(duel(), "1: shield", "2: captain", "1: commoners")
        verdict = said(after(state, "2: commoners", "1: champion"), "2: shield")
        assert codes(verdict) == ["shield-cancels"]
        last = verdict.state.match.last_duel
        assert last.specials == {2: ("cremisi/shield/1",), 1: ("aurea/shield/1",)}


class TestRounding:
    @pytest.mark.parametrize(
        ("ruling", "sign", "value"),
        [("result_up", "+", 8), ("result_up", "-", 3), ("change_up", "+", 8), ("change_up", "-", 2)],
    )
    def test_alteration_of_five(self, ruling: str, sign: str, value: int) -> None:
        state = after(duel(alteration_rounding=ruling), "1: vanguard", f"2: alteration {sign}")
        assert field(state) == (2, value)

    def test_overtake_replaces(self) -> None:
        assert field(after(duel(overtake_value="replaces"), "1: captain", "2: overtake")) == (2, 38)


class TestWhen:
    def test_overtake_only_answers(self) -> None:
        verdict = said(duel(), "1: overtake")
        assert codes(verdict) == ["special-timing"]
        assert verdict.findings[0].text == "Overtake can only answer: the enemy must own the field."

    def test_shield_neither_opens_nor_answers_on_the_own_field(self) -> None:
        state = after(duel(), "1: captain", "2: commoners")
        assert codes(said(state, "1: shield")) == ["special-timing"]

    def test_attacker_answers_where_the_defender_owns(self) -> None:
        state = after(duel(), "1: commoners", "2: captain")
        assert said(state, "1: overtake").ok
        state = after(duel(answer_scope="defender_only"), "1: commoners", "2: captain")
        assert codes(said(state, "1: overtake")) == ["special-timing"]
        assert said(state, "1: oracle").ok

    def test_defender_only_binds_interveners_for_the_attacker(self) -> None:
        state = after(duel(answer_scope="defender_only"), "1: commoners", "2: captain")
        assert codes(said(state, "3 for 1: overtake")) == ["special-timing"]
        assert said(state, "3 for 1: shield").ok

    def test_alteration_needs_its_sign_and_nothing_else_has_one(self) -> None:
        state = after(duel(), "1: vanguard")
        assert codes(said(state, "2: alteration")) == ["sign-missing"]
        assert codes(said(state, "2: captain +")) == ["bad-input"]

    def test_several_faults_in_the_order_of_the_list(self) -> None:
        state = after(duel(), "1: cavalry")
        verdict = said(state, "1: cremisi/cavalry/1")
        assert codes(verdict) == ["already-played", "not-your-play"]
        verdict = said(state, "1: aurea/alteration/1")
        assert codes(verdict) == ["not-your-card", "not-your-play", "special-timing", "sign-missing"]

    def test_whoever_can_play_nothing_lays_a_special_without_effect(self) -> None:
        none = {"copies": 0}
        score = dict.fromkeys(("vanguard", "marksman", "cavalry", "guardian", "captain"), none)
        score |= {"commoners": {"copies": 1}, "champion": {"copies": 1}}
        specials = {"shield": 0, "overtake": 5, "alteration": 0, "oracle": 0}
        state = after(duel(score=score, specials=specials), "1: champion", "2: commoners")
        assert codes(said(state, "1: overtake")) == ["special-timing"]
        state = after(state, "1: commoners", "2: champion")
        assert field(state) == (1, 126)
        assert field(after(state, "1: overtake")) == (1, 126)

    def test_a_barred_answer_laid_for_want_of_another_card_does_nothing(self) -> None:
        none = {"copies": 0}
        score = dict.fromkeys(("vanguard", "marksman", "cavalry", "guardian", "captain"), none)
        score |= {"commoners": {"copies": 1}, "champion": {"copies": 1}}
        specials = {"shield": 0, "overtake": 0, "alteration": 5, "oracle": 0}
        state = duel(score=score, specials=specials, answer_scope="defender_only")
        state = after(state, "1: commoners", "2: champion")
        assert codes(said(state, "1: alteration -")) == ["special-timing"]
        assert field(said(state, "1: alteration -", force=True).state) == (1, 32)
        state = after(state, "1: champion", "2: commoners")
        assert field(after(state, "1: alteration -")) == (2, 126)
        assert field(said(state, "1: alteration -", force=True).state) == (2, 126)


class TestOpeningShield:
    def test_hands_the_attack_over(self) -> None:
        state = after(duel(), "1: shield")
        assert state.duels[0].turn == 2
        assert field(after(state, "2: commoners")) == (2, 2)

    def test_the_enemy_may_answer_it_with_a_shield_only_in_vain(self) -> None:
        state = after(duel(plays=1), "1: shield")
        verdict = said(state, "2: shield")
        last = verdict.state.match.last_duel
        assert (last.winner, last.captured, last.ended_by) == (None, (), "three_cards")
        assert [seat.cards for seat in verdict.state.seats.values()] == [24, 24, 24]


class TestStandAndRedraw:
    def test_stand_needs_the_own_field(self) -> None:
        moves = ("1: cavalry", "2: marksman", "1: commoners", "2: commoners", "1: marksman")
        state = after(duel(), *moves)
        assert codes(said(state, "2 stands")) == ["stand-not-now"]

    def test_stand_is_off_where_the_last_card_is_required(self) -> None:
        moves = ("1: cavalry", "2: captain", "1: commoners", "2: commoners", "1: marksman")
        assert said(after(duel(), *moves), "2 stands").ok
        state = after(duel(closing_card="required"), *moves)
        assert codes(said(state, "2 stands")) == ["stand-not-now"]

    def test_redraw_down_to_the_floor(self) -> None:
        state = after(duel(), "2 redraws", "2 redraws")
        assert state.seats[2].hand == 3
        assert codes(said(state, "2 redraws")) == ["redraw-floor"]
        state = after(state, "1: captain", "2: captain")
        assert codes(said(state, "2 redraws")) == ["redraw-too-late", "redraw-floor"]

    def test_out_of_duel(self) -> None:
        for text in ("3 redraws", "3 stands", "3 retreats", "3: captain"):
            assert codes(said(duel(), text)) == ["not-in-duel"]

    def test_plays_exhausted(self) -> None:
        moves = ("1: cavalry", "2: captain", "1: commoners", "2: commoners", "1: marksman")
        assert codes(said(after(duel(), *moves), "1: guardian")) == ["not-your-play", "plays-exhausted"]


class TestRetreat:
    def test_saved_on_the_rulesets_faces_only(self) -> None:
        state = after(duel(retreat_faces=[1]), "1: captain", "2 retreats")
        assert len(after(state, "2 rolls 6").duels) == 1
        assert len(after(state, "2 rolls 1").duels) == 0

    def test_by_the_defender_only(self) -> None:
        state = after(duel(retreat_by="defender_only"), "1: commoners", "2: captain")
        assert codes(said(state, "1 retreats")) == ["retreat-not-now"]
        assert said(after(duel(), "1: commoners", "2: captain"), "1 retreats").ok

    def test_once_a_duel(self) -> None:
        state = after(duel(), "1: captain", "2 retreats", "2 rolls 1", "2: commoners", "1: commoners")
        assert codes(said(state, "2 retreats")) == ["retreat-used"]

    def test_the_retreating_player_keeps_the_hand_and_loses_the_field(self) -> None:
        state = after(duel(), "1: commoners", "2: captain", "1: champion", "2 retreats", "2 rolls 5")
        last = state.match.last_duel
        assert last is not None
        assert (last.winner, last.captured, last.ended_by) == (1, ("aurea/captain/1",), "retreat")
        assert state.seats[2].hand == 5

    def test_nobody_else_acts_before_the_roll(self) -> None:
        state = after(duel(), "1: captain", "2 retreats")
        assert codes(said(state, "2: commoners")) == ["roll-awaited"]
        assert codes(said(state, "2 retreats")) == ["not-your-play", "roll-awaited", "retreat-used"]
        assert codes(said(state, "3 for 1: shield")) == ["roll-awaited"]
        assert codes(said(state, "1 rolls 3")) == ["unexpected-roll"]


class TestIntervention:
    def test_acts_for_its_side_and_draws(self) -> None:
        state = after(duel(), "1: vanguard", "3 for 2: overtake")
        assert field(state) == (2, 11)
        assert (state.seats[3].hand, state.seats[3].deck, state.seats[3].cards) == (5, 18, 24)
        assert state.duels[0].turn == 2

    def test_needs_a_score_card_on_the_field(self) -> None:
        state = after(duel(), "1: oracle", "1 rolls 6")
        assert codes(said(state, "3 for 2: overtake")) == ["intervene-empty-field"]

    def test_never_twice_never_while_duelling_never_with_score_cards(self) -> None:
        state = after(duel(), "1: vanguard", "3 for 2: overtake")
        assert codes(said(state, "3 for 1: shield")) == ["intervene-twice"]
        assert codes(said(state, "2 for 1: shield")) == ["intervene-duelling"]
        assert codes(said(state, "3 for 1: captain")) == ["intervene-score-card", "intervene-twice"]
        assert codes(said(state, "1 for 3: shield")) == ["not-in-duel", "intervene-duelling"]

    def test_its_oracle_awaits_its_own_roll(self) -> None:
        state = after(duel(), "1: vanguard", "3 for 2: oracle")
        assert state.duels[0].awaited == (3, "oracle")
        assert field(after(state, "3 rolls 6")) == (2, 42)

    def test_special_goes_to_whom_it_was_played_against(self) -> None:
        state = after(duel(plays=1), "1: vanguard", "3 for 2: overtake", "2: captain")
        last = state.match.last_duel
        assert last is not None
        assert (last.winner, dict(last.specials)) == (2, {1: ("celeste/overtake/1",)})
        assert [seat.cards for seat in state.seats.values()] == [24, 25, 23]
        assert state.match.owners["celeste/overtake/1"] == 1

    def test_two_pending_oracles_of_one_seat_are_rolled_in_the_order_of_the_duels(self) -> None:
        state = after(table(5), "1 > 2", "3 > 4", "1: captain", "3: captain")
        state = after(state, "5 for 4: oracle/2", "5 for 2: oracle", "5 rolls 1", "5 rolls 6")
        assert (field(state, 0), field(state, 1)) == ((2, 39), (4, 74))
