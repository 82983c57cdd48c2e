"""The stream's measurement measures: small numbers here, the real ones by hand."""

from __future__ import annotations

from pathlib import Path

from tests.web.tables import EXAMPLE, OPERATOR, live_table, new_match, play
from web.bench import measure


def test_the_last_of_twenty_screens(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        figures = measure(table, clients=20, seconds=1.5)
    assert figures["clients"] == 20
    assert 3 <= figures["events"] <= 16
    assert 0 < figures["p50_ms"] <= figures["p99_ms"] < 5000
    assert figures["burst"]["changes"] == 52
    assert 1 <= figures["burst"]["views"] < 52
    assert figures["stop_s"] < 2.0
