"""What the lab measures in a match, and the words for it.

A measure turns one match into numbers: facts, `name/group` -> (value, count). What is reported of many
matches is the sum of the values over the sum of the counts: a share where the values are hits, a mean
where they are amounts. Definitions in words, with a worked example: docs/measures.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from engine.lab.kinds import kind_of
from engine.lab.trace import Seen

Facts = dict[str, tuple[int, int]]
Unit = Literal["share", "plays", "cards", "duels", "turns", "seconds", "value", "times", "permille"]


class Measure(NamedTuple):
    """One measure: its version goes up whenever the same match would give another number.

    `per` says what the group after the slash is. `spread`: it has one amount a match, of which the
    report gives the quantiles too.
    """

    name: str
    version: int
    unit: Unit
    words: str
    per: str = ""
    spread: bool = False


#: Every measure there is, in the order of the reports. A test holds docs/measures.md to this table.
MEASURES: tuple[Measure, ...] = (
    Measure("win.seat", 1, "share", "matches won, of those decided", "seat"),
    Measure("win.first", 1, "share", "matches won by whoever had the initiative first"),
    Measure("win.house", 1, "share", "matches won, of those decided that it was in", "house"),
    Measure("win.bot", 1, "share", "seats that won, of those that the bot took", "bot"),
    Measure("win.card", 1, "share", "seats that won, of those that laid the card at least once", "card"),
    Measure("use.card", 1, "times", "times the card was laid in a match", "card"),
    Measure("length.plays", 1, "plays", "actions after the setup", spread=True),
    Measure("length.cards", 1, "cards", "cards laid", spread=True),
    Measure("length.duels", 1, "duels", "duels fought to their end, tie-breaks included", spread=True),
    Measure("length.turns", 1, "turns", "the turn in which it ended", spread=True),
    Measure("length.seconds", 1, "seconds", "how long it took", spread=True),
    Measure("swing.lead", 1, "times", "how often another seat came to lead alone", spread=True),
    Measure("swing.field", 1, "times", "how often a field with a value changed hands", spread=True),
    Measure("field.at", 1, "value", "what the field was worth after so many cards of a duel", "card"),
    Measure("field.final", 1, "value", "what the field was worth when the duel ended"),
    Measure("duel.last_card", 1, "share", "duels that the last card turned"),
    Measure("duel.attacker", 1, "share", "duels that the attacker won, of those with a winner"),
    Measure("special.acted", 1, "share", "specials that did something, of those laid", "card"),
    Measure("special.success", 1, "share", "specials whose side won the duel", "card"),
    Measure("special.gain", 1, "cards", "cards its side won or lost in that duel, itself included", "card"),
    Measure("retreat.tried", 1, "share", "sides that rolled to retreat"),
    Measure("retreat.saved", 1, "share", "rolls that let the retreat succeed"),
    Measure("retreat.cost", 1, "cards", "score cards left behind by a retreat"),
    Measure("intervene.laid", 1, "times", "interventions in a match", spread=True),
    Measure("intervene.turned", 1, "share", "interventions after which the field changed hands"),
    Measure("intervene.success", 1, "share", "interventions whose side won the duel"),
    Measure("intervene.against_leader", 1, "share", "interventions against the seat that led alone"),
    Measure("intervene.for_winner", 1, "share", "interventions for the seat that won the match"),
    Measure("kingmaking", 1, "share", "matches that an intervention gave to somebody else"),
    Measure("choice.decisions", 1, "times", "decisions that a player took", "seat"),
    Measure("choice.real", 1, "share", "decisions with more than one way to go"),
    Measure("comeback.behind", 1, "share", "matches won from behind at half time"),
    Measure("comeback.deficit", 1, "cards", "how far behind the winner had been", spread=True),
    Measure(
        "known.at", 1, "permille", "how much was played when the winner began to lead to the end", spread=True
    ),
    Measure("out.players", 1, "times", "players eliminated in a match", spread=True),
    Measure("out.at", 1, "permille", "how much was played when a player was eliminated"),
    Measure("lay.kept", 1, "share", "cards drawn that were kept"),
    Measure("lay.stuck", 1, "share", "layouts that could no longer be completed at the end"),
    Measure("win.dragon", 1, "share", "matches won for the dragon"),
)

BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}

#: Seconds that an action is taken to last where no clock ran (version 1 of `length.seconds`): what
#: people need to think, act and read the result. docs/measures.md says where the numbers come from.
PACE: Mapping[str, int] = {
    "setup": 240,
    "roll": 8,
    "crown": 0,
    "declare": 15,
    "redraw": 20,
    "play": 25,
    "retreat": 10,
    "stand": 8,
    "intervene": 25,
    "lay": 15,
    "keep": 12,
    "claim": 30,
}
#: For an action of a kind that the table above does not know.
OTHER = 15
#: And after each duel, for captures, specials and refilling hands.
AFTER_DUEL = 30


def measure(seen: Seen) -> Facts:
    """All facts of one match. A measure that it says nothing about is not among them."""
    facts: Facts = {}
    _wins(seen, facts)
    _length(seen, facts)
    _cards(seen, facts)
    _choices(seen, facts)
    game = _GAMES.get(seen.game.name)
    if game is not None:
        game(seen, facts)
    return facts


def _wins(seen: Seen, facts: Facts) -> None:
    winners = seen.winners
    if winners is None:
        return
    for player in seen.players:
        seat = player["seat"]
        won = int(seat in winners)
        facts[f"win.seat/{seat}"] = (won, 1)
        if "house" in player:
            facts[f"win.house/{player['house']}"] = (won, 1)
        if seat in seen.sits:
            _add(facts, f"win.bot/{seen.sits[seat]}", won)


def _length(seen: Seen, facts: Facts) -> None:
    facts["length.plays"] = (len(seen.steps) - 1, 1)
    last = seen.steps[-1].after
    turn = getattr(getattr(last, "match", last), "turn", None)
    if isinstance(turn, int):
        facts["length.turns"] = (turn, 1)
    if seen.seconds is not None:
        facts["length.seconds"] = (seen.seconds, 1)
    else:
        pace = sum([_BY_TYPE.get(type(action).__name__, OTHER) for _, action, _ in seen.steps])
        facts["length.seconds"] = (pace, 1)


#: The table of seconds by the names of the actions' types.
_BY_TYPE = {name.capitalize(): seconds for name, seconds in PACE.items()}
#: Actions that no player decides on.
_NO_DECISION = frozenset(("Setup", "Roll", "Crown", "Claim"))


def _cards(seen: Seen, facts: Facts) -> None:
    used: dict[tuple[int, str], int] = {}
    for _, action, _ in seen.steps:
        card = getattr(action, "card", None)
        if card is not None:
            use = (action.seat, kind_of(card))
            used[use] = used.get(use, 0) + 1
    winners = seen.winners
    for (seat, kind), times in used.items():
        if winners is not None:
            _add(facts, "win.card/" + kind, int(seat in winners))
        name = "use.card/" + kind
        was = facts.get(name)
        facts[name] = (times if was is None else was[0] + times, 1)
    facts["length.cards"] = (sum(used.values()), 1)


def _choices(seen: Seen, facts: Facts) -> None:
    took: dict[int, int] = {}
    for _, action, _ in seen.steps:
        if type(action).__name__ not in _NO_DECISION:
            seat = getattr(action, "seat", None)
            if seat is not None:
                took[seat] = took.get(seat, 0) + 1
    for seat, times in took.items():
        facts[f"choice.decisions/{seat}"] = (times, 1)
    looked = sum(count for count, _ in seen.choices.values())
    if looked:
        facts["choice.real"] = (sum(real for _, real in seen.choices.values()), looked)


def lead(facts: Facts, scores: list[tuple[int, Mapping[int, int]]], seen: Seen) -> None:
    """Lead changes, comebacks and how early the winner was known, for any game that has a running score.

    `scores` are (index of the action, seat -> score) at the moments when the score can have changed, in
    order. Who shares the best score does not lead.
    """
    leader: int | None = None
    changes, plays = 0, max(1, len(seen.steps) - 1)
    winner = seen.winners[0] if seen.winners is not None and len(seen.winners) == 1 else None
    since, deficit, behind = plays, 0, None
    for index, score in scores:
        best = max(score.values())
        alone = [seat for seat, points in score.items() if points == best]
        if len(alone) == 1 and alone[0] != leader:
            changes += leader is not None
            leader = alone[0]
        if winner is None:
            continue
        missing = best - score.get(winner, 0)
        deficit = max(deficit, missing)
        if behind is None and 2 * index >= plays:
            behind = missing > 0
        if missing or len(alone) > 1:
            since = plays
        elif since == plays:
            since = index
    facts["swing.lead"] = (changes, 1)
    if winner is not None:
        facts["comeback.deficit"] = (deficit, 1)
        facts["known.at"] = (1000 * since // plays, 1)
        if behind is not None:
            facts["comeback.behind"] = (int(behind), 1)


def _add(facts: Facts, name: str, value: int, count: int = 1) -> None:
    fact = facts.get(name)
    facts[name] = (value, count) if fact is None else (fact[0] + value, fact[1] + count)


add = _add


def _althera(seen: Seen, facts: Facts) -> None:
    from engine.lab.measures_althera import measure_althera

    measure_althera(seen, facts)


def _anthem(seen: Seen, facts: Facts) -> None:
    from engine.lab.measures_anthem import measure_anthem

    measure_anthem(seen, facts)


_GAMES: Mapping[str, Callable[[Seen, Facts], None]] = {"althera": _althera, "anthem": _anthem}


def label_of(key: str) -> tuple[Measure, str]:
    """The measure of a fact's name, and the group after the slash.

    >>> label_of("special.acted/oracle")[1]
    'oracle'
    """
    name, _, group = key.partition("/")
    return BY_NAME[name], group


__all__ = ["BY_NAME", "MEASURES", "PACE", "Facts", "Measure", "add", "label_of", "lead", "measure"]


def definitions() -> list[dict[str, Any]]:
    """The table as JSON, for reports."""
    return [{"measure": m.name, "version": m.version, "unit": m.unit, "words": m.words} for m in MEASURES]
