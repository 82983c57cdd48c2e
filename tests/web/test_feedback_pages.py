"""The form at a match's end as the server gives it out: who may answer, who reads it, what is never told."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from host.doctor import bundle_bytes
from host.feedback import LONGEST, MOST, answers
from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.small_disk import run_on_small_disk
from tests.web.clients import Visitor, visitor
from tests.web.tables import EXAMPLE, OPERATOR, REST, live_table, new_match, play, served
from web import keys
from web.security import Guard, Pace

Json = dict[str, Any]
WORDS = "The bridge of sighs held us up"
#: where only the operator reads
OPERATORS = ("/feedback", "/feedback?match=m2", "/feedback.csv", "/api/v1/feedback")


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[LiveTable]:
    """m1 and m2: whole matches of two, long ago; m3: the rulebook's example, going on, one moment flagged."""
    written(tmp_path, "althera", [legal_walk("althera", 2, 7), legal_walk("althera", 2, 8)])
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        assert table.command({"cmd": "flag", "text": "They counted twice"}, OPERATOR).ok
        table.matches(60.0)
        yield table


@pytest.fixture(name="guest")
def _guest(table: LiveTable, tmp_path: Path) -> Visitor:
    """A phone with m2's form open."""
    phone = visitor(table, tmp_path)
    assert phone.get("/feedback/m2").status_code == 200
    return phone


@pytest.fixture(name="boss")
def _boss(table: LiveTable, guest: Visitor) -> Visitor:
    boss = Visitor(table, guest.guard)
    boss.become_operator()
    return boss


def page(person: Visitor, path: str) -> str:
    """The text of a page, its marked characters as they are read."""
    answer = person.get(path)
    assert answer.status_code == 200, path
    return answer.get_data(as_text=True).replace("&#39;", "'").replace("&#34;", '"')


def answered(phone: Visitor, match: str = "m2", /, **fields: str) -> None:
    """Sends an answer, which must be kept."""
    assert phone.form(f"/feedback/{match}", **fields).status_code == 303


def moments_of(phone: Visitor, match: str = "m2") -> list[str]:
    """What can be picked on a match's time line."""
    text = page(phone, f"/feedback/{match}/moments")
    return [part.split('"')[0] for part in text.split('name="moment" value="')[2:]]


