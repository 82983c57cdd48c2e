"""What has come about in a match of Althera, so that a test can say that it has all been tried."""

from __future__ import annotations

from typing import Any

from tests.model.althera import Match
from tests.model.althera_duel import Duel
from tests.model.althera_rules import is_special, kind

Dict = dict[str, Any]

#: All that the random matches have to bring about, beside every finding code.
EXPECTED = {
    "first rolled alike", "duels side by side", "a later duel ends first", "ended by three_cards",
    "ended by stand", "ended by retreat", "a retreat fails", "no winner", "no winner in a tie-break",
    "loser eliminated", "winner eliminated", "intervener eliminated", "eliminated without a winner",
    "two eliminated at once", "an intervener is duelling when its duel ends", "last one standing",
    "crown of one who is out", "crown clockwise", "crown to the leader", "leader tied", "two tied",
    "three tied, round_robin", "three tied, sudden_death", "four or five tied, round_robin",
    "four or five tied, sudden_death", "tied again", "helped in a tie-break", "helped by a tied one",
    "shield undoes what it answers", "shield undoes several", "special against a shield",
    "shield against a shield", "special out of place", "nothing else playable", "shield intervenes",
    "overtake intervenes", "alteration intervenes", "oracle intervenes", "no card to draw",
    "one seat rolls twice", "one who is out rolls", "undo of a duel's end", "undo over a turn",
    "undo of the match's end", "second match",
}  # fmt: skip


def situations(match: Match, before: Dict | None, action: Dict, after: Dict) -> set[str]:
    """What this action has brought about. `before` and `after` are states, None before the setup."""
    if before is None:
        return set()
    seen = standing(after)
    if action["do"] == "undo":
        return seen | undone(before, after)
    if action["do"] == "setup":
        return {"second match"} if before["phase"] == "over" else set()
    in_initiative = before["phase"] == after["phase"] == "initiative"
    if in_initiative and len(after["awaiting_rolls"]) > len(before["awaiting_rolls"]):
        seen.add("first rolled alike")
    if action["do"] in ("play", "intervene"):
        seen |= laid(match, before, action, after)
    if after["last_duel"] != before["last_duel"] or len(after["duels"]) < len(before["duels"]):
        seen |= ended(before, after)
    elif action["do"] == "roll" and retreat_failed(before, action["seat"], after):
        seen.add("a retreat fails")
    if after["turn"] > before["turn"]:
        seen |= crown_moved(match, before, after)
    if after["phase"] == "tiebreak" != before["phase"]:
        many = {2: "two", 3: "three"}.get(len(match.tied), "four or five")
        seen.add("two tied" if many == "two" else f"{many} tied, {match.rules['tiebreak_many']}")
    return seen


def retreat_failed(before: Dict, seat: int, after: Dict) -> bool:
    """The roll of this seat was awaited, has changed no field, and the play is this seat's again."""
    return any(
        duel["awaiting_roll"] == seat == now["to_play"] and duel["field"] == now["field"]
        for duel, now in zip(before["duels"], after["duels"], strict=False)
    )


def standing(after: Dict) -> set[str]:
    """What can be seen from the state alone."""
    seen = set()
    if len(after["duels"]) > 1:
        seen.add("duels side by side")
    rolling = [duel["awaiting_roll"] for duel in after["duels"] if duel["awaiting_roll"]]
    if len(set(rolling)) < len(rolling):
        seen.add("one seat rolls twice")
    if {seat["seat"] for seat in after["seats"] if seat["out"]} & set(rolling):
        seen.add("one who is out rolls")
    if after["phase"] == "over" and sum(not seat["out"] for seat in after["seats"]) == 1:
        seen.add("last one standing")
    return seen


def undone(before: Dict, after: Dict) -> set[str]:
    seen = set()
    if before["phase"] == "over" != after["phase"]:
        seen.add("undo of the match's end")
    if after["last_duel"] != before["last_duel"]:
        seen.add("undo of a duel's end")
    if after["turn"] < before["turn"]:
        seen.add("undo over a turn")
    return seen


