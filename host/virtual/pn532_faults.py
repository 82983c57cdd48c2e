"""The virtual reader's faults by name, and what a host sees of each."""

from __future__ import annotations

#: fault -> what a user or host sees of it (`VirtualPn532.fault`)
FAULTS = {
    "mute": "says nothing at all",
    "no-ack": "one command in fifty gets no answer, as if its stop bit came late",
    "ack-only": "acknowledges and then says nothing",
    "garbage": "answers with noise",
    "half": "stops in the middle of its answer",
    "slow": "answers after 1.5 s, if nothing else is asked meanwhile",
    "late": "its answers get stuck in the cable and come 0.15 s late, whatever is asked meanwhile",
    "nak": "refuses every frame (NACK)",
    "error": "answers every command with an error frame",
    "zeros": "puts more zeros round its frames than drivers expect",
    "tail": "puts stray bytes in front of its answers",
    "dribble": "sends its answers byte by byte",
    "flicker": "misses every second poll",
    "stale": "answers a read with the content of the tag before",
    "overlap": "the tags lie on each other and none is heard",
    "power-loss": "loses power for a moment: asleep, all settings gone",
    "unplug": "is pulled out; `plug()` brings it back",
}
