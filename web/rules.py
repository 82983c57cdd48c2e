"""The rulebook's pages, a page for every card, and Ask the rules. For everybody, in English and Italian."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Blueprint, g, jsonify, redirect, render_template, request
from markupsafe import Markup, escape

from engine.ask.answer import ask, state_rules
from engine.ask.book import LANGUAGES, Book, Example, Kind, book
from engine.ask.examples import Frame, played
from engine.ask.search import index
from engine.ask.suggest import suggested
from engine.game import Audience
from engine.games import games
from web import assets, audience, catalogue, cookies
from web.app import refuse, site
from web.audience import SPECTATOR
from web.owned import WithState

blueprint = Blueprint("rules", __name__)

_WORDS: Final = Path(__file__).parent / "templates" / "rules"
#: a conversation's earlier questions that a browser may send along
MEMORY: Final = 6


@cache
def _catalogue(language: str) -> dict[str, str]:
    base = catalogue.read(_WORDS / "en.toml")
    return base if language not in LANGUAGES else base | catalogue.read(_WORDS / f"{language}.toml")


@cache
def icons() -> Mapping[str, str]:
    """Name -> path of the small drawings, from the script that draws them on the other pages."""
    text = (assets.ROOT / "js" / "art.js").read_text("utf-8")
    return dict(re.findall(r'^  (\w+): "(M[^"]+)",$', text, re.MULTILINE))


def _render(template: str, title: str, **more: Any) -> str:
    words = _catalogue(g.language)
    return render_template(
        f"rules/{template}.html",
        page="rules",
        title=title,
        w=words.__getitem__,
        icons=icons(),
        linked=linked,
        **more,
    )


def linked(text: str) -> Markup:
    """A text with every rule id in it as a link.

    >>> linked("see ALT-7.1 & go")
    Markup('see <a href="/rules/althera#ALT-7.1">ALT-7.1</a> &amp; go')
    """
    games_of = {"ALT": "althera", "ANT": "anthem"}
    return Markup(
        re.sub(
            r"\b(ALT|ANT)-\d(\.\d)?\b",
            lambda found: f'<a href="/rules/{games_of[found[1]]}#{found[0]}">{found[0]}</a>',
            str(escape(text)),
        )
    )


class Here(NamedTuple):
    """The running match as the rules need it: its game ("" for none), state, names and findings."""

    game: str
    state: Any
    names: dict[int, str]
    findings: list[dict[str, Any]]


def _here(sees: Audience = SPECTATOR) -> Here:
    table = site().table
    if not isinstance(table, WithState):
        return Here("", None, {}, [])
    playing, state, _ = table.public_state()
    if playing is None:
        return Here("", None, {}, [])
    view = table.view(sees)
    names = {row["seat"]: row["name"] for row in view["seats"]}
    newest = sorted(view["findings"], key=_newest_first)
    return Here(playing.name, state, names, newest)


def _newest_first(finding: dict[str, Any]) -> tuple[int, int]:
    """The newest action's findings first, those of one action as a judge would name them."""
    return -finding["seq"], int(finding["id"].rpartition("-")[2])


def _book(game: str) -> tuple[Book, bool]:
    """The book by the running match's ruleset where it is this game's, and whether it is."""
    here = _here()
    if here.game != game:
        return book(game, g.language), False
    return book(game, g.language, state_rules(games()[game], here.state)), True


def _known(game: str) -> bool:
    return game in ("althera", "anthem") and game in games()


# Pages.


@blueprint.get("/rules")
def overview() -> Any:
    """To the rulebook of the game that is played, else of the first."""
    return redirect(f"/rules/{_here().game or 'althera'}", code=302)


@blueprint.get("/rules/<game>")
def rulebook(game: str) -> Any:
    """The whole book: contents, search, every rule with its rulings, examples and findings."""
    if not _known(game):
        return refuse(404, "missing")
    _warm(game, g.language)
    of, live = _book(game)
    examples = {rule: [_shown(of, one) for one in of.examples_of(rule)] for rule in of.rules}
    return _render(
        "book", of.title, book=of, live=live, examples=examples, severity=_severities(game), tab="book"
    )


