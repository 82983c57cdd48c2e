"""Runs of the lab: resumed, stopped, spread over workers, a worker killed: always the same result."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CrowntableError, UsageError
from engine.games import game_named
from engine.lab.plan import Plan, key_of, program, rules_of, setup_of
from engine.lab.progress import line
from engine.lab.report import report
from engine.lab.simulate import Part, chunk, parts, pieces, simulate
from engine.lab.store import Results
from engine.lab.tally import Tally
from engine.lab.work import QUIET, work
from tests.engine.test_lab_matches import run


def plan(**changes: Any) -> Plan:
    game = game_named(changes.pop("game", "althera"))
    given: dict[str, Any] = {"players": 2, "turns": 3, "bots": ("greedy",), "matches": 60, "seed": "5"}
    if game.name == "anthem":
        given["turns"] = None
    return Plan(game.name, game.ruleset_json(game.ruleset()), **given | changes)


# What the contract promises.


def test_the_report_has_all_that_the_contract_names(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "--game althera --players 2 --turns 3 --matches 12 --bots greedy,random --seed 9 --json"
    assert run(*asked.split()) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {"matches", "seconds", "matches_per_s", "length", "swings", "cards"} <= set(answer)
    assert answer["matches"] == 12 and answer["matches_per_s"] == pytest.approx(
        12 / answer["seconds"], rel=0.05
    )
    for title in ("seats", "houses", "bots"):
        for row in answer[title]:
            assert 0 <= row["low"] <= row["rate"] <= row["high"] <= 1
            assert row["wins"] == pytest.approx(row["rate"] * row["matches"], abs=0.01)
    assert {row["seat"] for row in answer["seats"]} == {1, 2}
    assert {row["bot"] for row in answer["bots"]} == {"greedy", "random"}
    assert sum(row["uses"] for row in answer["cards"]) == pytest.approx(
        12 * answer["length"]["cards"]["mean"], abs=0.01
    )
    assert len(answer["ruleset"]["hash"]) == len(answer["ruleset"]["cards"]) == len(answer["program"]) == 64


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        ("--players 9", "Althera is played by 2 to 5 players, not by 9."),
        ("--players 1", "Althera is played by 2 to 5 players, not by 1."),
        ("--players two", "--players takes a whole number from 1 on, not 'two'."),
        ("--game anthem --players 5", "Anthem is played by 2 to 4 players, not by 5."),
        ("--game anthem --turns 3", "A match of anthem has no number of turns to choose."),
        ("--turns 4", "These rules offer matches of 3, 5, 10 turns, not of 4."),
        ("--matches 0", "--matches takes a whole number from 1 on, not '0'."),
        ("--matches 1e6", "--matches takes a whole number from 1 on, not '1e6'."),
        ("--workers -1", "--workers takes a whole number from 1 on, not '-1'."),
        ("--workers 1000", "1000 workers are more than one machine runs."),
        ("--workers 2 --cluster tcp://x:1", "--workers and --cluster exclude each other."),
        ("--bots ,", "There is no bot called '' for althera."),
        ("--handicap 1", "--handicap takes SEAT=PERCENT, not '1'."),
        ("--handicap 4=20", "A handicap is for a seat that is taken, in althera."),
        ("--handicap 1=-99", "A handicap goes from -90 to 900 percent."),
    ],
)
def test_each_wrong_option_gets_one_clear_sentence(argv: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(*argv.split())
    assert caught.value.what == what
    assert caught.value.cure.endswith(".") and "\n" not in caught.value.what + caught.value.cure


def test_the_bar_says_rate_and_time_left() -> None:
    assert line(0, 100, "matches", 0, 0.0) == "[........................] 0 of 100 matches, 0.00 a second"
    assert line(60, 100, "matches", 40, 10.0).endswith("60 of 100 matches, 2.00 a second, 20 s left")
    assert line(10, 100000, "matches", 0, 1.0).endswith("10 a second, 2.8 h left")


# Any number of workers, any order, any stop: the same result.


def test_the_pieces_are_all_matches_once() -> None:
    for matches in (1, 7, 60, 1234):
        todo = plan(matches=matches)
        numbers = [n for start, stop in pieces(todo, [(0, matches)]) for n in range(start, stop)]
        assert numbers == list(range(matches))
    assert max(stop - start for start, stop in pieces(plan(bots=("searching:ms=9",)), [(0, 9000)])) == 2


def test_parts_add_up_to_the_same_whatever_their_size_and_order() -> None:
    todo = plan(game="anthem", matches=24)
    whole = chunk(todo, 0, 24).tally
    total = Tally()
    for start in (16, 0, 8):
        total.add(Tally.from_json(json.loads(json.dumps(chunk(todo, start, start + 8).tally.to_json()))))
    assert total == whole


def die_once(folder: str, number: int) -> int:
    """Kills its own process the first time that job 3 is done."""
    flag = Path(folder, "died")
    if number == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    done = sorted(work(die_once, [(str(tmp_path), n) for n in range(9)], workers=2))
    assert done == list(range(9)) and (tmp_path / "died").exists()


def test_workers_that_keep_dying_are_not_waited_for(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError, match="keep dying") as caught:
        list(work(always_die, [(n,) for n in range(2)], workers=2))
    assert "--workers" in caught.value.cure


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    todo, path = plan(game="anthem", matches=40), tmp_path / "night.sqlite"
    with Results(path, todo) as results:
        for part, _ in zip(parts(todo, results.missing(40)), range(7), strict=False):
            results.add(part)
        (start, stop), *_ = results.missing(40)
        assert 0 < start < stop == 40
    with Results(path, todo) as results:
        for part in parts(todo, results.missing(40)):
            results.add(part)
        assert results.missing(40) == []
        assert results.tally() == simulate(todo)
        assert results.missing(50) == [(40, 50)]  # the same plan, a longer night
    with sqlite3.connect(path) as base:
        rows = base.execute("select number, winners, plays from match order by number").fetchall()
        assert [row[0] for row in rows] == list(range(40))
        assert all(winners in (1, 2, None) and plays > 10 for _, winners, plays in rows)
        assert base.execute("select value from about where key = 'ruleset_hash'").fetchone()[0]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": "6"}, "another seed"),
        ({"bots": ("random",)}, "other bots"),
        ({"players": 3}, "other players"),
        ({"rules": {"initiative": "leader"}}, "rules v2"),
    ],
)
def test_matches_of_different_plans_are_never_mixed(
    tmp_path: Path, changes: dict[str, Any], what: str
) -> None:
    path, todo = tmp_path / "night.sqlite", plan()
    Results(path, todo).__exit__()
    rules = changes.pop("rules", {})
    other = replace(todo, **changes, ruleset=todo.ruleset | rules)
    assert key_of(other) != key_of(todo)
    with pytest.raises(CrowntableError, match=what) as caught:
        Results(path, other)
    assert caught.value.cure == "Choose another file for --out."
    Results(path, replace(todo, matches=9)).__exit__()


def test_what_is_no_file_of_results_is_refused(tmp_path: Path) -> None:
    text, other, nowhere = tmp_path / "a.txt", tmp_path / "b.sqlite", tmp_path / "no" / "c.sqlite"
    text.write_text("Dear diary,\n" * 100)
    with sqlite3.connect(other) as base:
        base.execute("create table songs (name text)")
    for path, what in ((text, "no file of results"), (other, "something else"), (nowhere, "can't be used")):
        with pytest.raises(CrowntableError, match=what) as caught:
            Results(path, plan())
        assert "--out" in caught.value.cure
    assert text.read_text().startswith("Dear diary")


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Interrupted twice at a real process, then finished: the report is that of one undisturbed run."""
    out = tmp_path / "night.sqlite"
    asked = ["--players", "2", "--turns", "3", "--bots", "greedy", "--seed", "5", "--workers", "2", "--json"]
    to = ["--out", str(out), "--matches"]
    whole = plan(matches=4000)
    # A test run that was itself started in the background ignores SIGINT, and so would what it starts.
    heeding = ["env", "--default-signal=INT"]
    command = [*heeding, sys.executable, "-m", "web.main", "lab", "run", *asked, *to, str(whole.matches)]
    there = 0
    for _ in range(2):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        there = wait_for_parts(out, there, process)
        os.killpg(process.pid, signal.SIGINT)
        said, complaint = process.communicate(timeout=120)
        assert process.returncode == 130, complaint
        assert "Traceback" not in complaint and "the same command goes on from there" in complaint
        stopped = json.loads(said)
        assert stopped["stopped"] and stopped["earlier"] <= stopped["matches"] < whole.matches
    done = stopped["matches"]
    assert run(*asked, *to, str(whole.matches)) == 0
    final = json.loads(out.with_suffix(".json").read_text())
    assert final["matches"] == whole.matches and final["earlier"] == done and not final["stopped"]
    undisturbed = report(whole, simulate(whole, workers=2), 1.0)
    for name in ("seats", "houses", "bots", "length", "swings", "cards", "measures"):
        assert final[name] == undisturbed[name]


