"""The worked examples of the rulebook, played by the engine: what the book prints is what the rules do."""

from __future__ import annotations

import pytest

from engine.ask.book import Example, book
from engine.ask.examples import differences, played

EXAMPLES = [(game, example) for game in ("althera", "anthem") for example in book(game).examples]
IDS = [f"{game}-{example.id}" for game, example in EXAMPLES]


@pytest.mark.parametrize(("game", "example"), EXAMPLES, ids=IDS)
def test_the_engine_comes_to_what_the_book_says(game: str, example: Example) -> None:
    assert differences(game, example) == []


def test_a_wrong_sum_in_the_book_would_be_noticed() -> None:
    example = next(one for one in book("althera").examples if one.id == "overtake")
    wrong = ({**example.steps[0], "field": [1, 36]}, *example.steps[1:])
    found = differences("althera", Example(example.id, example.rule, "", "", wrong, {"winner": 1}))
    assert len(found) == 2 and "(1, 37)" in found[0] and "winner" in found[1]


def test_the_sums_beside_the_cards() -> None:
    sums = [frame.sum for frame in played("althera", "ladder")]
    assert sums[:4] == ["15", "15 + 9 = 24", "15 + 9 + 2 = 26", "15 + 9 + 2 + 37 = 63"]
    last = played("althera", "ladder")[-1]
    assert last.ended is not None and last.ended["winner"] == 2 and last.ended["value"] == 72
    assert played("althera", "oracle")[1].effect == "awaits-roll"
    assert played("althera", "oracle")[2].sum == "23 + 15 = 38"


def test_every_special_and_the_ways_out_of_a_duel_have_an_example() -> None:
    shown = {example.rule for example in book("althera").examples}
    assert {"ALT-4.3", "ALT-4.4", "ALT-5.1", "ALT-5.2", "ALT-5.3", "ALT-5.4", "ALT-6.2", "ALT-7.1"} <= shown
    assert {"ANT-4.1", "ANT-4.2", "ANT-5.1"} == {example.rule for example in book("anthem").examples}