@blueprint.get("/rules/<game>/quick")
def quick(game: str) -> Any:
    """The quick reference: one page, made for paper."""
    if not _known(game):
        return refuse(404, "missing")
    of, live = _book(game)
    die = next((r.says.rstrip(".").split(", ") for r in of.rulings if r.key == "die_scale"), [])
    faces = [part.split(" = ") for part in die]
    return _render("quick", of.title, book=of, live=live, faces=faces, tab="quick")


@blueprint.get("/rules/<game>/rulings")
def rulings(game: str) -> Any:
    """What the ruleset in force chose where the rules leave a choice."""
    if not _known(game):
        return refuse(404, "missing")
    of, live = _book(game)
    return _render("rulings", of.title, book=of, live=live, tab="rulings")


@blueprint.get("/rules/<game>/cards")
def cards(game: str) -> Any:
    """Every kind of card with what it does."""
    if not _known(game):
        return refuse(404, "missing")
    of, _ = _book(game)
    drawn = {kind: face(of, _first_card(game, kind)) for kind in of.kinds}
    return _render("cards", of.title, book=of, drawn=drawn, tab="cards")


class Face(NamedTuple):
    """A card as it is drawn: id, house or set, kind, big sign (a number or an icon's name), its name."""

    id: str
    house: str
    kind: str
    number: str
    icon: str
    name: str


def face(of: Book, card: str) -> Face:
    """How a card looks."""
    house, kind = card.split("/")[:2]
    shown = of.kinds[kind]
    if of.game == "anthem":
        named = "" if kind.isdigit() and kind not in ("0", "9") else shown.name
        return Face(card, house, kind, "" if kind == "dead" else kind, kind if kind == "dead" else "", named)
    return Face(card, house, kind, str(shown.value or ""), kind if shown.value is None else "", shown.name)


@blueprint.get("/c/<path:card>")
def card(card: str) -> Any:
    """One card, as a phone shows it that was held to the card's tag."""
    found = _card(card)
    if found is None:
        return refuse(404, "missing")
    game, kind = found
    of, _ = _book(game)
    shown: Kind = of.kinds[kind]
    owner = _owner_of(of, card)
    name = f"{shown.name} {owner['champion']}" if kind == "champion" else shown.name
    return _render(
        "card", name, book=of, face=face(of, card), kind=shown, owner=owner, name=name, tab="cards", card=card
    )


def _card(card: str) -> tuple[str, str] | None:
    """The game and the kind of a card id; None for what is no card."""
    from engine.althera import GAME
    from engine.anthem.state import SET_OF

    if card in SET_OF:
        return "anthem", card.split("/")[1]
    if card in GAME.ruleset().cards:
        return "althera", card.split("/")[1]
    return None


def _owner_of(of: Book, card: str) -> dict[str, str]:
    from engine.althera.cards import HOUSES

    house = card.split("/")[0]
    if of.game == "anthem":
        return {"name": _catalogue(g.language)[f"set.{house}"], "champion": ""}
    return {"name": HOUSES[house].name, "champion": HOUSES[house].champion}


def _first_card(game: str, kind: str) -> str:
    return f"s1/{kind}" if game == "anthem" else f"cremisi/{kind}/1"


# Examples.


class Step(NamedTuple):
    """A step of an example as it is drawn."""

    who: str
    house: str
    face: Face | None
    die: int | None
    did: str
    frame: Frame
    owner: str
    layout: tuple[Face | None, ...]


def _shown(of: Book, example: Example) -> dict[str, Any]:
    steps = [_step(of, frame) for frame in played(of.game, example.id)]
    return {"example": example, "steps": steps, "end": steps[-1].frame.ended}


_HOUSES: Final = {1: "cremisi", 2: "aurea", 3: "celeste"}


def _step(of: Book, frame: Frame) -> Step:
    words = _catalogue(g.language)
    action, seat = frame.action, frame.action["seat"]
    house = f"s{seat}" if of.game == "anthem" else _HOUSES[seat]
    role = f"player.{seat}" if of.game == "anthem" else f"role.{seat}"
    drawn = face(of, action["card"]) if "card" in action else None
    did = words.get(f"effect.{frame.effect}") or words[f"did.{action['do']}"]
    if frame.refused:
        did = of.findings[frame.refused[-1]]  # the last one named holds for every place
    owner = words[f"role.{frame.field[0]}"] if frame.field else ""
    layout = tuple(None if card is None else face(of, card) for card in frame.layout)
    return Step(words[role], house, drawn, action.get("face"), did, frame, owner, layout)