def laid(match: Match, before: Dict, action: Dict, after: Dict) -> set[str]:
    """A card has been laid, and its duel goes on."""
    side: int = action["for"] if action["do"] == "intervene" else action["seat"]
    duel = match.duel_of(side)
    if duel is None or lying(after) == lying(before):
        return set()
    if [play["card"] for play in duel.plays][-1:] != [action["card"]]:
        return set()
    seen = set()
    card, last = action["card"], len(duel.plays) - 1
    cancelled = duel.cancelled()
    undone_now = len(cancelled - {last}) if kind(card) == "shield" and duel.standing_shield() == last else 0
    if undone_now:
        seen.add("shield undoes several" if undone_now > 1 else "shield undoes what it answers")
    if last in cancelled:
        seen.add("shield against a shield" if kind(card) == "shield" else "special against a shield")
    if out_of_place(duel):
        seen.add("special out of place")
    if action["do"] == "intervene" and is_special(card):
        seen |= meddled(match, before, action, after)
    elif is_special(card) and "force" not in action:
        field = before_last(duel)
        if not duel.may_be_played(card, side, field, intervened=False):
            seen.add("nothing else playable")
    return seen


def before_last(duel: Duel) -> tuple[int, int] | None:
    earlier = Duel(duel.rules, duel.attacker, duel.defender)
    earlier.plays = duel.plays[:-1]
    return earlier.field()


def out_of_place(duel: Duel) -> bool:
    """Whether a shield has taken away what a special of its own side stood on."""
    field, cancelled, shield = None, duel.cancelled(), duel.standing_shield() or 0
    for n, play in enumerate(duel.plays):
        if n in cancelled:
            continue
        if not is_special(play["card"]):
            field = duel.lay_score(field, play)
        elif duel.may_be_played(play["card"], play["side"], field, play["intervened"]):
            field = duel.lay_special(field, play)
        elif n < shield and not play["forced"]:
            return True
    return False


def meddled(match: Match, before: Dict, action: Dict, after: Dict) -> set[str]:
    seen = {f"{kind(action['card'])} intervenes"}
    if hand_of(after, action["seat"]) < hand_of(before, action["seat"]):
        seen.add("no card to draw")
    if match.phase == "tiebreak":
        seen.add("helped by a tied one" if action["seat"] in match.tied else "helped in a tie-break")
    return seen


def lying(state: Dict) -> list[str]:
    return [card for duel in state["duels"] for card in duel["plays"]]


def hand_of(state: Dict, seat: int) -> int:
    return next(int(one["hand"]) for one in state["seats"] if one["seat"] == seat)


def ended(before: Dict, after: Dict) -> set[str]:
    """A duel has ended."""
    last = after["last_duel"]
    seen = {f"ended by {last['ended_by']}"}
    sides = {last["attacker"], last["defender"]}
    places = [n for n, duel in enumerate(before["duels"]) if {duel["attacker"], duel["defender"]} == sides]
    if not places:
        return seen
    if places[0] > 0:
        seen.add("a later duel ends first")
    tiebreak = before["phase"] == "tiebreak"
    if last["winner"] is None:
        seen.add("no winner in a tie-break" if tiebreak else "no winner")
    if tiebreak and after["phase"] == "tiebreak" and len(before["pairs_left"]) < len(after["pairs_left"]):
        seen.add("tied again")
    helpers = set(before["duels"][places[0]]["interveners"]) - sides
    duelling = {side for duel in after["duels"] for side in (duel["attacker"], duel["defender"])}
    if helpers & duelling and not tiebreak:
        seen.add("an intervener is duelling when its duel ends")
    return seen | eliminated(before, after, last)


def eliminated(before: Dict, after: Dict, last: Dict) -> set[str]:
    was_out = {seat["seat"] for seat in before["seats"] if seat["out"]}
    out = {seat["seat"] for seat in after["seats"] if seat["out"]} - was_out
    seen = set()
    if len(out) > 1:
        seen.add("two eliminated at once")
    for seat in out:
        if seat not in (last["attacker"], last["defender"]):
            seen.add("intervener eliminated")
        elif last["winner"] is None:
            seen.add("eliminated without a winner")
        else:
            seen.add("winner eliminated" if seat == last["winner"] else "loser eliminated")
    return seen


def crown_moved(match: Match, before: Dict, after: Dict) -> set[str]:
    """A turn has ended."""
    seen = set()
    if any(seat["out"] for seat in after["seats"] if seat["seat"] == before["crown"]):
        seen.add("crown of one who is out")
    elif match.rules["initiative"] == "clockwise":
        seen.add("crown clockwise")
    elif match.rules["initiative"] == "leader":
        cards = sorted(seat["cards"] for seat in after["seats"] if not seat["out"])
        seen.add("leader tied" if cards[-1] == cards[-2] else "crown to the leader")
    return seen
