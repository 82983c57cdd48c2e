"""The network at run time: a finder for the whole frame, a reader for each candidate, by `cv2.dnn`.

The finder sees the frame at 640 pixels and says where dice may lie; the reader sees each candidate cut
from the full frame and says which face is on top, or that it is no die, or that it is cocked; where this
look is not clear it looks again, each time slightly otherwise. How they were trained:
`vision/training/README.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import CELL, MARGIN, crop, normalise
from vision.errors import VisionError
from vision.readings import Image

Array = NDArray[np.float32]
Box = tuple[float, float, float, float]  # left, top, width, height
Look = tuple[float, float, bool, tuple[float, float, float, float] | None]

WEIGHTS = Path(__file__).parent / "weights"
LONG = 640  # pixels of the frame's longer side as the finder sees it
SHORT = 320  # the same for its second glance, at large dice
CERTAIN, MIDDLING = 0.75, 64.0  # heat and pixels of dice that make that glance needless
LARGE = 32.0  # pixels of a die there below which the first one knows better
HEAT = 0.15  # a candidate's least heat
MOST = 48  # candidates looked at
SHARED = 0.6  # the part of the smaller box that two dice may share in the picture
PIP = 0.45  # of a die's side: what lies in it and is smaller is a part of it
PLAIN = 0.9  # the chance of a face from which on a die in another's box is one
COCKED = 7
# The looks at a candidate: turn in degrees, scale of the crop, mirrored, and the mixture of blue, green and
# red that is seen in place of the colours. The first one at every candidate; the further ones where that
# leaves a doubt, while there is time for it. Red pips on a dark body are told apart by red alone.
RED, REDDER = (0.0, 0.0, 1.0, 0.0), (-0.5, 0.0, 1.0, 64.0)  # the last number is added
FIRST: tuple[Look, ...] = ((0.0, 1.0, False, None),)
FURTHER: tuple[Look, ...] = (
    (8.0, 1.08, True, None),
    (-8.0, 0.94, False, None),
    (90.0, 1.0, False, None),
    (180.0, 1.05, True, None),
    (270.0, 0.95, False, None),
    (0.0, 0.86, False, None),
    (0.0, 1.0, False, RED),
    (0.0, 1.0, False, REDDER),
    (90.0, 1.06, True, REDDER),
)
CLEAR = 0.97  # the first look's chance from which on further ones change next to nothing (docs/vision.md)
NOTHING = 0.9  # the same where it sees that there is no die
BATCH = 24  # crops read at a time: more are no faster and take more memory
MORE = 16  # candidates at most that are looked at further


@dataclass(frozen=True, slots=True)
class Spot:
    """A candidate: its box (x, y, w, h, pixels of the frame), the finder's heat, the reader's probabilities
    (8: nothing, 1 to 6, cocked; the looks' geometric mean)."""

    box: Box
    heat: float
    chances: NDArray[np.float32]

    @property
    def value(self) -> int:
        """The likeliest face, 1 to 6."""
        return int(self.chances[1:7].argmax()) + 1


class Network:
    """Finder and reader, loaded once. Not for several threads at the same time."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Loads `finder.onnx` and `reader.onnx` of `folder` (the shipped finder where it has none:
        that one never saw a real picture). Raises VisionError."""
        own = folder / "finder.onnx"
        finder = own if own.is_file() else WEIGHTS / "finder.onnx"
        # One for each size: a network that is given another size than before makes ready anew, which takes
        # a tenth of a frame's time.
        self._finders = {long: _load(finder) for long in (LONG, SHORT)}
        self._reader = _load(folder / "reader.onnx")

    def spots(self, frame: Image) -> list[Spot]:
        """The candidates of a frame (h x w x 3, B G R), the best first, one for each place."""
        boxes = self.find(frame)
        if not boxes:
            return []
        looks = self.look(frame, [box for box, _ in boxes])
        return apart([seen_as(box, heat, look) for (box, heat), look in zip(boxes, looks, strict=True)])

    def find(self, frame: Image) -> list[tuple[Box, float]]:
        """The finder's boxes (pixels of the frame) and heats, by falling heat.

        Unless it sees middling dice for certain it looks twice: one that fills a fifth of the frame is larger
        than what it knows, and its pips pass for dice."""
        found = self._glance(frame, LONG)
        sides = [max(box[2:]) for box, heat in found if heat > CERTAIN]
        if sides and max(sides) * LONG < MIDDLING * max(frame.shape):
            return found[:MOST]
        found += [
            one for one in self._glance(frame, SHORT) if max(one[0][2:]) * SHORT > LARGE * max(frame.shape)
        ]
        kept: list[tuple[Box, float]] = []
        for box, heat in sorted(found, key=lambda one: -one[1]):
            if all(_alike(box, other) < 0.5 for other, _ in kept):
                kept.append((box, heat))
        return kept[:MOST]

    def _glance(self, frame: Image, long: int) -> list[tuple[Box, float]]:
        scale = long / max(frame.shape[:2])
        size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = np.asarray(cv2.resize(frame, size, interpolation=way), np.uint8)
        low, side = -size[1] % 32, -size[0] % 32
        small = np.asarray(cv2.copyMakeBorder(small, 0, low, 0, side, cv2.BORDER_REPLICATE), np.uint8)
        finder = self._finders[long]
        finder.setInput(cv2.dnn.blobFromImage(small, 1 / 255, mean=(127.5, 127.5, 127.5)))
        out = np.asarray(finder.forward(), np.float32)[0]
        return _boxes(out, scale, frame.shape[1], frame.shape[0])

    def look(self, frame: Image, boxes: list[Box]) -> list[Array]:
        """The reader's probabilities for each box, (looks, 8)."""
        found = list(self._read(frame, boxes, FIRST))
        doubtful = [k for k, seen in enumerate(found) if not clear(seen)][:MORE]
        if doubtful:
            more = self._read(frame, [boxes[k] for k in doubtful], FURTHER)
            for k, seen in zip(doubtful, more, strict=True):
                found[k] = np.concatenate([found[k], seen])
        return found

    def _read(self, frame: Image, boxes: list[Box], looks: tuple[Look, ...]) -> Array:
        cut = []
        for x, y, w, h in boxes:
            middle, side = (x + w / 2, y + h / 2), MARGIN * max(w, h)
            for turn, wider, mirrored, mixture in looks:
                one = crop(frame, middle, side * wider, turn)
                if mixture is not None:
                    one = mixed(one, mixture)
                cut.append(one[:, ::-1] if mirrored else one)
        parts = []
        for start in range(0, len(cut), BATCH):
            self._reader.setInput(normalise(np.stack(cut[start : start + BATCH])))
            parts.append(np.array(self._reader.forward(), np.float32))
        logits = np.concatenate(parts)
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        return np.asarray(chances.reshape(len(boxes), len(looks), -1), np.float32)


def mixed(picture: Image, mixture: tuple[float, float, float, float]) -> Image:
    """A picture (h, w, 3) in grey: so much of each colour and a constant, 0 to 255."""
    grey = picture.astype(np.float32) @ np.array(mixture[:3], np.float32) + np.float32(mixture[3])
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def clear(looks: Array) -> bool:
    """Whether a candidate's first look, of (looks, 8), needs no more: sure of a face, or of nothing."""
    face = int(looks[0].argmax())
    return bool(looks[0, face] > (CLEAR if face else NOTHING))


def seen_as(box: Box, heat: float, looks: Array) -> Spot:
    """A candidate with what its looks (looks, 8) say together."""
    mean = np.exp(np.log(np.maximum(looks, 1e-7)).mean(axis=0))
    return Spot(box, heat, np.asarray(mean / mean.sum(), np.float32))


def apart(spots: list[Spot]) -> list[Spot]:
    """Of candidates that share a place the one that reads best; no pips of a die that is seen as one, and no
    heap of dice that is taken for one."""
    spots = [spot for spot in spots if not _heap(spot, spots)]
    dice = [spot for spot in spots if spot.heat > 0.5 and spot.chances[0] < 0.2]
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda one: -one.heat * float(one.chances[1:].max())):
        if any(_within(spot.box, other.box) for other in dice):
            continue
        if all(_overlap(spot.box, other.box) < SHARED for other in kept):
            kept.append(spot)
    return kept


