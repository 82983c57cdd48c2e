"""Questions about the table now: the engine's own answer, with the sum, and nothing that is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ask.answer import Reply, ask
from engine.game import Json
from engine.games import game_named

NAMES = {1: "Ada", 2: "Bruno", 3: "Chiara"}
BEFORE: tuple[Json, ...] = (
    {"do": "roll", "seat": 1, "face": 6},
    {"do": "roll", "seat": 2, "face": 3},
    {"do": "roll", "seat": 3, "face": 1},
    {"do": "declare", "seat": 1, "against": 2},
)


def play(seat: int, card: str, **more: Any) -> Json:
    return {"do": "play", "seat": seat, "card": card, **more}


#: the field is 26 and Ada's; it is Bruno's play
OPENED = (play(1, "cremisi/cavalry/1"), play(2, "aurea/marksman/1"), play(1, "cremisi/commoners/1"))


def table(*actions: Json, game: str = "althera", seats: int = 3, **ruleset: str) -> Any:
    playing = game_named(game)
    state = playing.initial(playing.ruleset(changes=ruleset))
    before = (playing.setup_action(range(1, seats + 1)), *(BEFORE if game == "althera" else ()))
    for action in (*before, *actions):
        verdict = playing.apply(state, playing.parse(action))
        assert verdict.ok, (action, verdict.findings)
        state = verdict.state
    return state


def asked(question: str, state: Any, seat: int | None = None, game: str = "althera", **more: Any) -> Reply:
    return ask(question, game=game, state=state, seat=seat, names=NAMES, **more)


def said(question: str, state: Any, seat: int | None = None, **more: Any) -> tuple[bool | None, str]:
    verdict = asked(question, state, seat, **more).verdict
    assert verdict is not None, question
    return verdict.legal, verdict.why


@pytest.mark.parametrize(
    ("question", "seat", "legal", "part"),
    [
        ("can I play my shield?", 2, True, "Bruno can play the shield now"),
        ("can I play my shield?", 1, False, "Bruno's play, not Ada's"),
        ("posso giocare lo scudo?", 2, True, "Bruno adesso può giocare lo scudo"),
        ("can I retreat?", 2, True, "try to retreat"),
        ("posso scappare?", 2, True, "tentare la ritirata"),
        ("can I redraw now?", 2, False, "has played a card of this duel"),
        ("may I help Bruno?", 3, True, "intervene for Bruno"),
        ("posso intervenire?", 3, True, "per Ada o Bruno"),
        ("can I play my oracle?", 3, True, "could step in with it for Ada or Bruno"),
        ("can I declare a duel?", 3, False, "No duel can be declared now"),
        ("why can't I play my shield?", 1, False, "Bruno's play"),
    ],
)
def test_whether_something_may_be_done(question: str, seat: int, legal: bool, part: str) -> None:
    answer = said(question, table(*OPENED), seat)
    assert answer[0] is legal and part in answer[1], answer


def test_and_if_i_own_the_field() -> None:
    state = table(*OPENED)
    reply = asked("and if I own the field?", state, 2, history=["can I play my shield?"])
    assert reply.verdict is not None and reply.verdict.legal is False
    assert reply.verdict.assumes == "Supposing the field is Bruno's and it is Bruno's play."
    assert reply.verdict.rule == "ALT-5.1" and reply.answers[0].rule == "ALT-5.1"
    for before in (["posso giocare il sorpasso?"], ["posso giocare il sorpasso?", "e l'oracolo?"]):
        italian = asked("e se il campo è mio?", state, 2, history=before).verdict
        assert italian is not None and italian.legal is (len(before) == 2)
    assert asked("and the oracle?", state, 2, history=["can I play my shield?"]).verdict is not None


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("what is the field worth if I alter it up?", "26 × 1.5 = 39"),
        ("what would the field be if I alter it down", "26 × 0.5 = 13"),
        ("quanto vale il campo se lo altero in su?", "26 × 1,5 = 39"),
        ("what happens if I play the captain?", "26 + 37 = 63"),
        ("quanto diventa il campo se gioco il sorpasso", "26 + 27 = 53"),
        ("how much would the field be with an oracle if I roll a 4", "26 + 15 = 41"),
        ("what is the field worth?", "15 + 9 + 2 = 26"),
        ("quanto vale il campo?", "15 + 9 + 2 = 26"),
    ],
)
def test_what_the_field_is_or_would_be(question: str, total: str) -> None:
    verdict = asked(question, table(*OPENED), 2).verdict
    assert verdict is not None and verdict.sum == total and total in verdict.why


def test_the_sum_is_the_engines_under_every_ruling() -> None:
    """What is foretold is what then happens, whatever the ruleset."""
    rulesets: tuple[dict[str, Any], ...] = (
        {},
        {"overtake_value": "replaces"},
        {"alteration_rounding": "change_up"},
    )
    for ruleset in rulesets:
        opened = table(play(1, "cremisi/captain/1"), **ruleset)
        cases = [
            ("what is the field worth if I overtake", play(2, "aurea/overtake/1")),
            ("what is the field worth if I alter it up", play(2, "aurea/alteration/1", sign="+")),
            ("what is the field worth if I alter it down", play(2, "aurea/alteration/1", sign="-")),
            ("what is the field worth if I play the champion", play(2, "aurea/champion/1")),
            ("what is the field worth if I play the vanguard", play(2, "aurea/vanguard/1")),
        ]
        for question, action in cases:
            told = said(question, opened, 2)[1]
            field = table(play(1, "cremisi/captain/1"), action, **ruleset).duels[0].field
            owner = NAMES[field.owner]
            assert f"would be {field.value}, {owner}'s" in told, (ruleset, question, told)


def test_a_standing_shield_is_seen() -> None:
    shielded = table(play(1, "cremisi/cavalry/1"), play(2, "aurea/shield/1"), play(1, "cremisi/vanguard/1"))
    told = said("what is the field worth if I alter it up?", shielded, 1)[1]
    assert "Bruno's shield stands" in told and "stays 20" in told
    undo = table(play(1, "cremisi/cavalry/1"), play(2, "aurea/overtake/1"))
    assert "would be 15, Ada's" in said("what is the field worth if I play my shield", undo, 1)[1]


def test_who_is_ahead_whose_turn_and_how_many() -> None:
    state = table(*OPENED)
    assert "share the lead with 24 cards" in said("who is ahead?", state)[1]
    won = table(
        *OPENED, play(2, "aurea/captain/1"), play(1, "cremisi/marksman/1"), {"do": "stand", "seat": 2}
    )
    reply = asked("chi è in testa?", won)
    assert reply.verdict is not None
    assert (
        reply.verdict.why.startswith("È in testa Bruno con 27 carte") and reply.verdict.sum == "27 − 24 = 3"
    )
    assert said("who is ahead in the duel?", state)[1].endswith("15 + 9 + 2 = 26.")
    assert said("whose turn is it?", state)[1] == "It is Bruno's play against Ada."
    assert said("a chi tocca?", state)[1] == "Tocca a Bruno contro Ada."
    assert "3 in hand, 19 in the deck, 2 on the table" in said("how many cards do I have?", state, 1)[1]
    assert said("how many turns are left?", state)[1].startswith("Turn 1 of 3: 2")
    assert said("who has the crown?", state)[1] == "Ada holds the crown."
    assert "Captain 37, Champion 61" in said("what do I need to take the field?", state, 2)[1]
    assert "try to retreat" in said("what can I do now?", state, 2)[1]


def test_why_was_that_illegal() -> None:
    state, playing = table(*OPENED), game_named("althera")
    refused = playing.apply(state, playing.parse(play(1, "cremisi/overtake/1")))
    findings = [finding.to_json() for finding in refused.findings]
    reply = asked("why was that illegal?", state, 1, findings=findings)
    assert reply.verdict is not None and reply.verdict.why == "It is Bruno's play, not Ada's."
    assert reply.verdict.rule == findings[0]["rule"] and findings[0]["rule"] in [
        a.rule for a in reply.answers
    ]
    italian = asked("perché non era valido?", state, 1, findings=findings).verdict
    assert italian is not None and italian.why.startswith("Fuori turno nel duello.")
    assert said("why was that illegal?", state, 1)[1].startswith("No remark of the rules is open")


def test_what_a_face_counts_with_and_without_a_match() -> None:
    for state in (None, table(*OPENED)):
        reply = asked("what does a 4 on the die count?", state)
        assert (
            reply.verdict is not None and "counts 15" in reply.verdict.why and reply.verdict.sum == "4 = 15"
        )
    other = table(*OPENED, die_scale="[1, 2, 3, 4, 5, 6]")
    assert "conta 4 " in said("quanto conta un 4 sul dado?", other)[1]
    assert "duel is played out" in said("what does a 4 on the die count for the retreat?", None)[1]


def test_without_a_match_it_says_so_and_gives_the_rule() -> None:
    reply = ask("can I play my shield?", game="althera")
    assert reply.verdict is not None and reply.verdict.legal is None
    assert reply.verdict.why.startswith("No match is running here")
    assert reply.answers[0].rule == "ALT-5.1"
    assert not ask("why was that illegal?", game="althera").found
    assert said("who is ahead?", game_named("althera").initial(game_named("althera").ruleset()))[1] == (
        "The match has not begun."
    )


def test_questions_about_the_rules_get_no_verdict() -> None:
    state = table(*OPENED)
    for question in ("what does the shield do?", "can I intervene twice?", "how much is the captain worth?",
                     "who wins a duel?", "cosa fa lo scudo?", "who painted the cards?"):  # fmt: skip
        assert asked(question, state, 2).verdict is None, question


def test_nobody_learns_by_asking_what_is_in_somebody_elses_deck() -> None:
    """Bruno has given his overtake away; what he can play is told to nobody but himself."""
    duel = (
        play(1, "cremisi/cavalry/1"),
        play(2, "aurea/overtake/1"),
        play(1, "cremisi/commoners/1"),
        play(2, "aurea/commoners/1"),
        play(1, "cremisi/vanguard/1"),
        {"do": "stand", "seat": 2},
    )
    state = table(*duel, {"do": "declare", "seat": 2, "against": 3}, play(2, "aurea/marksman/1"),
                  play(3, "celeste/captain/1"))  # fmt: skip
    assert said("can I play my overtake?", state, 2)[0] is False
    for seat in (None, 1, 3):
        assert said("can Bruno play an overtake?", state, seat)[0] is True
        assert "if it is in Bruno's hand" in said("can Bruno play an overtake?", state, seat)[1]
        assert "the overtake" in said("what can Bruno do now?", state, seat)[1]
    assert "the overtake" not in said("what can I do now?", state, 2)[1]


def test_anthem_at_the_table() -> None:
    lay: Json = {"do": "lay", "seat": 1, "card": "s2/3", "place": 2}
    state = table(lay, {"do": "keep", "seat": 2}, {"do": "lay", "seat": 1, "card": "s1/5", "place": 3},
                  game="anthem", seats=2)  # fmt: skip
    on: dict[str, Any] = {"game": "anthem"}
    assert said("can I lay a 4?", state, 1, **on)[0] is False
    assert said("can I lay a 6?", state, 1, **on) == (True, "Yes: Ada could lay a 6 on place 4, 5 or 6.")
    assert said("and a 2?", state, 1, history=["can I lay a 6?"], **on)[0] is True
    assert said("posso posare un 3?", state, 1, **on)[0] is False
    assert said("can I lay the dead?", state, 1, **on)[0] is False
    assert "4 of 8" in said("who is ahead?", state, **on)[1]
    assert said("whose turn is it?", state, **on)[1] == "It is Bruno's turn, drawing from Ada's hand."
    assert said("how many 5s are left?", state, **on)[1] == "1 of the 5 cards are still in hands."
    assert "8 cards" in said("how many cards do I have?", state, 2, **on)[1]


def test_a_spectator_is_answered_for_whoever_is_to_play_and_told_so() -> None:
    verdict = asked("can I retreat?", table(*OPENED)).verdict
    assert verdict is not None and verdict.assumes == "Taken for Bruno, whose play it is."


@pytest.mark.parametrize(
    ("question", "seat", "part"),
    [
        ("what's the field if I alter it down?", 2, "× 0.5 = 13"),
        ("what's the field now?", 2, "belongs to Ada"),
        ("who owns the field?", 3, "belongs to Ada"),
        ("who's winning right now", 1, "24 cards each"),
        ("can Bruno run away?", 3, "Bruno can try to retreat"),
        ("can I intervene?", 2, "Bruno is in a duel, and only those who wait may intervene."),
        ("can Chiara help Ada?", 2, "Chiara can intervene for Ada"),
        ("di chi è il campo?", 3, "è di Ada"),
        ("e se gioco un capitano?", 2, "Con il capitano il campo sarebbe"),
        ("posso intervenire?", 1, "Ada è in un duello"),
        ("Chiara può aiutare Ada?", 1, "Chiara adesso può intervenire per Ada"),
    ],
)
def test_short_forms_names_and_the_field_as_people_ask_for_them(question: str, seat: int, part: str) -> None:
    answer = said(question, table(*OPENED), seat)
    assert part in answer[1], answer


def test_a_vague_question_speaks_of_what_was_asked_before_it_and_changes_nothing() -> None:
    state = table(*OPENED)
    before = ["can I play overtake?", "what does it do?"]
    assert asked("what does it do?", state, 2, history=before[:1]).answers[0].rule == "ALT-5.2"
    then = asked("and if I own the field?", state, 2, history=before).verdict
    assert then is not None and then.legal is False and "Overtake can only answer" in then.why


def test_what_somebody_holds_is_answered_with_the_rule_that_keeps_it_secret() -> None:
    for question in ("what's in Bruno's hand?", "which cards does Bruno hold?", "cosa ha in mano Bruno?"):
        reply = asked(question, table(*OPENED), 1)
        assert reply.verdict is None and reply.answers[0].rule == "ALT-1.7", question
