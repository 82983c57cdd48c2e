"""Whether an action is legal: for each kind one function that notes every finding. The only place
that knows; `apply`, `actions` and `options` ask it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.althera.actions import (
    Action,
    Crown,
    Declare,
    Intervene,
    Play,
    Redraw,
    Retreat,
    Roll,
    Setup,
    Stand,
    Undo,
)
from engine.althera.cards import Card
from engine.althera.rulebook import FINDINGS
from engine.althera.ruleset import Ruleset
from engine.althera.state import Awaited, Duel, Match, State, declarer, duel_of
from engine.findings import bad_input, make, ranking, shown
from engine.game import Finding

_by_rank = ranking(FINDINGS)


def findings(state: State, action: Action) -> tuple[Finding, ...]:
    """Everything that speaks against `action` now, what a judge would name first in front; nothing
    for a legal one. `bad-input`, `not-set-up` and `match-over` leave no position to judge in, so
    each of them comes without any that follow it in the table."""
    found: list[Finding] = []
    _CHECKS[type(action)](state, action, found)
    if len(found) > 1:
        found.sort(key=_by_rank)
    return tuple(found)


#: Findings that leave nothing a table could force.
_MEANINGLESS = frozenset(
    (
        "not-set-up",
        "match-over",
        "unknown-card",
        "seat-unknown",
        "seat-out",
        "already-played",
        "not-in-duel",
        "already-duelling",
        "nothing-to-undo",
    )
)


def without_effect(state: State, action: Action, found: tuple[Finding, ...]) -> bool:
    """Whether an accepted or forced action with these findings changes nothing on the table."""
    codes = {finding.code for finding in found}
    if codes & _MEANINGLESS or "unexpected-roll" in codes:
        return True
    if "not-your-declaration" in codes:
        return state.match.phase == "tiebreak"
    if "not-your-card" in codes and isinstance(action, Play | Intervene):
        # A card of a house that is not in the match, or set aside: nobody can have it in hand.
        return action.card not in state.match.owners
    return False


def _note(found: list[Finding], code: str, *seats: int, rule: str | None = None, **words: str | int) -> None:
    found.append(make(FINDINGS, code, seats, words, rule=rule))


# What several actions share.


def _running(match: Match, found: list[Finding]) -> bool:
    """Whether a match is running; if not, noted."""
    if match.phase == "setup":
        _note(found, "not-set-up")
        return False
    if match.phase == "over":
        _note(found, "match-over")
        return False
    return True


def _known(state: State, found: list[Finding], *numbers: int) -> bool:
    """Whether all these seats are in the match; those that are not, or are out, noted."""
    seats = state.seats
    known = True
    for number in numbers:
        if number not in seats:
            _note(found, "seat-unknown", seat=shown(number))
            known = False
    for number in numbers:
        if number in seats and seats[number].out:
            _note(found, "seat-out", number, who=state.match.called[number])
    return known


def _in_running_match(state: State, found: list[Finding], *seats: int) -> bool:
    """Whether a match is running and has these seats; what is amiss noted."""
    return _running(state.match, found) and _known(state, found, *seats)


def _card_is_there(state: State, card: Card, seat: int, found: list[Finding]) -> None:
    """The card is the seat's to play and lies nowhere."""
    match = state.match
    owner = match.owners.get(card.id)
    if owner != seat:
        if owner is not None:
            why = f"{match.called[owner]} owns it"
        elif match.tiebreak:
            why = "it is set aside for the tie-break"
        else:
            why = "its house is not in this match"
        seats = (seat,) if owner is None else (seat, owner)
        _note(found, "not-your-card", *seats, card=label(card), who=match.called[seat], why=why)
    for duel in state.duels:
        if card.id in duel.cards:
            _note(found, "already-played", seat, card=label(card))


def label(card: Card) -> str:
    """A card for a message: its name and its id."""
    return f"{card.name} ({card.id})"


def _roll_awaited(match: Match, awaited: Awaited, found: list[Finding]) -> None:
    """While a roll is awaited in a duel its position is not settled, so nothing else of it is judged."""
    seat, why = awaited
    rule = "ALT-5.4" if why == "oracle" else "ALT-6.1"
    _note(found, "roll-awaited", seat, rule=rule, who=match.called[seat])


