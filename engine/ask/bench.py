"""How well Ask the rules answers: measured on the questions that were kept aside."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence

from engine.ask.answer import Reply, ask
from engine.ask.book import LANGUAGES
from engine.ask.sense import model
from engine.ask.sets import Question, questions
from engine.game import Json

#: the sets that figures are printed for, and what they are
SETS = {
    "kept": "the half of our own questions that was kept aside",
    "other": "another author's questions, learned from",
    "other-c": "a third author's questions, learned from",
    "other-d": "a fourth author's questions, learned from",
    "other-f": "a sixth author's questions, learned from",
    "other-g": "the sixth author's in other voices, learned from",
    "other-kept": "another author's questions, kept aside",
    "other-e": "a fifth author's questions, kept aside",
    "other-h": "a seventh author's questions, kept aside",
}

METHOD = """\
The questions are those of engine/ask/questions. `kept`: drawn at random with a fixed seed before the search
was written, and never looked at while it was worked on. `other-kept`, `other-e` and `other-h`: by authors
who knew the rules and nothing of the search, kept aside as well; the other sets: by such authors
too, but the search has learned from them, so they say nothing of strangers (`python -m engine.ask.fit` does:
it leaves each author out). Each is asked as at
the table's page: the game is given, the language is not. A question counts as right where the first answer
(the first three) has a rule that answers it; as declined where no rule is given. An unanswerable question
must be declined, an answerable one must not. `ms` is the time of one whole answer after the first, in one
process; `load_s` the time until the first answers in both languages. Memory is the process's peak in MiB."""


def measure() -> Json:
    """The figures by set and language, some seconds. Shares are of 1."""
    begun = time.perf_counter()
    for language in LANGUAGES:
        for game in ("althera", "anthem"):
            ask("?", game=game, language=language)
    model().ready(patience=600)
    result: Json = {"load_s": round(time.perf_counter() - begun, 2)}
    result["sets"] = {half: {"of": of, "languages": measured(half)} for half, of in SETS.items()}
    result["peak_mib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return result


def measured(half: str) -> Json:
    """The figures of one set, by language."""
    return {language: scored(questions(half, language), _answered) for language in LANGUAGES}


def _answered(question: Question) -> Reply:
    return ask(question.text, game=question.game)


def scored(asked: Sequence[Question], answer: Callable[[Question], Reply]) -> Json:
    """The figures of one language's questions."""
    first = third = wrongly = declined = 0
    taken: list[float] = []
    answerable = [question for question in asked if question.rules]
    for question in asked:
        begun = time.perf_counter()
        reply = answer(question)
        taken.append((time.perf_counter() - begun) * 1000)
        rules = [one.rule for one in reply.answers]
        if question.rules:
            first += bool(rules) and rules[0] in question.rules
            third += any(rule in question.rules for rule in rules[:3])
            wrongly += not rules
        else:
            declined += not rules
    taken.sort()
    rest = len(asked) - len(answerable)
    return {
        "questions": len(asked),
        "answerable": len(answerable),
        "right_first": _share(first, len(answerable)),
        "right_in_three": _share(third, len(answerable)),
        "wrongly_declined": _share(wrongly, len(answerable)),
        "unanswerable": rest,
        "declined": _share(declined, rest),
        "ms_p50": round(taken[len(taken) // 2], 2),
        "ms_p99": round(taken[min(len(taken) - 1, len(taken) * 99 // 100)], 2),
        "ms_max": round(taken[-1], 2),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
