"""A pose becomes a picture: body and pips in colours, lamps, gloss, glare, marble."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.geometry import Pose

Array = NDArray[np.float32]

HOUSES: dict[str, tuple[int, int, int]] = {  # R, G, B
    "crimson": (176, 28, 60),
    "gold": (217, 162, 27),
    "sky blue": (79, 163, 217),
    "green": (46, 158, 79),
    "purple": (106, 63, 160),
}
GREY = np.array([0.3, 0.59, 0.11])  # how bright red, green and blue seem
HUE_ALONE = 0.18  # the share of makes whose pips are as bright as their body
_PATTERNS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a set of dice is made. Colours are linear-ish R, G, B, 0 to 1; lengths in half sides. `six`:
    how near the six's two rows lie, in parts of `gap`. `second`: the other colour of a marbled body;
    `specks`: how strongly the body is speckled."""

    body: tuple[float, float, float]
    second: tuple[float, float, float] | None
    pip: tuple[float, float, float]
    ace: tuple[float, float, float]
    gap: float
    six: float
    radius: float
    ace_radius: float
    recess: float
    gloss: float
    shine: float
    clear: float
    specks: float
    mirrored: bool


@dataclass(frozen=True, slots=True)
class Light:
    """`towards`: unit vector from the die to the lamp, in camera coordinates; powers 0 to 1."""

    towards: tuple[float, float, float]
    power: float
    ambient: float
    tint: tuple[float, float, float]


def draw_style(random: np.random.Generator) -> Style:
    """A make of dice: house colours a third, white or ivory a quarter, dark a sixth, the rest anything."""
    kind = random.random()
    if kind < 0.32:
        base = np.array(list(HOUSES.values())[random.integers(5)]) / 255.0
        base = np.clip(base * random.uniform(0.75, 1.2) + random.normal(0, 0.04, 3), 0.02, 0.98)
    elif kind < 0.58:
        base = np.array([0.93, 0.91, 0.86]) * random.uniform(0.85, 1.05)
        base = np.clip(base - np.array([0, 0.03, 0.12]) * random.uniform(0, 1.2), 0, 1)
    elif kind < 0.74:
        base = np.full(3, random.uniform(0.03, 0.22)) + random.normal(0, 0.015, 3)
    else:
        hsv = np.array(
            [[[random.uniform(0, 180), random.uniform(40, 255), random.uniform(40, 255)]]], np.uint8
        )
        base = np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB), np.float64)[0, 0] / 255.0
    base = np.clip(base, 0.01, 0.99)
    second = None
    if kind > 0.3 and random.random() < 0.5:
        if random.random() < 0.5:  # two pigments stirred together, either of any colour, often with black
            base = _pigment(random)
            second = _triple(_pigment(random) if random.random() < 0.6 else np.full(3, 0.05))
        else:
            second = _triple(np.clip(base * random.uniform(0.3, 0.9) + random.uniform(0, 0.4, 3), 0, 1))
    pip = _pip_colour(random, base if second is None else (base + np.array(second)) / 2)
    ace = pip
    if base.mean() > 0.6 and random.random() < 0.15:
        ace = np.array([0.75, 0.06, 0.08])
    radius = float(random.uniform(0.125, 0.27))
    return Style(
        body=_triple(base),
        second=second,
        pip=_triple(pip),
        ace=_triple(ace),
        gap=float(min(random.uniform(0.40, 0.68), 0.93 - radius)),
        six=float(random.uniform(0.45, 1.0) if random.random() < 0.75 else 1.0),
        radius=radius,
        ace_radius=radius * float(random.uniform(1.2, 1.9) if random.random() < 0.2 else 1.0),
        recess=float(random.uniform(0, 0.9)),
        gloss=float(random.uniform(0, 0.9)),
        shine=float(10 ** random.uniform(0.8, 2.3)),
        clear=float(random.uniform(0.2, 0.8) if random.random() < 0.2 else 0.0),
        specks=float(random.uniform(0.1, 0.6) if random.random() < 0.08 else 0.0),
        mirrored=bool(random.random() < 0.5),
    )


def _pigment(random: np.random.Generator) -> NDArray[np.float64]:
    hsv = np.array([[[random.uniform(0, 180), random.uniform(90, 255), random.uniform(40, 230)]]], np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0] / 255.0, np.float64)