def _not_your_play(match: Match, duel: Duel, seat: int, rule: str, found: list[Finding]) -> None:
    who = match.called[seat]
    if duel.awaited is None:
        why = f"It is {match.called[duel.turn]}'s play, not {who}'s."
    else:
        why = f"It is not {who}'s play: a roll comes first."
    _note(found, "not-your-play", seat, rule=rule, why=why)


def _not_in_duel(match: Match, seat: int, rule: str, found: list[Finding]) -> None:
    _note(found, "not-in-duel", seat, rule=rule, who=match.called[seat])


# Special cards: when.


def timing_fault(
    rules: Ruleset, duel: Duel, kind: str, side: int, from_outside: bool
) -> tuple[str, str] | None:
    """Rule and reason why a special of this kind can't be laid for `side` now, or None (ALT-5.5).

    A shield from outside needs no enemy field: it answers the enemy's specials (docs/rulings.md).
    """
    field = duel.field
    if kind == "oracle" or (kind == "shield" and (field is None or from_outside)):
        return None
    enemy_owns = field is not None and field.owner != side
    barred = rules.answer_scope == "defender_only" and side == duel.attacker
    if enemy_owns and not barred:
        return None
    name = kind.capitalize()
    rule = {"shield": "ALT-5.1", "overtake": "ALT-5.2", "alteration": "ALT-5.3"}[kind]
    if enemy_owns:
        return rule, f"{name} answers, and under this ruleset only the defender may answer."
    if kind == "shield":
        return rule, "Shield can only open or answer: the field must be empty or the enemy's."
    return rule, f"{name} can only answer: the enemy must own the field."


def _special_in_time(
    state: State, duel: Duel, card: Card, side: int, action: Play | Intervene, found: list[Finding]
) -> None:
    outside = isinstance(action, Intervene)
    fault = timing_fault(state.match.rules, duel, card.kind, side, outside)
    if fault is not None and (outside or duel.turn != side or _can_play_something(state, duel, side)):
        _note(found, "special-timing", action.seat, rule=fault[0], why=fault[1])


def _can_play_something(state: State, duel: Duel, seat: int) -> bool:
    """Whether any card that the seat owns and has not laid could be played now.

    If none can, it may lay any special, which then does nothing: a duel must be able to end
    (docs/rulings.md).
    """
    rules = state.match.rules
    lying = {card for running in state.duels for card in running.cards}
    for card_id, owner in state.match.owners.items():
        if owner == seat and card_id not in lying:
            card = rules.cards[card_id]
            if card.value is not None or timing_fault(rules, duel, card.kind, seat, False) is None:
                return True
    return False


# One function an action.


def _check_play(state: State, action: Play, found: list[Finding]) -> None:
    """ALT-4.2, ALT-5: whose play it is, how many there are, when a special may be laid."""
    seat, match = action.seat, state.match
    card = match.rules.cards.get(action.card)
    if not _before_a_card(state, action, card, found, seat):
        return None
    duel = duel_of(state, seat)
    if duel is None:
        return _not_in_duel(match, seat, "ALT-4.2", found)
    if duel.awaited is not None:
        return _roll_awaited(match, duel.awaited, found)
    if duel.turn != seat:
        _not_your_play(match, duel, seat, "ALT-4.2", found)
    plays = match.rules.plays
    if duel.played(seat) >= plays:
        _note(found, "plays-exhausted", seat, who=match.called[seat], plays=plays)
    if card is not None and card.value is None:
        _special_in_time(state, duel, card, seat, action, found)
    return None


def _check_intervene(state: State, action: Intervene, found: list[Finding]) -> None:
    """ALT-7.1, ALT-7.2."""
    seat, side, match = action.seat, action.side, state.match
    card = match.rules.cards.get(action.card)
    if not _before_a_card(state, action, card, found, seat, side):
        return
    duel = duel_of(state, side)
    if duel is None:
        _not_in_duel(match, side, "ALT-7.1", found)
    elif duel.awaited is not None:
        _roll_awaited(match, duel.awaited, found)
    elif card is not None and card.value is None:
        _special_in_time(state, duel, card, side, action, found)
    if duel_of(state, seat) is not None:
        _note(found, "intervene-duelling", seat, who=match.called[seat])
    if card is not None and card.value is not None:
        _note(found, "intervene-score-card", seat, card=label(card))
    if duel is not None:
        if seat in duel.interveners:
            _note(found, "intervene-twice", seat, who=match.called[seat])
        if not duel.scored and duel.awaited is None:
            _note(found, "intervene-empty-field", seat)


