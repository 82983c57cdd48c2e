"""Counting: sets with repetition, wrong numbers apart from missing ones."""

from vision.score import Score, total


def test_exact_found_and_right_are_counted_apart() -> None:
    score = Score()
    assert score.add([1, 2, 2], [2, 2, 1]) == 0
    assert score.add([1, 2, 2], [2]) == 2
    assert score.add([6], [5]) == 1
    assert score.add([], [3]) == 1
    told = score.as_json()
    assert (told["photos"], told["dice"], told["claimed"], told["wrong"]) == (4, 7, 6, 2)
    assert told["exact_percent"] == 25.0
    assert told["found_percent"] == 57.14
    assert told["right_percent"] == 66.67


def test_an_empty_score_and_sums() -> None:
    assert Score().as_json()["exact_percent"] == 0.0
    one, two = Score(), Score()
    one.add([1], [1], 10.0)
    two.add([2, 3], [2, 4], 30.0)
    told = total([one, two]).as_json()
    assert (told["photos"], told["dice"], told["wrong"], told["ms_median"]) == (2, 3, 1, 30.0)
