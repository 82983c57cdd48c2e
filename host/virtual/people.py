"""The stand-in players: bots that play as people do, with cards, dice and the screen, at human pace.

A player looks at the public state and at its own hand, decides, and then acts on the table: lays the
card on the spot, throws the die, taps the answer. What the table has not seen after a while is entered
by hand, as people would (promise 1).
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.game import Audience
from engine.lab.bots import Bot
from host.entry import Json
from host.face import Outcome, Who
from host.virtual.world import HAND, World

log = logging.getLogger(__name__)

#: seconds that a person thinks about a move, on the average, and looks at a finished match
THINK = 3.0
ADMIRE = 12.0
#: seconds before a person enters by hand what the table has not seen
NOT_SEEN = 6.0
DIE_NOT_SEEN = 9.0


@dataclass(slots=True)
class _Pending:
    """What was done on the table and waits to be seen there: the action meant, since when and in which
    turn."""

    action: Json
    since: float
    turn: int = 0


@dataclass(slots=True)
class _Showing:
    """A hand that is shown card by card at the scan spot: the claim it proves, what is left to show,
    the card that lies there now and since when."""

    action: Json
    left: list[str]
    card: str | None = None
    since: float = 0.0


class People:
    """Plays for the seats in `bots` until stopped. `over(public state)` is told of each match's end and
    says whether to begin another."""

    def __init__(
        self,
        world: World,
        bots: Mapping[int, Bot],
        rng: random.Random,
        speed: float,
        over: Callable[[Json], bool],
    ) -> None:
        self._world, self._table = world, world.table
        self._bots, self._rng, self._speed, self._over = bots, rng, speed, over
        self._pending: _Pending | None = None
        self._showing: _Showing | None = None
        self._rolls: dict[int, float] = {}
        self._stop = threading.Event()
        self._changed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="people", daemon=True)
        self._unlisten: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Sits down and plays."""
        self._unlisten = self._table.listen(lambda _: self._changed.set())
        self._thread.start()

    def stop(self) -> None:
        """Leaves the table, within two seconds."""
        self._stop.set()
        self._changed.set()
        self._unlisten()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)

    # -- the loop ----------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                pause = self._step()
            except Exception:
                # The stand-in players' edge: whatever went wrong, the table itself goes on.
                log.exception("a stand-in player stumbled")
                pause = 1.0
            self._changed.wait(pause)
            self._changed.clear()

    def _step(self) -> float:
        """One look at the table and at most one act. Returns the longest wait before the next look."""
        game, state, public = self._table.public_state()
        if game is None:
            self._table.command({"cmd": "new-match"}, Who("bot"))
            return 0.1
        self._world.sync()
        if public["phase"] == "over":
            return self._finished(public)
        if self._answer_questions():
            return 0.05
        if self._take_back() or self._wave_through():
            return 0.05
        if self._roll(public):
            return 0.1
        if self._pending is not None:
            return self._watch(public)
        if self._showing is not None:
            return self._show(self._showing)
        self._crown(public)
        # Whoever is on move goes last: a win is claimed before the next card is drawn.
        mover = public.get("to_move")
        for seat in sorted(self._rng.sample(list(self._bots), len(self._bots)), key=lambda s: s == mover):
            hand = self._world.held(seat)
            action = self._bots[seat].choose(game, state, seat, hand, self._rng)
            if action is not None:
                self._think(THINK)
                if self._table.public_state()[1] is state and not self._stop.is_set():
                    self._do(action, public)
                return 0.05
        return 1.0

    def _think(self, seconds: float) -> None:
        self._stop.wait(seconds * self._rng.lognormvariate(-0.12, 0.5) / self._speed)

    def _finished(self, public: Json) -> float:
        self._pending = self._showing = None
        self._rolls.clear()
        if not self._over(public):
            self._stop.set()
            return 0.0
        self._stop.wait(ADMIRE / self._speed)
        if not self._stop.is_set():
            self._table.command({"cmd": "new-match"}, Who("bot"))
        return 0.1

    # -- acts --------------------------------------------------------------------------------------

    def _do(self, action: Json, public: Json) -> None:
        """Carries an action out the way a person does: with the card, a button, or on the screen."""
        do, seat = action["do"], action["seat"]
        if action.get("shown") and self._world.scan_spot() is not None:
            self._showing = _Showing(action, list(action["shown"]))
            return
        if do == "keep" and self._world.press("keep", seat):
            self._pending = _Pending(action, time.monotonic(), public["turn"])
            return
        spot = {"play": seat, "intervene": action.get("for"), "lay": seat}.get(do)
        if spot is not None:
            zone = self._spot(spot, action)
            if zone is not None:
                self._pending = _Pending(action, time.monotonic())
                self._world.move(action["card"], zone)
                return
        self._by_hand(action)

    def _spot(self, seat: int, action: Json) -> str | None:
        kind = "place" if action["do"] == "lay" else "field"
        for zone in self._world.layout.zones:
            if zone.kind == kind and zone.seat == seat and zone.place == action.get("place"):
                return zone.id
        return None

    def _by_hand(self, action: Json) -> Outcome:
        outcome = self._table.act(action, Who("bot", str(action["seat"])))
        if outcome.ok and action["do"] == "redraw":
            self._world.reshuffle(action["seat"])
        return outcome

    def _show(self, showing: _Showing) -> float:
        """Holds one card after another over the scan spot until the table has taken each."""
        spot, now = self._world.scan_spot(), time.monotonic()
        if showing.card is not None and now - showing.since < NOT_SEEN:
            scan = self._table.view(Audience("operator"))["scan"]
            if scan is None or scan["card"] != showing.card:
                return 0.2
            self._world.move(showing.card, HAND)
            showing.card = None
        if showing.card is None and showing.left and spot is not None:
            showing.card, showing.since = showing.left.pop(), now
            self._world.move(showing.card, spot.id)
            return 0.2
        if showing.card is None and now - showing.since < NOT_SEEN:
            return 0.2  # the table counts the last one
        if showing.card is not None:
            self._world.move(showing.card, HAND)
        self._showing = None
        log.info("the hand was not seen by the table, claimed by hand: %s", showing.action)
        self._by_hand(showing.action)
        return 0.0

    def _watch(self, public: Json) -> float:
        """Waits for the table to see the card that was laid, or the button that was pressed."""
        pending = self._pending
        assert pending is not None
        if _seen(pending, public):
            self._pending = None
            return 0.0
        waited = time.monotonic() - pending.since
        if waited < NOT_SEEN:
            return min(0.5, NOT_SEEN - waited)
        self._pending = None
        log.info("not seen by the table, entered by hand: %s", pending.action)
        if not self._by_hand(pending.action).ok and "card" in pending.action:
            self._world.move(pending.action["card"], HAND)
        return 0.0

    def _roll(self, public: Json) -> bool:
        """Throws the dice that are awaited; enters by hand what the camera has not read in time."""
        awaited = [*public.get("awaiting_rolls", ())]
        awaited += [d["awaiting_roll"] for d in public.get("duels", ()) if d["awaiting_roll"]]
        now = time.monotonic()
        self._rolls = {seat: at for seat, at in self._rolls.items() if seat in awaited}
        fresh = [seat for seat in awaited if seat in self._bots and seat not in self._rolls]
        if fresh:
            self._think(THINK / 3)
            self._world.throw({seat: self._rng.randint(1, 6) for seat in fresh})
            self._rolls.update(dict.fromkeys(fresh, time.monotonic()))
            return True
        for seat, thrown in list(self._rolls.items()):
            if now - thrown > DIE_NOT_SEEN:
                self._rolls[seat] = now
                face = self._world.face(seat)
                log.info("die of seat %d not read, entered by hand: %d", seat, face)
                self._by_hand({"do": "roll", "seat": seat, "face": face})
                return True
        return bool(self._rolls) and self._pending is None

    def _crown(self, public: Json) -> None:
        """Whoever holds the crown has its token before them."""
        holder = public.get("crown")
        rest = self._world.crown_rest(holder) if holder else None
        if rest is not None and self._world.where("crown") != rest.id:
            self._world.move("crown", rest.id)

    # -- the screen --------------------------------------------------------------------------------

    def _answer_questions(self) -> bool:
        view = self._table.view(Audience("operator"))
        for question in view["questions"]:
            seats = question["seats"] or list(self._bots)
            if seats[0] not in self._bots:
                continue
            answer = self._choice(question, seats[0])
            if answer is not None:
                self._think(THINK / 3)
                command = {"cmd": "answer", "question": question["id"], "answer": answer}
                self._table.command(command, Who("bot", str(seats[0])))
                return True
        return False

    def _choice(self, question: Json, seat: int) -> str | None:
        answers = [a["id"] for a in question["answers"]]
        if answers == ["all", "stop"]:
            return None  # a hand is being shown: the cards answer
        meant = self._pending.action if self._pending else {}
        if self._showing is not None:
            meant = {"for": f"{self._showing.action['seat']}:{self._showing.action['win']}"}
        wanted = [meant.get("sign"), f"{meant.get('for')}{meant.get('sign') or ''}", str(meant.get("for"))]
        wanted += [str(self._world.face(seat))]
        return next((w for w in wanted if w in answers), answers[-1] if answers else None)

    def _take_back(self) -> bool:
        """A card that the rules refuse is taken back into the hand; where the hand has no other, the
        players let it stand (docs/rulings.md), or the duel would never end."""
        view = self._table.view(Audience("operator"))
        for finding in view["findings"]:
            card = finding["action"].get("card")
            if finding["open"] and finding["severity"] == "illegal" and card and self._world.where(card):
                self._think(THINK / 3)
                meant = self._pending.action if self._pending else {}
                if meant.get("card") == card and meant.get("force"):
                    allow = {"cmd": "allow", "seq": finding["seq"]}
                    self._table.command(allow, Who("bot", str(meant["seat"])))
                    return True
                self._world.move(card, HAND)
                if meant.get("card") == card:
                    self._pending = None
                return True
        return False

    def _wave_through(self) -> bool:
        """What stand-in players let stand has been looked at: its warning does not lie over every screen
        until the match is over. The record keeps it, and the match stays marked as doubtful."""
        for finding in self._table.view(Audience("operator"))["findings"]:
            stood = finding["open"] and finding["severity"] == "warning" and finding["action"].get("force")
            if stood and finding["action"]["seat"] in self._bots:
                self._think(THINK)
                self._table.command({"cmd": "dismiss", "id": finding["id"]}, Who("bot"))
                return True
        return False


def _seen(pending: _Pending, public: Json) -> bool:
    """Whether the public state shows that this card was played or laid, or the turn has gone on."""
    action = pending.action
    if action["do"] == "keep":
        return bool(public["turn"] != pending.turn)
    card = action["card"]
    if public["game"] == "anthem":
        return any(card in seat["layout"] for seat in public["seats"])
    if any(card in duel["plays"] for duel in public["duels"]):
        return True
    running: Any = any(action["seat"] in (d["attacker"], d["defender"]) for d in public["duels"])
    return action["do"] == "play" and not running
