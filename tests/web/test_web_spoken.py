"""The table speaks the reader's language: nothing that it says is left in English on an Italian page."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from engine.game import Audience
from engine.games import games
from host.layout import find_layout
from host.table import LiveTable
from host.words import listed
from tests.web.clients import Visitor, boot_of, visitor
from tests.web.tables import EXAMPLE, OPERATOR, live_table, new_match, play
from web import spoken
from web.catalogue import languages, read

Json = dict[str, Any]
ENGLISH = read(spoken.FOLDER / "en.toml")
#: what a slot may hold, in English and in Italian
SAMPLES = {"n": ("7", "7"), "id": ("pico", "pico"), "path": ("/dev/x", "/dev/x"), "raw": ("x 1 y", "x 1 y")}
SAMPLES |= {"told": ("its content can't be read", "il contenuto non si legge")}
AUDIENCES = (Audience("spectator"), Audience("operator"), *(Audience("seat", n) for n in range(1, 6)))


def said_in(value: Any, key: str = "") -> Iterator[str]:
    """Everything that the table says in a view, persons' own words left out."""
    if isinstance(value, str) and value and (key in spoken.SPOKEN):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from said_in(one, key)
    elif isinstance(value, dict) and value.get("kind") not in spoken.PERSONS:
        for inner, one in value.items():
            yield from said_in(one, inner)


def unsaid(table: LiveTable, audiences: tuple[Audience, ...] = AUDIENCES) -> set[str]:
    """What is said in any view and has no Italian. Single words there are for programs (`duel`)."""
    heard = {text for audience in audiences for text in said_in(table.view(audience))}
    return {text for text in heard if " " in text and spoken.sentence(text, "it") is None}


@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
def test_every_sentence_is_there_in_every_language(language: str) -> None:
    other = read(spoken.FOLDER / f"{language}.toml")
    assert list(other) == list(ENGLISH)
    for key, text in ENGLISH.items():
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", other[key])), key


@pytest.mark.parametrize("key", ENGLISH)
def test_each_sentence_is_found_again(key: str) -> None:
    """Filled in, the English sentence becomes the Italian one with the same values."""
    slots = re.findall(r"{([a-z]+)\d?}", ENGLISH[key])
    put = {slot: SAMPLES.get(slot, ("Ada", "Ada")) for slot in slots}
    filled = [
        re.sub(r"{([a-z]+)\d?}", lambda slot, at=at: put[slot[1]][at], text)  # type: ignore[misc]
        for at, text in enumerate((ENGLISH[key], read(spoken.FOLDER / "it.toml")[key]))
    ]
    found = spoken.name if key.startswith("name.") else spoken.sentence
    assert found(filled[0], "it") == filled[1]


@pytest.mark.parametrize(
    ("english", "italian"),
    [
        ("Bo plays Cavalry (15): the field opens at 15.", "Bo gioca Cavalleria (15): il campo si apre a 15."),
        ("Bo plays Cavalry (15).", "Bo gioca Cavalleria (15)."),
        ("Seat 2 plays Oracle: Seat 2 rolls now.", "Posto 2 gioca Oracolo: ora tira Posto 2."),
        (
            "Bo plays Shield: Bo holds the field at 9. Bo's Shield undoes: Overtake. The field is 9, Bo's.",
            "Bo gioca Scudo: Bo tiene il campo a 9. Lo Scudo di Bo disfa: Sorpasso. Il campo: 9, di Bo.",
        ),
        (f"Roll now: {listed(['Ada', 'Bo', 'Cy'])}.", "Tirate ora: Ada, Bo e Cy."),
        ("Not a game card: web address.", "Non è una carta del gioco: un indirizzo web."),
        (
            "The field spot of Ada reads badly (30% of scans): move the card to the middle of the spot, "
            "or check the spacer under it.",
            "La casella di Ada: si legge male (30% delle letture). Sposta la carta al centro, "
            "o controlla lo spessore sotto.",
        ),
    ],
)
def test_whole_sentences(english: str, italian: str) -> None:
    assert spoken.say(english, "it") == italian
    assert spoken.say(english, "en") == english


@pytest.mark.parametrize("text", ["", "Nobody ever said this to a table.", "x" * 5000, "a: b; c. d " * 40])
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    assert spoken.sentence(text, "it") is None
    assert spoken.say(text, "it") == text


def test_every_finding_has_its_words() -> None:
    """Whatever the rules can find, by their own table of wordings."""
    for name, game in games().items():
        for code, kind in game.findings.items():
            text = re.sub(r"{(free|missing|place|value|floor|hand|plays|left)}", "3", kind.text)
            text = re.sub(r"{(problem|card|other)}", "7", text)
            text = re.sub(r"{seat}", "2", re.sub(r"{(who|other|heir|owner|whose)}", "seat 2", text))
            text = re.sub(r"{(why|what)}", "a card was shown twice", text)
            text = text.replace("seat seat", "seat")
            assert spoken.sentence(text, "it"), (name, code, text)
        for rule in game.rules:
            if "." in rule:
                assert spoken.told({"rule": rule, "rule_text": ""}, "it")["rule_text"], rule


