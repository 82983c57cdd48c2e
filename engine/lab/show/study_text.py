"""The study written up: Markdown with SVG pictures, out of what has been played. It says nothing that the
figures do not, and of every figure on how many matches it rests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import CrowntableError
from engine.game import Json
from engine.lab.compare import differences
from engine.lab.plan import hashes
from engine.lab.report import report
from engine.lab.show.chart import Chart, Point, Series
from engine.lab.show.people import People
from engine.lab.show.picture import svg
from engine.lab.show.questions import BOX, charts, rows_of
from engine.lab.show.rulings import answer_of, relative
from engine.lab.show.study import MATCHES, RULINGS, RULINGS_OF_THREE, SPECIALS, Kept, Part, whole
from engine.lab.show.words import FOLDER, Words
from engine.lab.tally import Tally
from engine.whole import write_whole

NAME = "althera-v2"
WORDS = Words("en")
#: How far from an even share a win rate may be before the text calls it an advantage, in its part of it.
SMALL = 0.04


@dataclass(frozen=True, slots=True)
class Findings:
    """What was played: reports of parts with one ruleset, differences of those with several."""

    played: int
    asked: int
    programs: tuple[str, ...]
    reports: Mapping[str, Json]
    compared: Mapping[str, Sequence[Sequence[Json]]]
    pairs: Mapping[str, int]


def findings(kept: Kept, todo: Sequence[Part]) -> Findings:
    """Reads the file. Raises CrowntableError where nothing has been played yet."""
    reports, compared, pairs, played = {}, {}, {}, 0
    for part in todo:
        blocks = kept.blocks(part.name)
        if not blocks:
            continue
        count = sum(block.tallies[0].matches for block in blocks)
        played += count * len(part.plans)
        pairs[part.name] = count
        tally = Tally()
        for block in blocks:
            tally.add(block.tallies[0])
        reports[part.name] = report(replace(part.plans[0], matches=count), tally, 0.0)
        if len(part.plans) > 1:
            compared[part.name] = [pair["differences"] for pair in differences(part.plans, blocks)]
    if not played:
        raise CrowntableError("Nothing has been played yet.", "Start the command without --write-only.")
    return Findings(played, whole(todo), tuple(kept.programs()), reports, compared, pairs)


def write(found: Findings, todo: Sequence[Part], out: Path) -> Path:
    """Writes `althera-v2.md` and its pictures beside it; returns the text's path. Raises CrowntableError."""
    pictures: dict[str, Chart] = {}
    sections = (_seats, _rulings, _specials, _lengths, _escalation)
    body = [part for section in sections for part in section(found, pictures)]
    text = "\n".join([*_head(found, todo), *body, *_tail()]) + "\n"
    path = out / f"{NAME}.md"
    try:
        (out / NAME).mkdir(parents=True, exist_ok=True)
        for name, chart in pictures.items():
            write_whole(out / NAME / f"{name}.svg", svg(chart))
        write_whole(path, text)
    except OSError as error:
        raise CrowntableError(
            f"{error.filename or out} could not be written: {error.strerror}.", "Choose another --out."
        ) from None
    return path


def _n(value: float, digits: int = 0, sign: bool = False) -> str:
    return WORDS.number(value, digits, sign)


def _share(row: Json) -> str:
    """`51.2 % (49.8 to 52.6)`."""
    value, low, high = (_n(100 * row[key], 1) for key in ("value", "low", "high"))
    return f"{value} % ({low} to {high})"


def _point(label: str, row: Json, key: str, n: int, factor: float = 100.0) -> Point:
    """A row's value with its interval, per cent unless another factor is given."""
    return Point(label, factor * row[key], factor * row["low"], factor * row["high"], n)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    lines = [head, ["---"] * len(head), *rows]
    return ["", *(f"| {' | '.join(line)} |" for line in lines), ""]


def _picture(name: str, chart: Chart, pictures: dict[str, Chart]) -> list[str]:
    pictures[name] = chart
    return ["", f"![{chart.answer}]({NAME}/{name}.svg)", ""]