def _before_a_card(
    state: State, action: Play | Intervene, card: Card | None, found: list[Finding], *seats: int
) -> bool:
    """What any card needs: a sign that fits, a running match, seats and a card that are there.

    False where that leaves no position to judge the rest in.
    """
    if action.sign is not None and card is not None and card.kind != "alteration":
        found.append(bad_input(f"sign goes with an alteration, not with {card.id}"))
        return False
    if not _running(state.match, found):
        return False
    if card is None:
        _note(found, "unknown-card", card=shown(action.card))
    if not _known(state, found, *seats):
        return False
    if card is not None:
        _card_is_there(state, card, action.seat, found)
        if card.kind == "alteration" and action.sign is None:
            _note(found, "sign-missing", action.seat)
    return True


def _check_declare(state: State, action: Declare, found: list[Finding]) -> None:
    """ALT-3.1 to ALT-3.3."""
    seat, against, match = action.seat, action.against, state.match
    if seat == against:
        found.append(bad_input("against must be another seat than seat"))
        return
    if not _in_running_match(state, found, seat, against):
        return
    for duellist in (seat, against):
        if duel_of(state, duellist) is not None:
            _note(found, "already-duelling", duellist, who=match.called[duellist])
    pair = (seat, against) if seat < against else (against, seat)
    may_meet = match.phase == "duels" and not (state.seats[seat].out or state.seats[against].out)
    if may_meet and pair not in match.pairs_left:
        who, other = (match.called[number] for number in pair)
        _note(found, "already-faced", *pair, who=who, other=other)
    turn = declarer(state)
    if turn != seat:
        _note(found, "not-your-declaration", seat, why=_who_declares(match, turn, seat))


def _who_declares(match: Match, turn: int | None, seat: int) -> str:
    if match.phase == "initiative":
        return "First everyone rolls for the crown."
    if match.phase == "tiebreak":
        return "The duels of a tie-break start by themselves."
    if turn is None:
        return "No duel can be declared now: nobody free has a free opponent left."
    return f"It is {match.called[turn]}'s turn to declare, not {match.called[seat]}'s."


def _check_redraw(state: State, action: Redraw, found: list[Finding]) -> None:
    """ALT-4.1."""
    seat, match = action.seat, state.match
    if not _in_running_match(state, found, seat):
        return None
    duel = duel_of(state, seat)
    if duel is None:
        return _not_in_duel(match, seat, "ALT-4.1", found)
    if duel.awaited is not None:
        return _roll_awaited(match, duel.awaited, found)
    who, hand, floor = match.called[seat], state.seats[seat].hand, match.rules.min_hand
    if duel.played(seat):
        _note(found, "redraw-too-late", seat, who=who)
    if hand <= floor:
        _note(found, "redraw-floor", seat, who=who, hand=hand, floor=floor)
    return None


def _check_retreat(state: State, action: Retreat, found: list[Finding]) -> None:
    """ALT-6.1, and the ruling `retreat_by`."""
    seat, match = action.seat, state.match
    if not _in_running_match(state, found, seat):
        return None
    duel = duel_of(state, seat)
    if duel is None:
        return _not_in_duel(match, seat, "ALT-6.1", found)
    if duel.awaited is not None or duel.turn != seat:
        _not_your_play(match, duel, seat, "ALT-6.1", found)
    if duel.awaited is not None:
        _roll_awaited(match, duel.awaited, found)
    elif (why := retreat_fault(match.rules, duel, seat)) is not None:
        _note(found, "retreat-not-now", seat, why=why)
    if seat in duel.retreated:
        _note(found, "retreat-used", seat, who=match.called[seat])
    return None


