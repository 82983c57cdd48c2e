"""The project's own frame: names, rooms, pictures, the console script."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import engine
import host
import vision
import web
from tests.shared_data import ROOT


@pytest.mark.parametrize("room", [engine, host, vision, web])
def test_a_rooms_name_is_not_taken_by_an_installed_package(room: object) -> None:
    assert str(room.__file__).startswith(str(ROOT))  # type: ignore[attr-defined]


@pytest.mark.parametrize("room", ["engine", "host", "vision", "web", "firmware", "hardware", "tests"])
def test_every_room_has_a_page_that_says_what_lives_there(room: str) -> None:
    lines = (ROOT / room / "README.md").read_text(encoding="utf-8").splitlines()
    assert 5 <= len(lines) <= 80


def python(*arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=check)


def test_the_pictures_of_the_architecture_are_what_the_code_says() -> None:
    done = python("tools/pictures.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_dependency_is_explained_and_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    why = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    pins = (ROOT / "tools" / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    for line in project["dependencies"]:
        name = re.split(r"[><=\[]", line)[0]
        assert name in why, f"{name} is not in docs/dependencies.md"
        assert f"\n{name.lower()}==" in f"\n{pins}", f"{name} is not in tools/constraints.txt"


def test_every_command_has_help_with_an_example() -> None:
    listing = python("-m", "web.main", "--help", check=True).stdout
    commands = re.findall(r"^    (\w+) ", listing, re.M)
    assert {"run", "referee", "dice", "tag", "virtual", "replay", "export", "lab", "bench"} <= set(commands)
    for command in commands:
        done = python("-m", "web.main", command, "--help", check=True)
        assert "example" in done.stdout, command


def test_wrong_usage_is_exit_2_and_says_what_there_is() -> None:
    for arguments in (["nonsense"], ["run", "--port", "x"], []):
        done = python("-m", "web.main", *arguments)
        assert done.returncode == 2
        what, cure = done.stderr.splitlines()
        assert what.startswith("crowntable") and what != cure
        assert re.fullmatch(r"`crowntable( run)? --help` lists what it takes, with an example.", cure)


def test_more_bots_than_seats_are_refused_before_anything_starts(tmp_path: Path) -> None:
    data = tmp_path / "data"
    asked = ["--layout", "althera-3", "--bots", "greedy,greedy,random,random", "--data", str(data)]
    done = python("-m", "web.main", "run", "--virtual", *asked)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "4 bots are named, but althera-3 has 3 seats."
    assert not data.exists()
