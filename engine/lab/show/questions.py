"""The designer's questions, each answered with a sentence and a chart, out of a result of
`crowntable lab run` and what people played by the same rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from engine.game import Json
from engine.lab.show.chart import Chart, Point, Series
from engine.lab.show.names import bot_name, house_name, kind_name
from engine.lab.show.people import People
from engine.lab.show.words import Words

#: What the box says of a match of Althera, in minutes.
BOX = (25.0, 130.0)
#: A card of a duel is drawn where at least this part of the duels came so far.
COMMON = 0.1


def charts(result: Json, people: People, words: Words, others: Iterable[Json] = ()) -> list[Chart]:
    """Every chart that this result has the figures for. `others` are results of the same rules with other
    numbers of players or turns: their lengths stand beside."""
    return [
        chart
        for chart in (
            _first(result, people, words),
            _houses(result, people, words),
            _specials(result, people, words),
            _bots(result, words),
            _escalation(result, people, words),
            _length(result, people, words, others),
        )
        if chart is not None
    ]


def rows_of(answer: Json, measure: str) -> dict[str, Json]:
    """The rows of a measure in a report, by their group (seat, house, card; "" where it has none)."""
    found = {}
    for row in answer["measures"]:
        if row["measure"] == measure:
            group = next((row[per] for per in ("seat", "house", "bot", "card") if per in row), "")
            found[str(group)] = row
    return found


def notes(result: Json, people: People | None, words: Words, whisker: str = "interval") -> tuple[str, ...]:
    """What a chart says below itself: n, interval, rules, what is left out."""
    turns = "" if result["turns"] is None else words("note.turns", turns=result["turns"])
    said = [
        words(
            "note.n",
            n=words.number(result["matches"], 0),
            players=result["players"],
            turns=turns,
            bots=", ".join(result["line_up"]),
            seed=result["seed"],
        ),
        words(f"note.{whisker}"),
        words(
            "note.rules",
            name=result["ruleset"]["name"] or "",
            hash=result["ruleset"]["hash"][:8],
            cards=result["ruleset"]["cards"][:8],
        ),
    ]
    if result.get("handicap"):
        said.append(words("note.handicap", handicap=result["handicap"]))
    if result.get("unfinished"):
        said.append(words("note.unfinished", n=words.number(result["unfinished"], 0)))
    return (*said, *(people_notes(people, words) if people is not None else ()))


def people_notes(people: People, words: Words) -> list[str]:
    """How many of people's matches are counted, marked, left out."""
    said = []
    if people.counted:
        marked = {mark: people.marked.get(mark, 0) for mark in ("corrected", "doubtful")}
        said.append(words("note.live", n=people.counted, **marked))
    else:
        said.append(words("note.live_none"))
    if people.left:
        what = ", ".join(words(f"note.left_{why}", n=n) for why, n in people.left.items())
        said.append(words("note.left", what=what))
    if people.mixed:
        said.append(words("note.mixed"))
    return said


def _percent(label: str, row: Json) -> Point:
    return Point(label, 100 * row["value"], 100 * row["low"], 100 * row["high"], row["n"])


def _plain(label: str, row: Json) -> Point:
    return Point(label, row["value"], row["low"], row["high"], row["n"])


def _two(words: Words, simulated: list[Point], live: list[Point]) -> tuple[Series, ...]:
    found = [Series(words("source.bots"), "simulated", tuple(simulated))]
    return (*found, Series(words("source.live"), "live", tuple(live))) if live else tuple(found)


def _live(people: People, measure: str) -> dict[str, Json]:
    return {} if people.summary is None else rows_of(people.summary, measure)


def _between(row: Json, words: Words) -> dict[str, str]:
    """A share's rate and interval in words."""
    digits = 1 if row["n"] < 100_000 else 2
    rate = row["value"] if "value" in row else row["rate"]
    return {
        "rate": words.number(100 * rate, digits),
        "low": words.number(100 * row["low"], digits),
        "high": words.number(100 * row["high"], digits),
    }


