"""A real evening at a table of three, told in cards laid and lifted: what stands on the screen then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from host import decisions
from host.face import Who
from host.interpret import CROWN
from host.layout import Button, find_layout
from host.sighting import DiceFrame, DieSeen, Health, Inventory, Press, TagRead
from tests.host.table_kit import OPERATOR, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    return desk


def test_the_rulebooks_example_laid_card_by_card(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.play(2, "aurea/marksman/1")
    desk.play(1, "cremisi/commoners/1")
    desk.play(2, "aurea/captain/1")
    assert desk.duel()["field"] == {"owner": 2, "value": 63}
    desk.play(1, "cremisi/marksman/1")
    assert desk.duel()["field"] == {"owner": 2, "value": 72}
    assert desk.duel()["steps"][-1]["sum"] == "15 + 9 + 2 + 37 + 9 = 72"
    assert desk.do(do="stand", seat=2).text == "Bruno stands: Bruno wins the duel at 72 and captures 3 cards."
    assert [s["cards"] for s in desk.state()["seats"]] == [21, 27, 24]


def test_every_play_opens_to_what_it_rests_on(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    event = next(e for e in desk.view()["events"] if "Cavalry" in e["text"])
    assert event["evidence"] == ["zone seat1.field, 2 of 2 reads in 100 ms"]
    assert (event["by_hand"], event["who"]) == (False, "device pico")
    by_hand = next(e for e in desk.view()["events"] if "challenges" in e["text"])
    assert by_hand["by_hand"] is True
    assert by_hand["evidence"] == ["Entered at the screen by the operator."]


def test_every_card_that_makes_up_a_field_value_opens_to_what_it_rests_on(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    by_hand = desk.core.act({"do": "play", "seat": 2, "card": "aurea/captain/1"}, Who("seat", "2"))
    desk.lay(1, "cremisi/alteration/1")
    (question,) = desk.view()["questions"]
    assert decisions.answer(desk.core, question["id"], "+", Who("seat", "1")).ok
    grounds = desk.view("spectator")["grounds"]
    assert set(grounds["cards"]) == {"cremisi/cavalry/1", "aurea/captain/1", "cremisi/alteration/1"}
    seen = grounds["cards"]["cremisi/cavalry/1"]
    assert seen["evidence"] == ["zone seat1.field, 2 of 2 reads in 100 ms"]
    assert (seen["by_hand"], seen["edited"]) == (False, False)
    typed = grounds["cards"]["aurea/captain/1"]
    assert typed["evidence"] == ["Entered at the screen by seat 2."]
    assert (typed["by_hand"], typed["seq"]) == (True, by_hand.seq)
    # The sign was tapped; that the card lies there is what a reader saw.
    asked = grounds["cards"]["cremisi/alteration/1"]
    assert asked["evidence"] == ["zone seat1.field, 2 of 2 reads in 100 ms"]
    assert asked["by_hand"] is False
    assert grounds["rolls"]["1"]["evidence"] == ["Entered at the screen by the operator."]
    assert decisions.amend(
        desk.core, seen["seq"], {"do": "play", "seat": 1, "card": "cremisi/guardian/1"}, OPERATOR
    ).ok
    corrected = desk.view()["grounds"]["cards"]
    assert "cremisi/cavalry/1" not in corrected
    assert corrected["cremisi/guardian/1"]["edited"] is True


def test_a_card_left_on_its_spot_slid_about_or_reread_is_played_once(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(1, "cremisi/cavalry/1")
    desk.scan(0, 30)
    desk.lift(1, "cremisi/cavalry/1")
    desk.lay(1, "cremisi/cavalry/1")
    desk.lay(2, "cremisi/cavalry/1")
    assert desk.duel()["plays"] == ["cremisi/cavalry/1"]
    assert not [f for f in desk.view()["findings"] if f["open"]]


def test_an_illegal_card_warns_and_lifting_it_clears_the_warning(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    before = desk.state()
    desk.lay(1, "cremisi/overtake/1")
    (finding,) = [f for f in desk.view()["findings"] if f["open"]]
    assert (finding["code"], finding["rule"], finding["severity"]) == ("special-timing", "ALT-5.2", "illegal")
    assert desk.view()["crown"]["pattern"] == "pulse"
    assert desk.state() == before
    desk.lift(1, "cremisi/overtake/1")
    assert not [f for f in desk.view()["findings"] if f["open"]]
    assert desk.texts()[0] == "Overtake was taken back."


def test_what_the_table_allows_is_applied_and_stays_marked(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(2, "aurea/cavalry/1")
    (finding,) = [f for f in desk.view()["findings"] if f["open"]]
    assert finding["code"] == "not-your-play"
    assert decisions.allow(desk.core, finding["seq"], OPERATOR).ok
    assert desk.duel()["plays"] == ["aurea/cavalry/1"]
    assert [f["severity"] for f in desk.view()["findings"] if f["open"]] == ["warning"]
    assert not decisions.allow(desk.core, finding["seq"], OPERATOR).ok


def test_an_alteration_asks_its_player_which_way_and_offers_the_sums(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/alteration/1")
    (question,) = desk.view("seat", 2)["questions"]
    assert [a["label"] for a in question["answers"]] == ["+50 %: 15 becomes 23", "−50 %: 15 becomes 8"]
    assert desk.view("seat", 1)["questions"] == []
    assert desk.view()["crown"]["pattern"] == "blink"
    assert not decisions.answer(desk.core, question["id"], "-", Who("seat", "1")).ok
    assert decisions.answer(desk.core, question["id"], "-", Who("seat", "2")).ok
    assert desk.duel()["field"] == {"owner": 2, "value": 8}
    assert desk.view("seat", 2)["questions"] == []


def test_an_alteration_that_ends_the_duel_offers_its_last_value(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    for seat, card in ((1, "cremisi/cavalry/1"), (2, "aurea/commoners/1"), (1, "cremisi/commoners/1"),
                       (2, "aurea/commoners/2"), (1, "cremisi/captain/1")):  # fmt: skip
        desk.do(do="play", seat=seat, card=card)
    desk.lay(2, "aurea/alteration/1")
    (question,) = desk.view("seat", 2)["questions"]
    assert [a["label"] for a in question["answers"]] == ["+50 %: 58 becomes 87", "−50 %: 58 becomes 29"]


def test_a_question_goes_when_its_card_is_lifted_or_play_has_moved_on(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/alteration/1")
    desk.lift(2, "aurea/alteration/1")
    assert desk.view()["questions"] == []
    desk.lay(2, "aurea/alteration/1")
    desk.do(do="play", seat=2, card="aurea/captain/1")
    assert desk.view()["questions"] == []


def test_an_alteration_out_of_turn_can_be_allowed_and_then_asks_its_sign(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.play(2, "aurea/captain/1")
    desk.lay(2, "aurea/alteration/1")
    (first, *_) = [f for f in desk.view()["findings"] if f["open"]]
    assert decisions.allow(desk.core, first["seq"], OPERATOR).ok
    assert decisions.allow(desk.core, first["seq"], OPERATOR).ok  # pressed twice: asked once
    desk.pull_the_plug()
    (question,) = desk.view()["questions"]
    assert decisions.answer(desk.core, question["id"], "+", OPERATOR).ok
    assert desk.duel()["field"]["value"] == 78
    # What was allowed is settled, by its sign too: nobody is asked to allow it for ever.
    assert [f["seq"] for f in desk.view()["findings"] if f["open"] and f["seq"] == first["seq"]] == []
    assert decisions.allow(desk.core, first["seq"], OPERATOR).text == "That has been settled already."
    assert desk.view()["questions"] == []
    desk.pull_the_plug()
    assert not any(f["open"] and f["severity"] == "illegal" for f in desk.view()["findings"])


def test_the_declarer_with_several_opponents_is_asked_and_with_one_is_understood(desk: Desk) -> None:
    desk.lay(1, "cremisi/captain/1")
    (question,) = desk.view("seat", 1)["questions"]
    assert [a["label"] for a in question["answers"]] == ["Against Bruno", "Against Chiara"]
    assert decisions.answer(desk.core, question["id"], "3", Who("seat", "1")).ok
    assert (desk.duel()["attacker"], desk.duel()["defender"]) == (1, 3)
    assert desk.duel()["plays"] == ["cremisi/captain/1"]
    desk.do(do="undo")
    desk.do(do="undo")
    for _ in range(1):
        desk.do(do="declare", seat=1, against=2)
        desk.do(do="play", seat=1, card="cremisi/captain/1")
        desk.do(do="play", seat=2, card="aurea/commoners/1")
        desk.do(do="play", seat=1, card="cremisi/captain/2")
        desk.do(do="play", seat=2, card="aurea/commoners/2")
        desk.do(do="play", seat=1, card="cremisi/champion/1")
        desk.do(do="play", seat=2, card="aurea/commoners/3")
    desk.lift(1, "cremisi/captain/1")
    desk.lay(2, "aurea/guardian/1")
    assert [(d["attacker"], d["defender"]) for d in desk.state()["duels"]] == [(2, 3)]
    assert desk.duel()["plays"] == ["aurea/guardian/1"]


def test_a_waiting_player_helps_the_side_before_whom_it_lays_its_special(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "celeste/overtake/1")
    assert desk.duel()["steps"][-1]["kind"] == "intervene"
    assert desk.duel()["interveners"] == [3]
    assert desk.duel()["field"] == {"owner": 2, "value": 31}
    assert desk.texts()[0].startswith("Chiara intervenes for Bruno with Overtake")


def test_on_its_own_spot_it_is_asked_for_whom_unless_only_one_side_is_possible(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(3, "celeste/oracle/1")
    (question,) = desk.view("seat", 3)["questions"]
    assert [a["label"] for a in question["answers"]] == ["For Ada", "For Bruno"]
    desk.lift(3, "celeste/oracle/1")
    desk.lay(3, "celeste/overtake/1")  # can only answer Ada's field: for Bruno
    assert desk.duel()["steps"][-1]["for"] == 2


def test_a_card_laid_too_early_is_asked_about_when_its_turn_has_come(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(2, "aurea/captain/1")
    assert [f["code"] for f in desk.view()["findings"] if f["open"]] == ["not-your-play"]
    desk.play(1, "cremisi/cavalry/1")
    (question,) = desk.view("seat", 2)["questions"]
    assert question["text"] == "Bruno laid Captain too early and it lies there still. Does it count now?"
    assert decisions.answer(desk.core, question["id"], "yes", Who("seat", "2")).ok
    assert desk.duel()["field"] == {"owner": 2, "value": 52}
    assert not [f for f in desk.view()["findings"] if f["open"]]
    assert desk.view()["questions"] == []


def test_too_early_and_then_lifted_is_nothing(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(2, "aurea/captain/1")
    desk.play(1, "cremisi/cavalry/1")
    desk.lift(2, "aurea/captain/1")
    assert desk.view()["questions"] == []
    assert not [f for f in desk.view()["findings"] if f["open"]]
    assert desk.duel()["plays"] == ["cremisi/cavalry/1"]


def test_a_card_left_from_the_last_duel_is_asked_about_before_anybody_is_warned(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    for seat, card in (
        (1, "cremisi/cavalry/1"), (2, "aurea/captain/1"), (1, "cremisi/commoners/1"),
        (2, "aurea/commoners/1"), (1, "cremisi/commoners/2"),
    ):  # fmt: skip
        desk.do(do="play", seat=seat, card=card)
    desk.do(do="stand", seat=2)
    desk.do(do="declare", seat=2, against=3)
    desk.lay(3, "cremisi/cavalry/1")  # Bruno's now; nudged over to Chiara's spot
    assert not [f for f in desk.view()["findings"] if f["open"]]
    (question,) = desk.view("seat", 3)["questions"]
    assert question["text"] == "Cavalry of the last duel lies at the field spot of Chiara. Was it left there?"
    assert decisions.answer(desk.core, question["id"], "left", Who("seat", "3")).ok
    assert desk.duel()["plays"] == []


def test_a_card_that_comes_too_early_where_the_one_before_it_could_not_be_read_is_asked_about(
    desk: Desk,
) -> None:
    desk.do(do="declare", seat=1, against=2)
    for _ in range(5):  # Ada's cards lie on each other
        desk.now += 0.5
        desk.see(Inventory(desk.now, "pico", 0, (), ok=False))
    desk.lay(2, "aurea/captain/1")
    assert not [f for f in desk.view()["findings"] if f["open"]]
    (question,) = desk.view("seat", 2)["questions"]
    assert question["text"] == (
        "Bruno laid Captain, but Ada comes first, and the field spot of Ada can't be read. Was a card of Ada "
        "missed? Enter it, then answer."
    )
    assert desk.view("seat", 1)["questions"] == [question]
    too_soon = decisions.answer(desk.core, question["id"], "yes", Who("seat", "2"))
    assert (too_soon.ok, too_soon.text[:28]) == (False, "Enter the missed card first.")
    desk.do(do="play", seat=1, card="cremisi/cavalry/1")
    assert decisions.answer(desk.core, question["id"], "yes", Who("seat", "2")).ok
    assert desk.duel()["field"] == {"owner": 2, "value": 52}
    assert desk.view()["questions"] == []


def test_a_card_that_comes_too_early_for_no_such_reason_is_warned_of(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(2, "aurea/captain/1")
    assert [f["code"] for f in desk.view()["findings"] if f["open"]] == ["not-your-play"]
    assert desk.view()["questions"] == []


def test_a_neighbours_card_is_named_as_not_ones_own(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.lay(1, "aurea/captain/1")
    assert [f["code"] for f in desk.view()["findings"] if f["open"]] == ["not-your-card"]


def test_a_card_before_the_neighbour_that_its_owner_might_play_is_asked_about_first(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(1, "aurea/captain/1")  # laid, or heard, one spot too far
    assert not [f for f in desk.view()["findings"] if f["open"]]
    (question,) = desk.view("seat", 2)["questions"]
    assert question["text"] == "Captain of Bruno lies at the field spot of Ada. Does Bruno play it?"
    assert decisions.answer(desk.core, question["id"], "yes", Who("seat", "2")).ok
    assert desk.duel()["field"] == {"owner": 2, "value": 52}
    desk.do(do="undo")
    desk.lift(1, "aurea/captain/1")
    desk.lay(3, "aurea/alteration/1")
    (question,) = desk.view()["questions"]
    assert [a["id"] for a in question["answers"]] == ["yes+", "yes-", "no"]
    assert decisions.answer(desk.core, question["id"], "yes+", Who("seat", "2")).ok
    assert desk.duel()["field"] == {"owner": 2, "value": 23}


def test_a_defender_who_lifts_the_cards_when_one_may_stand_is_asked_about_it(desk: Desk) -> None:
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/captain/1")
    desk.lift(2, "aurea/captain/1")  # slid to the pile: nothing yet
    desk.play(1, "cremisi/commoners/1")
    desk.lay(2, "aurea/commoners/1")
    desk.play(1, "cremisi/commoners/2")
    assert desk.view()["questions"] == []
    desk.lift(2, "aurea/commoners/1")
    (question,) = desk.view("seat", 2)["questions"]
    assert question["text"] == "Bruno lifted Commoners. Does Bruno stand?"
    assert decisions.answer(desk.core, question["id"], "yes", Who("seat", "2")).ok
    assert desk.state()["last_duel"]["ended_by"] == "stand"
    assert desk.view()["questions"] == []


def test_the_crown_moved_by_hand_is_an_action_with_a_warning(desk: Desk) -> None:
    tag = TagRead("04000000000001", CROWN)
    for antenna in (3, 4):
        for _ in range(2):
            desk.now += 0.1
            desk.core.sighting(Inventory(desk.now, "pico", antenna, (tag,)))
            desk.core.sighting(Inventory(desk.now + 0.05, "pico", 7 - antenna, ()))
    assert desk.state()["crown"] == 2
    assert [f["code"] for f in desk.view()["findings"] if f["open"]] == ["crown-moved"]


class Tray:
    """Frames of a dice camera, with a hand that throws."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.frame = desk, 0
        self.dice: dict[str, tuple[int | None, int]] = {}

    def frames(self, count: int, moving: bool = False) -> None:
        for _ in range(count):
            self.frame += 1
            self.desk.now += 0.1
            dice = tuple(
                DieSeen(face, colour, (x, 100, 40, 40), 0.99 if face else 0.2, None if face else "glare")
                for colour, (face, x) in self.dice.items()
            )
            self.desk.core.sighting(DiceFrame(self.desk.now, "dice", self.frame, dice, moving))

    def throw(self, colour: str, face: int | None) -> None:
        x = 50 + (self.dice[colour][1] + 170) % 500 if colour in self.dice else 60 + 90 * len(self.dice)
        self.dice.pop(colour, None)
        self.frames(4, moving=True)
        self.dice[colour] = (face, x)
        self.frames(16)


