"""The crown's scene, derived from the view alone (docs/view.md); drivers only carry it out."""

from __future__ import annotations

from typing import Any

from host.crown_scene import CrownScene

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
        who = " and ".join(names.get(w, f"Seat {w}") for w in state["winners"])
        return CrownScene(GOLD, "wave", 0.5, f"{who} won.")
    if illegal:
        return CrownScene(RED, "pulse", 1.0, f"An illegal play lies there: {illegal[0]['text']}")
    if awaited:
        who = " and ".join(names.get(a["seat"], f"Seat {a['seat']}") for a in awaited)
        return CrownScene(WHITE, "sweep", 1.0, f"Roll now: {who}.")
    if waiting:
        return CrownScene(AMBER, "blink", 1.0, waiting[0]["text"])
    if lost:
        return CrownScene(GREY, "dim", 0.2, f"{lost[0]['id']}: {lost[0]['detail']}")
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


def _rgb(colour: str) -> RGB:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
