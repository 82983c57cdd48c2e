"""Althera's rules by id, one line each in our own words, and its table of findings."""

from __future__ import annotations

from collections.abc import Mapping

from engine.findings import Catalogue, FindingKind

RULES: Mapping[str, str] = {
    "ALT-1.1": "Two to five players lead one house each; all houses play alike.",
    "ALT-1.2": ("A house deck has 24 cards, 18 score cards and 6 specials; five houses make 120 cards."),
    "ALT-1.3": (
        "Score cards: commoners 2, vanguard 5, marksman 9, cavalry 15, guardian 23, captain 37, champion 61."
    ),
    "ALT-1.4": "Specials: one shield, one overtake, two alterations, two oracles a house.",
    "ALT-1.5": ("A die that gives value reads 2, 5, 9, 15, 23, 37; a die that decides counts its face."),
    "ALT-1.6": "One crown marks who holds the initiative.",
    "ALT-1.7": ("All backs are alike, so nobody may learn from a screen what lies in a hand or a deck."),
    "ALT-2.1": "Everyone shuffles and draws five cards.",
    "ALT-2.2": "The table agrees on 3, 5 or 10 turns.",
    "ALT-2.3": "Everyone rolls; the highest face takes the crown, ties for highest roll again.",
    "ALT-3.1": "Each pair of remaining players duels once in a turn; then the turn is over.",
    "ALT-3.2": (
        "The crown's holder declares first, then clockwise whoever is free and has a free opponent left."
    ),
    "ALT-3.3": (
        "Who declares attacks, the other defends; nobody is in two duels, and pairs duel side by side."
    ),
    "ALT-3.4": "Who is in no running duel is waiting and may intervene.",
    "ALT-4.1": (
        "Before your first card of a duel you may redraw, each time with one card fewer, down to three."
    ),
    "ALT-4.2": "The duellists play three cards each, turn by turn, attacker first.",
    "ALT-4.3": (
        "A score card opens, adds to your field, or answers the enemy's: equal or "
        "higher takes it, lower is absorbed."
    ),
    "ALT-4.4": "After three cards each, the owner of the field wins the duel.",
    "ALT-4.5": "The winner captures the loser's score cards and gets their own back.",
    "ALT-4.6": "Then cards are worth what is printed again and both fill their hands to five.",
    "ALT-5.1": (
        "Shield, to open or answer: cancels the enemy's specials; as an opening it hands the attack over."
    ),
    "ALT-5.2": ("Overtake, only to answer: worth the enemy's field plus one, so it takes the field."),
    "ALT-5.3": (
        "Alteration, only to answer: half more or half off the field, rounded up, and the field is yours."
    ),
    "ALT-5.4": ("Oracle, to open or on any field: roll, add the die's score value, and the field is yours."),
    "ALT-5.5": "To answer, the enemy must own the field; to open, the field must be empty.",
    "ALT-5.6": ("A special goes to the duellist it was played against, whoever wins, cancelled or not."),
    "ALT-6.1": "About to answer an enemy field you may roll to retreat, once a duel.",
    "ALT-6.2": (
        "5 or 6: the enemy wins the duel and your score cards in it, you keep your hand. 1 to 4: play on."
    ),
    "ALT-7.1": (
        "A waiting player may play a special for one side once a score card lies there, and draws at once."
    ),
    "ALT-7.2": "Never with score cards, never twice in one duel, never while duelling or out.",
    "ALT-8.1": (
        "Who can't fill a hand of five is out; what remains goes to the winner of the duel just ended."
    ),
    "ALT-8.2": "The last player standing wins at once.",
    "ALT-9.1": "After the last turn the most cards in deck and hand win.",
    "ALT-9.2": ("Tied players take their own 24 cards and duel once more; the others may intervene."),
}

#: In the order in which a judge would name them (contracts/referee.md).
FINDINGS: Catalogue = {
    "bad-input": FindingKind("", "illegal", "Not an action: {problem}."),
    "not-set-up": FindingKind("ALT-2.1", "illegal", "No match is set up yet."),
    "match-over": FindingKind("ALT-9.1", "illegal", "The match is over: set up a new one."),
    "unknown-card": FindingKind("ALT-1.2", "illegal", "There is no card {card}."),
    "seat-unknown": FindingKind("ALT-1.1", "illegal", "Nobody sits at seat {seat}."),
    "seat-out": FindingKind("ALT-8.1", "illegal", "{who} is out of the match."),
    "not-your-card": FindingKind("ALT-1.2", "illegal", "{card} is not {who}'s to play: {why}."),
    "already-played": FindingKind("ALT-4.2", "illegal", "{card} already lies in a running duel."),
    "not-in-duel": FindingKind("ALT-3.3", "illegal", "{who} is in no duel."),
    "not-your-play": FindingKind("ALT-4.2", "illegal", "{why}"),
    "already-duelling": FindingKind("ALT-3.3", "illegal", "{who} is in a duel already."),
    "already-faced": FindingKind("ALT-3.1", "illegal", "{who} and {other} have faced each other this turn."),
    "not-your-declaration": FindingKind("ALT-3.2", "illegal", "{why}"),
    "redraw-too-late": FindingKind(
        "ALT-4.1", "illegal", "{who} has played a card of this duel: too late to redraw."
    ),
    "redraw-floor": FindingKind("ALT-4.1", "illegal", "No redraw below {floor} cards: {who} has {hand}."),
    "plays-exhausted": FindingKind("ALT-4.2", "illegal", "{who} has played all {plays} cards of this duel."),
    "special-timing": FindingKind("ALT-5.5", "illegal", "{why}"),
    "sign-missing": FindingKind("ALT-5.3", "illegal", "Say + or - with the Alteration."),
    "roll-awaited": FindingKind("ALT-5.4", "illegal", "{who} must roll first."),
    "unexpected-roll": FindingKind("ALT-1.5", "warning", "No roll of {who}'s is awaited."),
    "retreat-not-now": FindingKind("ALT-6.1", "illegal", "{why}"),
    "retreat-used": FindingKind("ALT-6.2", "illegal", "{who} has tried to retreat in this duel already."),
    "stand-not-now": FindingKind("ALT-4.4", "illegal", "{why}"),
    "intervene-duelling": FindingKind("ALT-7.2", "illegal", "{who} is duelling and can't intervene."),
    "intervene-score-card": FindingKind(
        "ALT-7.2", "illegal", "Only specials intervene; {card} is a score card."
    ),
    "intervene-twice": FindingKind("ALT-7.2", "illegal", "{who} has intervened in this duel already."),
    "intervene-empty-field": FindingKind(
        "ALT-7.1", "illegal", "No intervention before a score card lies on the field."
    ),
    "nothing-to-undo": FindingKind("", "illegal", "There is nothing to undo."),
    "shield-cancels": FindingKind("ALT-5.1", "info", "{what}"),
    "crown-moved": FindingKind("ALT-1.6", "warning", "The crown was moved by hand to {who}."),
    "seat-eliminated": FindingKind("ALT-8.1", "info", "{who} is out; {heir} takes what remains ({left})."),
}
