"""What docs/security.md promises."""

from __future__ import annotations

import logging
import re
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CrowntableError
from host.table import LiveTable
from tests.web.clients import Visitor, visitor
from tests.web.scripted_world import ScriptedWorld
from tests.web.tables import EXAMPLE, OPERATOR, live_table, new_match, play, served
from web import assets
from web.security import SECRETS_FILE, Attempts, Guard, Pace, host_allowed, load_secrets, operator_pin

DECLARE = {"do": "declare", "seat": 1, "against": 2}


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[LiveTable]:
    with live_table(tmp_path / "journal") as table:
        assert table.command(new_match(), OPERATOR).ok
        play(table, *EXAMPLE[:3])
        yield table


# -- the PIN and its file


def test_pin_is_made_once_and_kept_for_the_owner_only(tmp_path: Path) -> None:
    pin = operator_pin(tmp_path)
    assert re.fullmatch(r"\d{6}", pin)
    assert operator_pin(tmp_path) == pin
    assert stat.S_IMODE((tmp_path / SECRETS_FILE).stat().st_mode) == 0o600
    assert operator_pin(tmp_path / "another") != pin or Guard.open(tmp_path).secrets.key


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    operator_pin(tmp_path)
    (tmp_path / SECRETS_FILE).chmod(0o644)
    operator_pin(tmp_path)
    assert stat.S_IMODE((tmp_path / SECRETS_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"pin": "1", "key": "zz", "links": 1}', "\xff"])
def test_a_damaged_file_is_one_sentence_and_a_cure(tmp_path: Path, text: str) -> None:
    (tmp_path / SECRETS_FILE).write_text(text, encoding="latin-1")
    with pytest.raises(CrowntableError, match="damaged") as caught:
        load_secrets(tmp_path)
    assert "Move it away" in caught.value.cure


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(CrowntableError, match="can't be"):
        operator_pin(tmp_path / "data")


# -- guessing


def test_waiting_grows_with_each_wrong_pin_and_ends_with_the_right_one() -> None:
    now = [0.0]
    attempts = Attempts(clock=lambda: now[0])
    waits = []
    for _ in range(8):
        waits.append(attempts.wait("a"))
        attempts.failed("a")
    assert waits[:5] == [0.0] * 5
    assert waits[5:] == [30.0, 60.0, 120.0]
    assert attempts.wait("b") == 0.0
    now[0] = 1e6
    assert attempts.wait("a") == 0.0
    attempts.succeeded("a")
    attempts.failed("a")
    assert attempts.wait("a") == 0.0


def test_many_addresses_do_not_help_a_guesser() -> None:
    now = [0.0]
    attempts = Attempts(clock=lambda: now[0])
    for i in range(30):
        attempts.failed(f"10.0.0.{i}")
    assert attempts.wait("10.0.1.1") == 60.0
    now[0] = 61.0
    assert attempts.wait("10.0.1.1") == 0.0


def test_attempts_and_pace_keep_no_more_than_they_need() -> None:
    attempts, pace = Attempts(), Pace(5, 10.0)
    for i in range(20_000):
        attempts.failed(f"a{i}")
        pace.allows(f"a{i}")
    assert len(attempts._failures) == len(pace._seen) == 2000
    assert attempts.wait("a19999") > 0


def test_login_by_pin_with_lockout(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    guest.get("/operator")
    for _ in range(5):
        assert guest.form("/operator/login", pin="wrong").status_code == 403
    locked = guest.form("/operator/login", pin=guest.guard.secrets.pin)
    assert locked.status_code == 429
    assert int(locked.headers["Retry-After"]) > 20
    other = Visitor(table, guest.guard, address="192.168.1.51")
    other.get("/operator")
    opened = other.form("/operator/login", pin=f" {guest.guard.secrets.pin} ", next="/virtual")
    assert (opened.status_code, opened.headers["Location"]) == (303, "/virtual")
    cookie = next(c for c in opened.headers.getlist("Set-Cookie") if c.startswith("crowntable_operator"))
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert "New match" in other.get("/operator").get_data(as_text=True)


def test_login_leads_to_our_own_pages_only(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    opened = guest.form("/operator/login", pin=guest.guard.secrets.pin, next="https://evil.example/")
    assert opened.headers["Location"] == "/operator"
    back = guest.form("/language", lang="it", back="//evil.example")
    assert back.headers["Location"] == "/"


def test_one_time_link_opens_once(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    token = guest.guard.one_time_token()
    assert guest.get(f"/operator?once={token}").status_code == 303
    assert guest.get("/api/v1/view?audience=operator").status_code == 200
    other = Visitor(table, guest.guard)
    assert other.get(f"/operator?once={token}").status_code == 403
    assert other.get("/operator?once=").status_code == 403


def test_logging_out_ends_the_session_on_the_server(table: LiveTable, tmp_path: Path) -> None:
    boss = visitor(table, tmp_path)
    boss.become_operator()
    cookie = boss.client.get_cookie("crowntable_operator")
    assert cookie is not None
    boss.form("/operator/logout")
    boss.client.set_cookie("crowntable_operator", cookie.value)
    assert boss.get("/api/v1/view?audience=operator").status_code == 401


def test_a_new_pin_ends_old_sessions(tmp_path: Path) -> None:
    guard = Guard.open(tmp_path / "a")
    cookie = guard.new_session()
    assert guard.is_session(cookie)
    assert not guard.is_session(cookie + "x") and not guard.is_session("") and not guard.is_session("a.b.c")
    assert not Guard.open(tmp_path / "b").is_session(cookie)


# -- the Host header, other sites, forged requests


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.178.20", True),
        ("[fe80::1]:8000", True),
        ("localhost:8000", True),
        ("LOCALHOST.", True),
        ("table.local:8000", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        (None, False),
        ("a" * 300, False),
        ("127.0.0.1:8000@evil.example", False),
    ],
)
def test_host_header(host: str | None, ours: bool) -> None:
    assert host_allowed(host, {"localhost", "table.local"}) is ours


def test_dns_rebinding_is_refused_before_anything_else(table: LiveTable, tmp_path: Path) -> None:
    boss = visitor(table, tmp_path)
    boss.become_operator()
    for path in ("/", "/operator", "/api/v1/view", "/health", f"/static/{assets.version()}/css/base.css"):
        assert boss.get(path, Host="evil.example").status_code == 421
    answer = boss.post("/api/v1/act", {"as": "operator", "action": DECLARE}, Host="evil.example:8000")
    assert answer.status_code == 421
    assert not table.view(_spectator())["game"]["duels"]


def test_changes_need_the_pages_token_and_origin(table: LiveTable, tmp_path: Path) -> None:
    boss = visitor(table, tmp_path)
    boss.become_operator()
    body: dict[str, Any] = {"as": "operator", "action": DECLARE}
    assert boss.client.post("/api/v1/act", json=body).status_code == 403
    assert boss.post("/api/v1/act", body, **{"X-CSRF-Token": "x"}).status_code == 403
    assert boss.post("/api/v1/act", body, Origin="http://evil.example").status_code == 403
    assert boss.post("/api/v1/act", body, Origin="null").status_code == 403
    assert not table.view(_spectator())["game"]["duels"]
    assert boss.post("/api/v1/act", body, Origin="http://localhost").json == {
        "ok": True,
        "text": "Ada challenges Bruno.",
        "findings": [],
        "seq": table.view(_spectator())["seq"],
    }


def test_a_flood_of_changes_is_slowed(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    codes = [guest.post("/api/v1/act", {"action": {}}).status_code for _ in range(80)]
    assert codes[0] == 401 and codes[-1] == 429


# -- who may do what


def test_spectators_only_read(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    table.virtual = ScriptedWorld(table)
    for whose in ("operator", "seat:1", "spectator", "nobody"):
        for path, body in (
            ("/api/v1/act", {"as": whose, "action": DECLARE}),
            ("/api/v1/command", {"as": whose, "command": {"cmd": "undo"}}),
            ("/api/v1/virtual", {"as": whose, "command": {"throw": 1}}),
        ):
            assert guest.post(path, body).status_code == 401, (whose, path)
    closed = ("entries", "virtual", "undo-preview", "cards", "view?audience=operator", "view?audience=seat:1")
    for path in closed:
        assert guest.get(f"/api/v1/{path}").status_code == 401, path
    for path in ("view", "view?audience=stream", "matches"):
        assert guest.get(f"/api/v1/{path}").status_code == 200, path
    assert guest.form("/operator/renew-links").status_code == 401
    assert not table.virtual.done


def test_a_seat_plays_itself_and_nobody_else(table: LiveTable, tmp_path: Path) -> None:
    ada = visitor(table, tmp_path)
    ada.take_seat(1)

    def act(action: dict[str, Any], whose: str = "seat:1") -> int:
        return ada.post("/api/v1/act", {"as": whose, "action": action}).status_code

    assert act({"do": "declare", "seat": 2, "against": 3}) == 403
    assert act(DECLARE, "seat:2") == 401
    assert act({**DECLARE, "force": True}) == 403
    assert act({"do": "crown", "seat": 1}) == 403
    assert act({"do": "undo"}) == 403
    assert act({"do": "setup", "seat": 1}) == 403
    assert act({"do": "declare", "seat": "1", "against": 2}) == 403
    for cmd in ("undo", "new-match", "pause", "allow", "amend", "dismiss", "announce"):
        assert ada.post("/api/v1/command", {"as": "seat:1", "command": {"cmd": cmd}}).status_code == 403
    elsewhere = {"cmd": "answer", "question": "q1", "answer": "+"}
    assert ada.post("/api/v1/command", {"as": "seat:1", "command": elsewhere}).status_code == 403
    assert act(DECLARE) == 200
    judge = ada.post("/api/v1/command", {"as": "seat:1", "command": {"cmd": "judge"}}).json
    assert judge is not None and judge["ok"] and "Ada" in judge["text"]
    assert set(ada.get("/api/v1/cards?audience=seat:1").json or {}) == {"1"}


def test_seat_links(table: LiveTable, tmp_path: Path) -> None:
    guest = visitor(table, tmp_path)
    token = guest.guard.seat_token(2)
    assert guest.get(f"/seat/1?t={token}").status_code == 403
    assert guest.get("/seat/2?t=").status_code == 403
    assert guest.get("/seat/99").status_code == 404
    opened = guest.get(f"/seat/2?t={token}")
    assert (opened.status_code, opened.headers["Location"]) == (303, "/seat/2")
    assert guest.get("/api/v1/view?audience=seat:2").status_code == 200
    boss = Visitor(table, guest.guard)
    boss.become_operator()
    boss.get("/qr")
    assert boss.form("/operator/renew-links").status_code == 303
    assert guest.get("/api/v1/view?audience=seat:2").status_code == 401
    assert guest.get(f"/seat/2?t={token}").status_code == 403
    assert Guard.open(tmp_path).seat_token(2) == guest.guard.seat_token(2) != token


# -- what is sent


def test_every_answer_has_the_headers_and_no_inline_code(table: LiveTable, tmp_path: Path) -> None:
    boss = visitor(table, tmp_path)
    pages = ["/", "/seat/1", "/operator", "/qr", "/missing", "/virtual"]
    answers = [boss.get(path) for path in pages]
    boss.become_operator()
    answers += [boss.get(path) for path in pages]
    answers += [boss.get("/api/v1/view"), boss.get(f"/static/{assets.version()}/js/main.js")]
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy and "default-src 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        html = answer.get_data(as_text=True)
        if "<html" in html:
            assert not re.search(r"<[^>]+\s(style|on\w+)=", html), answer.request.path
            scripts = re.findall(r"<script([^>]*)>", html)
            assert all("src=" in one or "application/json" in one for one in scripts)
            assert not re.search(r"(src|href)=\"https?://(?!127\.0\.0\.1)", html)


def test_names_can_not_break_out_of_the_page(table: LiveTable, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    command = new_match()
    command["seats"][0]["name"] = evil
    table.command(command, OPERATOR)
    guest = visitor(table, tmp_path)
    html = guest.get("/").get_data(as_text=True)
    assert evil not in html and "alert(1)" in html
    boss = Visitor(table, guest.guard)
    boss.become_operator()
    assert evil not in boss.get("/qr").get_data(as_text=True)


@pytest.mark.parametrize(
    "name",
    ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "..//app.py", "/etc/passwd", "css", "js/", "css/../x"],
)
def test_only_listed_files_are_served(table: LiveTable, tmp_path: Path, name: str) -> None:
    answer = visitor(table, tmp_path).get(f"/static/{assets.version()}/{name}")
    assert answer.status_code in (404, 308)
    assert b"import" not in answer.data


def test_uploads_are_bounded(table: LiveTable, tmp_path: Path) -> None:
    boss = visitor(table, tmp_path)
    boss.become_operator()
    assert boss.post("/api/v1/act", {"action": {"x": "a" * 70_000}}).status_code in (400, 413)


def test_the_secrets_are_in_no_answer_and_no_log(
    table: LiveTable, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    boss = visitor(table, tmp_path)
    boss.form("/operator/login", pin="123")
    boss.become_operator()
    secrets = (boss.guard.secrets.pin, boss.guard.secrets.key)
    api = ("/api/v1/view?audience=operator", "/api/v1/entries")
    for path in ("/", "/operator", "/qr", "/seat/1", "/health", *api):
        text = boss.get(path).get_data(as_text=True)
        # Six digits may stand in a time by chance; as a word of their own they would be the PIN.
        assert not re.search(rf"(?<![\d.]){secrets[0]}(?![\d.])", text), path
        assert secrets[1] not in text
    assert secrets[1] not in caplog.text and f" {secrets[0]}" not in caplog.text


def test_links_leave_no_token_in_the_servers_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with served(tmp_path) as (_, server):
        links = (
            server.seat_path(1),
            server.operator_path(),
            "/api/v1/stream?audience=operator&t=secret-token",
        )
        for link in links:
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
                raw.sendall(f"GET {link} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                assert raw.recv(64).startswith(b"HTTP/1.1 ")
    assert "/seat/1" in caplog.text and "/operator" in caplog.text
    for link in links:
        assert link.split("=")[-1] not in caplog.text


def _spectator() -> Any:
    from web.audience import SPECTATOR

    return SPECTATOR
