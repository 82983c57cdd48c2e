"""What the lab's figures are shown with: charts, sentences, pictures, reports; what may stand beside what."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import CrowntableError, UsageError
from engine.game import Json
from engine.lab.compare import compare, described
from engine.lab.measures import MEASURES, measure
from engine.lab.plan import Plan, hashes, program
from engine.lab.report import report
from engine.lab.show.chart import Chart, Point, Series, as_csv, table
from engine.lab.show.names import bot_name, measure_name
from engine.lab.show.paper import Paper, page
from engine.lab.show.people import Match, People, beside, measured
from engine.lab.show.picture import svg
from engine.lab.show.questions import charts, rows_of
from engine.lab.show.reports import kind_of, paper_of, read_result
from engine.lab.show.rulings import ruling_charts
from engine.lab.show.words import FOLDER, Words
from engine.lab.simulate import chunk, simulate
from engine.records.record import record_of
from tests.engine.test_lab_compare import ruled
from tests.engine.test_lab_matches import run
from tests.engine.test_lab_run import plan

EN, IT = Words("en"), Words("it")


@pytest.fixture(name="todo", scope="module")
def _todo() -> Plan:
    return plan(matches=60, bots=("greedy", "random"), seed="show")


@pytest.fixture(name="result", scope="module")
def _result(todo: Plan) -> Json:
    return report(todo, simulate(todo), 1.0)


def chart_of(found: list[Chart], ident: str) -> Chart:
    (one,) = [chart for chart in found if chart.id == ident]
    return one


def lived(todo: Plan, name: str, number: int = 0, **about: object) -> Match:
    """A match as people's are, out of a simulated one."""
    rules, _ = hashes(todo)
    seen = _seen(todo, number)
    base = Match(name, "althera", rules, True, 2, 3, measure(seen), seen.winners)
    return replace(base, **about)  # type: ignore[arg-type]


def _seen(todo: Plan, number: int):  # type: ignore[no-untyped-def]
    from engine.games import game_named
    from engine.lab.bots import bot
    from engine.lab.simulate import one

    game = game_named(todo.game)
    bots = {name: bot(name, game) for name in todo.bots}
    return one(todo, game, game.ruleset_from_json(todo.ruleset), bots, number)


def test_every_language_has_the_same_words() -> None:
    texts = {
        file.name: tomllib.loads(file.read_text("utf-8"))
        for file in FOLDER.iterdir()
        if file.name.endswith(".toml")
    }
    english = texts.pop("en.toml")
    assert texts
    for name, other in texts.items():
        assert other.keys() == english.keys(), name
        for section, words in english.items():
            assert other[section].keys() == words.keys(), (name, section)
            for key, text in words.items():
                assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", other[section][key])), key


def test_each_chart_has_the_reports_own_figures(result: Json) -> None:
    found = charts(result, People(), EN)
    assert [chart.id for chart in found] == ["first", "house", "special", "bots", "escalation", "length"]
    first = chart_of(found, "first")
    rows = {"first player": rows_of(result, "win.first")[""]} | {
        f"Seat {seat}": row for seat, row in rows_of(result, "win.seat").items()
    }
    (series,) = first.series
    assert {point.label: point.value for point in series.points} == {
        label: 100 * row["value"] for label, row in rows.items()
    }
    assert all(point.low is not None and point.low <= point.value for point in series.points)
    assert first.mark == (100 * result["favoured"]["even"], "even share")
    steps = chart_of(found, "escalation").series[0].points
    assert [point.at for point in steps[:6]] == [1, 2, 3, 4, 5, 6]
    minutes = chart_of(found, "length").series[0].points[0]
    assert minutes.value == result["length"]["seconds"]["median"] / 60
    for chart in found:
        said = " ".join(chart.notes)
        assert ("n = 60 simulated matches" in said and "95 %" in said) or chart.id == "length"
        assert result["ruleset"]["hash"][:8] in said