def _standing(key: str, row: Json, result: Json) -> str:
    """`more` or `less` where the whole report's alarm names it, `hint` where its own interval alone leaves
    out the even share, `none` else."""
    even = result["favoured"]["even"]
    if key in {alarm["what"] for alarm in result["favoured"]["alarms"]}:
        return "more" if row["value"] > even else "less"
    return "none" if row["low"] <= even <= row["high"] else "hint"


def _first(result: Json, people: People, words: Words) -> Chart | None:
    first, seats = rows_of(result, "win.first").get(""), rows_of(result, "win.seat")
    if first is None or not seats:
        return None
    even = result["favoured"]["even"]
    who = words("who.crown" if result["game"] == "althera" else "who.turn")
    answer = words(
        f"first.{_standing('win.first', first, result)}",
        who=who,
        even=words.number(100 * even, 1),
        **_between(first, words),
    )
    named = [
        words("first.seat", n=seat, rate=_between(row, words)["rate"])
        for seat, row in seats.items()
        if _standing(f"win.seat/{seat}", row, result) in ("more", "less")
    ]
    key = "first.seats" if named else "first.seats_even"
    people_first = _live(people, "win.first").get("")
    people_seats = _live(people, "win.seat")
    return Chart(
        "first",
        words("first.title"),
        words(key, first=answer, seats=words.both(named)),
        words("axis.wins"),
        _two(
            words,
            [_percent(words("who.first"), first)]
            + [_percent(words("who.seat", n=seat), row) for seat, row in seats.items()],
            ([_percent(words("who.first"), people_first)] if people_first else [])
            + [_percent(words("who.seat", n=seat), row) for seat, row in people_seats.items()],
        ),
        across=words("axis.seat"),
        mark=(100 * even, words("even.share")),
        whisker="95",
        notes=notes(result, people, words),
    )


def _houses(result: Json, people: People, words: Words) -> Chart | None:
    houses = rows_of(result, "win.house")
    if not houses:
        return None
    even = result["favoured"]["even"]
    out = [
        words("house.one", house=house_name(house), **_between(row, words))
        for house, row in houses.items()
        if _standing(f"win.house/{house}", row, result) in ("more", "less")
    ]
    rates = sorted(row["value"] for row in houses.values())
    if out:
        answer = words("house.not", houses=words.both(out), even=words.number(100 * even, 1))
    else:
        answer = words(
            "house.even", low=words.number(100 * rates[0], 1), high=words.number(100 * rates[-1], 1)
        )
    return Chart(
        "house",
        words("house.title"),
        answer,
        words("axis.wins"),
        _two(
            words,
            [_percent(house_name(house), row) for house, row in houses.items()],
            [_percent(house_name(house), row) for house, row in _live(people, "win.house").items()],
        ),
        across=words("axis.house"),
        mark=(100 * even, words("even.share")),
        whisker="95",
        notes=notes(result, people, words),
    )


def _specials(result: Json, people: People, words: Words) -> Chart | None:
    gains = rows_of(result, "special.gain")
    kinds = [kind for kind in gains if kind != "none"]
    if not kinds:
        return None
    ordered = [*kinds, *(["none"] if "none" in gains else [])]
    best = max(kinds, key=lambda kind: float(gains[kind]["value"]))
    row = gains[best]
    said = {key: words.number(row[key], 2, sign=True) for key in ("low", "high")}
    values = {"kind": words(f"kind.{best}"), "gain": words.number(row["value"], 2, sign=True), **said}
    if "none" in gains:
        answer = words("special.answer", none=words.number(gains["none"]["value"], 2, sign=True), **values)
    else:
        answer = words("special.plain", **values)
    live = _live(people, "special.gain")
    return Chart(
        "special",
        words("special.title"),
        answer,
        words("axis.gain"),
        _two(
            words,
            [_plain(kind_name(kind, words), gains[kind]) for kind in ordered],
            [_plain(kind_name(kind, words), live[kind]) for kind in ordered if kind in live],
        ),
        across=words("axis.special"),
        mark=(0.0, words("even.none")),
        whisker="95",
        notes=(*notes(result, people, words), words("special.caution")),
        digits=2,
    )


