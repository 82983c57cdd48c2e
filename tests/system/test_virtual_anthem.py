"""Anthem as people play it at the virtual table: cards, keep buttons, and a hand shown as proof."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from host.journal import Journal
from host.layout import find_layout
from host.match import rebuilt
from tests.shared_data import ROOT
from tests.system.evening import OPERATOR, Evening
from tests.system.test_virtual_evening import ONE_MATCH, running

BUTTONS = "".join(
    f'\n[[button]]\nid = "keep{seat}"\nreader = "pico"\ndoes = "keep"\nseat = {seat}\n' for seat in (1, 2)
)


@pytest.mark.timeout(600)
def test_a_match_is_played_to_its_end_and_won_by_showing_the_hand(tmp_path: Path) -> None:
    layout = tmp_path / "with-buttons.toml"
    layout.write_text((ROOT / "hardware/tables/anthem-2.toml").read_text() + BUTTONS)
    with running(tmp_path, *ONE_MATCH, "--layout", str(layout), "--seed", "2") as (process, _):
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait(60) == 0
    (winner,) = re.findall(r"^winner: (.+)$", output, re.M)
    journal = Journal(tmp_path)
    begun = journal.match_entries()[0]
    match, _ = rebuilt(list(journal.read(match=begun.seq)))
    entries = [e for e in journal.read() if e.kind == "action" and e.ok and e.action]
    journal.close()
    assert match.over
    assert winner in {s["name"] for s in begun.body["seats"]}
    assert not [line for line in match.lines if line.broken or line.undone]
    # The long way: cards, buttons and the shown hand came from the table, not from a screen.
    by: dict[str, list[bool]] = {}
    for entry in entries:
        assert entry.action is not None
        by.setdefault(str(entry.action["do"]), []).append(bool(entry.evidence))
    for do in ("lay", "keep", "claim"):
        assert sum(by[do]) >= 0.9 * len(by[do]), (do, by[do])
    assert len(by["lay"]) >= 6


def test_the_largest_table_reads_each_of_its_twenty_four_places(tmp_path: Path) -> None:
    evening = Evening(find_layout("anthem-4"), tmp_path)
    try:
        evening.within(60, lambda: evening.device("pico") == "up")
        assert evening.table.command({"cmd": "new-match"}, OPERATOR).ok
        evening.lay("s3/6", "seat4.place6")
        evening.within(20, lambda: evening.view()["game"]["seats"][3]["layout"][6] == "s3/6")
        assert evening.view()["game"]["inferred_keeps"] == [1, 2, 3]
        evening.lay("s3/5", "seat1.place1")
        evening.within(20, lambda: evening.view()["game"]["seats"][0]["layout"][1] == "s3/5")
    finally:
        evening.running.stop()