def test_the_sentence_says_what_the_figures_say(todo: Plan) -> None:
    """A seat whose cards are worth 60 % more is named; without alarms none is."""
    rigged = replace(todo, bots=("greedy",), matches=200, handicap=((1, 60),), seed="rigged")
    answer = report(rigged, simulate(rigged), 1.0)
    assert [a["what"] for a in answer["favoured"]["alarms"] if "seat/1" in a["what"]]
    told = chart_of(charts(answer, People(), EN), "first").answer
    seat = rows_of(answer, "win.seat")["1"]
    assert f"seat 1 wins {100 * seat['value']:.1f} %" in told
    calm = {**answer, "favoured": {**answer["favoured"], "alarms": []}}
    assert "no seat stands out" in chart_of(charts(calm, People(), EN), "first").answer


@pytest.mark.parametrize(
    ("low", "high", "alarms", "said"),
    [
        (0.47, 0.53, [], "no advantage shown"),
        (0.505, 0.56, [], "a hint, not shown yet"),
        (0.51, 0.58, ["win.first"], ": an advantage"),
    ],
)
def test_an_advantage_is_claimed_only_where_the_whole_report_raises_it(
    result: Json, low: float, high: float, alarms: list[str], said: str
) -> None:
    rows = [
        row | {"value": (low + high) / 2, "low": low, "high": high} if row["measure"] == "win.first" else row
        for row in result["measures"]
    ]
    changed = {
        **result,
        "measures": rows,
        "favoured": {"even": 0.5, "alarms": [{"what": what} for what in alarms]},
    }
    assert said in chart_of(charts(changed, People(), EN), "first").answer


def test_peoples_matches_stand_beside_only_where_they_belong(todo: Plan, result: Json) -> None:
    matches = [
        lived(todo, "m1"),
        lived(todo, "m2", 1, marks=("corrected",), corrections=2),
        lived(todo, "m3", 2, marks=("doubtful",), doubts=("its file was cut off",)),
        lived(todo, "m4", 3, rules="f" * 64),
        lived(todo, "m5", 4, cards=False),
        lived(todo, "m6", 5, players=3),
        lived(todo, "m7", 6, turns=5),
        lived(todo, "m8", 7, game="anthem"),
        Match("m9", "althera", left="running"),
    ]
    people = beside(matches, result)
    assert people.counted == 3 and people.marked == {"corrected": 1, "doubtful": 1} and not people.mixed
    assert people.why == {
        "m4": "rules", "m5": "rules", "m6": "players", "m7": "players", "m8": "game", "m9": "running"
    }  # fmt: skip
    strict = beside(matches, result, ("corrected", "doubtful"))
    assert strict.counted == 1 and strict.left["corrected"] == strict.left["doubtful"] == 1
    mixed = beside(matches, result, mix=True)
    assert mixed.counted == 5 and mixed.mixed
    said = chart_of(charts(result, mixed, EN), "first").notes
    assert any("different rules are counted together, as asked" in note for note in said)
    length = chart_of(charts(result, people, EN), "length")
    live = next(one for one in length.series if one.kind == "live")
    want = sorted(m.facts["length.seconds"][0] / 60 for m in matches[:3])
    assert sorted(point.value for point in live.points) == want
    assert any("3 matches counted, 1 of them corrected by hand, 1 doubtful" in note for note in length.notes)
    assert any("2 of other rules or cards" in note for note in length.notes)


def test_a_record_is_measured_with_its_turns_and_marks(todo: Plan) -> None:
    from random import Random

    from engine.games import game_named
    from engine.lab.bots import bot
    from engine.lab.match import play

    game = game_named("althera")
    setup = game.setup_action([1, 2], turns=5, houses={1: "purpurea", 2: "celeste"})
    done = play(game, game.ruleset(), {1: bot("greedy", game), 2: bot("random", game)}, Random(3), setup)
    record = record_of(game, done.ruleset, done.actions)
    match = measured("x", record)
    assert (match.players, match.turns, match.winners, match.left) == (2, 5, done.winners, "")
    assert match.rules == record.header.ruleset_hash and match.cards
    odd = replace(record, header=replace(record.header, cards_hash="0" * 64))
    assert not measured("x", odd).cards
    cut = measured("x", record_of(game, done.ruleset, done.actions[:-5]))
    assert cut.left == "running"


