"""The API keeps what its description says, and keys open what they may and nothing else."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator

from engine.errors import CrowntableError
from host.table import LiveTable
from tests.web.clients import visitor
from tests.web.scripted_world import ScriptedWorld
from tests.web.sse import Reader
from tests.web.tables import EXAMPLE, OPERATOR, new_match, play, served
from web import keys
from web.api import description
from web.app import create_app
from web.main import main
from web.security import Guard, Pace
from web.server import Server

Json = dict[str, Any]
DESCRIBED = description()
METHODS = ("get", "post", "put", "delete", "patch")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    """The rulebook's duel at a table that is served."""
    with served(tmp_path) as (table, server):
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        yield table, server


def ask(server: Server, path: str, key: str = "", body: Json | None = None) -> tuple[int, Any]:
    """Status and JSON of one request by a program."""
    request = Request(f"http://127.0.0.1:{server.port}{path}", headers={"Accept-Language": "en"})
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        return refused.code, json.load(refused)


# -- the description


def test_the_description_names_every_address_of_the_api(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    app = create_app(table, server.guard)
    served_here = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/") or rule.rule == "/health"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {(path, method) for path, item in DESCRIBED["paths"].items() for method in item}
    assert described - {("/api/v1/stream", "get")} == served_here  # the stream is the server's own


def test_the_description_is_served_as_it_is(running: tuple[LiveTable, Server]) -> None:
    assert ask(running[1], "/api/v1/openapi.json") == (200, DESCRIBED)


def examples() -> Iterator[tuple[str, Json, Any]]:
    """Every example with the schema that it is one of."""
    everything = {"components": DESCRIBED["components"]}
    spots: list[tuple[str, Json]] = []
    for path, item in DESCRIBED["paths"].items():
        for method, operation in item.items():
            content = operation.get("requestBody", {}).get("content", {})
            for answer in operation["responses"].values():
                content = content | answer.get("content", {})
                spots += [(f"{method} {path}", one) for one in content.values()]
            spots += [(f"{method} {path} {p['name']}", p) for p in operation.get("parameters", [])]
    for name, answer in DESCRIBED["components"]["responses"].items():
        spots += [(name, one) for one in answer["content"].values()]
    for name, one in spots:
        for example in [
            *([one["example"]] if "example" in one else []),
            *(e["value"] for e in one.get("examples", {}).values()),
        ]:
            yield name, {**one["schema"], **everything}, example


def test_every_example_keeps_its_own_schema() -> None:
    checked = 0
    for name, schema, example in examples():
        checked += 1
        problems = [error.message for error in Draft202012Validator(schema).iter_errors(example)]
        assert problems == [], name
    assert checked > 25


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A served table, a key that may act, and no limit on how often."""
    folder = tmp_path_factory.mktemp("fuzzed")
    with served(folder) as (table, server):
        table.virtual = ScriptedWorld(table)
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        server.guard.pace = server.guard.key_pace = Pace(10**9, 1.0)
        yield server, keys.make(folder, "fuzz", act=True)[1]


#: The stream never ends (tests/web/test_web_stream.py reads it byte by byte); the scripted world takes
#: only movements that a page makes.
OPERATIONS = (
    schemathesis.openapi.from_dict(DESCRIBED).exclude(operation_id="stream").exclude(operation_id="virtualDo")
)


@OPERATIONS.parametrize()
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_running_server_keeps_the_description(case: Any, fuzzed: tuple[Server, str]) -> None:
    """Whatever fits the description or does not: no fault, only the statuses and the JSON it names."""
    server, key = fuzzed
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{server.port}", headers={"Authorization": f"Bearer {key}"}, timeout=15
    )


@OPERATIONS.parametrize()
@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_a_stranger_gets_refusals_of_one_shape(case: Any, fuzzed: tuple[Server, str]) -> None:
    answer = case.call(base_url=f"http://127.0.0.1:{fuzzed[0].port}", timeout=15)
    assert answer.status_code < 500
    if answer.status_code >= 400:
        body = answer.json()
        assert set(body) == {"ok", "text", "cure"}
        assert body["ok"] is False
        assert body["text"].endswith((".", "?"))
        assert body["cure"]


# -- keys


def test_a_key_is_shown_once_and_kept_as_a_hash_for_the_owner_only(tmp_path: Path) -> None:
    key, text = keys.make(tmp_path, "scoreboard")
    file = tmp_path / keys.KEYS_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert text.rpartition("_")[2] not in file.read_text()
    assert text.split("_", 2)[2] not in file.read_text()
    assert [one.name for one in keys.read(tmp_path)] == ["scoreboard"]
    assert keys.KeyRing(tmp_path).find(text) == key
    assert keys.KeyRing(tmp_path).find(text[:-1] + ("A" if text[-1] != "A" else "B")) is None
    file.chmod(0o644)
    keys.read(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_a_key_may_and_may_not(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    reader = keys.make(server.guard.data, "scoreboard")[1]
    actor = keys.make(server.guard.data, "bot", act=True)[1]
    announce = {"as": "operator", "command": {"cmd": "announce", "text": "Dinner."}}
    for path in ("view?audience=operator", "entries?limit=3", "cards", "undo-preview"):
        assert ask(server, f"/api/v1/{path}")[0] == 401
        assert ask(server, f"/api/v1/{path}", reader)[0] == 200
    assert ask(server, "/api/v1/command", body=announce)[0] == 403  # no page's token, no key
    status, refused = ask(server, "/api/v1/command", reader, announce)
    assert (status, refused["text"]) == (403, "This key may read only.")
    status, done = ask(server, "/api/v1/command", actor, announce)
    assert (status, done["ok"]) == (200, True)
    assert table.entries(after=done["seq"] - 1)[0]["who"] == {"kind": "operator", "id": "bot"}
    # As a seat only that seat's own link acts: a key is the operator's.
    stand = {"as": "seat:2", "action": {"do": "stand", "seat": 2}}
    assert ask(server, "/api/v1/act", actor, stand)[0] == 403


def test_a_key_opens_streams_and_no_pages(running: tuple[LiveTable, Server]) -> None:
    _, server = running
    key = keys.make(server.guard.data, "scoreboard")[1]
    with Reader(server.port, "?audience=operator", f"Authorization: Bearer {key}\r\n") as stream:
        assert stream.view()["audience"] == "operator"
    with Reader(server.port, "", "Authorization: Bearer ct_00000000_wrong\r\n") as refused:
        assert refused.status == 401
    request = Request(f"http://127.0.0.1:{server.port}/operator", headers={"Authorization": f"Bearer {key}"})
    with urlopen(request, timeout=30) as page:
        assert 'name="pin"' in page.read().decode()


@pytest.mark.parametrize("given", ["", "x", "ct_00000000_" + "A" * 43, "ct_\u00e9", "A" * 5000])
def test_what_is_no_key_opens_nothing_not_even_what_is_everybodys(
    running: tuple[LiveTable, Server], given: str
) -> None:
    with visitor(running[0], running[1].guard.data).client as client:
        answer = client.get("/api/v1/view", headers={"Authorization": f"Bearer {given}"})
        assert answer.status_code == 401
        assert b"This key opens nothing here." in answer.data
        # A proxy's own password is none of our business.
        assert client.get("/api/v1/view", headers={"Authorization": "Basic Zm9vOmJhcg=="}).status_code == 200


def test_a_revoked_key_opens_nothing_at_once(running: tuple[LiveTable, Server]) -> None:
    _, server = running
    kept, gone = (keys.make(server.guard.data, name) for name in ("kept", "gone"))
    assert ask(server, "/api/v1/entries", gone[1])[0] == 200
    assert keys.revoke(server.guard.data, gone[0].id).name == "gone"
    assert ask(server, "/api/v1/entries", gone[1])[0] == 401
    assert ask(server, "/api/v1/entries", kept[1])[0] == 200
    (server.guard.data / keys.KEYS_FILE).write_text("[{")
    assert ask(server, "/api/v1/entries", kept[1])[0] == 401


def test_a_key_has_a_pace(running: tuple[LiveTable, Server]) -> None:
    _, server = running
    server.guard.key_pace = Pace(5, 60.0)
    first, second = (keys.make(server.guard.data, name)[1] for name in ("first", "second"))
    statuses = [ask(server, "/api/v1/matches", first)[0] for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2
    assert ask(server, "/api/v1/matches", second)[0] == 200  # the others are not slowed


def test_no_key_in_logs(running: tuple[LiveTable, Server], caplog: pytest.LogCaptureFixture) -> None:
    _, server = running
    key = keys.make(server.guard.data, "scoreboard")[1]
    with caplog.at_level("DEBUG"):
        ask(server, "/api/v1/entries", key)
        ask(server, "/api/v1/entries", key + "x")
        ask(server, "/api/v1/nothing", key)
    assert caplog.records
    assert key.split("_")[2] not in caplog.text


def test_keys_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        code = main(["key", *words, "--data", str(tmp_path)])
        return code, capsys.readouterr().out

    code, shown = run("make", "bot", "--act", "--json")
    assert code == 0
    key = json.loads(shown)
    assert key["scopes"] == ["read", "act"]
    assert keys.KeyRing(tmp_path).find(key["key"]) is not None
    listed = json.loads(run("list", "--json")[1])
    assert [one["name"] for one in listed] == ["bot"]
    assert "sha256" not in listed[0]
    assert run("revoke", "nothing")[0] == 1
    assert run("revoke", key["id"])[0] == 0
    assert run("list") == (0, "There are no keys.\n")


@pytest.mark.parametrize("words", [["list"], ["revoke", "1f0c77aa"]])
def test_keys_of_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["key", *words, "--data", str(tmp_path / "nothere")]) == 1
    what, cure = capsys.readouterr().err.splitlines()
    assert what.startswith("There is no folder") and "--data" in cure


@pytest.mark.parametrize(("path", "status"), [("/api/v1/nothing", 404), ("/api/nothing", 404)])
def test_a_program_is_sent_to_the_description_and_not_to_links(
    running: tuple[LiveTable, Server], path: str, status: int
) -> None:
    code, answer = ask(running[1], path)
    assert (code, answer["cure"]) == (status, "docs/api.md lists all that there are.")


@pytest.mark.parametrize(("name", "text"), [("", "name"), ("x" * 61, "name"), ("a\x00b", "name")])
def test_a_key_needs_a_name(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(CrowntableError, match=text):
        keys.make(tmp_path, name)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"id": 1}]'])
def test_a_damaged_file_of_keys_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / keys.KEYS_FILE).write_text(text)
    if text != "{}":
        with pytest.raises(CrowntableError, match="damaged"):
            keys.read(tmp_path)
    assert Guard.open(tmp_path).keys.find("ct_00000000_" + "A" * 43) is None
