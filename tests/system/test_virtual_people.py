"""The stand-in players on a running table: what people do when a hand leaves them no legal play."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from engine.althera.actions import Play
from engine.althera.state import duel_of
from engine.lab.bots import Acting, Bot
from engine.lab.hands import Hand
from host.layout import find_layout
from host.virtual.people import People
from host.virtual.world import World
from tests.system.evening import Evening


def _answers(hand: Hand) -> list[str]:
    return [card for card in hand.cards if "shield" in card or "overtake" in card]


def _only_answers(state: Any, seat: int, hand: Hand, rng: random.Random) -> Play | None:
    """A player who sees nothing in the hand but a special that may not be laid on the own field (ALT-5.5)."""
    duel = duel_of(state, seat)
    if duel is None or duel.turn != seat:
        return None
    return Play(seat, _answers(hand)[0], force=True)


def test_a_hand_without_a_legal_play_does_not_stop_the_duel(tmp_path: Path) -> None:
    evening = Evening(find_layout("althera-3"), tmp_path)
    try:
        evening.within(20, lambda: evening.device("pico") == "up")
        world = evening.table.virtual
        assert isinstance(world, World)
        for _ in range(40):  # about every third hand holds one
            evening.begin_duel()
            evening.do(do="play", seat=1, card="cremisi/champion/1")
            evening.do(do="play", seat=2, card="aurea/commoners/1")
            world.sync()
            if _answers(world.held(1)):
                break
        assert evening.duel()["field"] == {"owner": 1, "value": 63} and evening.duel()["to_play"] == 1
        bots: dict[int, Bot] = {1: Acting("answers", _only_answers)}
        people = People(world, bots, random.Random(1), 20.0, lambda _: False)
        people.start()
        try:
            # It is laid, the table warns, and they let it stand: the duel goes on.
            evening.within(30, lambda: len(evening.duel()["plays"]) == 3)
            # They have looked at it: the warning does not lie over the screens until the match is over.
            evening.within(30, lambda: not any(f["open"] for f in evening.view()["findings"]))
        finally:
            people.stop()
        assert evening.duel()["to_play"] == 2
        *_, laid, allowed, waved = evening.table.core.events
        assert (laid.who.kind, laid.ok) == ("device", False)
        assert (allowed.who.kind, allowed.body["allows"]) == ("bot", laid.seq)
        assert (waved.who.kind, waved.kind) == ("bot", "dismiss")
        assert "special-timing" in {f["code"] for f in evening.view()["findings"]}
    finally:
        evening.running.stop()
