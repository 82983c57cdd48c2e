"""What the page's two forms ask for, as a command of `crowntable lab`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError, UsageError
from engine.lab.plan import program
from web import rulesets
from web.lab.files import folder_of

#: Who may be asked to play from the page; the command line knows more.
BOTS: Final = ("greedy", "careful", "random")
KINDS: Final = ("shield", "overtake", "alteration", "oracle")
#: Most matches that a page starts: an hour's work on a Pi; the command line plays more.
MOST: Final = 20_000


def bots_offered() -> list[str]:
    """Line-ups for the form: each bot by itself, and a bot against the same one without a special."""
    return [*BOTS, "greedy,careful", *(f"greedy,greedy:never={kind}" for kind in KINDS)]


def changes_offered(game: str) -> list[str]:
    """`key=value` for each ruling of that game, one change at a time."""
    found = []
    for row in next((one["switches"] for one in rulesets.games() if one["game"] == game), []):
        values = row.get("choices") or range(row["low"], row["high"] + 1)
        found += [f"{row['key']}={value}" for value in values if value != row["value"]]
    return found


def run_command(form: Mapping[str, str]) -> tuple[str, list[str]]:
    """(the result's name, the command). Raises UsageError for what the form does not offer."""
    about, parts = _about(form)
    change = _change(form, required=False)
    if change:
        about += ["--set", change]
        parts.append(change)
    name = _name([*parts, program()[:6]])
    return name, ["run", *about, "--out", f"{name}.sqlite", "--json"]


def compare_command(form: Mapping[str, str], data: Path) -> tuple[str, list[str]]:
    """(the comparison's name, the command); the changed ruleset is written beside. Raises UsageError, and
    CrowntableError where it can't be written."""
    about, parts = _about(form)
    change = _change(form, required=True)
    key, _, value = change.partition("=")
    file = f"{_name([change])}.toml"
    text = value if value.isdigit() else f'"{value}"'
    try:
        folder_of(data).mkdir(parents=True, exist_ok=True)
        (folder_of(data) / file).write_text(f'name = "{change}"\n{key} = {text}\n', encoding="utf-8")
    except OSError as error:
        raise CrowntableError(
            f"The changed rules can't be written: {error.strerror or error}.",
            "Is there room on the disk, and is the data folder writable?",
        ) from error
    name = _name(["compare", *parts, change])
    return name, ["compare", "default", file, *about, "--out", f"{name}.json", "--json"]


def _about(form: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The options of both commands, and what of them makes the name."""
    games = {one["game"]: one for one in rulesets.games()}
    game = _of(form, "game", list(games))
    players = _of(form, "players", [str(n) for n in games[game]["seats"]])
    offered = [str(n) for n in games[game]["turns"]]
    turns = _of(form, "turns", offered) if offered else ""
    bots = _of(form, "bots", bots_offered())
    if game != "althera" and "never" in bots:
        raise UsageError("Anthem has no specials to go without.", "Choose other bots.")
    matches = form.get("count", "")  # `matches` would hide a form element's own method
    if not matches.isascii() or not matches.isdigit() or not 1 <= int(matches or 0) <= MOST:
        raise UsageError(f"The page starts 1 to {MOST} matches.", "The command line plays more.")
    about = ["--game", game, "--players", players, "--matches", matches, "--bots", bots, "--seed", "page"]
    parts = [game, players, bots]
    if turns:
        about += ["--turns", turns]
        parts.insert(2, f"{turns}t")
    return about, parts


def _of(form: Mapping[str, str], key: str, offered: list[str]) -> str:
    given = form.get(key, "")
    if given not in offered:
        raise UsageError(
            f"This page does not offer {key} {given[:40]!r}.", f"Choose from: {', '.join(offered)}."
        )
    return given


def _change(form: Mapping[str, str], required: bool) -> str:
    game, given = form.get("game", ""), form.get("change", "")
    if (required or given) and given not in changes_offered(game):
        raise UsageError(
            f"{game.capitalize()} has no ruling {given[:40]!r} to change.",
            f"Choose one of {game.capitalize()}'s own.",
        )
    return given


def _name(parts: list[str]) -> str:
    """A file's name out of what makes the result."""
    text = "-".join(parts)
    return "".join(c if c.isalnum() or c in "-._=+" else "+" if c == "," else "." for c in text)[:110]
