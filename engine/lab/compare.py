"""Rulesets against each other on paired seeds: the same deals, dice and moods of the bots under each.

What is compared are the measures' values over all matches; the intervals are a paired bootstrap over
blocks of matches, so that whatever hangs together within a match or a pair is kept together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Any, Literal, NamedTuple

from engine.game import Json
from engine.lab.measures import MEASURES, label_of
from engine.lab.plan import Plan, hashes
from engine.lab.simulate import chunk, pieces
from engine.lab.stats import needed
from engine.lab.tally import Sums, Tally
from engine.lab.work import work

#: How often the blocks are drawn anew for an interval.
RESAMPLES = 2000
#: From how many blocks on their size grows with the matches.
BLOCKS = 100
#: A difference that matters where nothing else is said: of shares, and of amounts as a part of the first's.
SHARE_MARGIN, AMOUNT_MARGIN = 0.02, 0.05

Verdict = Literal["higher", "lower", "same", "open"]


class Block(NamedTuple):
    """The same matches under every ruleset: a tally each."""

    start: int
    tallies: tuple[Tally, ...]


def blocks(
    plans: Sequence[Plan],
    workers: int = 1,
    cluster: str | None = None,
) -> Iterator[Block]:
    """Plays the plans, which differ in nothing but their rules, block by block."""
    first = plans[0]
    most = max(1, min(50, first.matches // BLOCKS))
    jobs = [
        (tuple(plans), start, min(start + most, end))
        for begin, end in pieces(first, [(0, first.matches)])
        for start in range(begin, end, most)
    ]
    yield from work(play_block, jobs, workers, cluster)


def play_block(plans: Sequence[Plan], start: int, stop: int) -> Block:
    """One block."""
    return Block(start, tuple(chunk(plan, start, stop).tally for plan in plans))


def compare(
    plans: Sequence[Plan],
    workers: int = 1,
    cluster: str | None = None,
    told: Callable[[int], None] | None = None,
    margin: float | None = None,
) -> list[Json]:
    """Plays all and returns the differences: for each plan after the first, its rows against the first.

    `margin` is the smallest difference of a share that matters (0.02). Raises CrowntableError as
    `work.work` does.
    """
    done: list[Block] = []
    matches = 0
    for block in blocks(plans, workers, cluster):
        done.append(block)
        matches += block.tallies[0].matches
        if told is not None:
            told(matches)
    return differences(plans, done, margin)


def differences(plans: Sequence[Plan], done: Sequence[Block], margin: float | None = None) -> list[Json]:
    """The rows of `compare` out of blocks that have been played, in whatever order."""
    ordered = sorted(done, key=lambda block: block.start)
    matches = sum(block.tallies[0].matches for block in ordered)
    draws = _draws(plans[0].seed, len(ordered))
    answer = []
    for number in range(1, len(plans)):
        rows = []
        for key in _shared_keys(ordered, number):
            one = [block.tallies[0].sums.get(key) for block in ordered]
            other = [block.tallies[number].sums.get(key) for block in ordered]
            rows.append(_row(key, one, other, draws, matches, margin))
        answer.append(
            {"a": 0, "b": number, "matches": matches, "differences": [row for row in rows if row is not None]}
        )
    return answer


def _shared_keys(ordered: Sequence[Block], number: int) -> list[str]:
    """The facts that both rulesets have, in the order of the table of measures."""
    found = [{key for block in ordered for key in block.tallies[n].sums} for n in (0, number)]
    rank = {measure.name: place for place, measure in enumerate(MEASURES)}
    return sorted(found[0] & found[1], key=lambda key: (rank[label_of(key)[0].name], key))


def _draws(seed: str, count: int) -> Any:
    """How often each block is drawn, in each resample: RESAMPLES x count."""
    import numpy as np

    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))
    return rng.multinomial(count, [1 / count] * count, size=RESAMPLES)


def _row(
    key: str,
    one: Sequence[Sums | None],
    other: Sequence[Sums | None],
    draws: Any,
    matches: int,
    margin: float | None,
) -> Json | None:
    """The difference in one measure: other minus one."""
    import numpy as np

    sums = np.array(
        [
            [a[1], a[2], b[1], b[2]]
            for a, b in ((a or [0] * 6, b or [0] * 6) for a, b in zip(one, other, strict=True))
        ],
        dtype=float,
    )
    of_a, value_a, of_b, value_b = sums.sum(axis=0)
    if not of_a or not of_b:
        return None
    drawn = draws @ sums
    usable = (drawn[:, 0] > 0) & (drawn[:, 2] > 0)
    if not usable.any():
        return None
    drawn = drawn[usable]
    spread = drawn[:, 3] / drawn[:, 2] - drawn[:, 1] / drawn[:, 0]
    low, high = (float(end) for end in np.quantile(spread, [0.025, 0.975]))
    a, b = value_a / of_a, value_b / of_b
    measure, group = label_of(key)
    # What has not happened in n matches may still happen in three of n (the rule of three): no interval
    # is narrower than that, not even where no pair of matches differs.
    least = 3 / matches * (1 if measure.unit == "share" else abs(a))
    low, high = min(low, float(b - a - least)), max(high, float(b - a + least))
    matters = (
        (SHARE_MARGIN if margin is None else margin) if measure.unit == "share" else AMOUNT_MARGIN * abs(a)
    )
    verdict = _verdict(low, high, matters)
    row: Json = {"measure": measure.name, "version": measure.version}
    if group:
        row[measure.per] = group
    row |= {"unit": measure.unit, "n": int(of_a), "n_b": int(of_b)}
    row |= {name: round(float(v), 5) for name, v in (("value_a", a), ("value_b", b), ("difference", b - a))}
    row |= {
        "low": round(low, 5),
        "high": round(high, 5),
        "matters": round(float(matters), 5),
        "verdict": verdict,
    }
    each = float(spread.std()) * matches**0.5
    size = max(abs(float(b - a)), float(matters))
    further = max(needed(each, size, matches), ceil(least * matches / size) - matches if size else 0)
    row["needed"] = max(1, further) if verdict == "open" else 0
    return row


def _verdict(low: float, high: float, matters: float) -> Verdict:
    """What the interval says: clearly more, clearly less, no difference that matters, or nothing yet."""
    if -matters <= low and high <= matters:
        return "same"
    if low > 0:
        return "higher"
    return "lower" if high < 0 else "open"


def described(plans: Sequence[Plan], names: Sequence[str]) -> list[Json]:
    """The rulesets for the report: what each was called, its name and its hash."""
    return [
        {"given": given, "name": plan.ruleset.get("name"), "hash": hashes(plan)[0]}
        for plan, given in zip(plans, names, strict=True)
    ]


def in_words(answer: Json) -> str:
    """The comparison as text for a terminal."""
    lines = [
        f"{answer['matches']} matches of {answer['game']} under each ruleset, {answer['players']} players, "
        f"bots {', '.join(answer['line_up'])}, seed {answer['seed']}: {answer['seconds']} s"
    ]
    for pair in answer["compared"]:
        one, other = (answer["rulesets"][pair[side]] for side in ("a", "b"))
        lines += [
            "",
            f"A {one['given']} ({one['hash'][:8]})   B {other['given']} ({other['hash'][:8]})",
            f"{'measure':<34} {'A':>10} {'B':>10} {'B - A':>10}   95 % interval        so",
        ]
        lines += [_line(row) for row in pair["differences"]]
    lines += [
        "",
        "Each interval holds the true difference 95 times in 100: of many rows some stray by chance alone.",
        "The matches still needed are for the difference seen, or the smallest that matters if that is more.",
    ]
    return "\n".join(lines)


def _line(row: Json) -> str:
    measure = next(m for m in MEASURES if m.name == row["measure"])
    label = measure.name + (f" {row[measure.per]}" if measure.per in row else "")
    factor, unit = {"share": (100, " %"), "permille": (0.1, " %"), "seconds": (1 / 60, " min")}.get(
        row["unit"], (1, "")
    )
    a, b, d, low, high = (row[k] * factor for k in ("value_a", "value_b", "difference", "low", "high"))
    words = {"higher": "B is higher", "lower": "B is lower", "same": "no difference that matters"}
    so = words.get(row["verdict"]) or f"open: about {row['needed']} more matches"
    return f"{label:<34} {a:>10.2f} {b:>10.2f} {d:>10.2f}   {low:.2f} to {high:.2f}{unit:<8} {so}"
