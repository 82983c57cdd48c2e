"""What people decide about what the table made of things: they answer its questions, let a refused card
stand, say what a card or a face really was, wave a remark through. Each is an entry with who did it."""

from __future__ import annotations

from dataclasses import replace

from host.core import TABLE, Core
from host.entry import Json
from host.face import Outcome, Who
from host.interpret import MISSED
from host.interpret.althera import which_way


def answer(core: Core, question: str, answer: str, who: Who) -> Outcome:
    """Answers a question: the actions that the answer stands for are done, in order."""
    asked = core.match.questions.get(question) if core.match else None
    if asked is None:
        return Outcome(False, "That question is no longer open.")
    chosen = next((a for a in asked.answers if a.id == answer), None)
    if chosen is None:
        known = ", ".join(a.id for a in asked.answers)
        return Outcome(False, f"That is no answer to that question; there are: {known}.")
    if who.kind == "seat" and asked.seats and who.id not in map(str, asked.seats):
        return Outcome(False, "That question is for another seat.")
    if asked.about == MISSED and chosen.acts and core.match is not None:
        verdict = core.match.judge(chosen.acts[0])
        if not verdict.ok:  # it stays open: what was missed is not entered yet
            why = core.words().named(verdict.findings[0].text)
            return Outcome(False, f"Enter the missed card first. {why}")
    body = {"question": question, "answer": answer}
    text = f"{asked.text} {chosen.label}."
    recorded = core.record("answer", who, text=text, body=body)
    outcome = core.outcome(True, text, recorded)
    for act in chosen.acts:
        outcome = core.act(act, who, allows=asked.allows, question=question)
        if not outcome.ok:
            return outcome
    if asked.about.startswith("early:"):
        _settle_card(core, asked.card or "", who)
    return outcome


def _settle_card(core: Core, card: str, who: Who) -> None:
    """The warnings about a card are settled: it counts now."""
    found = core.match.findings if core.match else []
    ids = [f.id for f in found if f.open and f.action.get("card") == card]
    core.record("dismiss", who, text=f"{core.words().card(card)}: settled.", body={"ids": ids})


def allow(core: Core, seq: int, who: Who) -> Outcome:
    """Applies the illegal action of entry `seq` after all: the table rules otherwise."""
    found = next((f for f in core.match.findings if f.seq == seq), None) if core.match else None
    if core.match is None or found is None:
        return Outcome(False, f"Entry {seq} is no refused action of this match.")
    if not found.open:
        return Outcome(False, "That has been settled already.")
    action = {**found.action, "force": True}
    if "alteration" in str(action.get("card")) and "sign" not in action:
        asked = next((q for q in core.match.questions.values() if q.allows == seq), None)
        question = asked or which_way(core.context(), action, action["card"], None)
        if asked is None:
            body = replace(question, allows=seq).to_json()
            core.record("question", TABLE, text=question.text, body=body)
        return Outcome(True, question.text)
    return core.act(action, who, allows=seq)


def amend(core: Core, seq: int, action: Json, who: Who) -> Outcome:
    """Corrects the applied action of entry `seq`: "it was that card", "it was that face"."""
    line = next((x for x in core.match.lines if x.seq == seq), None) if core.match else None
    if core.match is None or line is None:
        return Outcome(False, f"Entry {seq} is no action that was applied in this match.")
    if action.get("do") != line.action.get("do"):
        return Outcome(False, "A correction keeps the kind of action; undo it to play another kind.")
    parsed = core.match.game.parse(action)
    if not hasattr(parsed, "severity"):
        text = f"Corrected: {core.words().action(line.action)}; it was: {core.words().action(action)}."
        recorded = core.record("amend", who, action, text=text, body={"target": seq})
        broken = [x for x in core.match.lines if x.broken is not None]
        if broken:
            text += f" {len(broken)} later action(s) no longer hold; see the list."
        core.after_change(None)
        return core.outcome(True, text, recorded)
    return Outcome(False, parsed.text, (parsed.to_json(),))


def dismiss(core: Core, finding: str, who: Who) -> Outcome:
    """A remark that somebody has seen and waved through."""
    found = next((f for f in core.match.findings if f.id == finding), None) if core.match else None
    if found is None or not found.open:
        return Outcome(False, "That remark is not open.")
    return core.say("dismiss", "Waved through.", who, {"ids": [finding]})