def test_every_chaos_has_its_words() -> None:
    from host.virtual.chaos import SCENARIOS
    from web.catalogue import texts

    for name in SCENARIOS:
        assert f"chaos.{name}" in texts("it"), name


@pytest.mark.parametrize(
    ("layout", "game", "seats", "seed"),
    [("althera-3", "althera", 3, 1), ("althera-5", "althera", 5, 2), ("anthem-4", "anthem", 4, 3)],
)
def test_a_whole_match_leaves_nothing_in_english(
    tmp_path: Path, layout: str, game: str, seats: int, seed: int
) -> None:
    rng = random.Random(seed)
    with live_table(tmp_path, layout) as table:
        assert unsaid(table) == set()
        rules: Json = {"proof": "show", "hints": "on", "dragon": "on"} if game == "anthem" else {}
        assert table.command(new_match(game, seats, **rules), OPERATOR).ok
        for step in range(400):
            playing, state, public = table.public_state()
            if public["phase"] == "over":
                break
            legal = [playing.dump(action) for action in playing.actions(state)]
            action = rng.choice([c for c in legal if c["do"] != "redraw"] or legal)
            if step % 5 == 4:  # what the rules refuse is forced; what was done is taken back, again and again
                table.act(any_action(rng, layout, game) | {"force": True}, OPERATOR)
                preview = table.preview_undo()
                assert not {t for t in said_in(preview) if spoken.sentence(t, "it") is None}, preview
                table.command({"cmd": rng.choice(["undo", "undo", "redo"])}, OPERATOR)
            else:
                refused = table.act(any_action(rng, layout, game), OPERATOR)
                assert spoken.sentence(refused.text, "it"), refused.text
                table.act(action, OPERATOR)
            if step % 3 == 0:
                assert unsaid(table) == set()
        assert unsaid(table) == set()


def any_action(rng: random.Random, layout: str, game: str) -> Json:
    """Something that somebody might do by mistake."""
    seats = [seat.id for seat in find_layout(layout).seats]
    seat, other = rng.choice(seats), rng.choice(seats)
    if game == "anthem":
        card = f"s{rng.choice(seats)}/{rng.choice([*range(1, 9), 'dead'])}"
        return rng.choice(
            [
                {"do": "lay", "seat": seat, "card": card, "place": rng.randint(1, 6)},
                {"do": "keep", "seat": seat},
                {"do": "claim", "seat": seat, "win": rng.choice(["hero", "dragon"]), "shown": [card, card]},
            ]
        )
    house = rng.choice(["cremisi", "aurea", "celeste"])
    kind = rng.choice(["cavalry", "shield", "overtake", "alteration", "oracle", "commoners"])
    card = f"{house}/{kind}/1"
    sign = {"sign": rng.choice("+-")} if kind == "alteration" else {}
    return rng.choice(
        [
            {"do": "play", "seat": seat, "card": card, **sign},
            {"do": "intervene", "seat": seat, "for": other, "card": card, **sign},
            {"do": "roll", "seat": seat, "face": rng.randint(1, 6)},
            {"do": "declare", "seat": seat, "against": seat % len(seats) + 1},
            {"do": "retreat", "seat": seat},
            {"do": "stand", "seat": seat},
            {"do": "redraw", "seat": seat},
            {"do": "crown", "seat": seat},
        ]
    )


def body(answer: TestResponse) -> Json:
    """The JSON object of an answer."""
    assert isinstance(answer.json, dict)
    return answer.json


def italian(table: LiveTable, data: Path) -> Visitor:
    """A visitor whose browser asks for Italian."""
    person = visitor(table, data)
    person.client.set_cookie("crowntable_lang", "it")
    person.get("/")
    return person


def test_pages_and_answers_come_in_the_readers_language(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        reader = italian(table, tmp_path)
        boot = boot_of(reader.get("/"))
        assert boot is not None
        assert boot["view"]["events"][0]["text"].startswith("Bruno gioca Capitano (37): ")
        plain = body(reader.get("/api/v1/view"))
        assert plain["events"][0]["text"].startswith("Bruno plays Captain (37): ")
        shown = body(reader.get("/api/v1/view?audience=spectator@it"))
        assert shown["crown"]["why"] == "La corona è di Ada; il duello più caldo è a 63."
        assert reader.get("/api/v1/view?audience=spectator@xx").status_code == 400
        reader.become_operator()
        refused = reader.post("/api/v1/act", {"as": "operator", "action": {"do": "stand", "seat": 3}})
        assert body(refused)["text"] == "Chiara non è in nessun duello."
        undo = body(reader.get("/api/v1/undo-preview"))
        assert undo["text"] == "Si annulla: Bruno gioca Capitano (37)."
        assert undo["changes"] == ["Il duello di Ada: da campo a 63 a campo a 26.", "Bruno: mano, da 3 a 4."]


def test_a_persons_own_words_are_left_alone(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        table.command({"cmd": "announce", "text": "The match is paused."}, OPERATOR)
        shown = body(italian(table, tmp_path).get("/api/v1/view?audience=spectator@it"))
    assert shown["events"][0]["text"] == "The match is paused."
