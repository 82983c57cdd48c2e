"""The whole way of a throw: rendered frames over HTTP, vision's own process, Sightings, settling; and
every way in which a camera has been seen to fail (F31 to F33)."""

import base64
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import CrowntableError
from host.camera import CameraDevice
from host.sighting import DiceFrame, Health, Sighting
from host.virtual.tray import VirtualTray
from vision.calibration import board_picture
from vision.settle import Moving, Rested, Settler

LONG = 30.0  # the machine is shared; a pass takes a fraction of it


class Watch:
    """Gathers Sightings and waits for one that fits."""

    def __init__(self) -> None:
        self.seen: list[Sighting] = []
        self.came = threading.Condition()

    def __call__(self, sighting: Sighting) -> None:
        with self.came:
            self.seen.append(sighting)
            self.came.notify_all()

    def wait(self, fits: Callable[[Sighting], bool], start: int = 0, timeout: float = LONG) -> Sighting:
        with self.came:
            assert self.came.wait_for(lambda: any(map(fits, self.seen[start:])), timeout), self.seen[-3:]
            return next(one for one in self.seen[start:] if fits(one))


def _runs(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def state(name: str) -> Callable[[Sighting], bool]:
    return lambda one: isinstance(one, Health) and one.state == name


def shows(**faces: int) -> Callable[[Sighting], bool]:
    want = {colour.replace("_", " "): face for colour, face in faces.items()}
    return lambda one: (
        isinstance(one, DiceFrame)
        and not one.moving
        and {d.colour: d.face for d in one.dice if d.face is not None} == want
    )


@pytest.fixture
def tray() -> Iterator[VirtualTray]:
    tray = VirtualTray(seed=5)
    tray.start()
    yield tray
    tray.stop()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def camera(tray: VirtualTray, watch: Watch) -> Iterator[CameraDevice]:
    camera = CameraDevice("dice", tray.url)
    camera.start(watch)
    yield camera
    camera.stop()


def test_a_throw_becomes_one_settled_value(tray: VirtualTray, watch: Watch, camera: CameraDevice) -> None:
    tray.put({"crimson": 3, "gold": 5})
    watch.wait(shows(crimson=3, gold=5))
    settler, told, start = Settler(), [], 0
    for face in (6, 1, 4):
        settler.expect(time.monotonic(), ("crimson",))
        thrown = time.monotonic()
        tray.throw({"crimson": face})
        while settler.awaiting is not None and time.monotonic() - thrown < LONG:
            time.sleep(0.02)
            fresh, start = watch.seen[start:], len(watch.seen)
            for one in fresh:
                if isinstance(one, DiceFrame):
                    told += settler.feed(one)
    rests = [event for event in told if isinstance(event, Rested)]
    assert [[(d.colour, d.face) for d in event.dice] for event in rests] == [
        [("crimson", 6)],
        [("crimson", 1)],
        [("crimson", 4)],
    ]
    assert any(isinstance(event, Moving) for event in told)


def test_frames_carry_the_time_of_their_capture_and_a_rising_number(
    watch: Watch, camera: CameraDevice
) -> None:
    watch.wait(lambda one: isinstance(one, DiceFrame) and one.frame > 10)
    frames = [one for one in watch.seen if isinstance(one, DiceFrame)]
    assert all(a.at < b.at and a.frame < b.frame for a, b in itertools.pairwise(frames))
    assert 0 < time.monotonic() - frames[-1].at < 5


def test_f31_a_frozen_camera_is_lost_within_three_seconds_and_comes_back(
    tray: VirtualTray, watch: Watch, camera: CameraDevice
) -> None:
    watch.wait(state("up"))
    began, start = time.monotonic(), len(watch.seen)
    tray.freeze()
    lost = watch.wait(state("lost"), start)
    assert isinstance(lost, Health) and "one picture" in lost.detail
    assert lost.at - began < 3.0
    start = len(watch.seen)
    tray.freeze(False)
    watch.wait(state("up"), start)


def test_f31_an_unplugged_camera_is_lost_within_three_seconds_and_comes_back(
    tray: VirtualTray, watch: Watch, camera: CameraDevice
) -> None:
    watch.wait(state("up"))
    began, start = time.monotonic(), len(watch.seen)
    tray.unplug()
    lost = watch.wait(state("lost"), start)
    assert lost.at - began < 3.0
    start = len(watch.seen)
    tray.plug()
    watch.wait(state("up"), start)
    watch.wait(lambda one: isinstance(one, DiceFrame), start)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
def test_f31_the_vision_process_dies_or_hangs_and_is_started_again(
    blow: signal.Signals, watch: Watch, camera: CameraDevice
) -> None:
    watch.wait(lambda one: isinstance(one, DiceFrame))
    before, start, began = camera.pid, len(watch.seen), time.monotonic()
    assert before is not None
    last = max(one.frame for one in watch.seen if isinstance(one, DiceFrame))
    os.kill(before, blow)
    lost = watch.wait(state("lost"), start)
    assert lost.at - began < 3.5
    watch.wait(state("up"), start)
    assert camera.pid not in (None, before)
    again = watch.wait(lambda one: isinstance(one, DiceFrame), start)
    assert isinstance(again, DiceFrame) and again.frame > last
    assert not _runs(before)


def test_glare_and_a_hand_give_no_number(tray: VirtualTray, watch: Watch, camera: CameraDevice) -> None:
    tray.put({"crimson": 3})
    watch.wait(shows(crimson=3))
    tray.glare()
    start = len(watch.seen)
    watch.wait(lambda one: isinstance(one, DiceFrame) and not one.moving, start + 5)
    time.sleep(1.2)
    numbers = [d for one in watch.seen[-5:] if isinstance(one, DiceFrame) for d in one.dice if d.face]
    assert not numbers
    tray.glare(False)
    start = len(watch.seen)
    watch.wait(shows(crimson=3), start)
    tray.hand()
    watch.wait(lambda one: isinstance(one, DiceFrame) and one.moving, len(watch.seen))


def test_the_set_up_page_gets_a_picture_with_its_readings_however_many_ask(
    tray: VirtualTray, watch: Watch, camera: CameraDevice
) -> None:
    tray.put({"crimson": 3, "gold": 5})
    watch.wait(shows(crimson=3, gold=5))
    began, looks = time.monotonic(), []
    askers = [threading.Thread(target=lambda: looks.append(camera.look(LONG))) for _ in range(12)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    seconds = time.monotonic() - began
    seen = looks[0]
    assert seen is not None
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(seen.jpeg), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert (picture.shape[1], picture.shape[0]) == seen.size == (640, 480)
    assert {die.colour: die.face for die in seen.dice} == {"crimson": 3, "gold": 5}
    # Packed at most five times a second: those who ask at once share one picture.
    assert len({id(look) for look in looks}) <= 1 + seconds * 5
    frames = len(watch.seen)
    watch.wait(lambda one: isinstance(one, DiceFrame), frames)


def test_f33_a_camera_that_is_not_there_is_named_and_found_later(tmp_path: Path) -> None:
    watch = Watch()
    camera = CameraDevice("dice", str(tmp_path / "tray.png"))
    camera.start(watch)
    lost = watch.wait(state("lost"))
    assert isinstance(lost, Health) and "tray.png does not exist" in lost.detail
    cv2.imwrite(str(tmp_path / "tray.png"), np.full((240, 320, 3), 120, np.uint8))
    watch.wait(lambda one: isinstance(one, DiceFrame) and not one.dice)
    camera.stop()
    camera.stop()
    assert camera.pid is None and camera.look() is None


def test_vision_dies_with_its_parent(tray: VirtualTray) -> None:
    script = (
        "import sys, time; from host.camera import CameraDevice\n"
        "c = CameraDevice('dice', sys.argv[1]); c.start(lambda s: None)\n"
        "while c.pid is None: time.sleep(0.02)\n"
        "print(c.pid, flush=True); time.sleep(60)"
    )
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", script, tray.url], cwd=root, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + LONG
    while _runs(pid):
        assert time.monotonic() < end, "vision outlived its parent"
        time.sleep(0.1)


def test_calibration_from_the_board_in_view_and_its_absence_said(tmp_path: Path) -> None:
    board = cv2.resize(board_picture(4.0), None, fx=0.85, fy=0.85, interpolation=cv2.INTER_AREA)
    frame = np.full((720, 1280, 3), 110, np.uint8)
    frame[20 : 20 + board.shape[0], 100 : 100 + board.shape[1]] = board[..., None]
    cv2.imwrite(str(tmp_path / "view.png"), frame)
    kept = tmp_path / "kept" / "dice.json"
    watch, camera = Watch(), CameraDevice("dice", str(tmp_path / "view.png"), kept)
    camera.start(watch)
    watch.wait(state("up"))
    assert camera.calibrate(timeout=LONG).startswith("Good: a 16 mm die is 54 pixels wide")
    assert kept.exists()
    cv2.imwrite(str(tmp_path / "view.png"), np.full((720, 1280, 3), 110, np.uint8))
    camera.stop()
    camera.start(watch)
    watch.wait(lambda one: isinstance(one, DiceFrame), len(watch.seen))
    with pytest.raises(CrowntableError, match="corners are seen"):
        camera.calibrate(timeout=LONG)
    moved = watch.wait(state("weak"))
    assert isinstance(moved, Health) and "calibrate it again" in moved.detail
    camera.stop()
    with pytest.raises(CrowntableError, match="not running"):
        camera.calibrate()


def test_what_was_read_last_is_not_shown_once_the_camera_is_lost(
    tray: VirtualTray, watch: Watch, camera: CameraDevice
) -> None:
    tray.put({"crimson": 3})
    watch.wait(shows(crimson=3))
    # On a busy machine the process may just be starting anew: ask until there is a picture.
    assert any(camera.look(5) is not None for _ in range(12))
    start = len(watch.seen)
    tray.freeze()
    watch.wait(state("lost"), start)
    time.sleep(1 / 5)  # past the picture that all who ask at once share
    assert camera.look(0.5) is None
    start = len(watch.seen)
    tray.freeze(False)
    watch.wait(state("up"), start)
    assert camera.look(LONG) is not None
