"""Makes the training data: `python -m vision.training.make --help`. See this folder's README."""

from __future__ import annotations

import argparse
import pickle
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import boards, geometry, keyboards, real, samples
from vision.training.samples import Picture
from vision.training.scenes import Studio


def poses(args: argparse.Namespace) -> None:
    """Traces the bank of poses."""
    args.out.write_bytes(pickle.dumps(geometry.bank(args.count, args.seed), protocol=5))


def scenes(args: argparse.Namespace) -> None:
    """Renders scenes with the bank's poses."""
    bank = [pose for path in args.poses for pose in pickle.loads(path.read_bytes())]
    studio = Studio(bank, args.seed)
    found = []
    for _ in range(args.count):
        frame, labels, pips = studio.scene()
        packed = _packed(frame, [(*label.box, label.value) for label in labels])
        numbers = np.array([label.number for label in labels], np.uint8)
        found.append(replace(packed, pips=cv2.imencode(".png", pips)[1].tobytes(), numbers=numbers))
    args.out.write_bytes(pickle.dumps(found, protocol=5))


def tokens(args: argparse.Namespace) -> None:
    """Renders boards with tokens that bear figures: what the reader shall not take for dice."""
    random = np.random.default_rng(args.seed)
    found = [_packed(*boards.board(random)) for _ in range(args.count)]
    args.out.write_bytes(pickle.dumps(found, protocol=5))


def keys(args: argparse.Namespace) -> None:
    """Renders keyboards, whose keys the reader shall not take for dice either."""
    random = np.random.default_rng(args.seed)
    found = [_packed(*keyboards.keyboard(random)) for _ in range(args.count)]
    args.out.write_bytes(pickle.dumps(found, protocol=5))


def _packed(frame: NDArray[np.uint8], rows: list[tuple[float, ...]]) -> Picture:
    data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    return Picture(data, np.array(rows, np.float32).reshape(-1, 5))


def photos(args: argparse.Namespace) -> None:
    """Gathers the development photos of some sets, with the boxes that `vision.training.box` wrote."""
    boxes = real.whole_dice(args.boxes)
    found = []
    for name in args.sets:
        for photo in real.photos(args.root, name):
            rows = boxes.get((name, photo.path.name))
            if rows is not None:
                dice = np.array(rows, np.float32).reshape(-1, 5)
                found.append(Picture(photo.path.read_bytes(), dice, real=True))
    args.out.write_bytes(pickle.dumps(found, protocol=5))


def crops(args: argparse.Namespace) -> None:
    """Cuts the crops that the reader learns on out of what `scenes` or `photos` wrote."""
    random = np.random.default_rng(args.seed)
    pictures: list[NDArray[np.uint8]] = []
    values: list[int] = []
    for path in args.pictures:
        for picture in pickle.loads(path.read_bytes()):
            cuts, classes = samples.cut(picture, random)
            pictures += cuts
            values += classes
    np.savez(args.out, pictures=np.stack(pictures), values=np.array(values, np.int64))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    sub = parser.add_subparsers(required=True)
    commands = (
        ("poses", poses),
        ("scenes", scenes),
        ("tokens", tokens),
        ("keys", keys),
        ("photos", photos),
        ("crops", crops),
    )
    for name, run in commands:
        command = sub.add_parser(name, description=run.__doc__)
        command.add_argument("--out", type=Path, required=True)
        if name == "photos":
            command.add_argument("--root", type=Path, required=True, help="shared/data/dice")
            command.add_argument("--sets", nargs="+", required=True)
            command.add_argument("--boxes", type=Path, default=Path(__file__).with_name("boxes.csv"))
        elif name == "crops":
            command.add_argument("--pictures", type=Path, nargs="+", required=True)
            command.add_argument("--seed", type=int, required=True)
        else:
            command.add_argument("--count", type=int, required=True)
            command.add_argument("--seed", type=int, required=True)
        if name == "scenes":
            command.add_argument("--poses", type=Path, nargs="+", required=True)
        command.set_defaults(run=run)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.run(args)


if __name__ == "__main__":
    main()