@pytest.mark.parametrize("words", [EN, IT], ids=["en", "it"])
def test_a_picture_shows_every_value_at_its_place(words: Words) -> None:
    points = tuple(
        Point(f"row {n}", value, value - 2, value + 3, 10) for n, value in enumerate((10.0, 40.0, 25.0))
    )
    drawn = Chart("x", "T <b>", "A & B", "axis", (Series("s", "simulated", points),), mark=(30.0, "even"))
    root = ET.fromstring(svg(drawn))
    space = "{http://www.w3.org/2000/svg}"
    dots = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{space}circle")]
    assert len(dots) == 3
    (a, ya), (b, yb), (c, yc) = dots
    assert ya < yb < yc and yb - ya == yc - yb
    assert (b - a) / (c - a) == pytest.approx(30 / 15, rel=0.02)  # values 10, 40, 25
    assert [one.text for one in root.iter(f"{space}title")] == ["T <b>"]


def test_the_table_and_the_csv_have_every_point(result: Json) -> None:
    chart = chart_of(charts(result, People(), IT), "house")
    head, rows = table(chart, IT.columns())
    assert head == ("casata", "fonte", "valore", "min", "max", "n") and len(rows) == 5
    read = list(csv.reader(io.StringIO(as_csv(chart, IT.columns()))))
    values = [float(row[2]) for row in read[1:6]]
    assert values == [point.value for point in chart.series[0].points]
    assert any(chart.answer in row[0] for row in read if row[0].startswith("# "))
    odd = replace(chart, series=(Series("=1+1", "live", (Point("@x", 1.0),)),))
    assert list(csv.reader(io.StringIO(as_csv(odd, EN.columns()))))[1][:2] == ["'@x", "'=1+1"]


def test_a_comparison_names_what_changes_and_counts_the_rest() -> None:
    todo = plan(matches=40)
    plans = [todo, ruled(todo, plays="2")]
    named = described(plans, ["default", "two/short.toml"])
    answer: Json = {
        "game": "althera", "players": 2, "turns": None, "line_up": list(todo.bots), "seed": todo.seed,
        "matches": 40, "rulesets": named, "compared": compare(plans),
    }  # fmt: skip
    found = ruling_charts(json.loads(json.dumps(answer)), EN)
    assert [chart.id for chart in found] == ["ruling-1-shares", "ruling-1-amounts"]
    amounts = found[1]
    assert "short changes: " in amounts.answer and "cards laid in a match −" in amounts.answer
    row = next(r for r in answer["compared"][0]["differences"] if r["measure"] == "length.cards")
    point = next(p for p in amounts.series[0].points if p.label == "cards laid in a match")
    assert point.value == pytest.approx(100 * row["difference"] / row["value_a"]) and point.value < 0
    same = {**answer, "compared": compare([todo, todo])}
    assert "would" in ruling_charts(same, EN)[0].answer or "Nothing" in ruling_charts(same, EN)[0].answer


def test_bots_are_named_in_words() -> None:
    assert bot_name("greedy:never=shield+oracle", EN) == "greedy without Shield and Oracle"
    assert bot_name("careful:always=overtake", IT) == "careful che gioca sempre Sorpasso"
    assert bot_name("searching:ms=20", EN) == "searching:ms=20"


def test_the_report_is_one_page_that_loads_nothing_and_escapes_all(todo: Plan, result: Json) -> None:
    nasty = lived(todo, "<script>alert(1)</script>")
    people = beside([nasty], result)
    text = page(
        Paper("althera", "2026-01-01", ("a<b.json",), charts(result, people, IT), result, [nasty], people), IT
    )
    assert text.startswith("<!doctype html>") and '<html lang="it">' in text
    assert "<script" not in text and "a&lt;b.json" in text
    assert not re.findall(r"(?:src|href)=", text) and "@import" not in text and "url(" not in text
    assert text.count("<svg ") == 6
    assert "Che cosa queste cifre non dicono" in text