def retreat_fault(rules: Ruleset, duel: Duel, seat: int) -> str | None:
    """Why the duellist on move can't retreat from this field, or None (ALT-6.1)."""
    if duel.field is None or duel.field.owner == seat:
        return "One retreats from an enemy field only."
    if rules.retreat_by == "defender_only" and seat == duel.attacker:
        return "Under this ruleset only the defender may retreat."
    return None


def _check_stand(state: State, action: Stand, found: list[Finding]) -> None:
    """ALT-4.4, the ruling `closing_card`."""
    seat, match = action.seat, state.match
    if not _in_running_match(state, found, seat):
        return None
    duel = duel_of(state, seat)
    if duel is None:
        return _not_in_duel(match, seat, "ALT-4.4", found)
    if duel.awaited is not None:
        return _roll_awaited(match, duel.awaited, found)
    why = stand_fault(match.rules, duel, seat)
    if why is not None:
        _note(found, "stand-not-now", seat, why=why)
    return None


def stand_fault(rules: Ruleset, duel: Duel, seat: int) -> str | None:
    """Why a duellist of whom no roll is awaited can't leave the last card unplayed, or None (ALT-4.4)."""
    if rules.closing_card == "required":
        return "Under this ruleset the defender must play the last card."
    if seat != duel.defender:
        return "Only the defender can leave the last card unplayed."
    if duel.by_attacker < rules.plays or duel.by_defender != rules.plays - 1:
        return f"One stands after the attacker's card {rules.plays}, with one card left."
    if duel.field is None or duel.field.owner != seat:
        return "One stands on one's own field only."
    return None


def _check_roll(state: State, action: Roll, found: list[Finding]) -> None:
    """A roll is awaited or it is not: a player who is out may still owe one for an intervention, and
    one too many does no harm whoever threw it (docs/rulings.md)."""
    seat, match = action.seat, state.match
    if not _running(match, found):
        return
    if seat not in state.seats:
        _note(found, "seat-unknown", seat=shown(seat))
    elif not roll_awaited(state, seat):
        _note(found, "unexpected-roll", seat, who=match.called[seat])


def roll_awaited(state: State, seat: int) -> bool:
    """Whether a roll of this seat is awaited: for the crown or in a duel."""
    if seat in state.match.to_roll:
        return True
    return any(duel.awaited is not None and duel.awaited.seat == seat for duel in state.duels)


def _check_crown(state: State, action: Crown, found: list[Finding]) -> None:
    """ALT-1.6: the table may move it whenever it likes."""
    _in_running_match(state, found, action.seat)


def _check_setup(state: State, action: Setup, found: list[Finding]) -> None:
    """ALT-2: first of all, and again only once the match is over."""
    wrong = setup_fault(state.match.rules, action)
    if wrong is not None:
        found.append(bad_input(wrong))
    elif state.match.phase not in ("setup", "over"):
        found.append(bad_input("a match is running; set up when it is over"))


def setup_fault(rules: Ruleset, action: Setup) -> str | None:
    """What is wrong with the players or the length of a setup (ALT-1.1, ALT-2.2), or None."""
    seats = [player.seat for player in action.players]
    houses = [player.house for player in action.players]
    if not 2 <= len(seats) <= 5:
        return f"players must be 2 to 5, not {len(seats)}"
    if len(set(seats)) != len(seats):
        return "players must sit at different seats"
    if len(set(houses)) != len(houses):
        return "players must lead different houses"
    if action.turns not in rules.turns:
        offered = ", ".join(map(str, rules.turns))
        return f"turns must be one of {offered}, not {shown(action.turns)}"
    return None


def _check_undo(state: State, action: Undo, found: list[Finding]) -> None:
    """Back as far as the setup."""
    if state.match.phase == "setup":
        _note(found, "not-set-up")
    if state.before is None and not state.idle:
        _note(found, "nothing-to-undo")


_CHECKS: Mapping[type[Any], Callable[[State, Any, list[Finding]], None]] = {
    Setup: _check_setup,
    Roll: _check_roll,
    Crown: _check_crown,
    Declare: _check_declare,
    Redraw: _check_redraw,
    Play: _check_play,
    Retreat: _check_retreat,
    Stand: _check_stand,
    Intervene: _check_intervene,
    Undo: _check_undo,
}
