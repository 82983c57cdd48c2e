"""What leaves a table, and what a hall makes of whatever arrives."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import CrowntableError, UsageError
from engine.game import Audience
from host.hall import wire
from host.hall.account import broker_of, read_account
from host.hall.board import Board
from host.hall.broker import access_list, make_config, password_line, table_names
from host.hall.collector import event_of
from tests.host.table_kit import Desk

SECRET = "this-is-the-password"


def published(desk: Desk) -> list[dict[str, Any]]:
    """Every entry of the journal as it leaves the table."""
    return [wire.public_entry(entry.to_json()) for entry in desk.core.journal.read()]


# -- what leaves the table


def test_given_cards_laid_at_readers_then_no_tag_and_no_evidence_leaves_the_table(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin()
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.play(2, "aurea/marksman/1")
    recorded = [entry.to_json() for entry in desk.core.journal.read()]
    uids = {e["uid"] for entry in recorded for e in entry["evidence"] if "uid" in e}
    sent = json.dumps(published(desk))
    assert any(entry["evidence"] for entry in recorded)
    assert "evidence" not in sent
    assert not [uid for uid in uids if uid in sent]
    assert "cremisi/cavalry/1" in sent


def test_given_any_entry_then_its_number_leaves_and_none_is_missing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin()
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/alteration/1")  # which way? The table asks
    assert [one["seq"] for one in published(desk)] == list(range(1, desk.core.seq + 1))


def test_given_a_question_then_its_words_and_answers_stay_at_the_table(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin()
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/alteration/1")
    asked = [one for one in published(desk) if one["kind"] == "question"]
    assert asked
    assert all(one["text"] == "" and one["body"]["answers"] == [] for one in asked)


def test_given_a_kind_of_entry_that_nobody_thought_of_then_only_its_number_leaves() -> None:
    entry = {
        "seq": 7, "kind": "whisper", "at": 1.0, "mono": 1.0, "boot": "b", "match": 1, "ok": None,
        "who": {"kind": "table", "id": ""}, "action": None, "findings": [], "evidence": [],
        "text": "Ada holds the captain.", "body": {"hand": ["cremisi/captain/1"]},
    }  # fmt: skip
    sent = wire.public_entry(entry)
    assert (sent["seq"], sent["text"], sent["body"]) == (7, "", {})


# -- what arrives


KEYS = (
    "seat",
    "name",
    "value",
    "field",
    "cards",
    "layout",
    "kind",
    "state",
    "text",
    "since",
    "duels",
    "winners",
    "attacker",
    "defender",
    "steps",
    "level",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
PARTS = ("match", "game", "seats", "events", "devices", "questions", "banner", "state", "label", "at", "seq")


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_given_any_bytes_then_they_are_an_object_or_nothing(payload: bytes) -> None:
    value = wire.unpack(payload)
    assert value is None or isinstance(value, dict)
    assert event_of("t1", payload) is None


@given(st.dictionaries(st.sampled_from(PARTS), JSON, max_size=6))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_given_any_view_and_health_then_the_board_still_draws_every_table(value: dict[str, Any]) -> None:
    board = Board()
    for leaf in ("view", "health"):
        board.hear("t1", leaf, value)
    board.hear("t2", "health", {"state": "here", "label": "Table 2"})
    rows = board.view(Audience("spectator"))["tables"]
    assert [row["table"] for row in rows] == ["t1", "t2"]
    assert rows[1]["label"] == "Table 2"
    json.dumps(rows)
    assert board.over("t1", "j", 5) in (True, False)


@pytest.mark.parametrize(
    "spoiled",
    [{"seq": True}, {"seq": -1}, {"seq": 2**60}, {"seq": "9"}, {"base": 9}, {"journal": ""}, {"kind": 3},
     {"text": "x" * 3000}, {"journal": "../x"}, {"body": []}, {"at": None}, {"who": "ada"}, {"match": None}],
)  # fmt: skip
def test_given_an_event_with_a_wrong_field_then_it_is_none(spoiled: dict[str, Any]) -> None:
    sound = {
        "journal": "j", "base": 1, "seq": 2, "kind": "flag", "at": 1.0, "mono": 1.0, "boot": "b", "match": 0,
        "who": {"kind": "operator", "id": ""}, "action": None, "ok": None, "findings": [], "text": "",
        "body": {},
    }  # fmt: skip
    assert event_of("t1", wire.pack(sound)) is not None
    assert event_of("t1", wire.pack({**sound, **spoiled})) is None


def test_given_texts_and_numbers_that_databases_refuse_then_they_arrive_such_that_none_does() -> None:
    found = wire.unpack(b'{"a\\u0000": "x\\u0000y", "b": ["\\u0000"]}')
    assert found == {"a": "xy", "b": [""]}
    assert wire.unpack(b'{"b": ["\\ud800"]}') is None
    assert wire.unpack(b'{"a": NaN}') is None
    assert wire.unpack(b'{"a": 1e999}') is None
    assert wire.unpack(b"[" * 100_000) is None


@pytest.mark.parametrize("topic", ["crowntable/table/t1", "crowntable/table/+/view", "x/table/t1/view",
                                   "crowntable/table/t1/view/x", "crowntable/table//view", ""])  # fmt: skip
def test_given_a_topic_that_is_no_tables_then_it_has_no_address(topic: str) -> None:
    assert wire.address(topic) is None


# -- accounts


def account_file(folder: Path, text: str | None = None) -> Path:
    path = folder / "hall.toml"
    path.write_text(text or f'name = "t1"\nlabel = "Table 1"\npassword = "{SECRET}"\n', encoding="utf-8")
    return path


def test_given_an_account_that_others_could_read_then_it_is_closed_to_them(tmp_path: Path) -> None:
    path = account_file(tmp_path)
    path.chmod(0o644)
    account = read_account(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (account.name, account.label, account.password) == ("t1", "Table 1", SECRET)
    assert SECRET not in repr(account)


@pytest.mark.parametrize(
    "text",
    [f'name = "t1"\npassword = "{SECRET}', f'name = "t1"\npasword = "{SECRET}"', f'password = "{SECRET}"',
     f'name = "../t2"\npassword = "{SECRET}"', 'name = "t1"', f'name = "t1"\npassword = "{SECRET}"\nca = 3'],
)  # fmt: skip
def test_given_a_damaged_account_then_one_sentence_without_the_password_says_so(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(CrowntableError) as caught:
        read_account(account_file(tmp_path, text))
    assert SECRET not in caught.value.what + caught.value.cure
    assert "account file" in caught.value.what
    assert caught.value.cure


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_given_what_is_no_file_as_an_account_then_it_is_refused_and_stays_open_to_others(
    tmp_path: Path, kind: str
) -> None:
    """Closing it would have locked everybody out of a folder, or out of /dev/null."""
    path = tmp_path / "account"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    path.chmod(0o755)
    with pytest.raises(CrowntableError, match="is no account file"):
        read_account(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_given_no_account_then_it_says_who_makes_one(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError) as caught:
        read_account(tmp_path / "hall.toml")
    assert "crowntable hall config" in caught.value.cure


@pytest.mark.parametrize(
    "url", ["hall.local", "http://hall", "mqtts://", "mqtt://h:port", f"mqtts://t1:{SECRET}@h", "mqtt://h/x"]
)
def test_given_a_wrong_address_then_it_is_refused_and_a_password_in_it_is_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        broker_of(url)
    assert SECRET not in caught.value.what + caught.value.cure


def test_given_addresses_then_their_ports_are_mqtts_own() -> None:
    assert (broker_of("mqtts://h").port, broker_of("mqtt://h").port, broker_of("mqtt://h:99").port) == (
        8883,
        1883,
        99,
    )
    assert str(broker_of("mqtts://[::1]:8883")) == "mqtts://[::1]:8883"


# -- the broker's configuration


def test_given_a_hall_that_grows_then_the_accounts_that_are_out_already_stay_good(tmp_path: Path) -> None:
    make_config(tmp_path / "hall", 3)
    before = [read_account(tmp_path / "hall" / "tables" / f"t{n}.toml").password for n in (1, 2, 3)]
    (tmp_path / "hall" / "hall.toml").write_text(
        (tmp_path / "hall" / "hall.toml").read_text() + 'database = "postgresql+pg8000://h:pw@db/hall"\n'
    )
    names = make_config(tmp_path / "hall", 5)
    after = [read_account(tmp_path / "hall" / "tables" / f"t{n}.toml").password for n in (1, 2, 3)]
    assert names == table_names(5)
    assert before == after
    assert len(set(after)) == 3
    assert read_account(tmp_path / "hall" / "hall.toml").database == "postgresql+pg8000://h:pw@db/hall"


def test_given_a_hall_that_outgrows_its_digits_then_tables_keep_the_names_they_have(tmp_path: Path) -> None:
    make_config(tmp_path / "hall", 9)
    before = (tmp_path / "hall" / "passwords").read_text().splitlines()
    names = make_config(tmp_path / "hall", 12)
    assert names == [f"t{n}" for n in range(1, 13)]
    after = (tmp_path / "hall" / "passwords").read_text().splitlines()
    assert {line.split(":")[0] for line in before} <= {line.split(":")[0] for line in after}
    assert len(list((tmp_path / "hall" / "tables").glob("*.toml"))) == 12
    assert make_config(tmp_path / "hall", 3) == names  # nobody who has an account is thrown out


def test_given_names_of_different_widths_then_the_board_has_them_by_number() -> None:
    board = Board()
    for name in ("t10", "t2", "t001", "bar-3", "t9"):
        board.hear(name, "health", {"state": "here"})
    rows = board.view(Audience("spectator"))["tables"]
    assert [row["table"] for row in rows] == ["bar-3", "t001", "t2", "t9", "t10"]


def test_given_a_configuration_then_no_file_with_a_password_is_open_to_others(tmp_path: Path) -> None:
    make_config(tmp_path / "hall", 2)
    for path in (tmp_path / "hall").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o007 == 0, path
    passwords = (tmp_path / "hall" / "passwords").read_text()
    assert read_account(tmp_path / "hall" / "tables" / "t1.toml").password not in passwords


def test_given_a_folder_with_other_things_in_it_then_no_hall_is_made_there_and_it_stays_open(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letters").mkdir()
    with pytest.raises(UsageError, match="other things"):
        make_config(tmp_path, 2)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]
    (tmp_path / "letters").rmdir()
    assert make_config(tmp_path, 2) == make_config(tmp_path, 2)


@pytest.mark.parametrize("address", ["1.2.3.4.5", "0.0.0.0\nallow_anonymous true", "hall.local"])
def test_given_what_is_no_address_to_listen_on_then_it_says_so(tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        make_config(tmp_path / "hall", 2, address=address)


def test_given_the_access_list_then_a_table_writes_its_own_topics_only() -> None:
    rules = access_list().splitlines()
    patterns = [line for line in rules if line.startswith("pattern write")]
    assert patterns == [f"pattern write crowntable/table/%u/{leaf}" for leaf in ("view", "events", "health")]
    assert "#" not in access_list()


def test_given_a_known_salt_then_the_password_line_is_mosquittos() -> None:
    line = password_line("ada", "secret", b"0123456789ab")
    user, _, rest = line.partition(":")
    assert user == "ada"
    assert rest.split("$")[1:4] == ["7", "101", "MDEyMzQ1Njc4OWFi"]


@pytest.mark.parametrize("tables", [0, -1, 10_001])
def test_given_an_impossible_number_of_tables_then_it_says_what_is_possible(
    tmp_path: Path, tables: int
) -> None:
    with pytest.raises(UsageError, match="number of tables"):
        make_config(tmp_path / "hall", tables)
