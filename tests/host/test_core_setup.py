"""Setting a table up at the table itself: cards known by their tags' numbers, a deck enrolled at the
scan spot, zones set up by touch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from host import cardlist
from host.cardlist import CardList
from host.commands import job_of
from host.face import Outcome
from host.layout import find_layout, load_layout
from host.sensors import SensorLog
from host.sighting import Inventory, TagRead
from host.virtual.tags import card_uid
from host.zonesetup import as_set_up
from tests.host.table_kit import OPERATOR, Desk

BLANK = "a blank tag"
CAVALRY, CAPTAIN = "cremisi/cavalry/1", "cremisi/captain/1"
PHONE = TagRead("08AABBCC", None, "a phone: its number changes at every tap", fit=False)


def uid(number: int) -> str:
    return f"04{number:012X}"


def blank(number: int) -> TagRead:
    return TagRead(uid(number), None, BLANK)


def say(desk: Desk, cmd: str, **more: Any) -> Outcome:
    job = job_of(desk.core, {"cmd": cmd, **more}, OPERATOR)
    return job if isinstance(job, Outcome) else job()


def see(desk: Desk, *tags: TagRead, times: int = 1, reader: str = "scan", antenna: int = 0) -> None:
    for _ in range(times):
        desk.now += 0.05
        desk.see(Inventory(desk.now, reader, antenna, tags))


def sweep(desk: Desk, tag: TagRead, times: int = 20) -> dict[str, Any]:
    """Lays a tag on the scan spot long enough and lifts it; what the screen said while it lay there."""
    see(desk, tag, times=times)
    said = desk.view()["enrolment"]
    see(desk, times=5)
    assert isinstance(said, dict)
    return said


# -- known by number ------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_tag_in_the_card_list_is_its_card_wherever_it_lies(tmp_path: Path) -> None:
    cardlist.save(tmp_path / "cards.csv", CardList().bind(CAVALRY, uid(1)))
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    see(desk, blank(1), times=2, reader="pico")
    assert desk.duel()["plays"] == [CAVALRY]
    see(desk, times=20, reader="pico")
    see(desk, TagRead(uid(1), None, "a MIFARE Classic card: usable by its number"), times=2)
    assert desk.view()["scan"]["card"] == CAVALRY


def test_what_is_written_on_a_tag_counts_more_than_the_list(tmp_path: Path) -> None:
    cardlist.save(tmp_path / "cards.csv", CardList().bind(CAVALRY, uid(1)))
    desk = Desk(tmp_path)
    see(desk, TagRead(uid(1), CAPTAIN), times=2)
    assert desk.view()["scan"]["card"] == CAPTAIN
    see(desk, times=20)
    see(desk, TagRead(uid(1), None, "not read: hold it longer", certain=False), times=2)
    assert desk.view()["scan"]["card"] is None


def test_a_list_edited_in_an_editor_counts_from_then_on_and_a_broken_one_is_said(desk: Desk) -> None:
    path = desk.folder / "cards.csv"
    path.write_text(f"card,uid,note\n{CAVALRY},{uid(1)},\n")
    assert desk.core.tick()
    see(desk, blank(1), times=2)
    assert desk.view()["scan"]["card"] == CAVALRY
    path.write_text(f"card;uid\n{CAVALRY};{uid(1)}\n{CAPTAIN};{uid(1)}\n")
    assert desk.core.tick()
    (banner,) = desk.view()["banner"]
    assert "twice" in banner["text"]
    assert banner["cure"] == "The list as it was before stays in use."
    see(desk, times=20)
    see(desk, blank(1), times=2)
    assert desk.view()["scan"]["card"] == CAVALRY
    path.write_text(f"card;uid\n{CAPTAIN};{uid(1)}\n")
    assert desk.core.tick()
    assert desk.view()["banner"] == []
    assert not desk.core.tick()


def test_f13_a_number_read_the_wrong_way_round_is_offered_and_not_taken(tmp_path: Path) -> None:
    cardlist.save(tmp_path / "cards.csv", CardList().bind(CAVALRY, "043991C2FC6780"))
    desk = Desk(tmp_path)
    see(desk, TagRead("8067FCC2913904", None, BLANK), times=2)
    scan = desk.view()["scan"]
    assert scan["card"] is None
    assert scan["text"] == (f"A blank tag; its number is nearly that of {CAVALRY} (the bytes reversed).")


def test_what_the_scan_spot_says_goes_a_while_after_the_tag_is_lifted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    def scan(*tags: TagRead, times: int = 3) -> None:
        for _ in range(times):
            desk.now += 0.4
            desk.see(Inventory(desk.now, "scan", 0, tags))
            desk.core.tick()

    scan(TagRead("04AABBCCDDEEFF", "cremisi/cavalry/1"))
    assert desk.view()["scan"]["card"] == "cremisi/cavalry/1"
    scan(TagRead("04AABBCCDDEEFF", "cremisi/cavalry/1"), times=40)
    assert desk.view()["scan"]["card"] == "cremisi/cavalry/1"
    scan(times=5)
    assert desk.view()["scan"]["card"] == "cremisi/cavalry/1"  # lifted just now: still to be read
    scan(times=12)
    assert desk.view()["scan"] is None


def test_f12_a_phone_in_the_list_stays_a_phone(tmp_path: Path) -> None:
    (tmp_path / "cards.csv").write_text(f"card,uid\n{CAVALRY},08AABBCC\n")
    desk = Desk(tmp_path)
    see(desk, PHONE, times=2)
    assert desk.view()["scan"]["card"] is None


def test_the_sensors_trace_keeps_no_numbers_of_tags(desk: Desk) -> None:
    desk.sensors = SensorLog(desk.folder / "sensors", desk.layout, "boot1", 0.0)
    see(desk, PHONE, blank(7), TagRead(card_uid(CAVALRY), CAVALRY), times=3)
    desk.sensors.close()
    (trace,) = (desk.folder / "sensors").glob("*.jsonl")
    text = trace.read_text()
    assert CAVALRY in text
    kept = b"".join(path.read_bytes() for path in desk.folder.glob("journal*"))
    for number in ("08AABBCC", uid(7), card_uid(CAVALRY)):
        assert number not in text
        assert number.encode() not in kept or number == card_uid(CAVALRY)


# -- enrolment ------------------------------------------------------------------------------------


def test_a_deck_swept_over_the_scan_spot_is_bound_card_by_card(desk: Desk) -> None:
    assert desk.view()["enrolment"] is None
    assert say(desk, "enrol-start", only="cremisi/ca").ok
    first = desk.view()["enrolment"]
    deck = [first["card"]]
    assert first["text"] == f"Lay {first['card']} on the spot ({first['to_go']} to go)."
    for number in range(first["to_go"]):
        said = sweep(desk, blank(number))
        assert said["level"] == "ok"
        assert said["text"].startswith(f"{deck[-1]} is bound: 20 of 20 reads; it is a blank tag.")
        assert said["tag"] == {"uid": uid(number), "reads": 20, "of": 20, "done": True}
        deck.append(said["card"])
    done = desk.view()["enrolment"]
    assert (done["card"], done["to_go"]) == (None, 0)
    assert desk.view("spectator")["enrolment"] is None
    assert say(desk, "enrol-stop").text == f"The enrolment ends: {len(deck) - 1} cards have got their tags."
    cards = cardlist.load(desk.folder / "cards.csv")
    assert [entry.card for entry in cards.entries] == deck[:-1]
    assert cards.card_of(uid(0)) == deck[0]
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    see(desk, blank(0), times=2, reader="pico")
    assert desk.duel()["plays"] == [deck[0]]


def test_a_tag_that_carries_its_card_is_that_card_whatever_comes_next(desk: Desk) -> None:
    say(desk, "enrol-start")
    said = sweep(desk, TagRead(uid(1), "aurea/captain/2"))
    assert said["bound"][0] == {"card": "aurea/captain/2", "uid": uid(1), "text": "20 of 20 reads"}
    say(desk, "enrol-card", card="crown")
    assert desk.view()["enrolment"]["text"].startswith("Lay crown on the spot")
    assert sweep(desk, blank(2))["bound"][0]["card"] == "crown"
    assert not say(desk, "enrol-card", card="cremisi/unicorn/1").ok


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        (PHONE, "This is a phone: its number changes at every tap; it can't be a game card."),
        (TagRead(uid(3), None, "a smart card (bank, transit, pass or the like)", fit=False), "smart card"),
        (TagRead(uid(1), None, BLANK), f"This tag is {CAPTAIN} already: take another one."),
        (TagRead(uid(4), CAVALRY), f"A second tag says that it is {CAVALRY}"),
        (TagRead(uid(5), "s1/5"), "says that it is s1/5, which is no card of this deck"),
        (TagRead(uid(6), None, "not read: hold it longer", certain=False), "could not be read"),
    ],
)
def test_what_must_not_be_bound_is_said_at_once(desk: Desk, tag: TagRead, says: str) -> None:
    say(desk, "enrol-start")
    say(desk, "enrol-card", card=CAPTAIN)
    sweep(desk, blank(1))
    sweep(desk, TagRead(uid(2), CAVALRY))
    before = (desk.folder / "cards.csv").read_text()
    said = sweep(desk, tag)
    assert said["level"] == "warn"
    assert says in said["text"]
    assert (desk.folder / "cards.csv").read_text() == before
    assert desk.view()["enrolment"]["text"].startswith("Lay ")  # lifted: the next one, please


def test_weak_lifted_too_soon_and_two_at_once(desk: Desk) -> None:
    say(desk, "enrol-start", only="cremisi/")
    for i in range(40):
        see(desk, *([blank(1)] if i % 3 else []))
    assert desk.view()["enrolment"]["text"].startswith("Weak: it answered 1")
    see(desk, times=5)
    see(desk, blank(1), times=7)
    see(desk, times=5)
    said = desk.view()["enrolment"]["text"]
    assert said == "The tag was lifted after 7 of 20 reads: lay it again and leave it for a second."
    see(desk, blank(1), blank(2), times=30)
    assert desk.view()["enrolment"]["text"] == "2 tags lie on the spot: leave one."
    see(desk, times=5)
    assert sweep(desk, blank(2))["level"] == "ok"


def test_it_goes_on_where_it_stopped_and_again_if_wished(desk: Desk) -> None:
    say(desk, "enrol-start", only="cremisi/")
    first = desk.view()["enrolment"]["card"]
    sweep(desk, blank(1))
    desk.pull_the_plug()
    assert desk.view()["enrolment"] is None
    say(desk, "enrol-start", only="cremisi/")
    assert desk.view()["enrolment"]["card"] != first
    say(desk, "enrol-start", only="cremisi/", again=True)
    assert desk.view()["enrolment"]["card"] == first
    assert sweep(desk, blank(9))["level"] == "ok"
    assert cardlist.load(desk.folder / "cards.csv").card_of(uid(1)) is None


def test_the_match_goes_on_at_the_other_spots_meanwhile(desk: Desk) -> None:
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    say(desk, "enrol-start")
    see(desk, blank(1), times=4)
    desk.lay(1, CAVALRY)
    assert desk.duel()["plays"] == [CAVALRY]


def test_a_list_that_cant_be_written_binds_nothing(desk: Desk) -> None:
    say(desk, "enrol-start", only="cremisi/")
    (desk.folder / "cards.csv").mkdir()
    said = sweep(desk, blank(1))
    assert said["level"] == "warn"
    assert said["bound"] == []


# -- zones by touch -------------------------------------------------------------------------------


def touch(desk: Desk, antenna: int, reader: str = "pico", number: int = 1) -> dict[str, Any]:
    """Lays any tag over an antenna and lifts it again."""
    see(desk, blank(number), times=5, reader=reader, antenna=antenna)
    said = desk.view()["zone_setup"]
    see(desk, times=25, reader=reader, antenna=antenna)
    assert isinstance(said, dict)
    return said


def test_zones_are_bound_to_the_antennas_where_a_card_is_laid(desk: Desk) -> None:
    assert say(desk, "zones-start").ok
    assert desk.view()["zone_setup"]["text"] == "Lay any card on the field spot of Ada."
    assert "cards are not read" in desk.view()["banner"][0]["text"]
    wired = {"seat1.field": 2, "seat2.field": 0, "seat3.field": 1, "seat1.crown": 5, "seat2.crown": 4,
             "seat3.crown": 3}  # fmt: skip
    asked = []
    for _ in wired:
        zone = desk.view()["zone_setup"]["zone"]
        asked.append(zone)
        said = touch(desk, wired[zone])
        assert said["text"].startswith(f"{zone} is antenna {wired[zone]} of pico.")
    assert asked == list(wired)
    touch(desk, 0, "scan")
    assert desk.view()["zone_setup"]["text"].endswith("Every zone is set up: save it.")
    saved = say(desk, "zones-save")
    assert saved.ok
    assert "7 zones are set up and kept in" in saved.text
    kept = load_layout(desk.folder / "layouts" / "althera-3.toml")
    assert {z.id: z.antenna for z in kept.zones if z.reader == "pico"} == wired
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    see(desk, TagRead(card_uid(CAVALRY), CAVALRY), times=2, reader="pico", antenna=2)
    assert desk.duel()["plays"] == [CAVALRY]
    assert as_set_up(desk.folder, find_layout("althera-3")).zones == kept.zones
    assert as_set_up(desk.folder, find_layout("althera-2")) == find_layout("althera-2")


def test_what_lay_there_before_a_neighbour_that_hears_it_and_a_zone_twice_are_not_taken(desk: Desk) -> None:
    see(desk, blank(9), times=5, reader="pico", antenna=4)
    say(desk, "zones-start")
    for _ in range(4):  # a weak tag that is missed now and then has not been lifted
        see(desk, blank(9), times=5, reader="pico", antenna=4)
        see(desk, times=10, reader="pico", antenna=4)
    assert desk.view()["zone_setup"]["zone"] == "seat1.field"
    for _ in range(6):
        see(desk, blank(1), reader="pico", antenna=0)
        see(desk, blank(1), reader="pico", antenna=1)
    said = desk.view()["zone_setup"]
    assert said["text"].startswith("antenna 0 of pico and antenna 1 of pico both read this card")
    assert said["zone"] == "seat1.field"
    see(desk, times=25, reader="pico", antenna=0)
    see(desk, times=25, reader="pico", antenna=1)
    assert touch(desk, 0)["zone"] == "seat2.field"
    assert touch(desk, 0, number=2)["text"].startswith("antenna 0 of pico is seat1.field already")
    assert say(desk, "zones-back").text == "Lay any card on the field spot of Ada."


def test_a_skipped_zone_keeps_its_antenna_unless_another_has_it_now(desk: Desk) -> None:
    say(desk, "zones-start")
    assert say(desk, "zones-skip").text == "Lay any card on the field spot of Bruno."
    touch(desk, 0)
    refused = say(desk, "zones-save")
    assert (refused.ok, "would both be antenna 0 of pico" in refused.text) == (False, True)
    assert say(desk, "zones-stop").text == "The zones stay as they were."
    assert not (desk.folder / "layouts").exists()


def test_a_second_set_up_keeps_the_layout_before_it(desk: Desk) -> None:
    for first, second in ((1, 0), (0, 1)):
        say(desk, "zones-start")
        touch(desk, first)
        touch(desk, second)
        assert say(desk, "zones-save").ok
    folder = desk.folder / "layouts"
    assert load_layout(folder / "althera-3.toml").zones[0].antenna == 0
    assert load_layout(folder / "althera-3.toml.before").zones[0].antenna == 1