def _pip_colour(random: np.random.Generator, base: NDArray[np.float64]) -> NDArray[np.float64]:
    grey = float(base @ GREY)
    if random.random() < HUE_ALONE:
        return _as_bright(random, base)
    choices = [np.full(3, 0.95), np.array([0.92, 0.88, 0.75]), np.full(3, 0.05), np.array([0.05, 0.06, 0.2])]
    if random.random() < (0.4 if grey > 0.25 else 0.6):  # told from the body by hue more than by brightness
        strange = [np.array([0.75, 0.1, 0.12]), np.array([0.8, 0.68, 0.12]), np.array([0.1, 0.2, 0.7])]
        strange.append(np.array([0.5, 0.07, 0.12]) if random.random() < 0.6 else _pigment(random))
        random.shuffle(strange)
        choices = strange if random.random() < 0.5 else choices + strange
    else:
        random.shuffle(choices)
    for colour in choices:
        step = abs(float(colour @ GREY) - grey)
        apart = float(np.abs(colour - base).max())
        if step > 0.3 or (step > 0.1 and apart > 0.35) or (apart > 0.45 and random.random() < 0.5):
            return np.clip(colour + random.normal(0, 0.02, 3), 0, 1)
    return np.full(3, 0.95 if grey < 0.5 else 0.05)


def _as_bright(random: np.random.Generator, base: NDArray[np.float64]) -> NDArray[np.float64]:
    """A pigment about as bright as the body, red more often than not: told from it by hue alone."""
    grey = float(base @ GREY)
    for _ in range(40):
        red = np.array([random.uniform(0.3, 0.9), random.uniform(0.02, 0.15), random.uniform(0.02, 0.2)])
        colour = red if random.random() < 0.6 else _pigment(random)
        if abs(float(colour @ GREY) - grey) < 0.15 and np.abs(colour - base).max() > 0.25:
            return np.asarray(np.clip(colour, 0, 1), np.float64)
    return np.full(3, 0.95 if grey < 0.5 else 0.05)


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


def draw_light(random: np.random.Generator) -> Light:
    """A lamp somewhere above, with a share of diffuse light and a slight tint."""
    direction = np.array([random.normal(0, 0.6), random.normal(0, 0.6), -1.0])
    direction /= np.linalg.norm(direction)
    power = float(random.uniform(0.2, 0.75))
    tint = np.clip(1.0 + random.normal(0, 0.05) * np.array([1.0, 0.1, -1.2]), 0.8, 1.2)
    return Light(_triple(direction), power, float(random.uniform(0.25, 0.6)), _triple(tint))


def faces(pose: Pose, top: int, random: np.random.Generator) -> tuple[int, ...]:
    """Which value each of the six faces bears so that `top` lies on top; opposites make 7."""
    axis = pose.up // 2
    values = [0] * 6
    values[pose.up], values[pose.up ^ 1] = top, 7 - top
    rest = [value for value in (1, 2, 3) if value not in (top, 7 - top)]
    others = [k for k in range(3) if k != axis]
    random.shuffle(rest)
    for value, other in zip(rest, others, strict=True):
        pair = [value, 7 - value]
        random.shuffle(pair)
        values[2 * other], values[2 * other + 1] = pair
    return tuple(values)


