"""The referee's pipe: a verdict a line, in order, whatever comes in."""

import io
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.althera import GAME
from engine.games import games
from engine.referee import LONGEST, serve
from tests.shared_data import ROOT, SHARED

SETUP = json.dumps(GAME.setup_action([1, 2]))


def judged(*lines: str | bytes) -> list[dict[str, Any]]:
    """The verdicts on these lines, in one process."""
    source = io.BytesIO(b"\n".join(x if isinstance(x, bytes) else x.encode() for x in lines) + b"\n")
    sink = io.BytesIO()
    serve(GAME, GAME.initial(GAME.ruleset()), source, sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def command(*args: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    """`crowntable referee` as a process."""
    return subprocess.run(
        [sys.executable, "-m", "web.main", "referee", *args],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )


def test_the_contracts_shape() -> None:
    first, second = judged(SETUP, '{"do":"play","seat":1,"card":"cremisi/captain/1"}')
    assert list(first) == ["ok", "findings", "state"]
    assert list(first["state"]) == [
        "game",
        "phase",
        "turn",
        "turns",
        "crown",
        "awaiting_rolls",
        "declarer",
        "pairs_left",
        "seats",
        "duels",
        "last_duel",
        "winners",
    ]
    assert list(first["state"]["seats"][0]) == ["seat", "house", "cards", "hand", "deck", "out"]
    [finding] = second["findings"]
    assert list(finding) == ["code", "severity", "rule", "seats", "text"]
    assert (second["ok"], finding["code"], finding["severity"]) == (False, "not-in-duel", "illegal")


def test_a_duel_as_the_contract_writes_it() -> None:
    rolls = ['{"do":"roll","seat":1,"face":6}', '{"do":"roll","seat":2,"face":1}']
    play = ['{"do":"declare","seat":1,"against":2}', '{"do":"play","seat":1,"card":"cremisi/cavalry/1"}']
    [duel] = judged(SETUP, *rolls, *play)[-1]["state"]["duels"]
    assert duel == {
        "attacker": 1,
        "defender": 2,
        "field": {"owner": 1, "value": 15},
        "played": {"1": 1, "2": 0},
        "to_play": 2,
        "awaiting_roll": None,
        "shields": [],
        "interveners": [],
        "plays": ["cremisi/cavalry/1"],
    }


BOMB = "[" * 60_000
BAD: list[tuple[str | bytes, str]] = [
    ("", "not JSON"),
    ("nonsense", "not JSON"),
    ("[1]", "must be one JSON object"),
    ('"roll"', "must be one JSON object"),
    ("null", "must be one JSON object"),
    ("{}", "do is missing"),
    ('{"do":"dance"}', "do must be one of"),
    ('{"do":["roll"]}', "do must be one of"),
    ('{"do":"roll","seat":1}', "face is missing"),
    ('{"do":"roll","seat":true,"face":3}', "seat must be a whole number, not true"),
    ('{"do":"roll","seat":1.0,"face":3}', "seat must be a whole number, not 1.0"),
    ('{"do":"roll","seat":"1","face":3}', 'seat must be a whole number, not "1"'),
    ('{"do":"roll","seat":1,"face":7}', "face must be a face of a die"),
    ('{"do":"roll","seat":1,"face":NaN}', "NaN is no number"),
    ('{"do":"roll","seat":1,"face":-Infinity}', "-Infinity is no number"),
    ('{"do":"roll","seat":1,"face":3,"why":"x"}', 'there is no field "why"'),
    ('{"do":"roll","seat":1,"face":3,"force":1}', "force must be true or false, not 1"),
    ('{"do":"roll","do":"undo"}', "a field stands twice"),
    ('{"do":"play","seat":1,"card":7}', "card must be a string, not 7"),
    ('{"do":"play","seat":1,"card":"aurea/alteration/1","sign":"*"}', "sign must be '+' or '-'"),
    ('{"do":"setup","players":{},"turns":3}', "players must be a list"),
    ('{"do":"setup","players":[7],"turns":3}', "players[0]: must be an object"),
    ('{"do":"setup","players":[{"seat":6,"house":"aurea"}],"turns":3}', "players[0]: seat must be 1 to 5"),
    ('{"do":"setup","players":[{"seat":1,"house":"stark"}],"turns":3}', "players[0]: house must be"),
    (
        '{"do":"setup","players":[{"seat":1,"house":"aurea","name":"a\\u0000"}],"turns":3}',
        "players[0]: name must not hold control characters",
    ),
    ('{"do":"setup","players":[{"seat":1,"house":"aurea"}],"turns":3}', "players must be 2 to 5, not 1"),
    (SETUP.replace('"turns": 3', '"turns": 4'), "turns must be one of 3, 5, 10, not 4"),
    (SETUP.replace("aurea", "cremisi"), "different houses"),
    (SETUP.replace('"seat": 2', '"seat": 1'), "different seats"),
    (b'{"do":"\xff"}', "not UTF-8"),
    (b'\x00\x00{"do":"undo"}', "not JSON"),
    ('{"do":"undo"}'.encode("utf-16"), "not UTF-8"),
    (BOMB, "nested too deeply"),
    ('{"a":' * 10_000, "nested too deeply"),
    ('{"do":"roll","seat":' + "9" * 5000 + ',"face":1}', "not JSON"),
    ('{"do":"undo"}' + " " * LONGEST, "longer than 64 KiB"),
    ("x" * 10 * LONGEST, "longer than 64 KiB"),
]


@pytest.mark.parametrize(("line", "said"), BAD, ids=[f"{n}-{said}" for n, (_, said) in enumerate(BAD)])
def test_bad_input_is_named_and_reading_goes_on(line: str | bytes, said: str) -> None:
    verdict, after = judged(line, SETUP)
    assert verdict["ok"] is False
    [finding] = verdict["findings"]
    assert (finding["code"], finding["severity"]) == ("bad-input", "illegal")
    assert said in finding["text"]
    assert len(finding["text"]) < 300
    assert verdict["state"]["phase"] == "setup"
    assert after["ok"] is True


@pytest.mark.parametrize("name", list(games()))
def test_no_game_raises_on_bad_input(name: str) -> None:
    game = games()[name]
    odd: list[Any] = [None, True, -1, 10**30, 1.5, "", "s1/4", [], [[]], {}, [{"seat": 1}, {"seat": []}]]
    fields = ("seat", "card", "place", "win", "players", "first")
    near = [
        json.dumps({"do": do} | dict.fromkeys(fields, value))
        for do in ("setup", "lay", "keep", "claim", "undo", "play", "declare")
        for value in odd
    ]
    lines = [x if isinstance(x, bytes) else x.encode() for x in [*near, *(line for line, _ in BAD)]]
    sink = io.BytesIO()
    serve(game, game.initial(game.ruleset()), io.BytesIO(b"\n".join(lines) + b"\n"), sink)
    verdicts = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert len(verdicts) == len(lines)
    assert not any(verdict["ok"] for verdict in verdicts)


def test_the_longest_line_is_read() -> None:
    padded = '{"do":"undo"}' + " " * (LONGEST - 13)
    [verdict] = judged(padded)
    assert [f["code"] for f in verdict["findings"]] == ["not-set-up", "nothing-to-undo"]


def test_a_last_line_without_its_end_and_windows_ends() -> None:
    sink = io.BytesIO()
    source = io.BytesIO(SETUP.encode() + b'\r\n{"do":"undo"}')
    serve(GAME, GAME.initial(GAME.ruleset()), source, sink)
    assert [json.loads(line)["ok"] for line in sink.getvalue().splitlines()] == [True, False]


def test_bad_input_is_never_forced() -> None:
    assert not judged('{"do":"roll","seat":1,"face":9,"force":true}')[0]["ok"]


class Garbage(io.RawIOBase):
    """Lines of all kinds of garbage, made as they are read."""

    KINDS = (
        b"\xff\xfe\x00",
        b"",
        b"{" * 300,
        b'{"do":"play","seat":1,"card":"aurea/captain/1"}',
        b'{"do":"roll","seat":2,"face":5}',
        b'{"do":"undo"}',
        b'{"do":"undo","force":true}',
        b'{"do":"setup","players":[],"turns":3}',
        b"x" * 200,
        b'{"do":"intervene","seat":9999999999999999999,"for":1,"card":"' + b"y" * 100 + b'"}',
    )

    def __init__(self, lines: int) -> None:
        self.pieces = self._make(lines)
        self.rest = b""

    def _make(self, lines: int) -> Iterator[bytes]:
        yield SETUP.encode() + b"\n"
        yield b'{"do":"roll","seat":1,"face":6}\n{"do":"roll","seat":2,"face":1}\n'
        for number in range(lines - 3):
            yield self.KINDS[number % len(self.KINDS)] + b"\n"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self.rest) < len(buffer):
            piece = next(self.pieces, None)
            if piece is None:
                break
            self.rest += piece
        size = min(len(self.rest), len(buffer))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size


class Counter(io.RawIOBase):
    """Counts the verdicts and throws them away."""

    verdicts = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.verdicts += bytes(data).count(b"\n")
        return len(data)


def read_garbage(lines: int) -> int:
    """Memory in KiB by which the process has grown at most over that many lines of garbage."""
    sink = Counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with io.BufferedWriter(sink) as out:
        serve(GAME, GAME.initial(GAME.ruleset()), io.BufferedReader(Garbage(lines)), out)
    assert sink.verdicts == lines
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def test_garbage_without_growing() -> None:
    read_garbage(2_000)
    assert read_garbage(20_000) < 3_000


@pytest.mark.soak
def test_a_million_lines_of_garbage_without_growing() -> None:
    read_garbage(20_000)
    assert read_garbage(1_000_000) < 3_000


def test_a_line_without_end_is_never_held() -> None:
    class Endless(io.RawIOBase):
        left = 200 * 1024 * 1024

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            size = min(len(buffer), self.left)
            buffer[:size] = b"x" * size
            self.left -= size
            return size

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sink = io.BytesIO()
    serve(GAME, GAME.initial(GAME.ruleset()), io.BufferedReader(Endless()), sink)
    assert b"longer than 64 KiB" in sink.getvalue()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


class TestCommand:
    def test_a_worked_match_comes_out_as_expected(self, tmp_path: Path) -> None:
        head, *lines = (SHARED / "cases/althera/match8.jsonl").read_text("utf-8").splitlines()
        cases = [json.loads(line) for line in lines]
        source = tmp_path / "match.jsonl"
        source.write_text("".join(json.dumps(case["action"]) + "\n" for case in cases), "utf-8")
        [(key, value)] = json.loads(head)["ruleset"].items()
        done = command("--set", f"{key}={value}", str(source))
        assert (done.returncode, done.stderr) == (0, "")
        verdicts = [json.loads(line) for line in done.stdout.splitlines()]
        assert [v["ok"] for v in verdicts] == [case["ok"] for case in cases]
        assert verdicts[-1]["state"]["winners"] == cases[-1]["expect"]["winners"]

    def test_verdicts_are_flushed_at_once(self) -> None:
        with subprocess.Popen(
            [sys.executable, "-m", "web.main", "referee", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            for _ in range(3):
                process.stdin.write(SETUP + "\n")
                process.stdin.flush()
                assert json.loads(process.stdout.readline())["state"]["phase"] == "initiative"
            process.stdin.close()
            assert process.wait(60) == 0

    def test_a_ruleset_file_and_another_game(self, tmp_path: Path) -> None:
        rules = tmp_path / "mine.toml"
        rules.write_text("turns = [4]\n", "utf-8")
        done = command("--ruleset", str(rules), text=SETUP.replace('"turns": 3', '"turns": 4') + "\n")
        assert json.loads(done.stdout)["ok"] is True
        done = command(
            "--game", "anthem", text='{"do":"setup","players":[{"seat":1},{"seat":2}],"first":2}\n'
        )
        assert json.loads(done.stdout)["state"]["game"] == "anthem"

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["--game", "chess"], "no game called 'chess'"),
            (["--set", "initiative=left"], "initiative"),
            (["--ruleset", "/nowhere.toml"], "can't be read: No such file"),
            (["/nowhere.jsonl"], "can't be read: No such file"),
        ],
    )
    def test_what_a_user_can_get_wrong(self, args: list[str], said: str) -> None:
        done = command(*args)
        usage = args[0] in ("--game", "--set")
        assert (done.returncode, done.stdout) == (2 if usage else 1, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 2

    def test_wrong_usage(self) -> None:
        done = command("--set", "initiative")
        assert done.returncode == 2
        assert "not KEY=VALUE" in done.stderr
