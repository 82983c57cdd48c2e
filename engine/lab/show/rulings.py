"""What a changed rule changes: a result of `crowntable lab compare` as charts."""

from __future__ import annotations

from engine.game import Json
from engine.lab.show.chart import Chart, Point, Series
from engine.lab.show.names import measure_name
from engine.lab.show.words import Words

#: Whose differences are drawn: what a designer feels at the table. All others stand in the table.
SHARES = (
    "win.first",
    "duel.attacker",
    "duel.last_card",
    "special.success",
    "special.acted",
    "retreat.tried",
    "retreat.saved",
    "intervene.success",
    "comeback.behind",
    "kingmaking",
    "choice.real",
    "lay.kept",
)
AMOUNTS = (
    "length.plays",
    "length.cards",
    "length.seconds",
    "field.final",
    "swing.lead",
    "swing.field",
    "intervene.laid",
    "comeback.deficit",
    "retreat.cost",
)
#: How many of the settled differences the sentence names.
NAMED = 3


def ruling_charts(compared: Json, words: Words) -> list[Chart]:
    """Two charts for each ruleset that was compared with the first: shares, and amounts."""
    found = []
    for number, pair in enumerate(compared["compared"], 1):
        one, other = (compared["rulesets"][pair[side]] for side in ("a", "b"))
        b = _called(one, other)
        notes = _notes(compared, one, other, words)
        answer = answer_of(pair["differences"], b, words)
        shares = [row for row in pair["differences"] if row["measure"] in SHARES]
        amounts = [row for row in pair["differences"] if row["measure"] in AMOUNTS and row["value_a"]]
        for kind, rows in (("shares", shares), ("amounts", amounts)):
            if rows:
                found.append(_chart(f"ruling-{number}-{kind}", kind, rows, b, answer, notes, words))
    return found


def _called(one: Json, other: Json) -> str:
    """What the other ruleset is called in a sentence: its name where it has one of its own, else its file."""
    if other["name"] != one["name"]:
        return str(other["name"])
    return str(other["given"]).rsplit("/", 1)[-1].removesuffix(".toml")


def _chart(
    ident: str, kind: str, rows: list[Json], b: str, answer: str, notes: tuple[str, ...], words: Words
) -> Chart:
    shares = kind == "shares"
    margin = max(100 * matters(row) for row in rows)
    return Chart(
        ident,
        words(f"ruling.{kind}", b=b),
        answer,
        words("axis.points" if shares else "axis.percent"),
        (Series(b, "other", tuple(_point(row, words) for row in rows)),),
        across=words("axis.measure"),
        mark=(0.0, words("even.same")),
        band=(-margin, margin, words("even.matters")),
        whisker="95",
        notes=notes,
        digits=2,
    )


def _point(row: Json, words: Words) -> Point:
    low, value, high = (100 * relative(row, key) for key in ("low", "difference", "high"))
    return Point(measure_name(row, words), value, low, high, row["n"])


def relative(row: Json, key: str) -> float:
    """A share's difference as it is, an amount's as a part of the first ruleset's amount."""
    return float(row[key]) if row["unit"] == "share" else float(row[key] / abs(row["value_a"]))


def matters(row: Json) -> float:
    """The smallest difference that matters, in the same measure as `relative`."""
    return float(row["matters"]) if row["unit"] == "share" else float(row["matters"] / abs(row["value_a"]))


def settled(differences: list[Json]) -> list[Json]:
    """The differences of what is drawn that are shown and matter, those that are surely great first."""
    rows = [
        row
        for row in differences
        if row["measure"] in (*SHARES, *AMOUNTS)
        and row["verdict"] in ("higher", "lower")
        and row["value_a"]
        and abs(relative(row, "difference")) >= matters(row)
    ]
    return sorted(rows, key=lambda row: -_sure(row) / matters(row))


def _sure(row: Json) -> float:
    """What the difference is at the least: the end of its interval that is nearer to none."""
    return min(abs(relative(row, "low")), abs(relative(row, "high")))


def answer_of(differences: list[Json], b: str, words: Words) -> str:
    """The sentence over a comparison."""
    drawn = [row for row in differences if row["measure"] in (*SHARES, *AMOUNTS)]
    counts = {
        "n": len(drawn),
        "same": sum(row["verdict"] == "same" for row in drawn),
        "open": sum(row["verdict"] == "open" for row in drawn),
    }
    shown = settled(differences)[:NAMED]
    if not shown:
        if not counts["open"]:
            return words("ruling.same", **counts)
        needed = max(row["needed"] for row in drawn)
        return words("ruling.nothing", needed=words.number(needed, 0), **counts)
    return words("ruling.changes", b=b, list=words.both([_one(row, words) for row in shown]), **counts)


def _one(row: Json, words: Words) -> str:
    said = {
        key: words.number(100 * relative(row, key), 1, sign=True) for key in ("difference", "low", "high")
    }
    key = "ruling.one" if row["unit"] == "share" else "ruling.one_amount"
    return words(key, measure=measure_name(row, words), **said)


def _notes(compared: Json, one: Json, other: Json, words: Words) -> tuple[str, ...]:
    turns = "" if compared["turns"] is None else words("note.turns", turns=compared["turns"])
    return (
        words(
            "note.pairs",
            n=words.number(compared["matches"], 0),
            players=compared["players"],
            turns=turns,
            bots=", ".join(compared["line_up"]),
            seed=compared["seed"],
        ),
        words("note.bootstrap"),
        words(
            "note.compared",
            a=one["name"],
            hash_a=one["hash"][:8],
            b=_called(one, other),
            hash_b=other["hash"][:8],
        ),
        words("note.own_hand"),
    )