def _severities(game: str) -> dict[str, str]:
    return {code: kind.severity for code, kind in games()[game].findings.items()}


# Search and questions.


@blueprint.get("/api/v1/rules/<game>/search")
def search(game: str) -> Any:
    """`?q=…`: rules for what is typed so far: `[{"rule", "title", "short", "link"}]`, best first."""
    if not _known(game):
        return refuse(404, "missing")
    of, _ = _book(game)
    hits = suggested(index(game, g.language), request.args.get("q", ""))
    rows = [(hit.rule, of.rules[hit.rule]) for hit in hits]
    return jsonify(
        [
            {"rule": rule, "title": one.title, "short": one.short, "link": f"/rules/{game}#{rule}"}
            for rule, one in rows
        ]
    )


@blueprint.get("/ask")
def ask_page() -> Any:
    """The conversation. Works without scripts too: `?q=…&h=…` is answered in the page."""
    here = _here()
    game = request.args.get("game", here.game)
    game = game if _known(game) else ""
    for one in (game,) if game else ("althera", "anthem"):
        _warm(one, g.language)
    question = request.args.get("q", "").strip()
    earlier = request.args.getlist("h")[-MEMORY:]
    reply = _reply(question, game or None, None, earlier, _seat(request.args.get("as"))) if question else None
    seats = [
        {"id": f"seat:{seat}", "name": name} for seat, name in here.names.items() if _seat(f"seat:{seat}")
    ]
    return _render(
        "ask",
        _catalogue(g.language)["ask.title"],
        game=game,
        live=bool(here.game),
        reply=reply,
        earlier=earlier,
        question=question,
        seats=seats,
        chosen=request.args.get("as", seats[0]["id"] if len(seats) == 1 else ""),
        csrf_token=site().guard.csrf(g.visitor),
        tab="ask",
    )


@blueprint.route("/api/v1/ask", methods=["GET", "POST"])
def ask_api() -> Any:
    """`{"question", "game"?, "language"?, "history"?: [earlier questions], "as"?: "seat:2"}`: the reply as
    `crowntable ask --json` prints it. Without a game the running match's, else both books. GET takes the
    same names in the address."""
    body: Any = dict(request.args) if request.method == "GET" else request.get_json(silent=True)
    if request.method == "GET":
        body["history"] = request.args.getlist("history")
    if not isinstance(body, dict) or not isinstance(body.get("question"), str):
        return refuse(400, "body")
    if not isinstance(body.get("as"), str | None):
        return refuse(400, "body")
    game, language, history = body.get("game"), body.get("language"), body.get("history", [])
    fitting = (game is None or (isinstance(game, str) and _known(game))) and (
        language is None or language in LANGUAGES
    )
    if not fitting or not isinstance(history, list) or not all(isinstance(one, str) for one in history):
        return refuse(400, "body")
    return jsonify(_reply(body["question"], game, language, history[-MEMORY:], _seat(body.get("as"))))


def _seat(name: object) -> int | None:
    """The seat that this browser may ask for; None where it may not."""
    meant = audience.parse(name) if isinstance(name, str) else None
    if meant is None or meant.seat is None:
        return None
    return meant.seat if cookies.may_see(site().guard, meant, request.cookies) else None


def _reply(
    question: str, game: str | None, language: str | None, history: list[str], seat: int | None
) -> dict[str, Any]:
    sees = SPECTATOR if seat is None else Audience("seat", seat)
    here = _here(sees)
    if here.game and game is None and not _names_other_game(question, here.game):
        game = here.game
    at_table = bool(here.game) and game == here.game
    return ask(
        question,
        game=game,
        language=language,
        prefer=g.language,
        history=history,
        state=here.state if at_table else None,
        seat=seat,
        findings=here.findings if at_table else (),
        names=here.names if at_table else None,
    ).to_json()


def _names_other_game(question: str, game: str) -> bool:
    return any(name in question.lower() for name in games() if name != game)


_warmed: set[tuple[str, str]] = set()


def _warm(game: str, language: str) -> None:
    """Makes the index while the visitor still reads, so that the first question does not wait for it."""
    if (game, language) not in _warmed:
        _warmed.add((game, language))
        threading.Thread(target=index, args=(game, language), name="rules-index", daemon=True).start()