def shade(
    pose: Pose,
    style: Style,
    light: Light,
    values: tuple[int, ...],
    random: np.random.Generator,
    every: int = 1,
    polish: float = 0.5,
) -> tuple[Array, Array]:
    """The die's picture, of SIZE / `every` pixels (small dice need no more), R G B about 0 to 1 (brighter
    where it shines), and where the top face's pips are, 0 to 1. `polish`: how likely it mirrors lamps."""
    spot = pose.spot[::every, ::every].astype(np.float32)
    normal = pose.normal[::every, ::every].astype(np.float32)
    strength = np.abs(spot)
    axis = strength.argmax(axis=-1)
    face = 2 * axis + (np.take_along_axis(spot, axis[..., None], -1)[..., 0] < 0)
    pip, ace, dent = _pips(spot, axis, face, style, values, pose.hit[::every, ::every])
    albedo = np.broadcast_to(np.array(style.body, np.float32), spot.shape).copy()
    if style.second is not None:
        mix = _veins(spot, random)[..., None]
        albedo = albedo * (1 - mix) + np.array(style.second, np.float32) * mix
    if style.specks:
        grain = random.normal(0, 1, (40, 40)).astype(np.float32)
        wide = cv2.resize(grain, albedo.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        albedo = np.asarray(np.clip(albedo + style.specks * (wide[..., None] > 1.2), 0, 1), np.float32)
    if style.clear:  # light gathers inside a clear die, away from the lamp
        glow = np.clip(0.5 - spot @ random.normal(0, 0.5, 3).astype(np.float32), 0, 1.3)[..., None]
        albedo = albedo * (1 - style.clear + style.clear * glow * 1.4)
    ink = (
        np.array(style.pip, np.float32) * (1 - ace[..., None])
        + np.array(style.ace, np.float32) * ace[..., None]
    )
    albedo = np.asarray(albedo * (1 - pip[..., None]) + ink * pip[..., None], np.float32)
    lamp = np.array(light.towards, np.float32)
    towards = np.maximum(normal @ lamp, 0.0)
    up = np.clip(0.75 - 0.25 * normal[..., 2], 0, 1)
    shaded = light.ambient * up + light.power * towards
    # A recessed pip is lit on its far rim and dark on the near one.
    shaded = shaded * (1 + style.recess * (dent @ lamp[:2]) * pip)
    half = lamp + np.array([0.0, 0.0, -1.0], np.float32)
    half /= np.linalg.norm(half)
    gleam = np.maximum(normal @ half, 0.0) ** style.shine * style.gloss * (0.4 + light.power)
    picture = albedo * shaded[..., None] + gleam[..., None] * (1 - 0.3 * pip[..., None])
    if random.random() < polish:
        picture = picture + _mirrored(normal, style, pip, dent, random)[..., None]
    shown = np.asarray(picture * np.array(light.tint, np.float32) * 1.15, np.float32)
    return shown, np.asarray(pip * (face == pose.up), np.float32)


def _veins(spot: Array, random: np.random.Generator) -> Array:
    """How much of the second colour is where, 0 to 1: waves that bend each other, coarse to fine."""
    bent = spot
    for reach in (1.5, 3.0):
        bent = bent + np.float32(0.6 / reach) * _waves(bent, reach, random)
    mix = 0.5 + _waves(bent, 2.2, random).sum(axis=-1) * random.uniform(0.3, 1.5) + random.normal(0, 0.3)
    return np.asarray(np.clip(mix, 0, 1), np.float32)


def _waves(spot: Array, reach: float, random: np.random.Generator) -> Array:
    waves = random.normal(0, reach, (3, 3)).astype(np.float32)
    return np.asarray(np.sin(spot @ waves + random.uniform(0, 6, 3).astype(np.float32)), np.float32)


def _mirrored(normal: Array, style: Style, pip: Array, dent: Array, random: np.random.Generator) -> Array:
    """Windows and lamps mirrored sharply in the polish: bright lines and bars that bend with the faces,
    which bulge a little, and with the pips' hollows."""
    size = normal.shape[0]
    grid = (np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1
    bulge = np.float32(random.uniform(0.05, 0.5))
    bent = normal.copy()
    bent[..., 0] += bulge * grid[None, :] + 0.5 * style.recess * dent[..., 0] * pip
    bent[..., 1] += bulge * grid[:, None] + 0.5 * style.recess * dent[..., 1] * pip
    if random.random() < 0.4:  # a moulded skin is wavy, and so is what it mirrors
        size = normal.shape[0]
        waves = random.normal(0, 1, (12, 12, 2)).astype(np.float32) * np.float32(random.uniform(0.02, 0.15))
        bent[..., :2] += cv2.resize(waves, (size, size), interpolation=cv2.INTER_CUBIC)
    bent /= np.maximum(np.linalg.norm(bent, axis=-1, keepdims=True), 1e-6)
    away = -2.0 * bent[..., 2:3] * bent  # the view, from straight ahead, thrown back
    shine = np.zeros(normal.shape[:2], np.float32)
    seen = _straight_on(normal, away)
    for _ in range(int(random.integers(1, 4))):
        # Most lamps that disturb are those that the top face mirrors: it throws back only what lies within
        # its bulge, so one placed at random is seen on it now and then only.
        middle = (
            seen + random.normal(0, 0.5 * bulge, 2) if random.random() < 0.6 else random.normal(0, 0.4, 2)
        )
        shine = np.maximum(shine, _lamp(away[..., :2] - middle.astype(np.float32), float(bulge), random))
    return np.asarray(shine * (normal[..., 2] < 0), np.float32)


def _straight_on(normal: Array, away: Array) -> NDArray[np.float64]:
    """Where the face that looks at the camera most throws the view: the middle of what it mirrors."""
    facing = normal[..., 2] <= np.quantile(normal[..., 2], 0.1)
    return np.asarray(away[facing][:, :2].mean(axis=0), np.float64)


def _lamp(away: Array, bulge: float, random: np.random.Generator) -> Array:
    """How brightly each pixel mirrors one lamp: a ring of lamps or a round lampshade's rim, or a bar.
    `away`: where each pixel throws the view, from the lamp's middle."""
    soft = random.uniform(0.01, 0.06) * min(1.0, 0.2 + 2.0 * bulge)
    if random.random() < 0.5:
        fits = random.random() < 0.7  # on the face: as far round as it bulges
        reach = bulge * random.uniform(0.3, 1.1) if fits else random.uniform(0.15, 0.7)
        thin = 0.06 if random.random() < 0.5 else random.uniform(0.04, 0.3)
        wide = bulge * thin if fits else random.uniform(0.02, 0.09)
        far = np.hypot(away[..., 0], away[..., 1])
        inside = np.clip((wide - np.abs(far - reach)) / soft, 0, 1)
        if random.random() < 0.3:  # a part of it only
            way, end = random.uniform(0, 2 * np.pi, 2)
            cut = away[..., 0] * np.cos(way) + away[..., 1] * np.sin(way)
            inside[cut <= reach * np.cos(end)] = 0.0
    else:
        turn = random.uniform(0, np.pi)
        c, s = np.cos(turn), np.sin(turn)
        along = away[..., 0] * c + away[..., 1] * s
        across = away[..., 1] * c - away[..., 0] * s
        thin = bulge * random.uniform(0.05, 0.35) if random.random() < 0.7 else random.uniform(0.02, 0.16)
        half = (random.uniform(0.1, 0.8), thin)
        inside = np.clip((half[0] - np.abs(along)) / soft, 0, 1)
        inside = inside * np.clip((half[1] - np.abs(across)) / soft, 0, 1)
    return np.asarray(inside * random.uniform(0.15, 1.0), np.float32)


def _pips(
    spot: Array,
    axis: NDArray[np.intp],
    face: NDArray[np.intp],
    style: Style,
    values: tuple[int, ...],
    hit: NDArray[np.bool_],
) -> tuple[Array, Array, Array]:
    """Coverage by pips, by the one's pip, and the direction from a pip's middle (for its rim)."""
    pip = np.zeros(spot.shape[:2], np.float32)
    ace = np.zeros(spot.shape[:2], np.float32)
    dent = np.zeros((*spot.shape[:2], 2), np.float32)
    soft = 0.035
    for number, value in enumerate(values):
        where = (face == number) & hit
        if not where.any():
            continue
        u, v = (spot[..., k][where] for k in range(3) if k != number // 2)
        turned = (number + value) % 2 == 0
        radius = style.ace_radius if value == 1 else style.radius
        cover = np.zeros(len(u), np.float32)
        rim = np.zeros((len(u), 2), np.float32)
        for px, py in _PATTERNS[value]:
            row = px * (style.six if value == 6 else 1.0)
            at: tuple[float, float] = (-row if style.mirrored else row, py)
            if turned:
                at = (-at[1], at[0])
            du, dv = u - at[0] * style.gap, v - at[1] * style.gap
            away = np.sqrt(du * du + dv * dv)
            one = np.clip(0.5 - (away - radius) / soft, 0, 1)
            rim += np.stack([du, dv], axis=-1) * (one / radius)[:, None]
            cover = np.maximum(cover, one)
        pip[where] = cover
        dent[where] = rim
        if value == 1:
            ace[where] = cover
    return pip, ace, dent