def test_the_commands_write_what_they_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], todo: Plan
) -> None:
    out = tmp_path / "night.sqlite"
    match = ("--players", "2", "--turns", "3", "--bots", "random", "--seed", "3", "--matches", "30")
    assert run(*match, "--out", str(out), "--progress", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines[0]["done"] == 0 and lines[-1]["done"] == lines[-1]["whole"] == 30
    (tmp_path / "last.toml").write_text('name = "last word"\nclosing_card = "required"\n')
    both = ("default", str(tmp_path / "last.toml"), "--out", str(tmp_path / "both.json"), "--json")
    assert run(*both, *match, command="compare") == 0
    assert kind_of(read_result(tmp_path / "both.json")) == "compare"
    assert kind_of(read_result(tmp_path / "night.json")) == "run"
    files = (str(tmp_path / "night.json"), str(tmp_path / "both.json"))
    assert run(*files, "--html", str(tmp_path / "r.html"), "--lang", "it", command="report") == 0
    text = (tmp_path / "r.html").read_text("utf-8")
    assert "Che cosa cambia last word?" in text and "Il primo giocatore è favorito?" in text


def test_what_is_no_result_is_one_sentence(tmp_path: Path, result: Json) -> None:
    bad = tmp_path / "bad.json"
    for content in ("", "[]", '{"game": "althera"}', "{" * 100_000, json.dumps({**result, "matches": 0})):
        bad.write_text(content)
        with pytest.raises(CrowntableError, match="is no result"):
            read_result(bad)
    with pytest.raises(CrowntableError, match="can't be read"):
        read_result(tmp_path / "none.json")
    torn = {**result, "measures": [{"measure": "win.first"}, {"measure": "win.seat", "seat": 1}]}
    with pytest.raises(CrowntableError, match="damaged"):
        paper_of([("a", torn)], [], (), False, EN, "")
    other = {**result, "ruleset": {**result["ruleset"], "hash": "0" * 64}}
    with pytest.raises(UsageError, match="different rules"):
        paper_of([("a", result), ("b", other)], [], (), False, EN, "")


def test_showing_is_no_part_of_the_program_that_results_depend_on(todo: Plan) -> None:
    """Results are kept apart by the text of what plays and measures; not by that of what shows them."""
    from importlib import resources

    from engine.lab.plan import _sources

    named = {name for name, _ in _sources(resources.files("engine"), "engine")}
    assert "engine/lab/measures.py" in named and "engine/lab/bots/althera_simple.py" in named
    assert not [name for name in named if "/show/" in name]
    assert chunk(todo, 0, 1).program == program()


@pytest.mark.parametrize("words", [EN, IT], ids=["en", "it"])
def test_every_measure_has_a_name_that_says_whom_it_is_about(words: Words, result: Json) -> None:
    for known in MEASURES:
        text = words(f"measure.{known.name}")
        assert ("{group}" in text) == bool(known.per), known.name
    names = [measure_name(row, words) for row in result["measures"]]
    assert len(set(names)) == len(names)


def test_cards_houses_and_bots_are_called_in_a_measure_as_people_call_them() -> None:
    card = {"measure": "use.card", "card": "cavalry"}
    assert measure_name(card, IT) == "giocate in una partita: Cavalleria"
    assert measure_name({"measure": "win.house", "house": "aurea"}, EN) == "wins of Corona Aurea"
    bot = {"measure": "win.bot", "bot": "greedy:never=shield"}
    assert measure_name(bot, EN) == "wins of greedy without Shield"
    assert measure_name({"measure": "field.at", "card": "4"}, EN) == "field after card 4 of a duel"
