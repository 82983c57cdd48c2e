"""Visitors for the web's tests: a Flask client that behaves like a browser with a page open."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from host.face import Table
from web.app import create_app
from web.cookies import OPERATOR, seat_cookie
from web.security import Guard

Json = dict[str, Any]
LOCAL = {"REMOTE_ADDR": "127.0.0.1"}


class Visitor:
    """One browser: cookies kept, the CSRF token taken from the page it has open."""

    def __init__(self, table: Table, guard: Guard, address: str = "192.168.1.50") -> None:
        self.guard = guard
        self.app = create_app(table, guard, host="127.0.0.1", port=8000)
        self.client: FlaskClient = self.app.test_client()
        self.address = address
        self.csrf = ""

    def get(self, path: str, **headers: str) -> TestResponse:
        answer = self.client.get(path, headers=headers, environ_base={"REMOTE_ADDR": self.address})
        boot = boot_of(answer)
        if boot is not None:
            self.csrf = boot["csrf"]
        elif found := re.search(r'name="csrf" value="([^"]+)"', answer.get_data(as_text=True)):
            self.csrf = found[1]
        return answer

    def post(self, path: str, body: Json, **headers: str) -> TestResponse:
        return self.client.post(
            path,
            json=body,
            headers={"X-CSRF-Token": self.csrf, **headers},
            environ_base={"REMOTE_ADDR": self.address},
        )

    def form(self, path: str, **fields: str) -> TestResponse:
        return self.client.post(
            path, data={"csrf": self.csrf, **fields}, environ_base={"REMOTE_ADDR": self.address}
        )

    def become_operator(self) -> None:
        self.client.set_cookie(OPERATOR, self.guard.new_session())
        self.get("/operator")

    def take_seat(self, seat: int) -> None:
        self.client.set_cookie(seat_cookie(seat), self.guard.seat_token(seat))
        self.get(f"/seat/{seat}")


def visitor(table: Table, data: Path) -> Visitor:
    """A stranger with the table page open."""
    fresh = Visitor(table, Guard.open(data))
    fresh.get("/")
    return fresh


def boot_of(answer: TestResponse) -> Json | None:
    """The data block of a page, None where there is none."""
    html = answer.get_data(as_text=True)
    found = re.search(r'<script type="application/json" id="boot">(.*?)</script>', html)
    return json.loads(found[1]) if found else None