def test_what_a_phone_said_comes_back_to_it_and_is_kept_with_match_rules_seat_and_moment(
    guest: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    picked = moments_of(guest)[0]
    answered(guest, fun="4", length="3", text=WORDS, seat="2", moment=picked)
    text = page(guest, "/feedback/m2")
    assert "Your answer is kept." in text and WORDS in text and f'value="{picked}" checked' in text
    (kept,) = answers(tmp_path)
    row = next(row for row in table.matches() if row["id"] == "m2")
    assert (kept.match, kept.started, kept.ruleset_hash) == ("m2", row["started"], row["ruleset_hash"])
    assert kept.said.scales == {"fun": 4, "length": 3}
    assert (kept.said.seat, kept.said.by_link, kept.said.language) == (2, False, "en")
    where = kept.said.moment
    assert where is not None and f"{where.kind}:{where.seq}" == picked
    assert where.kind == "duel" and where.n > 0 and "challenges" in where.text
    # Once more: in the place of the one before.
    answered(guest, fun="2", text="Changed my mind")
    (changed,) = answers(tmp_path)
    assert (changed.id, changed.said.scales, changed.said.moment) == (kept.id, {"fun": 2}, None)


def test_a_seats_link_says_whose_seat_it_is_and_no_other_can_be_taken_with_it(
    guest: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    player = Visitor(table, guest.guard)
    player.take_seat(1)
    assert '<option value="1" selected>' in page(player, "/feedback/m2?seat=1")
    answered(player, fun="5", seat="1")
    answered(guest, fun="1", seat="2")
    assert {(a.said.seat, a.said.by_link) for a in answers(tmp_path)} == {(1, True), (2, False)}
    answered(player, fun="5", seat="2")
    answered(guest, fun="1", seat="9")
    assert {(a.said.seat, a.said.by_link) for a in answers(tmp_path)} == {(2, False), (None, False)}


def test_only_the_operator_and_keys_read_the_answers(guest: Visitor, boss: Visitor, tmp_path: Path) -> None:
    answered(guest, text=WORDS)
    player = Visitor(boss.app.config["SITE"].table, guest.guard)
    player.take_seat(1)
    for person in (guest, player):
        for path in OPERATORS:
            answer = person.get(path)
            assert answer.status_code in (200, 401), path
            assert WORDS not in answer.get_data(as_text=True)
            assert answer.status_code == 401 or 'name="pin"' in answer.get_data(as_text=True)
        for path in ("/feedback/delete", "/feedback/asking"):
            assert person.form(path, id=answers(tmp_path)[0].id, on="").status_code == 401
    assert len(answers(tmp_path)) == 1 and boss.app.config["SITE"].table.asking()
    for path in OPERATORS:
        assert WORDS in boss.get(path).get_data(as_text=True), path
    reader = keys.make(tmp_path, "sheet")[1]
    told = Visitor(boss.app.config["SITE"].table, guest.guard).get(
        "/api/v1/feedback?match=m2", Authorization=f"Bearer {reader}"
    )
    assert told.status_code == 200 and told.json is not None
    assert told.json["matches"][0]["answers"][0]["text"] == WORDS


def test_nobody_elses_page_or_payload_has_a_word_of_it(
    guest: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    answered(guest, fun="1", text=WORDS, seat="1", moment=moments_of(guest)[3])
    (kept,) = answers(tmp_path)
    player, stranger = Visitor(table, guest.guard), Visitor(table, guest.guard)
    player.take_seat(1)
    paths = [
        "/", "/overlay", "/seat/1", "/matches", "/matches/m2", "/matches/m2/sheet", "/feedback/m2",
        "/feedback/m2/moments", "/feedback/m3/moments", "/api/v1/view", "/api/v1/matches",
        "/api/v1/matches/m2",
        "/api/v1/matches/m2/views?first=1&count=60", "/api/v1/showcase", "/health",
        *(f"/matches/m2/record.{end}" for end in ("jsonl", "csv", "txt", "html")),
    ]  # fmt: skip
    for person in (player, stranger):
        for path in paths:
            answer = person.get(path)
            assert answer.status_code == 200, path
            text = answer.get_data(as_text=True)
            assert WORDS not in text and kept.id[:6] not in text, path
        assert "Your answer is kept" not in page(person, "/feedback/m2")
    # Nor has the operator's view, which goes to screens: answers are read on their page alone.
    boss = Visitor(table, guest.guard)
    boss.become_operator()
    for path in ("/operator", "/api/v1/view?audience=operator", "/api/v1/entries?after=0&limit=500"):
        assert WORDS not in boss.get(path).get_data(as_text=True), path


def test_logs_and_a_helpers_bundle_have_none_of_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(tmp_path, "althera", [legal_walk("althera", 2, 7)])
    with caplog.at_level("DEBUG"), served(tmp_path) as (table, server):
        table.matches(60.0)
        phone = visitor(table, tmp_path)
        phone.get("/feedback/m1")
        cookie = phone.client.get_cookie("crowntable_visitor")
        assert cookie is not None
        body = urlencode({"csrf": phone.csrf, "text": WORDS, "fun": "3"}).encode()
        sent = Request(f"http://127.0.0.1:{server.port}/feedback/m1", data=body)
        sent.add_header("Cookie", f"crowntable_visitor={cookie.value}")
        with urlopen(sent, timeout=30) as answer:
            assert answer.status == 200
    (kept,) = answers(tmp_path)
    assert kept.said.text == WORDS and "/feedback/m1" in caplog.text
    assert "bridge" not in caplog.text and kept.id not in caplog.text
    (tmp_path / "crowntable.log").write_text(caplog.text)
    with zipfile.ZipFile(io.BytesIO(bundle_bytes([], None, tmp_path, set()))) as bundle:
        for name in bundle.namelist():
            text = bundle.read(name).decode()
            assert "bridge" not in text and kept.id not in text, name


def test_a_form_of_another_site_changes_nothing(guest: Visitor, tmp_path: Path) -> None:
    answered(guest, fun="4")
    for fields in ({"csrf": "", "fun": "1"}, {"csrf": "x" * 40, "fun": "1"}):
        assert guest.form("/feedback/m2", **fields).status_code == 403
        assert guest.form("/feedback/m2/delete", **fields).status_code == 403
    address = {"REMOTE_ADDR": guest.address}
    elsewhere = guest.client.post(
        "/feedback/m2",
        data={"csrf": guest.csrf, "fun": "1"},
        headers={"Origin": "http://elsewhere.example"},
        environ_base=address,
    )
    assert elsewhere.status_code == 403
    assert [answer.said.scales for answer in answers(tmp_path)] == [{"fun": 4}]


def test_one_address_has_a_pace_and_a_match_a_most(table: LiveTable, tmp_path: Path) -> None:
    guard = Guard.open(tmp_path)
    guard.pace = Pace(10**6, 1.0)
    phones = [Visitor(table, guard) for _ in range(21)]
    for phone in phones:
        phone.get("/feedback/m2")
    statuses = [phone.form("/feedback/m2", fun="3").status_code for phone in phones]
    assert statuses == [303] * 20 + [429]
    assert len(answers(tmp_path)) == 20
    guard.answer_pace = Pace(10**6, 1.0)
    for _ in range(MOST - 20):
        phone = Visitor(table, guard)
        phone.get("/feedback/m2")
        answered(phone, fun="3")
    full = phones[-1].form("/feedback/m2", fun="3", text=WORDS)
    assert full.status_code == 507 and WORDS in full.get_data(as_text=True)
    assert f"This match has {MOST} answers already; more are not kept." in full.get_data(as_text=True)


def test_a_restart_keeps_what_was_said_and_whose_it_is(
    guest: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    answered(guest, fun="4", text=WORDS)
    table.stop()
    with live_table(tmp_path) as again:
        again.matches(60.0)
        phone = Visitor(again, Guard.open(tmp_path))
        for name in ("crowntable_visitor", "crowntable_answers"):
            cookie = guest.client.get_cookie(name)
            assert cookie is not None
            phone.client.set_cookie(name, cookie.value)
        assert WORDS in page(phone, "/feedback/m2")
        answered(phone, fun="5")
        assert [answer.said.scales for answer in answers(tmp_path)] == [{"fun": 5}]


FULL_DISK = """
import sys
from pathlib import Path
from host.feedback import answers
from tests.host.long_matches import legal_walk, written
from tests.web.clients import visitor
from tests.web.tables import live_table
folder, words = Path(sys.argv[1]), "The bridge of sighs held us up"
written(folder, "althera", [legal_walk("althera", 2, 7)])
with live_table(folder) as table:
    table.matches(60.0)
    phone = visitor(table, folder)
    phone.get("/feedback/m1")
    with open(folder / "filler", "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass
    for _ in range(2):
        refused = phone.form("/feedback/m1", text=words, fun="4", seat="2")
        page = refused.get_data(as_text=True)
        assert refused.status_code == 507, refused.status_code
        assert page.count("Your answer could not be kept: the table&#39;s disk is full.") == 1, page
        assert "Traceback" not in page
        assert words in page and 'name="fun" value="4" checked' in page, page
        assert '<option value="2" selected>' in page, page
        assert answers(folder) == []
    (folder / "filler").unlink()
    assert phone.form("/feedback/m1", text=words, fun="4").status_code == 303
    assert [answer.said.text for answer in answers(folder)] == [words]
print("well")
"""


def test_a_full_disk_is_one_sentence_and_what_was_typed_stays(tmp_path: Path) -> None:
    assert run_on_small_disk(tmp_path / "disk", FULL_DISK, "4m").endswith("well\n")


def test_all_of_it_is_in_italian_for_who_reads_italian(guest: Visitor, boss: Visitor) -> None:
    for person in (guest, boss):
        person.client.set_cookie("crowntable_lang", "it")
    for path in ("/feedback/m2", "/feedback/m2/moments", "/feedback/m3"):
        text = page(guest, path)
        assert "How was it" not in text and "challenges" not in text and "goes on still" not in text
    assert "Com'è stata?" in page(guest, "/feedback/m2") and "sfida" in page(guest, "/feedback/m2/moments")
    for fields, said in (
        ({}, "In questa risposta non c'è ancora niente."),
        ({"fun": "9"}, "Quello non è un punto di una scala."),
        ({"text": "x" * (LONGEST + 7)}, "Il testo ha 1007 caratteri; al massimo sono 1000."),
    ):
        refused = guest.form("/feedback/m2", **fields)
        assert refused.status_code == 422
        assert said in refused.get_data(as_text=True).replace("&#39;", "'")
    answered(guest, fun="4", moment=moments_of(guest)[0])
    told = page(boss, "/feedback")
    assert "Che cosa è stato detto" in told and "challenges" not in told and "sfida" in told


def test_what_the_form_does_not_ask_is_not_kept(guest: Visitor, tmp_path: Path) -> None:
    more = {"name": "Ada Rossi", "email": "ada@example.org", "joy": "5", "match": "m1", "id": "0" * 20}
    answered(guest, fun="4", **more)
    (kept,) = answers(tmp_path)
    (file,) = tmp_path.glob("feedback/*/*.json")
    text = file.read_text()
    assert kept.match == "m2" and kept.said.scales == {"fun": 4} and file.stem == kept.id != "0" * 20
    assert not [one for one in ("Rossi", "example.org", "joy", guest.address, "Mozilla") if one in text]


@pytest.mark.parametrize(
    "text", ["x" * (LONGEST + 1), "€" * (LONGEST + 1), "a\r\n" * (LONGEST // 2 + 1) + "b"]
)
def test_a_text_that_is_too_long_comes_back_whole(guest: Visitor, tmp_path: Path, text: str) -> None:
    refused = guest.form("/feedback/m2", text=text, fun="2")
    back = refused.get_data(as_text=True)
    assert refused.status_code == 422 and f"{LONGEST} is the most." in back
    assert text.replace("\r\n", "\n") in back.replace("\r\n", "\n") and 'name="fun" value="2" checked' in back
    assert answers(tmp_path) == []


def test_what_is_typed_can_not_turn_the_line_or_carry_markup(guest: Visitor, boss: Visitor) -> None:
    answered(guest, text="one\u202e\x00 two\r\n<img src=x onerror=alert(1)>")
    for person, path in ((guest, "/feedback/m2"), (boss, "/feedback"), (boss, "/feedback?match=m2")):
        text = page(person, path)
        assert "one two\n&lt;img src=x" in text and "<img src=x" not in text and "\u202e" not in text
    rows = list(csv.DictReader(io.StringIO(boss.get("/feedback.csv").get_data(as_text=True), newline="")))
    assert [row["text"] for row in rows] == ["one two\n<img src=x onerror=alert(1)>"]


@pytest.mark.parametrize(
    "moment", ["play:999999", "play:1", "duel:x", "match:9", "play:-1", "play:" + "9" * 30, "../m1", "m1"]
)
def test_a_moment_outside_the_match_is_none(guest: Visitor, tmp_path: Path, moment: str) -> None:
    refused = guest.form("/feedback/m2", moment=moment)
    assert refused.status_code == 422  # it was all of the answer
    answered(guest, fun="3", moment=moment)
    assert [answer.said.moment for answer in answers(tmp_path)] == [None]
    # Another match's moment is none of this one's.
    answered(guest, fun="3", moment=moments_of(guest, "m1")[0])
    assert [answer.said.moment for answer in answers(tmp_path)] == [None]


def test_only_the_phone_that_gave_it_deletes_it_and_the_operator(
    guest: Visitor, boss: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    answered(guest, fun="4", text=WORDS)
    other = Visitor(table, guest.guard)
    other.get("/feedback/m2")
    other.client.set_cookie("crowntable_answers", "x" * 32)
    assert other.form("/feedback/m2/delete").status_code == 303
    assert other.form("/feedback/m2/delete", id=answers(tmp_path)[0].id).status_code == 303
    assert len(answers(tmp_path)) == 1
    assert guest.form("/feedback/m2/delete").headers["Location"] == "/feedback/m2?gone"
    assert answers(tmp_path) == [] and "Your answer is deleted." in page(guest, "/feedback/m2?gone")
    assert list(tmp_path.glob("feedback/*/*")) == []
    answered(guest, fun="4")
    boss.get("/feedback")
    (kept,) = answers(tmp_path)
    assert boss.form("/feedback/delete", id=kept.id[:6]).status_code == 303 and answers(tmp_path) == [kept]
    gone = boss.form("/feedback/delete", id=kept.id, match="m2")
    assert gone.headers["Location"] == "/feedback?match=m2" and answers(tmp_path) == []
    assert boss.form("/feedback/delete", id="../../web-secrets").status_code == 303


def test_a_match_that_goes_on_or_is_long_over_takes_no_answer_and_a_given_one_can_still_go(
    guest: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    answered(guest, fun="4")
    assert "This match goes on still." in page(guest, "/feedback/m3")
    assert "This match takes no more answers." in page(guest, "/feedback/m1")
    for match in ("m1", "m3"):
        assert guest.form(f"/feedback/{match}", fun="3").status_code == 409
    for path in ("/feedback/m4", "/feedback/m0", "/feedback/m2x", "/feedback/m4/moments"):
        assert guest.get(path).status_code == 404, path
    assert len(answers(tmp_path)) == 1
    # m3 is ended by the next match's beginning; only then is m2 no longer the newest that ended: it ended
    # with its last action, long ago, and not when the table started today.
    play(table, *REST)
    table.command(new_match(), OPERATOR)
    table.matches(60.0)
    assert 'id="answer"' in page(guest, "/feedback/m3")
    closed = page(guest, "/feedback/m2")
    assert "This match takes no more answers." in closed and 'id="answer"' not in closed
    assert guest.form("/feedback/m2/delete").status_code == 303 and answers(tmp_path) == []


def test_a_table_that_does_not_ask_shows_no_code_and_takes_no_answer(
    guest: Visitor, boss: Visitor, table: LiveTable, tmp_path: Path
) -> None:
    answered(guest, text=WORDS)
    assert boss.get("/api/v1/view").json["asking"] is True  # type: ignore[index]
    assert "Stop asking" in page(boss, "/feedback")
    assert boss.form("/feedback/asking", on="").status_code == 303
    assert boss.get("/api/v1/view").json["asking"] is False  # type: ignore[index]
    assert "asking = false" in (tmp_path / "settings.toml").read_text()
    other = Visitor(table, guest.guard)
    text = page(other, "/feedback/m2")
    assert "This table does not ask any more." in text and 'id="answer"' not in text
    assert other.form("/feedback/m2", fun="3").status_code == 409
    # What was said before is read, and can go.
    assert WORDS in page(boss, "/feedback")
    assert guest.form("/feedback/m2/delete").status_code == 303 and answers(tmp_path) == []
    table.stop()
    with live_table(tmp_path) as again:
        assert not again.asking()
        assert again.command({"cmd": "setup-asking", "on": True}, OPERATOR).ok and again.asking()
        wrong = again.command({"cmd": "setup-asking", "on": "no"}, OPERATOR)
        assert (wrong.ok, again.asking()) == (False, True)
        assert "asking" not in (tmp_path / "settings.toml").read_text()


def test_flags_and_means_stand_in_the_operators_report(guest: Visitor, boss: Visitor, tmp_path: Path) -> None:
    answered(guest, fun="4", clear="2")
    told = boss.get("/api/v1/feedback").json
    assert told is not None and [one["match"] for one in told["matches"]] == ["m3", "m2"]
    flagged, answered_one = told["matches"]
    assert [flag["text"] for flag in flagged["flags"]] == ["They counted twice"]
    assert flagged["flags"][0]["n"] == len(EXAMPLE) + 1 and flagged["answers"] == []
    assert answered_one["scales"]["fun"] == {"n": 1, "mean": 4, "sd": None, "counts": [0, 0, 0, 1, 0]}
    text = page(boss, "/feedback")
    assert "They counted twice" in text and f'href="/matches/m3#{len(EXAMPLE) + 1}"' in text
    only = boss.get("/api/v1/feedback?match=m2").json
    assert only is not None and [one["match"] for one in only["matches"]] == ["m2"]
    for wrong in ("", "x", "m", "../m2", "m2'", "m" + "9" * 20):
        assert boss.get(f"/api/v1/feedback?{urlencode({'match': wrong})}").status_code == 400, wrong
        for path in ("/feedback", "/feedback.csv"):
            assert boss.get(f"{path}?{urlencode({'match': wrong})}").status_code == 404, wrong
