"""A file that is there whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from engine.whole import write_whole


def test_the_new_text_stands_there_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    for text in ("one", "città\n"):
        write_whole(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == ["settings.toml"]


def test_a_private_file_is_its_owners_alone_also_where_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("open to all")
    path.chmod(0o644)
    write_whole(path, "closed", private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_neighbour_left_by_a_power_cut_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".cards.csv.new").write_text("half a li")
    write_whole(tmp_path / "cards.csv", "whole")
    assert [one.name for one in tmp_path.iterdir()] == ["cards.csv"]


def test_what_can_not_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "cards.csv"
    path.write_text("old")
    (tmp_path / ".cards.csv.new").mkdir()  # in the way, as a full disk would be
    with pytest.raises(OSError):
        write_whole(path, "new")
    assert path.read_text() == "old"
