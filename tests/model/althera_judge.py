"""What speaks against an action, in the contract's codes: the judge of the model of Althera."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.model.althera_duel import Duel
from tests.model.althera_rules import CODES, HOUSES, Dict, is_special, kind, pair

if TYPE_CHECKING:
    from tests.model.althera import Match


def judge(match: Match, action: Dict) -> list[str]:
    """Everything that speaks against an action, in the order of the contract's list."""
    if action["do"] == "setup":
        return [] if match.phase in (None, "over") and setup_fits(match, action) else ["bad-input"]
    if makes_no_sense(match, action):
        return ["bad-input"]
    if match.phase is None:
        return ["not-set-up", "nothing-to-undo"] if action["do"] == "undo" else ["not-set-up"]
    if action["do"] == "undo":
        return [] if match.done else ["nothing-to-undo"]
    if match.phase == "over":
        return ["match-over"]
    named = [action[name] for name in ("seat", "against", "for") if name in action]
    found = set()
    if any(seat not in match.house for seat in named):
        found.add("seat-unknown")
    if any(seat in match.out for seat in named) and action["do"] != "roll":
        found.add("seat-out")
    if "card" in action and not known(match, action["card"]):
        found.add("unknown-card")
    if "seat-unknown" not in found and action["do"] in JUDGES:
        found |= JUDGES[action["do"]](match, action)
    return sorted(found, key=CODES.index)


def setup_fits(match: Match, action: Dict) -> bool:
    seats = [player["seat"] for player in action["players"]]
    houses = [player["house"] for player in action["players"]]
    return (
        2 <= len(seats) <= 5
        and len(set(seats)) == len(seats)
        and set(seats) <= {1, 2, 3, 4, 5}
        and len(set(houses)) == len(houses)
        and set(houses) <= set(HOUSES)
        and action["turns"] in match.rules["turns"]
    )


def makes_no_sense(match: Match, action: Dict) -> bool:
    """A duel against oneself; a sign on a card that takes none."""
    if action["do"] == "declare":
        return bool(action["seat"] == action["against"])
    return "sign" in action and known(match, action["card"]) and kind(action["card"]) != "alteration"


def known(match: Match, card: str) -> bool:
    return any(card in cards for cards in match.printed.values())


def judge_card(match: Match, action: Dict) -> set[str]:
    """ALT-1.7: a card that is played is seen, and so is whose it is and where it lies."""
    card, found = action["card"], set()
    if not known(match, card):
        return set()
    if match.owner.get(card) != action["seat"]:
        found.add("not-your-card")
    if card in match.lying():
        found.add("already-played")
    if kind(card) == "alteration" and "sign" not in action:
        found.add("sign-missing")
    return found


def judge_declare(match: Match, action: Dict) -> set[str]:
    """ALT-3.1 to ALT-3.3."""
    seat, against = action["seat"], action["against"]
    found = set()
    if match.duel_of(seat) or match.duel_of(against):
        found.add("already-duelling")
    both_inside = not {seat, against} & match.out
    if match.phase == "duels" and both_inside and pair(seat, against) not in match.pairs:
        found.add("already-faced")
    if match.declarer() != seat:
        found.add("not-your-declaration")
    return found


def judge_redraw(match: Match, action: Dict) -> set[str]:
    """ALT-4.1."""
    seat = action["seat"]
    duel = match.duel_of(seat)
    if duel is None:
        return {"not-in-duel"}
    if duel.awaiting:
        return {"roll-awaited"}
    found = set()
    if duel.own_plays(seat):
        found.add("redraw-too-late")
    if match.hand[seat] <= match.rules["min_hand"]:
        found.add("redraw-floor")
    return found


def judge_play(match: Match, action: Dict) -> set[str]:
    """ALT-4.2, ALT-5."""
    seat, card = action["seat"], action["card"]
    found = judge_card(match, action)
    duel = match.duel_of(seat)
    if duel is None:
        return found | {"not-in-duel"}
    if duel.awaiting:
        return found | {"roll-awaited"}
    if duel.next_to_play() != seat:
        found.add("not-your-play")
    if len(duel.own_plays(seat)) >= match.rules["plays"]:
        found.add("plays-exhausted")
    if duel.next_to_play() == seat and nothing_playable(match, duel, seat):
        return found
    return found | judge_timing(match, duel, card, seat, intervened=False)


def nothing_playable(match: Match, duel: Duel, seat: int) -> bool:
    """A seat that owns nothing but specials that may not lie here now: any of them may, or the duel would
    never end."""
    field, lying = duel.field(), match.lying()
    cards = [card for card, owner in match.owner.items() if owner == seat and card not in lying]
    return all(is_special(card) and not duel.may_be_played(card, seat, field, False) for card in cards)


def judge_timing(match: Match, duel: Duel, card: str, side: int, intervened: bool) -> set[str]:
    """ALT-5.5."""
    if not known(match, card) or not is_special(card):
        return set()
    return set() if duel.may_be_played(card, side, duel.field(), intervened) else {"special-timing"}


def judge_retreat(match: Match, action: Dict) -> set[str]:
    """ALT-6.1."""
    seat = action["seat"]
    duel = match.duel_of(seat)
    if duel is None:
        return {"not-in-duel"}
    found = set()
    if seat in duel.retreated:
        found.add("retreat-used")
    if duel.awaiting:
        return found | {"not-your-play", "roll-awaited"}
    if duel.next_to_play() != seat:
        found.add("not-your-play")
    field = duel.field()
    if field is None or field[0] == seat:
        found.add("retreat-not-now")
    if match.rules["retreat_by"] == "defender_only" and seat == duel.attacker:
        found.add("retreat-not-now")
    return found


def judge_stand(match: Match, action: Dict) -> set[str]:
    """`closing_card`: the defender may leave its last card out, owning the field after the attacker's."""
    seat = action["seat"]
    duel = match.duel_of(seat)
    if duel is None:
        return {"not-in-duel"}
    if duel.awaiting:
        return {"roll-awaited"}
    field = duel.field()
    if (
        match.rules["closing_card"] == "optional"
        and seat == duel.defender == duel.next_to_play()
        and field is not None
        and field[0] == seat
        and len(duel.own_plays(duel.attacker)) >= match.rules["plays"]
        and len(duel.own_plays(seat)) == match.rules["plays"] - 1
    ):
        return set()
    return {"stand-not-now"}


def judge_intervene(match: Match, action: Dict) -> set[str]:
    """ALT-7."""
    seat, side, card = action["seat"], action["for"], action["card"]
    found = judge_card(match, action)
    if match.duel_of(seat):
        found.add("intervene-duelling")
    if known(match, card) and not is_special(card):
        found.add("intervene-score-card")
    duel = match.duel_of(side)
    if duel is None:
        return found | {"not-in-duel"}
    if seat in duel.interveners():
        found.add("intervene-twice")
    if duel.awaiting:
        return found | {"roll-awaited"}
    if not duel.score_card_lies():
        found.add("intervene-empty-field")
    return found | judge_timing(match, duel, card, side, intervened=True)


JUDGES: dict[str, Callable[[Match, Dict], set[str]]] = {
    "declare": judge_declare,
    "redraw": judge_redraw,
    "play": judge_play,
    "retreat": judge_retreat,
    "stand": judge_stand,
    "intervene": judge_intervene,
}
