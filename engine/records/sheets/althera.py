"""Althera's score sheet: a row a play, with what it did to the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.althera.cards import HOUSES, parse_card
from engine.althera.state import Duel, LastDuel, State, duel_of
from engine.althera.steps import steps
from engine.game import Json
from engine.records.replay import Step
from engine.records.sheets import Words, told

_EFFECTS = {
    "opens": "opens",
    "adds": "adds",
    "takes": "takes the field",
    "absorbed": "is absorbed",
    "shield": "shields",
    "cancelled": "is cancelled",
    "awaits-roll": "awaits the die",
}


class Althera:
    """See `engine.records.sheets.Wording`."""

    def title(self, state: State) -> str:
        """The game's name and the match's length."""
        turns = state.match.turns
        return f"Althera, {turns} turns" if turns else "Althera"

    def side(self, player: Json) -> tuple[str, str]:
        """The house and its colour."""
        house = HOUSES.get(player.get("house", ""))
        return (house.name, "#{:02x}{:02x}{:02x}".format(*house.rgb)) if house else ("", "")

    def heading(self, state: State) -> str:
        """The turn, or what comes before and after the turns."""
        match = state.match
        turn = f"Turn {match.turn} of {match.turns}"
        return {
            "setup": "Setting up",
            "initiative": "For the crown",
            "duels": turn,
            "tiebreak": "Tie-break",
            "over": "After the end",
        }[match.phase]

    def stand(self, names: Mapping[int, str], state: State) -> str:
        """The crown and everybody's cards."""
        if state.match.phase not in ("duels", "tiebreak") or state.match.crown is None:
            return ""
        counted = state.match.tiebreak.seats if state.match.tiebreak else state.seats
        cards = ", ".join(f"{_name(names, n)} {'out' if s.out else s.cards}" for n, s in counted.items())
        return f"Crown: {_name(names, state.match.crown)}. Cards: {cards}."

    def words(self, names: Mapping[int, str], step: Step) -> Words:
        """The play, its effect, and the field after it."""
        action, state = step.line.action, step.verdict.state
        match action["do"]:
            case "setup":
                return Words(f"{len(state.seats)} houses, {state.match.turns} turns")
            case "play" | "intervene":
                return self._card(names, step)
            case "roll":
                return self._roll(names, step)
            case "retreat":
                duel = duel_of(step.before, action["seat"])
                return Words(self.tried(names, action), where=_where(names, duel), effect="awaits the die")
            case "redraw" | "stand":
                hand = f"{state.seats[action['seat']].hand} cards" if action["do"] == "redraw" else ""
                duel = duel_of(step.before, action["seat"])
                return Words(self.tried(names, action), where=_where(names, duel), effect=hand)
            case _:
                return Words(self.tried(names, action))

    def _card(self, names: Mapping[int, str], step: Step) -> Words:
        action = step.line.action
        duel = _after(step, action["for"] if "for" in action else action["seat"])
        words = Words(self.tried(names, action), where=_where(names, duel))
        done = None if duel is None else steps(step.verdict.state.match.rules, duel)[-1]
        if done is None or done["card"] != action["card"]:
            return words
        effect, value = _EFFECTS[done["effect"]], done["value"]
        if value is not None and _is_special(action["card"]):
            effect += f", {value:+}"
        elif value is not None:
            words = replace(words, what=f"{words.what} {value}")
        return _with_field(words, names, done["after"], effect)

    def _roll(self, names: Mapping[int, str], step: Step) -> Words:
        action, before, after = step.line.action, step.before, step.verdict.state
        what = f"rolls {action['face']}"
        if action["seat"] in before.match.to_roll:
            crown = after.match.crown
            given = crown is not None and before.match.crown is None
            return Words(what, effect=f"the crown goes to {_name(names, crown)}" if given else "")
        waiting = [d for d in before.duels if d.awaited is not None and d.awaited.seat == action["seat"]]
        if not waiting:
            return Words(what, effect="nothing awaits it")
        was = waiting[0]
        where = _where(names, was)
        if was.awaited is not None and was.awaited.why == "retreat":
            away = action["face"] in after.match.rules.retreat_faces
            return Words(what, where=where, effect="gets away" if away else "must play on")
        duel = _after(step, was.attacker)
        done = steps(after.match.rules, duel)[-1] if duel is not None else None
        if done is None:
            return Words(what, where=where)
        worth = "" if done["value"] is None else f", {done['value']:+}"
        effect = f"the Oracle {_EFFECTS[done['effect']]}{worth}"
        return _with_field(Words(what, where=where), names, done["after"], effect)

    def tried(self, names: Mapping[int, str], action: Json) -> str:
        """The action in words."""
        match action.get("do"):
            case "play":
                return _card_name(action)
            case "intervene":
                return f"for {_name(names, action.get('for'))}: {_card_name(action)}"
            case "declare":
                return f"challenges {_name(names, action.get('against'))}"
            case "crown":
                return "is given the crown by hand"
            case "roll":
                return f"rolls {action.get('face')}"
            case "retreat":
                return "tries to retreat"
            case "redraw":
                return "redraws"
            case "stand":
                return "stands"
            case other:
                return str(other or "no action")

    def notes(self, names: Mapping[int, str], step: Step) -> list[str]:
        """A shield's effect, a duel's end, who is out, the end of the match."""
        before, after = step.before, step.verdict.state
        found = step.verdict.findings
        notes = [told(names, f.text) for f in found if f.code == "shield-cancels"]
        last = after.match.last_duel
        if last is not None and last is not before.match.last_duel and step.line.action["do"] != "undo":
            notes.append(_ending(names, last))
        notes += [told(names, f.text) for f in found if f.code == "seat-eliminated"]
        return notes

    def outcome(self, names: Mapping[int, str], state: State) -> str:
        """The winner and everybody's cards."""
        won = state.match.winners
        if won is None:
            return ""
        who = " and ".join(_name(names, seat) for seat in won)
        cards = ", ".join(f"{_name(names, n)} {'out' if s.out else s.cards}" for n, s in state.seats.items())
        return f"{who} {'wins' if len(won) == 1 else 'win'}. Cards: {cards}."


