"""Ask the rules: a question in, the rule's own words out, and the engine's word on the table now.

Nothing here composes a rule. What is quoted is a paragraph of the rulebook; what is said of the table is
asked of the engine; where neither knows, the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.ask import now_althera, now_anthem
from engine.ask.book import DEFAULT, LANGUAGES, Book, book
from engine.ask.question import Asked, follow_up, take_apart
from engine.ask.search import Found, Hit, index
from engine.ask.table import Table, Verdict
from engine.ask.text import lexicon, split
from engine.game import Game, Json
from engine.games import game_named, games

#: a question that needs more letters than this is no question
LONGEST = 400
#: rules that fit at least this share of the best one's score are answers too
CLOSE = 0.6
#: a question that follows another but has an answer this good by itself has changed the subject
STANDS_ALONE = 0.8
#: how many answers there are at most, and how many earlier questions count
ANSWERS, MEMORY = 3, 4

SILENT = {
    "en": "The rulebook doesn't say.",
    "it": "Il regolamento non lo dice.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A rule that answers: its words, what the ruleset chose about it, and what else to read."""

    rule: str
    title: str
    quote: str
    score: float
    link: str
    rulings: tuple[tuple[str, str], ...]
    related: tuple[tuple[str, str], ...]

    def to_json(self) -> Json:
        """As `crowntable ask --json` prints it."""
        return {
            "rule": self.rule,
            "title": self.title,
            "quote": self.quote,
            "score": self.score,
            "link": self.link,
            "rulings": [{"question": question, "says": says} for question, says in self.rulings],
            "related": [{"rule": rule, "title": title} for rule, title in self.related],
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole reply. `text` is what a person reads first: the table's answer, or that there is none."""

    question: str
    language: str
    game: str
    answers: tuple[Answer, ...]
    verdict: Verdict | None
    text: str

    @property
    def found(self) -> bool:
        """Whether the rulebook or the table says something."""
        return bool(self.answers) or (self.verdict is not None and self.verdict.kind != "no_match")

    def to_json(self) -> Json:
        """As `crowntable ask --json` prints it."""
        return {
            "question": self.question,
            "language": self.language,
            "game": self.game,
            "found": self.found,
            "text": self.text,
            "answers": [answer.to_json() for answer in self.answers],
            "verdict": None if self.verdict is None else self.verdict.to_json(),
        }


def ask(
    question: str,
    *,
    game: str | None = None,
    language: str | None = None,
    prefer: str = DEFAULT,
    history: Sequence[str] = (),
    state: Any = None,
    seat: int | None = None,
    findings: Sequence[Json] = (),
    names: Mapping[int, str] | None = None,
) -> Reply:
    """The reply to a question.

    `game`: None asks both books, `language`: None finds out (in doubt `prefer`), `history`: the earlier
    questions of this conversation, oldest first. `state` is the engine's state of the running match of
    `game`, `seat` the asker's, `findings` the rules' remarks of late, newest first.
    Raises CrowntableError for an unknown game.

    >>> ask("can I run away?", game="althera").answers[0].rule
    'ALT-6.1'
    >>> ask("who painted the cards?", game="althera").found
    False
    """
    question = " ".join(question.split())[:LONGEST]
    earlier = [" ".join(one.split())[:LONGEST] for one in history][-MEMORY:]
    if earlier and language is None:
        prefer = language_of(earlier[-1], prefer)
    spoken = language if language in LANGUAGES else language_of(question, prefer)
    nameless = [_nameless(one, names or {}, spoken) for one in (*earlier, question)]
    name, found = _searched(nameless[-1], nameless[:-1], game, spoken)
    cited = _cited(question, game)
    if cited is not None:
        name, found = cited[0], Found((Hit(cited[1], 1.0),), 1.0, ())
    playing = game_named(name)
    table = None
    if state is not None:
        table = Table(playing, state, spoken, seat, findings, names or {})
    verdict = _verdict(question, earlier, name, spoken, playing, table, names or {})
    rules = state_rules(playing, state)
    paragraphs = book(name, spoken, rules)
    answers = _answers(paragraphs, found) if found.known else ()
    if verdict is not None and verdict.rule in paragraphs.rules:
        answers = _with_verdict(paragraphs, answers, verdict)
    text = verdict.why if verdict is not None else "" if answers else SILENT[spoken]
    return Reply(question, spoken, name, answers, verdict, text)


def state_rules(game: Game, state: Any) -> Any:
    """The ruleset that a state is played by, None without a state."""
    if state is None:
        return None
    return state.match.rules if game.name == "althera" else state.rules


# The rulebook.


_SOMEBODY = {"en": "somebody", "it": "qualcuno"}
_RULE = re.compile(r"\b(ALT|ANT)[- ]?(\d)(?:\.(\d))?\b", re.IGNORECASE)


def _nameless(question: str, names: Mapping[int, str], language: str) -> str:
    """The question with "somebody" for each player's name: the rulebook knows none."""
    for name in names.values():
        if name:
            question = re.sub(rf"\b{re.escape(name)}\b", _SOMEBODY[language], question, flags=re.IGNORECASE)
    return question


def _cited(question: str, game: str | None) -> tuple[str, str] | None:
    """The game and the rule that a question names by its id; of a chapter its first rule."""
    for found in _RULE.finditer(question):
        rule = f"{found[1].upper()}-{found[2]}.{found[3] or 1}"
        for name in (game,) if game else games():
            if rule in game_named(name).rules:
                return name, rule
    return None


def _searched(question: str, earlier: Sequence[str], game: str | None, language: str) -> tuple[str, Found]:
    """The game that the question is about, and the rules that fit, earlier questions in mind."""
    names = _games_of(question, game)
    best = max(((name, index(name, language).find(question)) for name in names), key=lambda row: row[1].sure)
    if not earlier:
        return best
    asked = take_apart(question, language, best[0])
    if not asked.follows and (best[1].known or not asked.vague):
        return best
    before = index(best[0], language).find(earlier[-1])
    together = index(best[0], language).find(f"{earlier[-1]} {question}").leaning_to(before)
    depends = asked.condition is not None and not asked.subjects
    alone = best[1].known and best[1].hits[0].score >= STANDS_ALONE
    better = not alone and together.sure > best[1].sure
    return (best[0], together) if depends or better else best


def _games_of(question: str, game: str | None) -> tuple[str, ...]:
    if game is not None:
        return (game_named(game).name,)
    words = split(question, DEFAULT)
    named = tuple(name for name in games() if name in words)
    return named or tuple(name for name in games() if name in ("althera", "anthem"))


def _answers(of: Book, found: Found) -> tuple[Answer, ...]:
    least = found.hits[0].score * CLOSE
    return tuple(_answer(of, hit.rule, hit.score) for hit in found.hits[:ANSWERS] if hit.score >= least)


def _with_verdict(of: Book, answers: tuple[Answer, ...], verdict: Verdict) -> tuple[Answer, ...]:
    """The answers with the rule that the table's answer rests on: first, where the question was how
    things stand or the search found it too; else last."""
    assert verdict.rule is not None, "looked up by the caller"
    own = next((one for one in answers if one.rule == verdict.rule), None)
    if own is None:
        own = _answer(of, verdict.rule, 0.0)
    others = tuple(one for one in answers if one is not own)
    if own in answers or (verdict.legal is None and verdict.kind != "die_value"):
        return (own, *others)[:ANSWERS]
    return (*others[: ANSWERS - 1], own)


def _answer(of: Book, rule: str, score: float) -> Answer:
    paragraph = of.rules[rule]
    rulings = tuple((ruling.question, ruling.says) for ruling in of.rulings_of(rule))
    related = tuple((other, of.rules[other].title) for other in of.related.get(rule, ()))
    return Answer(rule, paragraph.title, paragraph.text, score, f"/rules/{of.game}#{rule}", rulings, related)


def language_of(question: str, prefer: str = DEFAULT) -> str:
    """The language whose words the question has more of; in doubt `prefer`.

    >>> language_of("cosa fa lo scudo?"), language_of("what does the shield do")
    ('it', 'en')
    """
    share = {}
    for language in LANGUAGES:
        words = split(question, language)
        known = lexicon(language).words
        share[language] = sum(word in known for word in words) / max(1, len(words))
    return max(share, key=lambda language: (share[language], language == prefer))


# The table.


def _verdict(
    question: str,
    earlier: Sequence[str],
    game: str,
    language: str,
    playing: Game,
    table: Table | None,
    names: Mapping[int, str],
) -> Verdict | None:
    asked = _understood(question, earlier, game, language, names)
    if asked.intent is None:
        return None
    if asked.intent == "die":
        return _die(asked, playing, table)
    if table is None:
        bare = Table(playing, None, language, names=names)
        return bare.verdict("no_match")
    if asked.intent == "why":
        return _why(table)
    if game == "althera":
        return now_althera.answer(asked, table)
    return now_anthem.answer(asked, table) if game == "anthem" else None


def _understood(
    question: str, earlier: Sequence[str], game: str, language: str, names: Mapping[int, str]
) -> Asked:
    """The question with what it takes over from those before it."""
    asked = Asked(language)
    for text in (*earlier, question):
        one = take_apart(text, language, game, names)
        if one.vague and one.intent is None and text is not question:
            continue  # "what does it do?" leaves what is spoken of as it was
        asked = follow_up(asked, one) if one.follows else one
    return asked


def _die(asked: Asked, game: Game, table: Table | None) -> Verdict:
    """What a face counts (ALT-1.5), by the ruleset in force or the default one."""
    rules = game.ruleset() if table is None else state_rules(game, table.state)
    face = next(number for number in asked.numbers if 1 <= number <= 6)
    words = table or Table(game, None, asked.language)
    if "retreat" in asked.subjects:
        result = words.say("die_saves" if face in rules.retreat_faces else "die_stays")
        return words.verdict("die_retreat", rule="ALT-6.2", face=face, result=result)
    value = rules.die_scale[face - 1]
    found = words.verdict("die_value", rule="ALT-1.5", face=face, value=value)
    return replace(found, sum=f"{face} = {value}")


def _why(table: Table) -> Verdict:
    """The newest remark that stopped somebody, else the newest warning, with its rule."""
    for severity in ("illegal", "warning"):
        for finding in table.findings:
            if finding.get("severity") == severity:
                return Verdict("why", False, table.reason(finding), finding.get("rule") or None)
    return table.verdict("why_none")
