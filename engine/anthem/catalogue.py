"""Anthem's rules by id, one line each in our own words, and its table of findings."""

from __future__ import annotations

from collections.abc import Mapping

from engine.findings import Catalogue, FindingKind

RULES: Mapping[str, str] = {
    "ANT-1": "What is on the table: a card set a player.",
    "ANT-1.1": "Two to four players bring a set each: the values 0 to 9 and one Dead.",
    "ANT-2": "Getting ready: the start and the end lie, nine cards in every hand.",
    "ANT-2.1": "Everyone starts with 0 and 9 face up and six free places between them.",
    "ANT-2.2": "Everyone is dealt eight of the shuffled 1 to 8 and one Dead; a random player starts.",
    "ANT-3": "A turn.",
    "ANT-3.1": "On your turn draw a card from the hand on your right, then lay it or keep it.",
    "ANT-4": "Laying a card.",
    "ANT-4.1": "The values of a layout rise from left to right, and no value comes twice.",
    "ANT-4.2": "A card needs a free place; between neighbours that lie side by side there is none.",
    "ANT-4.3": "A card that lies stays where it is.",
    "ANT-5": "Keeping a card.",
    "ANT-5.1": "A Dead, a value that lies already and a card without a place must be kept; any may be.",
    "ANT-6": "Winning.",
    "ANT-6.1": "After a turn, whoever has laid all eight and holds no Dead wins.",
    "ANT-6.2": "If agreed, a player who holds every Dead in play wins for the dragon.",
}

#: In the order in which a judge would name them (contracts/referee.md).
FINDINGS: Catalogue = {
    "bad-input": FindingKind("", "illegal", "Not an action: {problem}."),
    "not-set-up": FindingKind("ANT-2", "illegal", "No match is set up yet."),
    "match-over": FindingKind("ANT-6", "illegal", "The match is over: set up a new one."),
    "unknown-card": FindingKind("ANT-1.1", "illegal", "There is no card {card} in this match."),
    "seat-unknown": FindingKind("ANT-1.1", "illegal", "Nobody sits at seat {seat}."),
    "place-taken": FindingKind("ANT-4.2", "illegal", "Place {place} is taken by {other}."),
    "not-rising": FindingKind("ANT-4.1", "illegal", "A {value} at place {place} breaks the rising order."),
    "value-twice": FindingKind("ANT-4.1", "illegal", "A {value} lies there already: {other}."),
    "no-room": FindingKind("ANT-4.2", "illegal", "A {value} has no room: its neighbours lie side by side."),
    "dead-laid": FindingKind("ANT-5.1", "illegal", "A Dead can't be laid; it goes into the hand."),
    "already-laid": FindingKind("ANT-4.3", "illegal", "{card} lies already, with seat {owner}."),
    "card-moved": FindingKind("ANT-4.3", "illegal", "{card} was moved; a card that lies stays there."),
    "claim-incomplete": FindingKind("ANT-6.1", "illegal", "Seat {seat} has {free} places still free."),
    "claim-dead-in-hand": FindingKind("ANT-6.1", "illegal", "Seat {seat} holds a Dead."),
    "claim-hand-mismatch": FindingKind("ANT-6", "illegal", "This can't be seat {seat}'s whole hand: {why}."),
    "claim-not-all-dead": FindingKind("ANT-6.2", "illegal", "Seat {seat} lacks {missing} of the Deads."),
    "dragon-off": FindingKind("ANT-6.2", "illegal", "At this table the dragon can't win."),
    "keeps-inferred": FindingKind("ANT-3.1", "info", "Before seat {seat}, taken as kept: {whose}."),
    "layout-stuck": FindingKind("ANT-4.2", "warning", "Seat {seat}'s layout can no longer be completed."),
    "nothing-to-undo": FindingKind("", "illegal", "There is nothing to undo."),
}  # fmt: skip
