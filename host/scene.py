"""The crown's scene, derived from the view alone (docs/view.md); drivers only carry it out."""

from __future__ import annotations

from typing import Any

from host.crown_scene import CrownScene
from host.words import listed

Json = dict[str, Any]
RGB = tuple[int, int, int]

AMBER: RGB = (255, 140, 0)
RED: RGB = (255, 0, 0)
WHITE: RGB = (255, 255, 255)
GOLD: RGB = (255, 190, 40)
GREY: RGB = (60, 60, 60)


def scene(view: Json) -> CrownScene:
    """The one thing that the crown says now; the most urgent wins."""
    state = view["game"]
    names = {s["seat"]: s["name"] for s in view["seats"]}
    colours = {s["seat"]: _rgb(s["colour"]) for s in view["seats"]}
    lost = [d for d in view["devices"] if d["state"] == "lost"]
    illegal = [f for f in view["findings"] if f["open"] and f["severity"] == "illegal"]
    waiting = view["questions"] or [f for f in view["findings"] if f["open"]]
    awaited = view["dice"]["awaited"]
    if state.get("winners"):
        who = listed([names.get(w, f"Seat {w}") for w in state["winners"]])
        return CrownScene(GOLD, "wave", 0.5, f"{who} won.")
    if illegal:
        return CrownScene(RED, "pulse", 1.0, f"An illegal play lies there: {illegal[0]['text']}")
    if awaited:
        who = listed([names.get(a["seat"], f"Seat {a['seat']}") for a in awaited])
        return CrownScene(WHITE, "sweep", 1.0, f"Roll now: {who}.")
    if waiting:
        return CrownScene(AMBER, "blink", 1.0, waiting[0]["text"])
    if lost:
        return CrownScene(GREY, "dim", 0.2, f"{lost[0]['id']} is out; play goes on by hand.")
    holder = state.get("crown")
    if holder in colours:
        hottest = max((d["field"]["value"] for d in state.get("duels", ()) if d["field"]), default=0)
        pace = round(min(2.0, 0.2 + hottest / 100), 2)
        why = f"{names.get(holder)} holds the crown"
        why += f"; the hottest duel stands at {hottest}." if hottest else "."
        return CrownScene(colours[holder], "breathe", pace, why)
    mover = state.get("to_move")
    if mover in colours:
        return CrownScene(colours[mover], "breathe", 0.3, f"{names.get(mover)} plays next.")
    return CrownScene(GOLD, "steady", 0.0, "The crown waits for a match.")


def lights(view: Json) -> dict[str, CrownScene]:
    """Zone id -> what its lamp shows; zones that are not named are dark. An illegal card that lies there
    pulses red; a card that is asked about, or cards that overlap, blink amber; where the next card is
    awaited the seat's colour breathes."""
    if not view["game"] or view["match"]["paused"] or view["match"]["over"]:
        return {}
    zones = {zone["id"]: zone for zone in view["zones"]}
    shown = {zone: _awaited(view, zones[zone]["seat"]) for zone in _next_cards(view)}
    for question in view["questions"]:
        if question["zone"] in zones:
            shown[question["zone"]] = CrownScene(AMBER, "blink", 1.0, question["text"])
    for zone in view["zones"]:
        if zone["trouble"] == "overlap":
            shown[zone["id"]] = CrownScene(AMBER, "blink", 1.0, "cards overlap here")
    illegal = {f["action"].get("card"): f["text"] for f in view["findings"]
               if f["open"] and f["severity"] == "illegal"}  # fmt: skip
    for zone in view["zones"]:
        wrong = next((illegal[c["card"]] for c in zone["cards"] if c["card"] in illegal), None)
        if wrong is not None and zone["kind"] in ("field", "place"):
            shown[zone["id"]] = CrownScene(RED, "pulse", 1.0, wrong)
    return shown


def _next_cards(view: Json) -> list[str]:
    """The zones where the next card may be laid: the fields of those whose turn it is in a duel or who
    declare one, the free places of the one on move."""
    game = view["game"]
    turns = {duel["to_play"] for duel in game.get("duels", ()) if duel["awaiting_roll"] is None}
    turns |= {game.get("declarer")}
    mover = game.get("to_move")
    laid = next((s["layout"] for s in game["seats"] if s["seat"] == mover), ()) if mover else ()
    return [
        zone["id"]
        for zone in view["zones"]
        if (zone["kind"] == "field" and zone["seat"] in turns)
        or (zone["kind"] == "place" and zone["seat"] == mover and laid and laid[zone["place"]] is None)
    ]


def _awaited(view: Json, seat: int) -> CrownScene:
    one = next((s for s in view["seats"] if s["seat"] == seat), None)
    name, colour = (one["name"], _rgb(one["colour"])) if one else (f"Seat {seat}", GOLD)
    return CrownScene(colour, "breathe", 0.4, f"{name} plays next.")


def _rgb(colour: str) -> RGB:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
