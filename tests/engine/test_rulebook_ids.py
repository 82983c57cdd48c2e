"""One table of rule ids serves engine, rulebook, search and tests: nothing may be missing anywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from engine.ask.book import LANGUAGES, _read, book, chapter_of
from engine.ask.search import index
from engine.ask.sets import questions
from engine.errors import CrowntableError
from engine.game import Finding
from engine.games import game_named

GAMES = ("althera", "anthem")
BOOKS = [(game, language) for game in GAMES for language in LANGUAGES]


def rules_of(game: str) -> list[str]:
    return [rule for rule in game_named(game).rules if "." in rule]


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_rule_has_its_paragraph_its_chapter_and_its_line_on_the_quick_reference(
    game: str, language: str
) -> None:
    of = book(game, language)
    assert list(of.rules) == rules_of(game)
    for rule, paragraph in of.rules.items():
        assert paragraph.title and paragraph.short and len(paragraph.text) > 40, rule
        assert "{" not in paragraph.text + paragraph.short + paragraph.title, rule
        assert of.heads[chapter_of(rule)].title
    assert [rule.rule for _, rules in of.chapters() for rule in rules] == rules_of(game)


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_rule_is_found_by_its_own_title_and_asked_for_in_the_question_set(
    game: str, language: str
) -> None:
    search = index(game, language)
    for rule, paragraph in search.book.rules.items():
        best = search.find(paragraph.title)
        assert rule in [hit.rule for hit in best.hits[:2]], (rule, paragraph.title, best.hits[:3])
        assert best.known, (rule, best)
    asked = {rule for half in ("tune", "kept", "more") for q in questions(half, language) for rule in q.rules}
    assert set(rules_of(game)) <= asked


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_says_what_else_to_read_and_every_reference_leads_somewhere(game: str) -> None:
    of = book(game)
    assert set(of.related) == set(of.rules)
    known = {*of.rules, *of.heads}
    for rule, others in of.related.items():
        assert others and set(others) <= known - {rule}
    assert {rule for kind in of.kinds.values() for rule in kind.rules} <= known
    assert {example.rule for example in of.examples} <= known
    assert set(of.explains) <= known


@pytest.mark.parametrize("game", GAMES)
def test_findings_cite_only_known_rules_and_each_is_explained_by_the_rule_it_cites(game: str) -> None:
    playing, of = game_named(game), book(game)
    for code, kind in playing.findings.items():
        assert kind.rule == "" or kind.rule in {*of.rules, *of.heads}, code
        assert kind.rule == "" or code in of.explains[kind.rule], code
    seen = set()
    for finding in findings_in_play(game):
        seen.add(finding.code)
        assert finding.code in of.explains.get(finding.rule, ()), finding
    assert len(seen) >= (8 if game == "althera" else 5), seen


def findings_in_play(game: str) -> Iterator[Finding]:
    """What the rules say in random matches to everything that somebody could think of doing."""
    playing, rng = game_named(game), random.Random(7)
    for seats in ((1, 2), (1, 2, 3, 4)):
        state = playing.apply(
            playing.initial(playing.ruleset()), playing.parse(playing.setup_action(seats))
        ).state
        for _ in range(60):
            for seat in seats:
                yield from (option.why for option in playing.options(state, seat) if option.why)
            legal = playing.actions(state)
            if not legal:
                break
            verdict = playing.apply(state, rng.choice(legal))
            yield from verdict.findings
            state = verdict.state


@pytest.mark.parametrize("game", GAMES)
def test_both_languages_say_the_same_things(game: str) -> None:
    english, italian = _read(game, "en"), _read(game, "it")
    for part in ("chapter", "rule", "ruling", "kind", "finding", "example"):
        assert set(english[part]) == set(italian[part]), part
        for key, entry in english[part].items():
            if isinstance(entry, dict):
                assert set(entry) == set(italian[part][key]), (part, key)
    assert set(english["finding"]) == set(game_named(game).findings)
    asked = [set(_read(game, f"asked.{language}")) for language in LANGUAGES]
    assert asked[0] == asked[1] == {*rules_of(game), "-"}


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_ruling_of_the_ruleset_is_on_the_page_of_rulings(game: str, language: str) -> None:
    playing, of = game_named(game), book(game, language)
    values = playing.ruleset_json(playing.ruleset())
    assert [ruling.key for ruling in of.rulings] == [key for key in values if key != "name"]
    for ruling in of.rulings:
        assert ruling.standard and ruling.question.endswith("?") and "{" not in ruling.says
        assert not ruling.choices or [chosen for _, chosen in ruling.choices].count(True) == 1
        assert ruling.rule in of.rules


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_a_ruleset_without_words_for_a_choice_would_be_noticed(game: str, language: str) -> None:
    from engine.althera.ruleset import KEYS as ALTHERA
    from engine.anthem.ruleset import KEYS as ANTHEM
    from engine.ruleset import Choice

    words = _read(game, language)["ruling"]
    for key, spec in (ALTHERA if game == "althera" else ANTHEM).items():
        if isinstance(spec, Choice):
            assert set(words[key]) == {"question", *spec.values}, key


def test_the_book_says_what_the_ruleset_in_force_says() -> None:
    playing = game_named("althera")
    changed = playing.ruleset(
        changes={
            "hand_size": "6",
            "min_hand": "4",
            "retreat_faces": "[6]",
            "shield_reach": "later_only",
            "score.captain.value": "40",
            "die_scale": "[1, 2, 3, 4, 5, 6]",
        }
    )
    english, italian = book("althera", "en", changed), book("althera", "it", changed)
    assert "draws six cards" in english.rules["ALT-2.1"].text
    assert "pesca sei carte" in italian.rules["ALT-2.1"].text
    assert "five, then four." in english.rules["ALT-4.1"].text
    assert english.rules["ALT-6.2"].text.startswith("On 6 you escape")
    assert "Captain 40" in english.rules["ALT-1.3"].text
    assert "6 = 6" in italian.rules["ALT-1.5"].text
    assert english.kinds["captain"].does.startswith("Adds 40")
    reach = next(ruling for ruling in english.rulings if ruling.key == "shield_reach")
    assert not reach.standard and reach.says == "Only those that are played after it."
    assert "draws five cards" in book("althera").rules["ALT-2.1"].text


def test_an_unknown_language_is_english_and_an_unknown_game_says_which_there_are() -> None:
    assert book("anthem", "xx").language == "en"
    with pytest.raises(CrowntableError, match="no game called 'chess'"):
        book("chess")
