"""Sources of frames: what opens, what is said where nothing does."""

import sys
import types
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import VisionError
from vision.motion import FreezeDetector, MotionGate
from vision.source import exposure_words, open_source, pi_cameras


def test_a_folder_shows_its_pictures_in_order_and_passes_over_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.source.FOLDER_SECONDS", 0.0)
    for level, name in ((10, "a.png"), (200, "c.png")):
        cv2.imwrite(str(tmp_path / name), np.full((40, 60, 3), level, np.uint8))
    (tmp_path / "b.jpg").write_text("not a picture")
    source = open_source(str(tmp_path))
    seen = [source.read() for _ in range(4)]
    assert [None if one is None else int(one.mean()) for one in seen] == [10, None, 200, 10]
    assert not source.live
    source.close()


def test_a_video_file_is_played_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "roll.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 100.0, (64, 48))
    for level in (0, 100, 200):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    source = open_source(str(path))
    levels = []
    while (frame := source.read()) is not None:
        levels.append(round(float(frame.mean()), -2))
    assert levels == [0, 100, 200]
    source.close()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("97", "no camera at /dev/video97"),
        ("/dev/v4l/by-id/none", "no camera at /dev/v4l/by-id/none"),
        ("nowhere.mp4", "does not exist"),
        ("http://127.0.0.1:9/none", "could not be opened"),
        ("picamera2", "Picamera2 is not installed"),
    ],
)
def test_what_cannot_be_opened_is_said_with_a_cure(source: str, words: str) -> None:
    with pytest.raises(VisionError, match=words) as caught:
        open_source(source)
    assert caught.value.cure


def test_an_empty_folder_and_a_text_file_are_no_sources(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="no picture in"):
        open_source(str(tmp_path))
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(VisionError, match="could not be opened"):
        open_source(str(tmp_path / "notes.txt"))


def test_the_motion_gate_sees_a_small_die_roll_and_no_noise_nor_dimming() -> None:
    rng = np.random.default_rng(4)

    def frame(x: int, light: float = 1.0) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        base = np.full((720, 1280, 3), 120.0)
        base[300:324, x : x + 24] = (40, 30, 180)
        noisy = base * light + rng.normal(0, 4, base.shape)
        return np.asarray(np.clip(noisy, 0, 255), np.uint8)

    gate = MotionGate()
    assert [gate.moving(frame(100)) for _ in range(4)] == [False] * 4
    assert not gate.moving(frame(100, 0.8))
    assert not gate.moving(frame(100, 0.8))
    assert gate.moving(frame(130, 0.8))
    assert gate.moving_at((120, 290, 40, 40)) and not gate.moving_at((600, 300, 60, 60))
    assert not gate.moving(frame(130, 0.8))


def test_the_freeze_detector_wants_two_seconds_of_the_very_same_picture() -> None:
    still = np.full((48, 64, 3), 90, np.uint8)
    noisy = still.copy()
    noisy[0, 0, 0] += 1
    freeze = FreezeDetector(2.0)
    assert not freeze.frozen(still, 0.0) and not freeze.frozen(still, 1.9)
    assert freeze.frozen(still, 2.0)
    assert not freeze.frozen(noisy, 2.1) and not freeze.frozen(still, 3.9)


class FakePiCamera:
    """What Picamera2 gives, where the library itself (libcamera and a Pi) can't be installed."""

    def __init__(self, number: int) -> None:
        if number:
            raise IndexError("list index out of range")
        self.closed = False

    @staticmethod
    def global_camera_info() -> list[dict[str, object]]:
        return [{"Model": "imx708", "Num": 0}]

    def create_video_configuration(self, main: dict[str, object], buffer_count: int) -> dict[str, object]:
        assert main["format"] == "RGB888"
        return {"main": {**main, "size": (1280, 718)}}  # the driver rounds to what it can

    def configure(self, setting: dict[str, object]) -> None:
        self.setting = setting

    def camera_configuration(self) -> dict[str, object]:
        return self.setting

    def start(self) -> None:
        self.started = True

    def capture_array(self, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        return np.full((718, 1280, 3), 77, np.uint8)

    def capture_metadata(self) -> dict[str, float]:
        return {"ExposureTime": 8000, "AnalogueGain": 1.4}

    def close(self) -> None:
        self.closed = True


def test_the_pis_own_camera_says_its_real_mode_and_exposure(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("picamera2")
    module.Picamera2 = FakePiCamera  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)
    assert pi_cameras() == 1
    source = open_source("picamera2:0")
    assert source.mode == "1280x718 instead of 1280x720"
    assert source.exposure() == "the camera's own choice, now 8 ms, gain 1.4"
    frame = source.read()
    assert frame is not None and frame.shape == (718, 1280, 3)
    source.close()
    with pytest.raises(VisionError, match="camera 1 could not be started"):
        open_source("picamera2:1")


def test_without_the_library_there_is_no_pi_camera_and_a_wrong_number_is_said() -> None:
    assert pi_cameras() == 0
    with pytest.raises(VisionError, match="no Pi camera 'left'"):
        open_source("picamera2:left")


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        ((1.0, 156.0, 64.0), "fixed at 15.6 ms, gain 64"),
        ((3.0, 333.0, 0.0), "the camera's own choice, now 33.3 ms"),
        ((-1.0, -1.0, -1.0), ""),
        ((0.0, 0.0, 0.0), ""),
    ],
)
def test_exposure_is_read_back_in_words(controls: tuple[float, float, float], words: str) -> None:
    assert exposure_words(*controls) == words