def test_dice_thrown_for_the_crown_count_when_awaited_and_only_then(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    tray = Tray(desk)
    tray.throw("crimson", 6)
    desk.core.sighting(Health(desk.now, "dice", "camera", "up", "camera up"))
    from host.newmatch import begin

    begin(desk.core, {}, OPERATOR)
    tray.frames(10)
    assert desk.state()["awaiting_rolls"] == [1, 2, 3]
    assert desk.view()["crown"]["pattern"] == "sweep"
    tray.throw("crimson", 4)
    assert desk.state()["awaiting_rolls"] == [2, 3]
    tray.throw("sky blue", 2)
    tray.throw("gold", 5)
    assert desk.state()["crown"] == 2
    assert desk.view()["dice"]["last"][0]["face"] == 4
    tray.throw("crimson", 6)
    assert desk.state()["crown"] == 2


def test_f30_a_die_that_cannot_be_read_asks_for_a_tap_and_says_why(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    tray = Tray(desk)
    tray.frames(8)
    from host.newmatch import begin

    begin(desk.core, {}, OPERATOR)
    tray.throw("gold", None)
    (question,) = desk.view("seat", 2)["questions"]
    assert "can't be read (glare)" in question["text"]
    assert [a["id"] for a in question["answers"]] == ["1", "2", "3", "4", "5", "6"]
    assert decisions.answer(desk.core, question["id"], "3", Who("seat", "2")).ok
    assert 2 not in desk.state()["awaiting_rolls"]
    event = desk.view()["events"][0]
    assert (event["text"], event["by_hand"]) == ("Bruno rolls a 3.", True)


@pytest.mark.parametrize("switch", ["ask", "yes"])
def test_a_duellist_who_may_retreat_and_throws_the_die_is_asked_or_understood(
    tmp_path: Path, switch: str
) -> None:
    desk = Desk(tmp_path, roll_means_retreat=switch)
    tray = Tray(desk)
    for x, colour in enumerate(("crimson", "gold", "sky blue")):
        tray.dice[colour] = (2, 60 + 90 * x)
    tray.frames(10)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    tray.throw("gold", 3)  # not yet: there is nothing to answer
    assert desk.view()["questions"] == []
    assert len(desk.state()["duels"]) == 1
    desk.play(1, "cremisi/cavalry/1")
    tray.throw("sky blue", 6)  # no duellist
    tray.throw("gold", 6)
    if switch == "ask":
        (question,) = desk.view("seat", 2)["questions"]
        assert question["text"] == "Bruno threw a 6. Was that a retreat?"
        assert decisions.answer(desk.core, question["id"], "yes", Who("seat", "2")).ok
    assert desk.state()["last_duel"]["ended_by"] == "retreat"
    assert desk.view()["questions"] == []
    assert desk.view()["dice"]["awaited"] == []


def test_what_was_said_before_the_match_is_not_said_of_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.lay(1, "cremisi/cavalry/1")
    assert [n["text"] for n in desk.view()["notices"]] == ["Cavalry is laid, but no match is running."]
    desk.begin()
    assert desk.view()["notices"] == []


def test_strangers_are_named_and_nothing_stops(desk: Desk) -> None:
    why = "a phone (its number changes at every tap)"
    for _ in range(3):
        desk.now += 0.1
        desk.core.sighting(Inventory(desk.now, "pico", 1, (TagRead("08AABBCC", None, why),)))
        desk.core.sighting(Inventory(desk.now, "scan", 0, (TagRead("08AABBDD", None, why),)))
    view = desk.view()
    assert view["scan"]["text"] == "A phone (its number changes at every tap)."
    assert view["notices"][0]["text"].startswith("A phone")
    assert "field spot of Bruno" in view["notices"][0]["text"]
    assert not view["findings"]


def test_buttons_do_what_the_layout_says(tmp_path: Path) -> None:
    layout = replace(find_layout("althera-3"), buttons=(Button("seat2.stand", "pico", "stand", 2),))
    desk = Desk(tmp_path, layout)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    for seat, card in ((1, "cremisi/cavalry/1"), (2, "aurea/captain/1")):
        desk.play(seat, card)
    desk.play(1, "cremisi/commoners/1")
    desk.play(2, "aurea/commoners/1")
    desk.play(1, "cremisi/commoners/2")
    desk.core.sighting(Press(desk.now, "pico", "seat2.stand"))
    assert desk.state()["duels"] == []
    assert desk.state()["last_duel"]["ended_by"] == "stand"


def test_devices_that_come_and_go_are_said_and_recorded(desk: Desk) -> None:
    well = Health(desk.now, "pico", "reader", "up", "6 antennas")
    for health in (well, replace(well, state="lost", detail="reader not answering"), well):
        desk.core.sighting(health)
    assert [d["state"] for d in desk.view()["devices"]] == ["up"]
    assert desk.texts()[0] == "Reader pico: 6 antennas"
    assert not [text for text in desk.texts()[1:] if text.startswith("Reader pico")]
    recorded = [e.text for e in desk.core.journal.read() if e.kind == "device"]
    up, lost = "Reader pico: 6 antennas", "Reader pico: not answering"
    assert recorded == [up, lost, up]
