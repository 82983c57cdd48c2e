"""A third game is a folder: the one in docs/adding-a-game.md, played through everything there is."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import engine
from engine.errors import CrowntableError
from engine.game import Audience, Game
from engine.games import game_named, games
from engine.lab.bots import bot, names
from engine.lab.match import play
from engine.lab.plan import Plan
from engine.lab.simulate import simulate
from engine.records.export import FORMATS, export
from engine.records.files import parse
from engine.records.record import record_of
from engine.records.replay import replay
from engine.referee import serve
from tests.shared_data import ROOT


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The page's game in a folder of its own, seen as if it lay in `engine/`."""
    page = (ROOT / "docs" / "adding-a-game.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith(("from", "import"))]
    assert len(lines) == 9, "the page promises ten lines, the import being one"
    (tmp_path / "nim").mkdir()
    (tmp_path / "nim" / "__init__.py").write_text(code, "utf-8")
    monkeypatch.setattr(engine, "__path__", [*engine.__path__, str(tmp_path)])
    games.cache_clear()
    yield game_named("nim")
    sys.modules.pop("engine.nim", None)
    games.cache_clear()


def test_the_games_there_are() -> None:
    assert list(games()) == ["althera", "anthem"]
    with pytest.raises(CrowntableError, match="no game called 'nim'") as caught:
        game_named("nim")
    assert "althera, anthem" in caught.value.cure


def test_a_folder_is_found(nim: Game) -> None:
    assert list(games()) == ["althera", "anthem", "nim"]
    assert nim.name == "nim" and list(nim.rules) == ["NIM-1"]


def test_it_is_judged_by_the_referee(nim: Game) -> None:
    said = [
        {"do": "setup", "players": [{"seat": 1}, {"seat": 2}]},
        {"do": "take", "seat": 1, "count": 4},
        {"do": "take", "seat": 2, "count": 3},
        {"do": "take", "seat": 1, "count": 3},
        {"do": "undo"},
        {"do": "undo"},
        {"do": "take", "seat": 1, "count": 9, "force": True},
        {"do": "dance"},
        {"players": 3},
    ]
    sink = io.BytesIO()
    serve(nim, nim.initial(nim.ruleset()), io.BytesIO("\n".join(map(json.dumps, said)).encode()), sink)
    verdicts = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [v["ok"] for v in verdicts] == [True, False, False, True, True, False, True, False, False]
    assert [v["findings"][0]["code"] for v in verdicts if not v["ok"]] == [
        "no-such-move",
        "no-such-move",
        "nothing-to-undo",
        "no-such-move",
        "bad-input",
    ]
    assert [v["state"].get("heap") for v in verdicts] == [9, 9, 9, 6, 9, 9, 9, 9, 9]


def test_it_is_played_recorded_replayed_and_exported(nim: Game) -> None:
    assert names(nim) == ("random",)
    bots = {seat: bot("random", nim) for seat in (1, 2, 3)}
    played = play(nim, nim.ruleset(), bots, Random(4), nim.setup_action([1, 2, 3], names={1: "Ada"}))
    assert played.winners is not None
    assert sum(action.get("count", 0) for action in played.actions) == 9
    record = record_of(nim, played.ruleset, played.actions, states=True)
    assert parse(export(record, "jsonl").encode()) == record
    result = replay(record)
    assert result.difference is None and result.state == played.state
    for to in FORMATS:
        assert "take" in export(record, to)
    assert nim.view(played.state, Audience("spectator"))["winners"] == list(played.winners)


def test_it_is_simulated(nim: Game) -> None:
    plan = Plan("nim", nim.ruleset_json(nim.ruleset()), 2, None, ("random",), 50, "7")
    tally = simulate(plan)
    assert tally.matches == 50 and tally.unfinished == 0
    assert tally.sums["win.seat/1"][2] + tally.sums["win.seat/2"][2] == 50
    assert tally.spreads["length.plays"].total() == 50


def test_it_has_no_rulings(nim: Game) -> None:
    with pytest.raises(CrowntableError, match="no rulings"):
        nim.ruleset(None, {"dragon": "on"})