def test_ctrl_c_between_a_parts_writing_and_its_counting_counts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(results: Results, part: Part) -> None:
        write(results, part)
        raise KeyboardInterrupt

    write = Results.add
    monkeypatch.setattr(Results, "add", add)
    out = str(tmp_path / "night.sqlite")
    with pytest.raises(KeyboardInterrupt):
        run("--players", "2", "--turns", "3", "--matches", "40", "--seed", "5", "--json", "--out", out)
    said, complaint = capsys.readouterr()
    assert json.loads(said)["matches"] == 2 and "Stopped after 2 of 40 matches." in complaint


def wait_for_parts(path: Path, more_than: int, process: subprocess.Popen[str]) -> int:
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        try:
            with sqlite3.connect(path) as base:
                count = int(base.execute("select count(*) from part").fetchone()[0])
                if count > more_than:
                    return count
        except sqlite3.Error:
            pass
        time.sleep(0.05)
    pytest.fail(f"nothing was written: {process.poll()}")


# A cluster.


def test_a_cluster_gives_the_same_result_with_a_worker_killed() -> None:
    from distributed import Client, LocalCluster

    todo = plan(game="anthem", matches=120)
    killed: list[int] = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
        assert len(set(pids)) == 2 and os.getpid() not in pids

        def kill_one(done: int) -> None:
            if not killed:
                killed.append(done)
                os.kill(pids[0], signal.SIGKILL)

        far = simulate(todo, told=kill_one, cluster=cluster.scheduler_address)
    assert killed and killed[0] < 120
    assert far == simulate(todo)


