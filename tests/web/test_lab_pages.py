"""The lab's pages as the server gives them out: for whom, out of which matches, what starts and stops."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from host.table import LiveTable
from tests.shared_data import ROOT
from tests.web.clients import Visitor, visitor
from tests.web.lab_kit import SAID, lay, results
from tests.web.lab_kit import _brisk as _brisk
from tests.web.tables import OPERATOR, live_table, new_match
from web.lab.runs import Runs, runs_of

Json = dict[str, Any]
PAGES = ("/lab", "/lab/runs", "/lab/first.csv", "/lab/report.html", "/lab/status")


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[LiveTable]:
    lay(tmp_path)
    with live_table(tmp_path) as table:
        table.matches(120)
        yield table


@pytest.fixture(name="boss")
def _boss(table: LiveTable, tmp_path: Path) -> Visitor:
    boss = visitor(table, tmp_path)
    boss.become_operator()
    return boss


def figures(text: str) -> dict[str, Json]:
    """The figures laid into a page, by their chart."""
    found = re.findall(r'class="figure" data-chart="([^"]+)">(.*?)</script>', text)
    return {chart: json.loads(figure) for chart, figure in found}


def shown(boss: Visitor, query: str = "") -> str:
    answer = boss.get(f"/lab{query}")
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def test_nobody_without_the_pin_sees_or_starts_anything(table: LiveTable, tmp_path: Path) -> None:
    stranger = visitor(table, tmp_path)
    for path in PAGES:
        answer = stranger.get(path)
        text = answer.get_data(as_text=True)
        assert "figure" not in text and ("PIN" in text or answer.status_code == 401), path
    for path in ("/lab/run", "/lab/compare", "/lab/stop"):
        assert "PIN" in stranger.form(path, game="althera").get_data(as_text=True)
    assert not runs_of(tmp_path).state()


def test_the_pin_leads_back_to_the_lab(table: LiveTable, tmp_path: Path) -> None:
    stranger = visitor(table, tmp_path)
    stranger.get("/lab")
    answer = stranger.form("/operator/login", pin=stranger.guard.secrets.pin, next="/lab")
    assert answer.status_code == 303 and answer.headers["Location"] == "/lab"


def test_a_figure_has_the_simulations_values_and_peoples_beside(boss: Visitor) -> None:
    found = figures(shown(boss, "?result=two"))
    assert list(found)[:6] == ["first", "house", "special", "bots", "escalation", "length"]
    bots, people = found["first"]["data"]
    rows = {row["measure"]: row for row in results()["two"]["measures"] if row["measure"] == "win.first"}
    assert bots["x"][0] == 100 * rows["win.first"]["value"]
    assert bots["error_x"]["array"][0] == pytest.approx(
        100 * (rows["win.first"]["high"] - rows["win.first"]["value"])
    )
    assert (bots["name"], people["name"]) == ("bots", "people") and len(people["x"]) == 3
    length = found["length"]["data"]
    assert len(length[0]["x"]) == 2  # the run of four players stands beside
    assert len(length[1]["x"]) == 2  # each match of two people is a point
    assert length[0]["x"][0] == results()["two"]["length"]["seconds"]["median"] / 60


def test_matches_that_do_not_belong_are_left_out_and_counted(table: LiveTable, boss: Visitor) -> None:
    table.command(new_match(seats=2), OPERATOR)
    text = shown(boss, "?result=two")
    assert "Counted beside the simulated ones: 2 of 4." in text
    assert "no: another number of players or turns" in text and "no: not over" in text
    assert "1 of another number of players or turns, 1 not over" in text or (
        "1 not over, 1 of another number of players or turns" in text
    )


def test_marked_matches_are_left_out_by_the_switch(table: LiveTable, boss: Visitor) -> None:
    for command in ("undo", "redo"):
        assert table.command({"cmd": command}, OPERATOR).ok
    while not table.matches(120)[0][
        "corrected"
    ]:  # what was read before stands in the list until it is read anew
        time.sleep(0.05)
    text = shown(boss, "?result=two")
    assert "2 matches counted, 1 of them corrected by hand, 0 doubtful" in text
    assert "corrected by hand (2)" in text
    text = shown(boss, "?result=two&no_corrected=1")
    assert "1 matches counted, 0 of them corrected by hand" in text and "left out: " in text
    assert "1 corrected by hand" in text and "no: corrected by hand" in text
    assert len(figures(text)["length"]["data"][1]["x"]) == 1


def test_other_rules_are_never_mixed_unasked(boss: Visitor, tmp_path: Path) -> None:
    other = json.loads(json.dumps(results()["two"]))
    other["ruleset"]["hash"] = "0" * 64
    (tmp_path / "lab" / "other.json").write_text(json.dumps(other))
    text = shown(boss, "?result=other")
    assert "people: no match counted" in text and "2 of other rules or cards" in text
    text = shown(boss, "?result=other&mix=1")
    assert "people: 2 matches counted" in text and "different rules are counted together, as asked" in text


def test_a_damaged_result_is_said_and_the_rest_is_shown(boss: Visitor, tmp_path: Path) -> None:
    torn = {**results()["two"], "measures": [{"measure": "win.first"}, {"measure": "win.seat", "seat": 1}]}
    (tmp_path / "lab" / "torn.json").write_text(json.dumps(torn))
    for query in ("", "?result=torn", "?result=../../etc/passwd", "?result=none&compare=none"):
        text = shown(boss, query)
        assert "broken.json is no result of the lab" in text
        assert figures(text), query
    assert "torn.json is no result" in shown(boss, "?result=torn")


def test_the_csv_and_the_report_follow_the_same_query(boss: Visitor) -> None:
    answer = boss.get("/lab/length.csv?result=two")
    rows = list(csv.reader(io.StringIO(answer.get_data(as_text=True))))
    assert [row[1] for row in rows[1:5]] == ["bots", "bots", "people", "people"]
    assert float(rows[1][2]) == results()["two"]["length"]["seconds"]["median"] / 60
    assert boss.get("/lab/nothing.csv").status_code == 404
    report = boss.get("/lab/report.html?result=two&compare=last-word")
    text = report.get_data(as_text=True)
    assert "attachment" in report.headers["Content-Disposition"]
    assert text.count("<svg ") == 8 and "two.json, last-word.json" in text and "<script" not in text


def test_an_empty_lab_says_what_to_do(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        boss = visitor(table, tmp_path)
        boss.become_operator()
        text = shown(boss)
        assert "Nothing has been simulated yet" in text and 'href="/lab/runs"' in text
        assert not figures(text) and "plotly" not in text
        assert boss.get("/lab/report.html").status_code == 404
        assert '<option value="althera" selected>Althera</option>' in shown(boss, "/runs")


def test_plotly_is_served_whole_from_its_package(boss: Visitor) -> None:
    import plotly

    (address,) = re.findall(r'src="(/static/[^"]+plotly\.min\.js)"', shown(boss))
    answer = boss.get(address)
    there = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    assert answer.data == there.read_bytes()
    assert "immutable" in answer.headers["Cache-Control"]
    assert "unsafe" not in boss.get("/lab").headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"count": "0"}, "1 to 20000 matches"),
        ({"count": "999999"}, "1 to 20000 matches"),
        ({"count": "x"}, "1 to 20000 matches"),
        ({"bots": "greedy;rm -rf /"}, "does not offer bots"),
        ({"players": "9"}, "does not offer players"),
        ({"change": "--out=/etc/passwd"}, "Althera has no ruling &#39;--out=/etc/passwd&#39; to change."),
        ({"game": "anthem", "turns": "", "change": "closing_card=required"}, "of Anthem&#39;s own."),
        ({"game": "chess"}, "does not offer game"),
    ],
)
def test_only_what_the_form_offers_is_started(
    boss: Visitor, tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    boss.get("/lab/runs")
    form = {"game": "althera", "players": "2", "turns": "3", "bots": "random", "count": "5", "change": ""}
    answer = boss.form("/lab/run", **(form | changed))
    assert answer.status_code == 422 and said in answer.get_data(as_text=True)
    assert not runs_of(tmp_path).state()


def test_each_games_rulings_stand_under_its_name_and_a_mistake_is_told_in_italian(boss: Visitor) -> None:
    page = boss.get("/lab/runs").get_data(as_text=True)
    groups = dict(re.findall(r'<optgroup label="(\w+)">(.*?)</optgroup>', page))
    assert "shield_reach=whole_duel" in groups["Althera"] and "dragon=on" in groups["Anthem"]
    assert "dragon" not in groups["Althera"]
    form = {"game": "anthem", "players": "2", "turns": "", "bots": "random", "count": "5"}
    boss.client.set_cookie("crowntable_lang", "it")
    for change, said in (("closing_card=required", "Anthem non ha una regola"), ("", "")):
        answer = boss.form("/lab/compare", **form, change=change).get_data(as_text=True)
        assert said in answer and "Scegline una di Anthem." in answer
    answer = boss.form("/lab/run", **(form | {"count": "0"}), change="").get_data(as_text=True)
    assert "La pagina avvia da 1 a 20000 partite." in answer


def test_a_run_from_the_page_ends_as_a_result_and_goes_on_with_more(boss: Visitor, tmp_path: Path) -> None:
    boss.get("/lab/runs")
    form = {"game": "althera", "players": "2", "turns": "3", "bots": "random", "change": ""}
    state: Json | None = None
    for matches in (4, 6):
        assert boss.form("/lab/run", count=str(matches), **form).status_code == 303
        assert runs_of(tmp_path).wait(240)
        state = boss.get("/lab/status").json
        assert state is not None and "text" not in state and state["done"] == state["whole"] == matches
        answer = json.loads((tmp_path / "lab" / f"{state['name']}.json").read_text())
        assert answer["matches"] == matches
    assert answer["earlier"] == 4
    assert state is not None and state["name"] in shown(boss)


def test_a_run_is_stopped_keeps_what_is_done_and_only_one_runs(boss: Visitor, tmp_path: Path) -> None:
    boss.get("/lab/runs")
    form = {
        "game": "althera",
        "players": "2",
        "turns": "3",
        "bots": "random",
        "count": "20000",
        "change": "",
    }
    assert boss.form("/lab/run", **form).status_code == 303
    runs = runs_of(tmp_path)
    again = boss.form("/lab/run", **form)
    assert again.status_code == 422 and "running already" in again.get_data(as_text=True)
    while not runs.state()["done"]:
        assert runs.state()["running"], runs.state()
    assert boss.form("/lab/stop").status_code == 303
    assert runs.wait(240)
    state = runs.state()
    answer = json.loads((tmp_path / "lab" / f"{state['name']}.json").read_text())
    assert answer["stopped"] and 0 < answer["matches"] < 20000


def test_what_went_wrong_in_a_run_is_said_in_its_own_words(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.start("x", ["run", "--players", "7", "--out", "x.sqlite"])
    assert runs.wait(240)
    state = runs.state()
    assert "2 to 5 players" in state["text"] and state["cure"]


def test_a_comparison_from_the_page_names_its_change(boss: Visitor, tmp_path: Path) -> None:
    boss.get("/lab/runs")
    form = {"game": "althera", "players": "2", "turns": "3", "bots": "random", "count": "6"}
    assert boss.form("/lab/compare", change="shield_reach=whole_duel", **form).status_code == 303
    assert runs_of(tmp_path).wait(240)
    name = runs_of(tmp_path).state()["name"]
    assert "What does shield_reach=whole_duel change?" in shown(boss, f"?compare={name}")


def test_what_people_said_of_counted_matches_stands_below_the_charts_and_on_paper(boss: Visitor) -> None:
    for path in ("/lab", "/lab/report.html"):
        text = boss.get(f"{path}?result=two&compare=last-word").get_data(as_text=True)
        assert "What players said" in text and "Answers: 1, about matches: 1; rules v2" in text
        assert "The &lt;b&gt;bridge&lt;/b&gt; of sighs" in text and "<b>bridge" not in text
        assert "seat 2, as said · 0:04 Ada challenges Bruno. (the whole duel)" in text
        assert SAID["m1"] not in text  # of another number of players: it does not count here
        assert "What players said" not in boss.get(f"{path}?result=four").get_data(as_text=True)
    boss.client.set_cookie("crowntable_lang", "it")
    text = boss.get("/lab/report.html?result=two").get_data(as_text=True)
    assert "Divertimento: una fatica … un gran divertimento" in text and "Ada sfida Bruno." in text


def test_the_command_prints_what_people_said_of_the_matches_it_names(
    table: LiveTable, tmp_path: Path
) -> None:
    made = tmp_path / "report.html"
    crowntable, result = str(ROOT / ".venv/bin/crowntable"), str(tmp_path / "lab" / "two.json")
    command = [crowntable, "lab", "report", result, "--html", str(made)]
    for names, there in ((["m1", "m2"], True), (["m3"], False)):
        live = [f"{tmp_path}/{name}" for name in names]
        subprocess.run([*command, "--live", *live], check=True, capture_output=True)
        text = made.read_text(encoding="utf-8")
        assert ("The &lt;b&gt;bridge&lt;/b&gt; of sighs" in text) == there
        assert ("What players said" in text) == there and SAID["m1"] not in text