def _heap(spot: Spot, spots: list[Spot]) -> bool:
    """Whether two dice or more that lie in a candidate's box are read for certain, as more than a one (as
    which a large die's pip may pass)."""
    inside = [one for one in spots if _within(one.box, spot.box) and one.heat > 0.5]
    return sum(float(one.chances[2:7].max()) > PLAIN for one in inside) >= 2


def _within(pip: Box, die: Box) -> bool:
    """Whether the one box lies in the other and is as small as a pip's surroundings."""
    return max(pip[2:]) < PIP * max(die[2:]) and _overlap(pip, die) > 0.8


def _load(path: Path) -> Any:
    if not path.is_file():
        raise VisionError(f"The weights {path.name} are missing.", "Install Crowntable again.")
    try:
        # The engine before OpenCV 5's new one is a fifth faster here; older OpenCV has only that.
        classic = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
        if classic is None:
            return cv2.dnn.readNetFromONNX(str(path))
        return cv2.dnn.readNetFromONNX(str(path), classic)
    except cv2.error as error:
        raise VisionError(
            f"The weights {path.name} cannot be loaded: {error.err}.", "Install Crowntable again."
        ) from None


def _boxes(out: Array, scale: float, width: int, height: int) -> list[tuple[Box, float]]:
    """Peaks of the heat map as boxes in the frame's pixels."""
    heat = 1.0 / (1.0 + np.exp(-out[0]))
    highest = np.asarray(cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    ys, xs = np.nonzero((heat >= highest) & (heat > HEAT))
    order = np.argsort(-heat[ys, xs])[: 3 * MOST]
    kept: list[tuple[Box, float]] = []
    for k in order:
        y, x = int(ys[k]), int(xs[k])
        mx, my = x + 0.5 + float(out[1, y, x]), y + 0.5 + float(out[2, y, x])
        w, h = (float(np.exp(min(4.5, out[c, y, x]))) * CELL / scale for c in (3, 4))
        left, top = mx * CELL / scale - w / 2, my * CELL / scale - h / 2
        if left + w / 2 > width or top + h / 2 > height:
            continue
        box = (left, top, w, h)
        if all(_alike(box, other) < 0.5 for other, _ in kept):
            kept.append((box, float(heat[y, x])))
    return kept[:MOST]


def _alike(a: Box, b: Box) -> float:
    """The shared area in parts of the joint one, 0 to 1."""
    shared = _overlap(a, b) * min(a[2] * a[3], b[2] * b[3])
    return shared / max(1e-6, a[2] * a[3] + b[2] * b[3] - shared)


def _overlap(a: Box, b: Box) -> float:
    """The shared area, in parts of the smaller box, 0 to 1."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(0.0, w) * max(0.0, h) / max(1e-6, min(a[2] * a[3], b[2] * b[3]))
