"""The settings file: what the set-up page learns is kept whole, whatever happens, and read with care."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from engine.errors import CrowntableError
from host.layout import find_layout, shipped_layouts
from host.settings import (
    SEEN,
    STATES,
    STEPS,
    Settings,
    keep_own,
    layout_of,
    load_settings,
    own_layouts,
    save_settings,
    with_ports,
)

names = st.text(st.characters(codec="utf-8"), max_size=20)
boxes = st.tuples(*[st.integers(0, 20000)] * 2, *[st.integers(1, 20000)] * 2)
some = st.builds(
    Settings,
    language=names,
    layout=names,
    asking=st.booleans(),
    ports=st.dictionaries(names, names, max_size=3),
    steps=st.dictionaries(st.sampled_from(STEPS), st.sampled_from(STATES), max_size=3),
    lights=st.dictionaries(names, st.sampled_from(SEEN), max_size=3),
    trays=st.dictionaries(names, st.dictionaries(names, boxes, min_size=1, max_size=2), max_size=2),
)


@limits(max_examples=50, deadline=None)
@given(settings=some)
def test_whatever_is_kept_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings
) -> None:
    folder = tmp_path_factory.mktemp("settings")
    save_settings(folder, settings)
    assert load_settings(folder) == settings


def test_no_file_is_no_fault(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("language = 3", "language = 3, which is no text"),
        ("asking = 1", "asking = 1, which is not true or false"),
        ("colour = 'red'", "unknown key 'colour'"),
        ("[steps]\nzones = 'perhaps'", "steps.zones = 'perhaps'; allowed are done, skipped"),
        ("[trays.dice]\ntray = [1, 2, 3]", "trays.dice.tray"),
        ("[trays]\ndice = 4", "trays"),
        ("[ports\n", "is damaged"),
    ],
)
def test_a_bad_file_is_one_sentence_with_the_key_and_what_to_do(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(CrowntableError, match=r"settings\.toml") as raised:
        load_settings(tmp_path)
    assert says in raised.value.what
    assert "set the table up again" in raised.value.cure


def test_a_bad_file_is_put_aside_when_something_new_is_kept(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe")
    save_settings(tmp_path, Settings(language="it"))
    assert load_settings(tmp_path).language == "it"
    assert (tmp_path / "settings.toml.bad").read_bytes() == b"\xff\xfe"


def test_what_can_not_be_written_is_said_and_the_old_file_stays(tmp_path: Path) -> None:
    save_settings(tmp_path, Settings(language="en"))
    (tmp_path / ".settings.toml.new").mkdir()  # in the way, as a full disk would be
    with pytest.raises(CrowntableError, match="can't be written"):
        save_settings(tmp_path, Settings(language="it"))
    assert load_settings(tmp_path).language == "en"


WRITER = """
import sys
from pathlib import Path
from host.settings import Settings, save_settings
n = 0
while True:
    n += 1
    save_settings(Path(sys.argv[1]), Settings(ports={f"reader{i}": f"/dev/tty{n}" for i in range(200)}))
    print(n, flush=True)
"""


def test_killed_at_any_moment_the_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    for moment in range(12):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment * 0.0037)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        ports = load_settings(tmp_path).ports
        assert len(ports) == 200
        assert len(set(ports.values())) == 1


def test_an_own_layout_is_kept_beside_the_shipped_ones_and_found_by_name(tmp_path: Path) -> None:
    from dataclasses import replace

    mine = replace(find_layout("althera-2"), name="kitchen")
    keep_own(tmp_path, mine)
    assert own_layouts(tmp_path) == {"kitchen": tmp_path / "tables" / "kitchen.toml"}
    assert layout_of(tmp_path, "kitchen") == mine
    assert layout_of(tmp_path, "althera-2") == find_layout("althera-2")
    for name in ("../../etc/passwd", "a/b", "", "Kitchen", *shipped_layouts()):
        with pytest.raises(CrowntableError, match=r"name|comes with"):
            keep_own(tmp_path, replace(mine, name=name))
    assert len(own_layouts(tmp_path)) == 1


def test_readers_and_cameras_are_where_the_set_up_says_and_else_where_the_layout_says() -> None:
    layout = find_layout("althera-3")
    placed = with_ports(layout, {"pico": "/dev/ttyACM3", "dice": "picamera2:0", "gone": "x"})
    assert {r.id: r.port for r in placed.readers} == {"pico": "/dev/ttyACM3", "scan": "tty:AMA0:pn532"}
    assert placed.cameras[0].source == "picamera2:0"
