"""The printed board, photographed by a made-up camera: scale, slant, white balance, a moved camera."""

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.calibration import Tray, anchor, board_picture, calibrate, shift
from vision.errors import VisionError
from vision.readings import Image

DOTS = 4.0


def photograph(
    scale: float,
    aslant: float,
    tint: tuple[float, float, float] = (1, 1, 1),
    at: tuple[int, int] = (640, 360),
) -> Image:
    """The board in a 1280 x 720 picture, `scale` pixels a millimetre in its middle, `aslant` degrees."""
    board = board_picture(DOTS)
    h, w = board.shape
    lean = math.radians(aslant)
    away = 900.0
    corners = []
    for x, y in ((0, 0), (w, 0), (w, h), (0, h)):
        mx, my = (x - w / 2) / DOTS, (y - h / 2) / DOTS
        depth = away - my * math.sin(lean)
        corners.append(
            (at[0] + mx * scale * away / depth, at[1] + my * math.cos(lean) * scale * away / depth)
        )
    source = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
    matrix = cv2.getPerspectiveTransform(source, np.array(corners, np.float32))
    table = np.full((720, 1280), 110, np.uint8)
    cv2.warpPerspective(
        board, matrix, (1280, 720), dst=table, borderMode=cv2.BORDER_TRANSPARENT, flags=cv2.INTER_AREA
    )
    grey = np.asarray(cv2.GaussianBlur(table, (0, 0), 0.7), np.float32)[..., None] * 0.85
    noise = np.random.default_rng(1).normal(0, 2, (720, 1280, 3))
    return np.asarray(np.clip(grey * np.array(tint) + noise, 0, 255), np.uint8)


@pytest.mark.parametrize(("scale", "aslant"), [(2.6, 0.0), (2.6, 25.0), (3.0, 38.0)])
def test_scale_and_slant_come_out_as_they_were(scale: float, aslant: float) -> None:
    tray = calibrate([photograph(scale, aslant)])
    assert tray.error < 0.8
    assert tray.aslant == pytest.approx(aslant, abs=4.0)
    assert tray.scale == pytest.approx(scale * math.sqrt(math.cos(math.radians(aslant))), rel=0.03)
    assert tray.score().startswith(("Good", "Usable"))


def test_white_balance_takes_the_lamps_tint_out() -> None:
    tray = calibrate([photograph(2.6, 5.0, tint=(0.7, 1.0, 1.15))])
    assert tray.gain[0] == pytest.approx(1 / 0.7, rel=0.05)
    assert tray.gain[2] == pytest.approx(1 / 1.15, rel=0.05)


def test_pixels_become_millimetres() -> None:
    tray = calibrate([photograph(2.6, 0.0)])
    a, b = tray.to_board(640, 360), tray.to_board(640 + 260, 360)
    assert math.dist(a, b) == pytest.approx(100.0, rel=0.01)


def test_a_camera_too_far_away_is_called_poor() -> None:
    tray = calibrate([photograph(1.4, 0.0)])
    assert tray.score().startswith("Poor") and "nearer" in tray.score()


def test_without_a_board_the_cure_is_said() -> None:
    with pytest.raises(VisionError, match="corners are seen") as caught:
        calibrate([np.full((720, 1280, 3), 120, np.uint8)])
    assert "flat" in caught.value.cure


def test_five_pictures_give_the_lens() -> None:
    frames = [
        photograph(2.2, a, at=at)
        for a, at in ((0, (640, 360)), (20, (560, 330)), (30, (700, 400)), (12, (640, 300)), (35, (600, 380)))
    ]
    assert calibrate(frames).lens is not None
    assert calibrate(frames[:1]).lens is None


def test_a_moved_camera_is_noticed_and_dice_are_not_taken_for_it() -> None:
    rng = np.random.default_rng(3)
    scene = np.full((720, 1280, 3), 120, np.uint8)
    for _ in range(40):
        x, y, r = (int(v) for v in rng.integers((0, 0, 20), (1280, 720, 120)))
        cv2.rectangle(scene, (x, y), (x + r, y + r // 2), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    tray = calibrate([photograph(2.6, 0.0)])
    tray = Tray(**{**{name: getattr(tray, name) for name in tray.__slots__}, "anchor": anchor(scene)})
    busy = scene.copy()
    for x in (300, 500, 900):
        cv2.rectangle(busy, (x, 300), (x + 70, 370), (50, 30, 180), -1)
    assert shift(tray, busy) < 0.01
    assert shift(tray, np.roll(busy, (0, 60), (0, 1))) > 0.02


def test_it_is_kept_and_read_back_and_damage_is_said(tmp_path: Path) -> None:
    tray = calibrate([photograph(2.6, 10.0)])
    tray.save(tmp_path / "dice.json")
    assert Tray.load(tmp_path / "dice.json") == tray
    (tmp_path / "dice.json").write_text('{"size": [1')
    with pytest.raises(VisionError, match="damaged"):
        Tray.load(tmp_path / "dice.json")
    with pytest.raises(VisionError, match="no calibration"):
        Tray.load(tmp_path / "other.json")