def _head(found: Findings, todo: Sequence[Part]) -> list[str]:
    rules, cards = hashes(todo[0].plans[0])
    programs = ", ".join(one[:8] for one in found.programs)
    less = "" if found.played >= found.asked else f" of the {_n(found.asked)} that it asks for"
    return [
        "# Althera v2 as it stands",
        "",
        f"What {_n(found.played)} simulated matches{less} say of the rules as they are printed, and of each "
        "ruling that could be another. Text and pictures are made by one command, which goes on where it was "
        "stopped, and in minutes with fewer matches:",
        "",
        f"    crowntable lab study                          # {_n(MATCHES)} matches",
        "    crowntable lab study --matches 5000 --store try.sqlite --out try",
        "",
        f"Rules v2 ({rules[:8]}), card set {cards[:8]}, rules and bots of version {programs}; seeds "
        "`althera-v2/…`. Greedy bots (docs/bots.md) unless something else is said, matches of three turns. "
        "Measures: docs/measures.md. Every interval is one of 95 %: of twenty, one misses by chance. *Even* "
        "is what each would win if nothing but luck decided.",
        "",
    ]


def _first_of(found: Findings, part: str) -> Json | None:
    answer = found.reports.get(part)
    return None if answer is None else rows_of(answer, "win.first").get("")


def _seats(found: Findings, pictures: dict[str, Chart]) -> list[str]:
    rows, points, seats = [], [], []
    for part, label in (
        ("seats/2", "2 players"),
        ("seats/3", "3 players"),
        ("seats/4", "4 players"),
        ("seats/5", "5 players"),
        ("careful/seats", "2 players, careful bots"),
    ):
        row = _first_of(found, part)
        if row is None:
            continue
        answer = found.reports[part]
        even = answer["favoured"]["even"]
        points.append(_point(label, row, "value", answer["matches"], 100 / even))
        by_seat = rows_of(answer, "win.seat")
        told = ", ".join(f"{seat}: {_n(100 * one['value'], 1)}" for seat, one in by_seat.items())
        rows.append([label, _n(answer["matches"]), f"{_n(100 * even, 1)} %", _share(row), told])
        named = [a["what"] for a in answer["favoured"]["alarms"] if a["what"].startswith("win.seat/")]
        seats.append((label, named))
    if not rows:
        return []
    odd = [f"{label}: seat {', '.join(w.split('/')[1] for w in named)}" for label, named in seats if named]
    chart = Chart(
        "study-first",
        "Whoever holds the crown first: wins, % of an even share",
        _first_answer(points),
        "wins, % of an even share",
        (Series("bots", "simulated", tuple(points)),),
        mark=(100.0, "even share"),
        notes=("whiskers: 95 % (Wilson)",),
    )
    return [
        "## Seat and initiative",
        "",
        _first_answer(points),
        *_picture("first", chart, pictures),
        *_table(["players", "matches", "even", "wins of the first player", "wins by seat, %"], rows),
        "The seat itself is only a place: "
        + (
            f"yet it stands out for {'; '.join(odd)}."
            if odd
            else "no seat wins more or less than its even share, in any number of players."
        )
        + " What counts is who holds the crown, declares first and so opens the first duel: the defender has "
        "the last card.",
        "",
    ]


def _first_answer(points: Sequence[Point]) -> str:
    less = [p.label for p in points if p.high is not None and p.high < 100 * (1 - SMALL)]
    more = [p.label for p in points if p.low is not None and p.low > 100 * (1 + SMALL)]
    rest = [p.label for p in points if p.label not in less and p.label not in more]
    said = []
    for labels, words in (
        (less, "The first player is at a disadvantage with {}."),
        (more, "The first player is favoured with {}."),
        (rest, "No advantage that matters is shown with {}."),
    ):
        if labels:
            said.append(words.format(WORDS.both(list(labels))))
    return " ".join(said)


def _rulings(found: Findings, pictures: dict[str, Chart]) -> list[str]:
    lines: list[str] = []
    for part, changes, players in (("rulings/2", RULINGS, 2), ("rulings/3", RULINGS_OF_THREE, 3)):
        if part in found.compared:
            lines += _rulings_of(found, part, changes, players, pictures)
    if not lines:
        return []
    return [
        "## Each ruling's effect",
        "",
        "The same deals and dice under the printed rules and with one ruling changed "
        "([docs/rulings.md](../rulings.md)); the difference, in percentage points of shares and per cent of "
        "amounts. A share's difference under two points, an amount's under five per cent, is taken not to "
        "matter.",
        *lines,
    ]


