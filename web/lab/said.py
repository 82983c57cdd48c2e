"""What people said of the matches that a page of the lab counts."""

from __future__ import annotations

from engine.lab.show.words import Words
from host.face import Table
from host.feedback import answers
from host.feedback_paper import Section, about, section
from web import spoken
from web.lab.answers import Answers

#: seconds that a page waits for records that are still being read
PATIENCE = 2.0


def said(table: Table, found: Answers, language: str) -> Section | None:
    """The section about the matches that stand in the charts; None where nobody said anything of them.
    Raises CrowntableError where the answers or the journal can't be read."""
    shown = found.run or found.comparison
    if table.feedback is None or shown is None:
        return None
    counted = {
        match.name
        for match in found.matches
        if not match.left and match.game == shown.answer["game"] and match.name not in found.people.why
    }
    rows = [row for row in table.matches(PATIENCE) if row["id"] in counted]
    told = about(answers(table.feedback.folder), rows)
    for one in told["matches"]:
        for answer in one["answers"]:
            if answer["moment"]:
                answer["moment"]["text"] = spoken.say(answer["moment"]["text"], language)
    return section(told, Words(language))
