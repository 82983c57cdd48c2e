"""`crowntable dice` as contracts/cli.md has it: JSON lines, bad files named, the others still read."""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from host.virtual import tray_picture
from host.virtual.tray_picture import Placed
from vision.cli import register
from vision.errors import VisionError


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    args = parser.parse_args(["dice", *words])
    return int(args.run(args))


@pytest.fixture
def tray(tmp_path: Path) -> Path:
    canvas = tray_picture.felt().copy()
    for die in (Placed("crimson", 3, 200, 150, 20), Placed("gold", 5, 420, 300, 70)):
        tray_picture.draw(canvas, die, (0.0, 0.0, 0.0))
    path = tmp_path / "tray.png"
    cv2.imwrite(str(path), tray_picture.finish(canvas, 0))
    return path


def test_one_json_line_a_picture_with_every_field_of_the_contract(
    tray: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--json", str(tray)) == 0
    out = capsys.readouterr()
    line = json.loads(out.out)
    assert out.out.count("\n") == 1 and not out.err
    assert line["file"] == str(tray) and line["ms"] > 0 and line["unsure"] == []
    assert {(die["colour"], die["value"]) for die in line["dice"]} == {("crimson", 3), ("gold", 5)}
    for die in line["dice"]:
        assert set(die) == {"value", "center", "box", "angle", "colour", "confidence"}
        x, y, w, h = die["box"]
        assert x < die["center"][0] < x + w and y < die["center"][1] < y + h
        assert 0 <= die["angle"] < 90 and 0.5 < die["confidence"] <= 1


def test_an_annotated_copy_is_written(tray: Path, tmp_path: Path) -> None:
    assert run("--annotate", str(tmp_path / "seen"), str(tray)) == 0
    before, after = cv2.imread(str(tray)), cv2.imread(str(tmp_path / "seen" / "tray.png"))
    assert before is not None and after is not None
    assert before.shape == after.shape and not np.array_equal(before, after)


def test_bad_files_are_named_in_a_sentence_and_the_others_still_read(
    tray: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "text.jpg").write_text("no picture")
    (tmp_path / "torn.png").write_bytes(tray.read_bytes()[:100])
    bad = [
        tmp_path / "empty.jpg",
        tmp_path / "text.jpg",
        tmp_path / "torn.png",
        tmp_path / "none.jpg",
        tmp_path,
    ]
    assert run("--json", *(str(path) for path in bad), str(tray)) == 1
    out = capsys.readouterr()
    assert [json.loads(line)["file"] for line in out.out.splitlines()] == [str(tray)]
    told = out.err.splitlines()
    assert len(told) == 2 * len(bad)
    for path, sentence in zip(bad, told[::2], strict=True):
        assert str(path) in sentence and sentence.endswith(".")
    assert "Traceback" not in out.err


def test_odd_pictures_are_read_without_a_fault(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    odd: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.uint8 | np.uint16]]] = {
        "dot.png": np.zeros((1, 1, 3), np.uint8),
        "line.png": rng.integers(0, 255, (1, 900, 3), dtype=np.uint8),
        "grey.png": rng.integers(0, 255, (200, 300), dtype=np.uint8),
        "alpha.png": rng.integers(0, 255, (200, 300, 4), dtype=np.uint8),
        "deep.png": rng.integers(0, 65535, (100, 100, 3), dtype=np.uint16),
        "noise.png": rng.integers(0, 255, (720, 1280, 3), dtype=np.uint8),
        "white.png": np.full((480, 640, 3), 255, np.uint8),
    }
    for name, picture in odd.items():
        cv2.imwrite(str(tmp_path / name), picture)
    assert run("--json", *(str(tmp_path / name) for name in odd)) == 0


def test_a_folder_that_cannot_be_made_is_said(tray: Path) -> None:
    with pytest.raises(VisionError, match="cannot be made"):
        run("--annotate", str(tray / "below"), str(tray))