def _rulings_of(
    found: Findings,
    part: str,
    changes: Sequence[tuple[str, str]],
    players: int,
    pictures: dict[str, Chart],
) -> list[str]:
    points, rows = [], []
    for (key, value), answer in zip(changes, found.compared[part], strict=True):
        name = f"{key} = {value}"
        first = _difference(answer, "win.first")
        if first is not None:
            points.append(_point(name, first, "difference", found.pairs[part]))
        rows.append(
            [f"`{name}`", _points(first), *(_change(answer, m) for m in _CHANGES), _told(answer, name)]
        )
    chart = Chart(
        f"study-{part.replace('/', '-')}",
        f"What each ruling changes for the first player, {players} players",
        _ruling_answer(points, players),
        "difference in the first player's wins, percentage points",
        (Series("bots", "other", tuple(points)),),
        mark=(0.0, "no difference"),
        band=(-2.0, 2.0, "too little to matter"),
        notes=(f"n = {_n(found.pairs[part])} matches under each ruling", "whiskers: 95 % (paired bootstrap)"),
    )
    head = [
        "ruling",
        "first player's wins",
        "cards laid",
        "field at the end",
        "last card decides",
        "in words",
    ]
    return [
        "",
        f"### {players} players, {_n(found.pairs[part])} matches under each ruling",
        "",
        _ruling_answer(points, players),
        *_picture(part.replace("/", "-"), chart, pictures),
        *_table(head, rows),
    ]


_CHANGES = ("length.cards", "field.final", "duel.last_card")


def _difference(answer: Sequence[Json], measure: str) -> Json | None:
    return next((row for row in answer if row["measure"] == measure), None)


def _points(row: Json | None) -> str:
    if row is None:
        return ""
    value, low, high = (_n(100 * row[key], 1, sign=True) for key in ("difference", "low", "high"))
    return f"{value} ({low} to {high})"


def _change(answer: Sequence[Json], measure: str) -> str:
    row = _difference(answer, measure)
    if row is None or not row["value_a"]:
        return ""
    unit = "" if row["unit"] == "share" else " %"
    return f"{_n(100 * relative(row, 'difference'), 1, sign=True)}{unit}"


def _told(answer: Sequence[Json], name: str) -> str:
    return answer_of(list(answer), f"`{name}`", WORDS)


def _ruling_answer(points: Sequence[Point], players: int) -> str:
    shown = [p for p in points if p.low is not None and p.high is not None and (p.low > 2 or p.high < -2)]
    if not shown:
        return (
            f"With {players} players no ruling is shown to change the first player's wins by two points "
            "or more."
        )
    named = [
        f"`{p.label}` ({_n(p.value, 1, sign=True)} points)"
        for p in sorted(shown, key=lambda p: -abs(p.value))
    ]
    told = WORDS.both(named)
    return f"With {players} players the first player's wins change by more than two points under {told}."


def _specials(found: Findings, pictures: dict[str, Chart]) -> list[str]:
    series, rows = [], []
    for how, label, bot, prefix in (
        ("never", "never lays it", "greedy", ""),
        ("always", "lays it whenever it may", "greedy", ""),
        ("never", "never lays it, careful bots", "careful", "careful/"),
    ):
        points = []
        kinds = (*SPECIALS, "all") if (how, prefix) == ("never", "") else SPECIALS
        for kind in kinds:
            answer = found.reports.get(f"{prefix}{how}/{kind}")
            row = None if answer is None else _restricted(answer, f"{bot}:{how}=")
            if answer is None or row is None:
                continue
            name = "all four" if kind == "all" else WORDS(f"kind.{kind}")
            points.append(_point(name, row, "value", row["n"]))
            rows.append([name, label, _n(answer["matches"]), _share(row), _worth(row, how)])
        if points:
            series.append((label, tuple(points)))
    if not rows:
        return []
    lines = ["## Each special's worth", "", _special_answer(series)]
    for place, (label, drawn) in enumerate(series):
        chart = Chart(
            f"study-special-{place}",
            f"A bot that {label}, against the same bot free: wins, %",
            f"Wins of a bot that {label}, per cent: {_listed(drawn)}.",
            "matches won, %",
            (Series(label, "other", drawn),),
            mark=(50.0, "even"),
            notes=("two players", "whiskers: 95 % (Wilson)"),
        )
        lines += _picture(f"special-{place}", chart, pictures)
    head = ["special", "the bot", "matches", "its wins", "which says"]
    lines += _table(head, rows)
    lines += [
        "This is what a card is worth *in these hands*: a bot that lays it badly loses by it. That the "
        "greedy bot keeps specials for its last card or for the enemy's makes its shield and overtake cheap.",
        "",
    ]
    return lines


