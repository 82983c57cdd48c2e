"""A tally as a report: JSON as `crowntable lab run --json` gives it, and the same in words."""

from __future__ import annotations

from typing import Any

from engine.game import Json
from engine.lab.measures import MEASURES, Measure, label_of
from engine.lab.plan import Plan, hashes, program
from engine.lab.stats import spread_of, wilson, z_for
from engine.lab.tally import Tally, estimate

#: How seldom a fair game may be called unfair by a whole report: one in a hundred.
FALSE_ALARM = 0.01


def report(plan: Plan, tally: Tally, seconds: float, played: int | None = None) -> Json:
    """The tally with 95 % intervals. `played` is how many of its matches were played in these seconds."""
    rules, cards = hashes(plan)
    fresh = tally.matches if played is None else played
    return {
        "game": plan.game,
        "ruleset": {"name": plan.ruleset.get("name"), "hash": rules, "cards": cards},
        "program": program(),
        "players": plan.players,
        "turns": plan.turns,
        "line_up": list(plan.bots),
        "handicap": {str(seat): percent for seat, percent in plan.handicap},
        "seed": plan.seed,
        "matches": tally.matches,
        "unfinished": tally.unfinished,
        "shared": tally.shared,
        "forced": tally.forced,
        "seconds": round(seconds, 3),
        "matches_per_s": round(fresh / seconds, 1) if seconds else None,
        **summary(tally),
        "favoured": favoured(tally, plan.players),
    }


def summary(tally: Tally) -> Json:
    """What a report says of a tally, whether it was simulated or played by people."""
    return {
        "seats": rates(tally, "win.seat", "seat"),
        "houses": rates(tally, "win.house", "house"),
        "bots": rates(tally, "win.bot", "bot"),
        "length": _spreads(tally, "length"),
        "swings": _spreads(tally, "swing"),
        "cards": [
            row | {"uses": uses, "per_match": round(uses / tally.matches, 4)}
            for row in rates(tally, "win.card", "card")
            for uses in [tally.sums[f"use.card/{row['card']}"][2]]
        ],
        "measures": [row for measure in MEASURES for row in _rows(tally, measure)],
    }


def rates(tally: Tally, name: str, by: str) -> list[Json]:
    """Wins by seat, house, bot or card, with their Wilson intervals."""
    found = []
    for key in tally.sums:
        measure, group = label_of(key)
        if measure.name == name:
            _, of, wins, *_ = tally.sums[key]
            low, high = wilson(wins, of)
            label: Any = int(group) if by == "seat" else group
            found.append(
                {by: label, "matches": of, "wins": wins, "rate": round(wins / of, 5)}
                | {"low": round(low, 5), "high": round(high, 5)}
            )
    return sorted(found, key=lambda row: str(row[by]))


def _spreads(tally: Tally, family: str) -> Json:
    return {
        name.partition(".")[2]: spread_of(histogram)
        for name, histogram in tally.spreads.items()
        if name.startswith(f"{family}.")
    }


def _rows(tally: Tally, measure: Measure) -> list[Json]:
    rows = []
    for key in sorted(tally.sums):
        if key.partition("/")[0] != measure.name or not tally.sums[key][1]:
            continue
        value, low, high = estimate(key, tally.sums[key])
        group = key.partition("/")[2]
        row: Json = {"measure": measure.name, "version": measure.version}
        if group:
            row[measure.per] = group
        row |= {"unit": measure.unit, "matches": tally.sums[key][0], "n": tally.sums[key][1]}
        row |= {"value": round(value, 5), "low": round(low, 5), "high": round(high, 5)}
        if key in tally.spreads:
            row["spread"] = spread_of(tally.spreads[key])
        rows.append(row)
    return rows


def favoured(tally: Tally, players: int) -> Json:
    """Seats, houses and the first player, held against an even share of the wins.

    `alarms` names those whose interval does not hold an even share. The intervals are so wide that a
    fair game raises any alarm at all in at most one report of a hundred (Bonferroni over what is asked).
    """
    seats = [sums for key, sums in tally.sums.items() if key.startswith("win.seat/")]
    wins, of = sum(sums[2] for sums in seats), sum(sums[1] for sums in seats)
    even = wins / of if of else 1 / players
    asked = [key for key in sorted(tally.sums) if key.startswith(("win.seat/", "win.house/", "win.first"))]
    alarms = []
    z = z_for(FALSE_ALARM / max(1, len(asked)))
    for key in asked:
        _, of, wins, *_ = tally.sums[key]
        low, high = wilson(wins, of, z)
        if not low <= even <= high:
            alarms.append(
                {"what": key, "rate": round(wins / of, 5), "low": round(low, 5), "high": round(high, 5)}
            )
    return {"even": round(even, 5), "false_alarm": FALSE_ALARM, "asked": len(asked), "alarms": alarms}


_TITLES = (("seats", "seat"), ("houses", "house"), ("bots", "bot"), ("cards", "card"))


def in_words(answer: Json) -> str:
    """The report as text for a terminal."""
    turns = "" if answer["turns"] is None else f", {answer['turns']} turns"
    lines = [
        f"{answer['matches']} matches of {answer['game']}, {answer['players']} players{turns}, "
        f"rules {answer['ruleset']['name']}, seed {answer['seed']}: {answer['seconds']} s, "
        f"{answer['matches_per_s']} a second"
    ]
    if answer["unfinished"]:
        lines.append(f"{answer['unfinished']} of them were left unfinished")
    return "\n".join([*lines, *summary_in_words(answer), "", _alarms_in_words(answer["favoured"])])


def summary_in_words(answer: Json) -> list[str]:
    """Rates, lengths and measures, line by line."""
    lines: list[str] = []
    for title, by in _TITLES:
        if answer[title]:
            heading = "won by who laid it" if by == "card" else "won"
            lines += ["", f"{by:<24} {'matches':>8} {heading:>20}   95 % interval"]
        lines += [
            f"{row[by]!s:<24} {row['matches']:>8} {100 * row['rate']:>18.1f} %   "
            f"{100 * row['low']:.1f} to {100 * row['high']:.1f} %"
            for row in answer[title]
        ]
    lines += ["", f"{'measure':<34} {'n':>9} {'value':>12}   95 % interval"]
    for row in answer["measures"]:
        if row["measure"].startswith(("win.seat", "win.house", "win.bot", "win.card")):
            continue
        measure = next(m for m in MEASURES if m.name == row["measure"])
        label = measure.name + (f" {row[measure.per]}" if measure.per in row else "")
        lines.append(f"{label:<34} {row['n']:>9} {_amount(row)}")
    return lines


def _amount(row: Json) -> str:
    unit, value, low, high = row["unit"], row["value"], row["low"], row["high"]
    if unit == "share":
        return f"{100 * value:>10.1f} %   {100 * low:.1f} to {100 * high:.1f} %"
    if unit == "permille":
        return f"{value / 10:>10.1f} %   {low / 10:.1f} to {high / 10:.1f} %"
    if unit == "seconds":
        return f"{value / 60:>8.1f} min   {low / 60:.1f} to {high / 60:.1f} min"
    return f"{value:>12.2f}   {low:.2f} to {high:.2f}"


def _alarms_in_words(found: Json) -> str:
    if not found["alarms"]:
        return "No seat, house or first player wins more or less than its even share, as far as this shows."
    named = "; ".join(
        f"{alarm['what'].replace('win.', '').replace('/', ' ')} wins {100 * alarm['rate']:.1f} %"
        for alarm in found["alarms"]
    )
    return f"Not even ({100 * found['even']:.1f} % would be): {named}."