def _after(step: Step, side: int) -> Duel | None:
    """The duel of `side` as it was left by the step, also where the step ended it."""
    after: State = step.verdict.state
    last = after.match.last_duel
    if last is not None and last is not step.before.match.last_duel and side in last.duel[:2]:
        return last.duel
    return duel_of(after, side)


def _ending(names: Mapping[int, str], last: LastDuel) -> str:
    duel = last.duel
    pair = f"{_name(names, duel.attacker)} against {_name(names, duel.defender)}"
    if last.winner is None:
        text = f"{pair}: nobody wins, the field is empty"
    else:
        value = "" if duel.field is None else f" at {duel.field.value}"
        loser = _name(names, duel.enemy(last.winner))
        how = f", {loser} retreats" if last.ended_by == "retreat" else ""
        text = f"{pair}: {_name(names, last.winner)} wins{value}{how}"
        if last.captured:
            text += f"; captures {', '.join(map(_short, last.captured))}"
    for seat, cards in last.specials.items():
        text += f"; {_name(names, seat)} receives {', '.join(map(_short, cards))}"
    return text + "."


def _with_field(words: Words, names: Mapping[int, str], field: Json | None, effect: str) -> Words:
    if field is None:
        return replace(words, effect=effect)
    owner, value = field["owner"], field["value"]
    stands = f"{value} {_name(names, owner)}"
    return replace(words, effect=effect, result=stands, owner=owner, value=value)


def _where(names: Mapping[int, str], duel: Duel | None) -> str:
    return "" if duel is None else f"{_name(names, duel.attacker)}–{_name(names, duel.defender)}"


def _card_name(action: Json) -> str:
    sign = {"+": " +50 %", "-": " -50 %"}.get(str(action.get("sign")), "")
    return _short(action.get("card")) + sign


def _short(card: object) -> str:
    """A card's name; whatever else was read, as it is."""
    parsed = parse_card(card) if isinstance(card, str) else None
    return str(card) if parsed is None else parsed.name


def _is_special(card: str) -> bool:
    parsed = parse_card(card)
    return parsed is not None and parsed.special


def _name(names: Mapping[int, str], seat: object) -> str:
    return names.get(seat, f"Seat {seat}") if isinstance(seat, int) else str(seat)


WORDING = Althera()