def _listed(points: Sequence[Point]) -> str:
    return WORDS.both([f"{point.label} {_n(point.value, 1)}" for point in points])


def _restricted(answer: Json, start: str) -> Json | None:
    return next((row for bot, row in rows_of(answer, "win.bot").items() if bot.startswith(start)), None)


def _worth(row: Json, how: str) -> str:
    if row["low"] <= 0.5 <= row["high"]:
        return "no difference is shown"
    points = _n(abs(100 * row["value"] - 50), 1)
    better = row["value"] > 0.5
    if how == "never":
        worth = f"costs {points} points" if better else f"is worth {points} points to whoever has it"
        return f"the special {worth}"
    return f"the bot {'gains' if better else 'loses'} {points} points by that"


def _special_answer(series: Sequence[tuple[str, Sequence[Point]]]) -> str:
    never = [point for point in series[0][1] if point.label != "all four"]
    if not never:
        return ""
    ordered = sorted(never, key=lambda point: point.value)
    told = [f"{p.label} {_n(50 - p.value, 1, sign=True)}" for p in ordered]
    return f"Points of wins that go with a special when one side may not lay it: {WORDS.both(told)}."


def _lengths(found: Findings, pictures: dict[str, Chart]) -> list[str]:
    points, rows = [], []
    for players in (2, 3, 4, 5):
        for turns in (3, 5, 10):
            answer = found.reports.get(f"seats/{players}" if turns == 3 else f"length/{players}/{turns}")
            if answer is None:
                continue
            spread = {key: value / 60 for key, value in answer["length"]["seconds"].items()}
            label = f"{players} players, {turns} turns"
            points.append(Point(label, spread["median"], spread["p10"], spread["p90"], answer["matches"]))
            duels = answer["length"]["duels"]["median"]
            minutes = [_n(spread[key]) for key in ("p10", "median", "p90")]
            rows.append(
                [str(players), str(turns), _n(answer["matches"]), _n(duels), *minutes, _boxed(spread)]
            )
    if not rows:
        return []
    inside = sum(row[-1] == "inside" for row in rows)
    said = (
        f"{inside} of the {len(rows)} combinations of players and turns that were played stay within the "
        "box's 25 to 130 minutes for eight of ten matches, by the assumed times of docs/measures.md."
    )
    chart = Chart(
        "study-length",
        "How long a match takes",
        said,
        "minutes",
        (Series("bots", "simulated", tuple(points)),),
        band=(*BOX, "the box: 25 to 130 minutes"),
        notes=("mark: median; whiskers: from the tenth to the ninetieth of a hundred matches",),
        digits=0,
    )
    head = ["players", "turns", "matches", "duels", "10 % under", "median", "90 % under", "against the box"]
    return [
        "## Length",
        "",
        said,
        *_picture("length", chart, pictures),
        *_table(head, rows),
        "Minutes are sums of assumed times an action, not measurements: they scale with how fast a table "
        "plays, and duels that run side by side among four and five are counted one after another, which "
        "makes these matches too long here. How they relate to each other is firmer than what they are.",
        "",
    ]


def _boxed(spread: Mapping[str, float]) -> str:
    if spread["p10"] >= BOX[0] and spread["p90"] <= BOX[1]:
        return "inside"
    return "shorter" if spread["p10"] < BOX[0] else "longer"


def _escalation(found: Findings, pictures: dict[str, Chart]) -> list[str]:
    answer = found.reports.get("seats/2")
    if answer is None:
        return []
    drawn = {chart.id: chart for chart in charts(answer, People(), WORDS)}
    lines = ["## Duels, houses", ""]
    for ident in ("escalation", "house"):
        if ident in drawn:
            lines += [drawn[ident].answer, *_picture(ident, drawn[ident], pictures)]
    turned = rows_of(answer, "swing.lead").get("")
    known = rows_of(answer, "known.at").get("")
    if turned and known:
        lines += [
            f"In a match of two the lead changes {_n(turned['value'], 2)} times, and the winner begins "
            f"to lead for good after {_n(known['value'] / 10, 0)} % of it on the average.",
            "",
        ]
    return lines


def _tail() -> list[str]:
    """What holds whatever the figures are."""
    return [(FOLDER / "study-end.md").read_text("utf-8").rstrip("\n")]
