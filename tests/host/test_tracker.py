"""The tracker: F02, F06, F07, F08, F09 and what must hold for any stream of sightings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from host.layout import find_layout
from host.settled import CardArrived, CardDoubt, CardLeft, Settled, ZoneRate, ZoneTrouble
from host.sighting import Health, Inventory, TagRead
from host.tracker import Tracker

LAYOUT = find_layout("althera-3")
CARD = TagRead("04AABBCCDDEEFF", "cremisi/cavalry/1")
STRANGE = TagRead("0411223344", None, "not a game card")


def feed(tracker: Tracker, reads: Sequence[tuple[float, int, tuple[TagRead, ...]]]) -> list[Settled]:
    found: list[Settled] = []
    for at, antenna, tags in reads:
        found += tracker.feed(Inventory(at, "pico", antenna, tags))
    return found


def test_f02_every_second_poll_misses_and_it_is_one_arrival() -> None:
    found = feed(Tracker(LAYOUT), [(i * 0.1, 0, (CARD,) if i % 2 else ()) for i in range(400)])
    assert [type(f) for f in found if not isinstance(f, ZoneRate)] == [CardArrived]


def test_f06_silence_for_1_7_s_with_few_misses_is_no_removal_and_misses_alone_are_none_either() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(0.0, 0, (CARD,)), (0.1, 0, (CARD,))])
    assert feed(tracker, [(0.9, 0, ()), (1.8, 0, ())]) == []
    assert feed(tracker, [(1.9, 0, (CARD,))]) == []
    assert feed(tracker, [(1.9 + i * 0.01, 0, ()) for i in range(1, 30)]) == []
    (left,) = feed(tracker, [(2.7, 0, ())])
    assert isinstance(left, CardLeft)
    assert (left.ms, left.misses) == (800, 30)


def test_f07_a_marginal_zone_keeps_its_card_and_is_called_weak_then_well_again() -> None:
    tracker, rng = Tracker(LAYOUT), random.Random(7)
    reads = [(i * 0.1, 0, (CARD,) if rng.random() < 0.35 else ()) for i in range(200)]
    reads[:2] = [(0.0, 0, (CARD,)), (0.1, 0, (CARD,))]
    feed(tracker, reads[:2])
    kinds = Counter(type(f) for f in feed(tracker, reads[2:]))
    assert kinds == {ZoneRate: 1}
    assert tracker.rates()["seat1.field"] is not None
    found = feed(tracker, [(30 + i * 0.1, 0, (CARD,)) for i in range(60)])
    assert [f.weak for f in found if isinstance(f, ZoneRate)] == [False]


def test_f08_fifty_reports_of_one_card_are_one_arrival_with_its_evidence() -> None:
    (arrived,) = feed(Tracker(LAYOUT), [(1.0 + i * 0.02, 0, (CARD,)) for i in range(50)])
    assert isinstance(arrived, CardArrived)
    assert (arrived.zone, arrived.card, arrived.reads, arrived.scans) == (
        "seat1.field", "cremisi/cavalry/1", 2, 2,
    )  # fmt: skip


def test_f09_a_uid_read_once_is_nobody() -> None:
    assert feed(Tracker(LAYOUT), [(0.0, 0, (STRANGE,)), *[(i * 0.3, 0, ()) for i in range(1, 9)]]) == []


def test_f09_a_neighbours_ghost_is_a_doubt_and_the_card_stays() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(i * 0.1, 0, (CARD,)) for i in range(10)])
    both = [(1 + i * 0.05, i % 2, (CARD,)) for i in range(40)]
    found = feed(tracker, both)
    assert [type(f) for f in found] == [CardDoubt]
    assert {z for z, *_ in tracker.cards()} == {"seat1.field"}
    assert isinstance(found[0], CardDoubt)
    assert (found[0].kept, found[0].other) == ("seat1.field", "seat2.field")


def test_f09_the_stronger_zone_takes_the_card_over_from_a_ghost() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(0.0, 0, (CARD,)), (0.1, 0, (CARD,))])
    reads: list[tuple[float, int, tuple[TagRead, ...]]] = []
    for i in range(20):
        reads += [(1 + i * 0.1, 1, (CARD,)), (1.05 + i * 0.1, 0, (CARD,) if i % 6 == 0 else ())]
    found = feed(tracker, reads)
    kinds = [type(f) for f in found if not isinstance(f, ZoneRate)]
    assert kinds[:3] == [CardDoubt, CardLeft, CardArrived]
    assert {z for z, *_ in tracker.cards()} == {"seat2.field"}


def test_a_card_slid_to_another_spot_leaves_the_first_at_once() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(0.0, 0, (CARD,)), (0.1, 0, (CARD,))])
    found = feed(tracker, [(0.3, 1, (CARD,)), (0.35, 0, ()), (0.4, 1, (CARD,))])
    assert [type(f) for f in found] == [CardLeft, CardArrived]
    assert isinstance(found[0], CardLeft)
    assert found[0].moved_to == "seat2.field"


def test_a_failed_scan_is_no_miss() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(0.0, 0, (CARD,)), (0.1, 0, (CARD,))])
    for i in range(100):
        scan = Inventory(0.2 + i, "pico", 0, (), ok=False)
        assert all(isinstance(event, ZoneTrouble) for event in tracker.feed(scan))
    assert len(tracker.cards()) == 1


def failing(
    tracker: Tracker, start: float, count: int, *tags: TagRead, reader_ok: bool = True
) -> list[Settled]:
    found: list[Settled] = []
    for i in range(count):
        found += tracker.feed(Inventory(start + i * 0.5, "pico", 0, tags, False, 1, reader_ok))
    return found


def test_f10_a_zone_that_fails_again_and_again_under_a_well_reader_is_said_and_withdrawn() -> None:
    tracker = Tracker(LAYOUT)
    (trouble,) = failing(tracker, 0.0, 20)
    assert isinstance(trouble, ZoneTrouble)
    assert (trouble.zone, trouble.trouble, trouble.scans, trouble.ms) == ("seat1.field", True, 4, 1500)
    assert tracker.troubles() == {"seat1.field": "overlap"}
    (well,) = feed(tracker, [(11.0, 0, ()), (11.1, 0, ())])
    assert isinstance(well, ZoneTrouble)
    assert not well.trouble
    assert tracker.troubles() == {}


def test_f03_a_zone_whose_antenna_is_silent_is_said_and_withdrawn_and_its_card_stays() -> None:
    tracker = Tracker(LAYOUT)
    feed(tracker, [(-1.0 + i / 10, 0, (CARD,)) for i in range(5)])
    (trouble,) = failing(tracker, 0.0, 20, reader_ok=False)
    assert isinstance(trouble, ZoneTrouble)
    assert (trouble.zone, trouble.trouble, trouble.why, trouble.ms) == ("seat1.field", True, "silent", 1500)
    assert tracker.unread() == {"seat1.field"}
    assert tracker.cards() == [("seat1.field", CARD.uid, CARD.card, "uncertain")]
    (well,) = feed(tracker, [(11.0, 0, (CARD,))])
    assert isinstance(well, ZoneTrouble)
    assert (well.trouble, well.why) == (False, "silent")
    assert tracker.cards() == [("seat1.field", CARD.uid, CARD.card, "settled")]


def test_f11_two_tags_with_one_number_are_an_alarm_and_the_first_stays() -> None:
    tracker = Tracker(LAYOUT)
    reads = [(i / 10, antenna, (CARD,)) for i in range(40) for antenna in (0, 1)]
    arrived, doubt, alarm = feed(tracker, reads)
    assert isinstance(arrived, CardArrived)
    assert isinstance(doubt, CardDoubt)
    assert isinstance(alarm, CardDoubt)
    assert (doubt.twins, alarm.twins) == (False, True)
    assert (alarm.kept, alarm.other) == ("seat1.field", "seat2.field")
    (known,) = tracker.doubts()
    assert (known.card, known.kept, known.other, known.twins) == (
        CARD.card, "seat1.field", "seat2.field", True,
    )  # fmt: skip
    assert tracker.cards() == [("seat1.field", CARD.uid, CARD.card, "uncertain")]
    feed(tracker, [(4.0 + i / 10, a, (CARD,) if a == 0 else ()) for i in range(20) for a in (0, 1)])
    assert tracker.doubts() == []
    assert tracker.cards() == [("seat1.field", CARD.uid, CARD.card, "settled")]


def test_uncertain_is_a_state_of_its_own() -> None:
    """While scans miss a card, and while its reader is lost, it lies there, but not for certain."""
    tracker = Tracker(LAYOUT)
    seen = [(0.1 * i, 0, (CARD,)) for i in range(5)]
    feed(tracker, seen)
    states = []
    for at, tags in ((0.6, ()), (0.7, ()), (0.8, (CARD,))):
        feed(tracker, [(at, 0, tags)])
        states += [state for _, _, _, state in tracker.cards()]
    assert states == ["settled", "uncertain", "settled"]
    lost, well = Health(1.0, "pico", "reader", "lost", ""), Health(1.0, "pico", "reader", "weak", "")
    for word, wanted in ((lost, "uncertain"), (well, "settled"), (lost, "uncertain")):
        tracker.feed(word)
        assert [s for _, _, _, s in tracker.cards()] == [wanted]


def test_f10_a_field_that_fails_now_and_then_is_no_overlap() -> None:
    tracker = Tracker(LAYOUT)
    for i in range(20):
        assert failing(tracker, 20.0 + 2 * i, 3) == []
        assert feed(tracker, [(21.6 + 2 * i, 0, ())]) == []


def test_f10_the_card_that_answers_in_spite_of_the_other_is_taken() -> None:
    tracker = Tracker(LAYOUT)
    found = failing(tracker, 0.0, 6, CARD)
    assert [type(f) for f in found] == [CardArrived, ZoneTrouble]
    assert len(tracker.cards()) == 1


def test_a_summed_up_report_counts_for_its_scans() -> None:
    tracker = Tracker(LAYOUT)
    (arrived,) = tracker.feed(Inventory(0.0, "pico", 0, (CARD,), scans=2))
    assert isinstance(arrived, CardArrived)
    (left,) = tracker.feed(Inventory(0.8, "pico", 0, (), scans=10))
    assert isinstance(left, CardLeft)


sightings = st.lists(
    st.tuples(
        st.floats(0.001, 1.0),
        st.integers(0, 6),
        st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2),
        st.booleans(),
    ),
    max_size=120,
)


@settings(max_examples=300, deadline=None)
@given(sightings)
def test_any_stream_a_card_is_in_one_zone_and_arrivals_and_removals_alternate(
    stream: list[tuple[float, int, list[str], bool]],
) -> None:
    tracker, at, where = Tracker(LAYOUT), 0.0, dict[str, str]()
    for step, antenna, names, ok in stream:
        at += step
        tags = tuple(TagRead(f"04{name * 12}", f"cremisi/{name}") for name in names)
        for event in tracker.feed(Inventory(at, "pico", antenna, tags, ok)):
            if isinstance(event, CardArrived):
                assert event.uid not in where
                assert event.reads >= LAYOUT.thresholds.arrive_reads
                where[event.uid] = event.zone
            elif isinstance(event, CardLeft):
                assert where.pop(event.uid) == event.zone
        assert {uid: zone for zone, uid, _, _ in tracker.cards()} == where


@settings(max_examples=100, deadline=None)
@given(sightings)
def test_the_tracker_is_a_function_of_the_sightings(stream: list[tuple[float, int, list[str], bool]]) -> None:
    def run() -> list[Settled]:
        tracker, at, found = Tracker(LAYOUT), 0.0, list[Settled]()
        for step, antenna, names, ok in stream:
            at += step
            tags = tuple(TagRead(f"04{name * 12}", None) for name in names)
            found += tracker.feed(Inventory(at, "pico", antenna, tags, ok))
        return found

    assert run() == run()