def test_the_page_names_the_settings_of_a_quiet_cluster_as_dask_reads_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lab.md").read_text("utf-8")
    named = dict(re.findall(r"export (DASK_\w+)=(\S+)", page))
    ask = f"import json, dask, distributed; print(json.dumps([dask.config.get(k) for k in {list(QUIET)}]))"

    def settings(environment: dict[str, str]) -> list[object]:
        told = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, check=True)
        read: list[object] = json.loads(told.stdout)
        return read

    plain = {key: value for key, value in os.environ.items() if not key.startswith("DASK_")}
    assert settings(plain | named) == list(QUIET.values())
    assert all(own != quiet for own, quiet in zip(settings(plain), QUIET.values(), strict=True))


def test_a_cluster_that_is_not_there_is_named() -> None:
    with pytest.raises(CrowntableError, match=r"No Dask scheduler answers at tcp://127.0.0.1:9\.") as caught:
        simulate(plan(matches=2), cluster="tcp://127.0.0.1:9")
    assert "dask scheduler" in caught.value.cure


@pytest.mark.parametrize("address", ["foo", "tcp://:8786", "127.0.0.1:x", "tcp://127.0.0.1:99999", ""])
def test_what_is_no_address_of_a_cluster_is_told_at_once(address: str) -> None:
    began = time.monotonic()
    with pytest.raises(CrowntableError, match="is no address of a Dask scheduler") as caught:
        simulate(plan(matches=2), cluster=address)
    assert caught.value.cure == "Give it as tcp://HOST:8786." and time.monotonic() - began < 5


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CrowntableError, match="needs Dask, which is not installed here") as caught:
        simulate(plan(matches=2), cluster="tcp://127.0.0.1:9")
    assert "crowntable[lab]" in caught.value.cure


def test_workers_of_another_version_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    part = replace(chunk(plan(matches=2), 0, 2), program="f" * 64)
    monkeypatch.setattr("engine.lab.simulate.work", lambda *a: iter([part]))
    with pytest.raises(CrowntableError, match="another version") as caught:
        simulate(plan(matches=2))
    assert program()[:8] in caught.value.what + caught.value.cure


# The houses' cards under a handicap.


def test_a_handicap_changes_one_seats_cards_only() -> None:
    from random import Random

    game, todo = game_named("althera"), plan(handicap=((1, 20),))
    rules = game.ruleset()
    setup = setup_of(game, todo, Random(3))
    mine, theirs = (player["house"] for player in setup["players"])
    changed = rules_of(game, todo, rules, setup)
    assert changed.cards[f"{mine}/champion/1"].value == 73  # 61 and a fifth
    assert changed.cards[f"{mine}/commoners/1"].value == 2
    assert changed.cards[f"{mine}/oracle/1"].value is None
    assert changed.cards[f"{theirs}/champion/1"].value == 61