def _bots(result: Json, words: Words) -> Chart | None:
    rows = rows_of(result, "win.bot")
    if len(rows) < 2:
        return None
    ordered = sorted(rows.items(), key=lambda item: -float(item[1]["value"]))
    (best, top), (worst, last) = ordered[0], ordered[-1]
    apart = top["low"] > last["high"]
    answer = words(
        "bots.answer",
        best=bot_name(best, words),
        worst=bot_name(worst, words),
        other=_between(last, words)["rate"],
        shown=words("bots.shown" if apart else "bots.open"),
        **_between(top, words),
    )
    return Chart(
        "bots",
        words("bots.title"),
        answer,
        words("axis.wins"),
        (
            Series(
                words("source.bots"),
                "simulated",
                tuple(_percent(bot_name(bot, words), row) for bot, row in ordered),
            ),
        ),
        across=words("axis.bot"),
        mark=(100 * result["favoured"]["even"], words("even.share")),
        whisker="95",
        notes=notes(result, None, words),
    )


def _escalation(result: Json, people: People, words: Words) -> Chart | None:
    steps = _common(rows_of(result, "field.at"))
    if len(steps) < 2:
        return None
    first, last = steps[0], steps[-1]
    fall = next((int(b["card"]) for a, b in pairwise(steps) if b["value"] < a["value"]), 0)
    grows = words(
        "escalation.not" if fall else "escalation.grows",
        first=words.number(first["value"], 0),
        last=words.number(last["value"], 0),
        n=last["card"],
        times=words.number(last["value"] / max(1e-9, first["value"]), 1),
        fall=fall,
    )
    turned = rows_of(result, "duel.last_card").get("")
    answer = (
        words("escalation.last_card", grows=grows, rate=words.number(100 * turned["value"], 0))
        if turned
        else words("escalation.end", grows=grows)
    )
    live = [row for row in _common(_live(people, "field.at")) if int(row["card"]) <= int(last["card"])]
    return Chart(
        "escalation",
        words("escalation.title"),
        answer,
        words("axis.field"),
        _two(words, [_step(row) for row in steps], [_step(row) for row in live]),
        shape="line",
        across=words("axis.laid"),
        whisker="95",
        notes=notes(result, people, words),
    )


def _step(row: Json) -> Point:
    return Point(str(row["card"]), row["value"], row["low"], row["high"], row["n"], float(row["card"]))


def _common(rows: dict[str, Json]) -> list[Json]:
    """The cards that enough duels came to, in order: those that go on by interventions are others."""
    ordered = sorted(rows.values(), key=lambda row: int(row["card"]))
    return [row for row in ordered if row["n"] >= COMMON * ordered[0]["n"]]


def _length(result: Json, people: People, words: Words, others: Iterable[Json]) -> Chart | None:
    if "seconds" not in result["length"]:
        return None
    spread = {key: value / 60 for key, value in result["length"]["seconds"].items()}
    box = _box(spread, words) if result["game"] == "althera" else ""
    shown = {key: words.number(spread[key], 0) for key in ("median", "p10", "p90")}
    every = sorted([result, *others], key=lambda one: (one["players"], one["turns"] or 0))
    here = _row_name(result, words)
    return Chart(
        "length",
        words("length.title"),
        words("length.answer", box=box, **shown),
        words("axis.minutes"),
        _two(
            words,
            [_minutes(_row_name(one, words), one) for one in every if "seconds" in one["length"]],
            [Point(here, minutes, n=1) for _, minutes in people.minutes],
        ),
        across=words("axis.match"),
        band=(*BOX, words("even.box")) if result["game"] == "althera" else None,
        whisker="spread",
        notes=(*notes(result, people, words, "spread"), words("note.pace")),
        digits=0,
    )


def _row_name(result: Json, words: Words) -> str:
    turns = "" if result["turns"] is None else words("note.turns", turns=result["turns"])
    return words("length.row", players=result["players"], turns=turns)


def _minutes(label: str, result: Json) -> Point:
    spread = result["length"]["seconds"]
    return Point(label, spread["median"] / 60, spread["p10"] / 60, spread["p90"] / 60, result["matches"])


def _box(spread: Json, words: Words) -> str:
    if spread["p90"] < BOX[0]:
        return words("length.shorter")
    return words("length.longer" if spread["p10"] > BOX[1] else "length.inside")
