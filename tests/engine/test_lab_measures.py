"""Each measure on matches worked out by hand, and the same numbers out of a record."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.errors import CrowntableError
from engine.game import Json
from engine.games import game_named
from engine.lab.live import measure_records
from engine.lab.measures import MEASURES, PACE, Facts, lead, measure
from engine.lab.simulate import one
from engine.lab.tally import Tally, estimate
from engine.lab.trace import Seen, seen_in
from engine.records.record import Record, record_of
from tests.engine.test_lab_run import plan
from tests.shared_data import ROOT


def rolls(*faces: int) -> list[Json]:
    return [{"do": "roll", "seat": seat, "face": face} for seat, face in enumerate(faces, 1)]


def roll(seat: int, face: int) -> Json:
    return {"do": "roll", "seat": seat, "face": face}


def duel(seat: int, against: int) -> Json:
    return {"do": "declare", "seat": seat, "against": against}


HOUSES = {1: "cremisi", 2: "aurea", 3: "celeste"}


def lay(seat: int, card: str, **more: Any) -> Json:
    kind, _, copy = card.partition("/")
    return {"do": "play", "seat": seat, "card": f"{HOUSES[seat]}/{kind}/{copy or 1}", **more}


def do(what: str, seat: int, **more: Any) -> Json:
    return {"do": what, "seat": seat, **more}


def record(actions: list[Json], seats: int, changes: dict[str, str] | None = None, **about: Any) -> Record:
    """A one-turn match of Althera in which every action is legal."""
    game = game_named("althera")
    rules = game.ruleset(None, {"turns": "[1]"} | (changes or {}))
    setup = game.setup_action(range(1, seats + 1), turns=1, houses=HOUSES if seats == 3 else None)
    made = record_of(game, rules, [setup, *actions], **about)
    assert [line.codes for line in made.lines if not line.ok] == []
    return made


def facts_of(made: Record) -> Facts:
    return measure(seen_in(made))


#: The rulebook's example: A 15, B 9, A 2, B 37, A 9; B owns the field of 72 and keeps its third card.
EXAMPLE = [
    *rolls(6, 3),
    duel(1, 2),
    lay(1, "cavalry"),
    lay(2, "marksman"),
    lay(1, "commoners"),
    lay(2, "captain"),
    lay(1, "marksman"),
    do("stand", 2),
]


def test_the_rulebooks_duel() -> None:
    facts = facts_of(record(EXAMPLE, 2))
    assert facts == {
        "win.seat/1": (0, 1),
        "win.seat/2": (1, 1),
        "win.house/cremisi": (0, 1),
        "win.house/aurea": (1, 1),
        "win.first": (0, 1),  # seat 1 rolled the six
        "win.card/cavalry": (0, 1),
        "win.card/commoners": (0, 1),
        "win.card/marksman": (1, 2),  # both laid one
        "win.card/captain": (1, 1),
        "use.card/cavalry": (1, 1),
        "use.card/commoners": (1, 1),
        "use.card/marksman": (2, 1),
        "use.card/captain": (1, 1),
        "length.plays": (9, 1),
        "length.cards": (5, 1),
        "length.duels": (1, 1),
        "length.turns": (1, 1),
        "length.seconds": (240 + 2 * 8 + 15 + 5 * 25 + 8 + 30, 1),
        "swing.lead": (0, 1),
        "swing.field": (1, 1),  # B's captain took it
        "field.at/1": (15, 1),
        "field.at/2": (24, 1),
        "field.at/3": (26, 1),
        "field.at/4": (63, 1),
        "field.at/5": (72, 1),
        "field.final": (72, 1),
        "duel.attacker": (0, 1),
        "duel.last_card": (0, 1),  # B owned the field before A's last card as well
        "special.gain/none": (0, 2),  # three cards won, three lost
        "retreat.tried": (0, 2),
        "intervene.laid": (0, 1),
        "kingmaking": (0, 1),
        "choice.decisions/1": (4, 1),
        "choice.decisions/2": (3, 1),
        "comeback.behind": (0, 1),
        "comeback.deficit": (0, 1),
        "known.at": (1000, 1),  # nobody led before the only duel ended
        "out.players": (0, 1),
    }


#: Specials, an intervention, a retreat and a shield. 1 against 2: 37; overtaken, 75; seat 3 helps 1 with
#: half more, 113; 115; 2's oracle with a six, 152; 175, 2 wins. 2 against 3: a retreat from 61. 3 against
#: 1: 2; 7; a shield; 1's oracle is cancelled; 22; 31, 3 wins. In the end 21, 26 and 25 cards.
SPECIALS = [
    *rolls(6, 3, 2),
    duel(1, 2),
    lay(1, "captain"),
    lay(2, "overtake"),
    {"do": "intervene", "seat": 3, "for": 1, "card": "celeste/alteration/1", "sign": "+"},
    lay(1, "commoners"),
    lay(2, "oracle"),
    roll(2, 6),
    lay(1, "guardian"),
    do("stand", 2),
    duel(2, 3),
    lay(2, "champion"),
    do("retreat", 3),
    roll(3, 5),
    duel(3, 1),
    lay(3, "commoners"),
    lay(1, "vanguard"),
    lay(3, "shield"),
    lay(1, "oracle"),
    roll(1, 4),
    lay(3, "cavalry"),
    lay(1, "marksman"),
]


def test_specials_retreats_and_interventions() -> None:
    made = record(SPECIALS, 3)
    assert {s["seat"]: s["cards"] for s in (made.lines[-1].state or {})["seats"]} == {1: 21, 2: 26, 3: 25}
    facts = facts_of(made)
    expected = {
        "win.seat/2": (1, 1),
        "win.first": (0, 1),
        "special.acted/overtake": (1, 1),
        "special.acted/alteration": (1, 1),
        "special.acted/oracle": (1, 2),  # the second one was cancelled
        "special.acted/shield": (1, 1),  # by this
        "special.success/overtake": (1, 1),
        "special.success/alteration": (0, 1),
        "special.success/oracle": (1, 2),
        "special.success/shield": (1, 1),
        # 2 in its first duel: three captured, the overtake and oracle given, the alteration got: 2.
        "special.gain/overtake": (2, 1),
        # the same, and 1 in the last duel: two lost, the oracle given, the shield got: -2.
        "special.gain/oracle": (0, 2),
        # 3 in the last duel: two captured, the oracle got, the shield given.
        "special.gain/shield": (2, 1),
        # 1 in the first: three lost, overtake and oracle got: -1; nobody in the retreat: 0 and 0.
        "special.gain/none": (-1, 3),
        "retreat.tried": (1, 6),
        "retreat.saved": (1, 1),
        "retreat.cost": (0, 1),  # it had no card on the field yet
        "intervene.laid": (1, 1),
        "intervene.turned": (1, 1),
        "intervene.success": (0, 1),
        "intervene.against_leader": (0, 1),  # all had 24
        "intervene.for_winner": (0, 1),
        "kingmaking": (0, 1),
        "length.duels": (3, 1),
        "field.at/3": (113 + 7, 2),  # the shield left the 7 as it was
        "field.final": (175 + 61 + 31, 3),
        "swing.field": (3 + 0 + 2, 1),
        "duel.last_card": (0, 3),
        "duel.attacker": (0 + 1 + 1, 3),
        "swing.lead": (0, 1),
        "known.at": (1000 * 12 // 24, 1),  # seat 2 led from the twelfth of 24 actions on
    }
    assert {name: facts.get(name) for name in expected} == expected


#: 3's alteration takes the field for 2, who would have lost and wins the match; 3 does not.
KINGMAKING = [
    *rolls(6, 3, 2),
    duel(1, 2),
    lay(1, "commoners"),
    lay(2, "commoners"),
    lay(1, "vanguard"),
    lay(2, "commoners/2"),
    lay(1, "commoners/2"),
    {"do": "intervene", "seat": 3, "for": 2, "card": "celeste/alteration/1", "sign": "+"},
    do("stand", 2),
    duel(2, 3),
    lay(2, "champion"),
    do("retreat", 3),
    roll(3, 5),
    duel(3, 1),
    lay(3, "champion"),
    do("retreat", 1),
    roll(1, 6),
]


def test_a_king_is_made() -> None:
    facts = facts_of(record(KINGMAKING, 3))
    assert facts["kingmaking"] == (1, 1)
    assert facts["intervene.turned"] == facts["intervene.success"] == facts["intervene.for_winner"] == (1, 1)
    assert facts["duel.last_card"] == (1, 3)  # the intervention was the first duel's last card
    # Had the intervener won the match itself, it would have made no king.
    own = [action | ({"for": 1} if action["do"] == "intervene" else {}) for action in KINGMAKING]
    assert facts_of(record(own[:8], 3)).get("kingmaking") is None  # not over: nobody was made anything


def test_an_elimination_and_when() -> None:
    """Decks of six: whoever loses three is out, which ends a match of two at its ninth of nine actions."""
    few = {f"score.{kind}.copies": "0" for kind in ("vanguard", "marksman", "guardian")}
    few |= {"score.commoners.copies": "3", "score.cavalry.copies": "1", "score.captain.copies": "1"}
    few |= {f"specials.{kind}": "0" for kind in ("shield", "overtake", "alteration", "oracle")}
    actions = [
        *rolls(6, 3),
        duel(1, 2),
        lay(1, "commoners"),
        lay(2, "cavalry"),
        lay(1, "commoners/2"),
        lay(2, "captain"),
        lay(1, "commoners/3"),
        do("stand", 2),
    ]
    facts = facts_of(record(actions, 2, few))
    assert facts["out.players"] == (1, 1) and facts["out.at"] == (1000, 1)
    assert facts["win.seat/2"] == (1, 1)


def test_lead_comeback_and_how_early_the_winner_was_known() -> None:
    """Ten actions; the score after the 2nd, 4th, 6th and 8th: 1 leads, even, 2 is ahead, 1 for good."""
    game = game_named("althera")
    seen = Seen(game, (Any,) * 11, (), (1,))  # type: ignore[arg-type]
    facts: Facts = {}
    lead(facts, [(2, {1: 3, 2: 1}), (4, {1: 3, 2: 3}), (6, {1: 3, 2: 7}), (8, {1: 9, 2: 7})], seen)
    assert facts == {
        "swing.lead": (2, 1),  # 1, then 2, then 1
        "comeback.deficit": (4, 1),
        "comeback.behind": (1, 1),  # at the first score from half time on, the 6th
        "known.at": (800, 1),
    }


def test_a_match_of_anthem() -> None:
    """Seat 1 lays 1 to 6 in its six turns, seat 2 keeps five times; then the win is claimed."""
    game = game_named("anthem")
    actions: list[Json] = []
    for value in range(1, 7):
        actions.append({"do": "lay", "seat": 1, "card": f"s2/{value}", "place": value})
        actions.append({"do": "keep", "seat": 2})
    actions[-1] = {"do": "claim", "seat": 1, "win": "hero"}
    rules = game.ruleset(None, {"proof": "trust"})
    facts = facts_of(record_of(game, rules, [game.setup_action([1, 2], first=1), *actions]))
    expected = {
        "win.seat/1": (1, 1),
        "win.seat/2": (0, 1),
        "win.first": (1, 1),
        "win.dragon": (0, 1),
        "length.plays": (12, 1),
        "length.cards": (6, 1),
        "length.turns": (12, 1),
        "length.seconds": (240 + 6 * 15 + 5 * 12 + 30, 1),
        "lay.kept": (5, 11),
        "lay.stuck": (0, 2),
        "swing.lead": (0, 1),
        "known.at": (1000 * 1 // 12, 1),
        "comeback.deficit": (0, 1),
        "comeback.behind": (0, 1),
        "choice.decisions/1": (6, 1),
        "choice.decisions/2": (5, 1),
    }
    uses = {f"{what}.card/{n}": (1, 1) for n in range(1, 7) for what in ("win", "use")}
    assert facts == expected | uses


# Out of a record, out of a simulation.


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_a_record_gives_what_the_simulation_gave(name: str) -> None:
    game, todo = game_named(name), plan(game=name, players=3, bots=("greedy",))
    from engine.lab.bots import bot

    for number in (1, 2, 3):
        seen = one(todo, game, game.ruleset(), {"greedy": bot("greedy", game)}, number)
        actions = [game.dump(step.action) for step in seen.steps]
        facts = {k: v for k, v in measure(seen).items() if not k.startswith("win.bot")}
        assert facts_of(record_of(game, game.ruleset(), actions)) == facts


def test_what_was_undone_does_not_count_and_is_said() -> None:
    undone = [*EXAMPLE[:4], {"do": "undo"}, lay(1, "captain/2"), {"do": "undo"}, *EXAMPLE[3:]]
    made = record(undone, 2)
    seen = seen_in(made)
    assert measure(seen) == facts_of(record(EXAMPLE, 2))
    assert seen.corrected == 2 and seen.doubts == ()


def test_a_roll_that_nobody_awaited_and_its_undo_leave_the_rest_alone() -> None:
    odd = [*EXAMPLE[:4], roll(2, 6), {"do": "undo"}, *EXAMPLE[4:]]
    seen = seen_in(record(odd, 2))
    assert measure(seen)["length.plays"] == (9, 1)
    assert seen.doubts == ("the table ruled against the rules or against what was awaited",)


def test_live_minutes_are_the_clocks_without_pauses() -> None:
    times = [0.0, 10, 20, 30, 50, 70, 90, 4000, 4030, 4060]  # lunch between the seventh and the eighth
    details = [{"mono": time, "boot": "b1"} for time in times]
    facts = facts_of(record(EXAMPLE, 2, details=details))
    assert facts["length.seconds"] == (150, 1)


def test_marks_keep_matches_out_and_are_counted() -> None:
    clean = record(EXAMPLE, 2)
    edited = record(EXAMPLE, 2, details=[{}, {}, {}, {}, {"edited": True}])
    half = record(EXAMPLE[:5], 2)
    given = [("m1", clean), ("m2", edited), ("m3", half)]
    answer = measure_records(given)
    assert (answer["matches"], answer["unfinished"], answer["left_out"]) == (3, 1, 0)
    assert answer["marked"] == {"corrected": 1, "doubtful": 1}
    assert [entry["marks"] for entry in answer["records"]] == [[], ["corrected"], ["doubtful"]]
    assert answer["records"][2]["doubts"] == ["it was not played to its end"]
    sure = measure_records(given, without=("corrected", "doubtful"))
    assert (sure["matches"], sure["left_out"], sure["marked"]) == (1, 2, {"corrected": 1, "doubtful": 1})
    assert [entry["counted"] for entry in sure["records"]] == [True, False, False]
    with pytest.raises(CrowntableError, match="No match is left"):
        measure_records(given[1:], without=("corrected", "doubtful"))


def test_matches_of_other_rules_are_not_counted_together_unasked() -> None:
    given = [("m1", record(EXAMPLE, 2)), ("m2", record(EXAMPLE, 2, {"refill": "fresh_five"}))]
    with pytest.raises(CrowntableError, match=r"different rules .*m1.*m2") as caught:
        measure_records(given)
    assert "--mix" in caught.value.cure
    answer = measure_records(given, mix=True)
    assert answer["matches"] == 2 and len(answer["rulesets"]) == 2


# What is reported of many.


def test_a_share_has_its_wilson_interval_and_an_amount_that_of_a_mean() -> None:
    tally = Tally()
    for won, plays in ((1, 20), (0, 30), (1, 40), (1, 30)):
        tally.count({"win.seat/1": (won, 1), "length.plays": (plays, 1)}, (1,))
    share, low, high = estimate("win.seat/1", tally.sums["win.seat/1"])
    assert (share, round(low, 4), round(high, 4)) == (0.75, 0.3006, 0.9544)
    mean, low, high = estimate("length.plays", tally.sums["length.plays"])
    assert mean == 30 and high - 30 == pytest.approx(30 - low) == pytest.approx(1.96 * 8.165 / 2, rel=1e-3)


def test_cases_that_hang_together_widen_the_interval() -> None:
    """Two matches of ten interventions each, all or none of which succeeded: that is not twenty cases."""
    tally = Tally()
    for hits in (10, 0, 10, 0):
        tally.count({"intervene.success": (hits, 10)}, (1,))
    _, low, high = estimate("intervene.success", tally.sums["intervene.success"])
    assert high - low > 0.95


def test_every_measure_is_defined_in_writing() -> None:
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z._]+)` \| (\d+) \| ([a-z ]+) \|", page, re.MULTILINE)
    units = {"permille": "share of the match"}
    assert rows == [(m.name, str(m.version), units.get(m.unit, m.unit)) for m in MEASURES]
    paces = re.findall(r"^\| ([a-z]+) \| (\d+) s \|", page, re.MULTILINE)
    assert {name: int(seconds) for name, seconds in paces} == dict(PACE)
