"""Trains the finder or the reader: `python -m vision.training.train --help`. See this folder's README."""

from __future__ import annotations

import argparse
import copy
import math
import pickle
import queue
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import CROP, normalise
from vision.training import nets, samples
from vision.training.samples import Picture

torch = nets.torch
Random = np.random.Generator


def load(paths: list[Path]) -> list[Picture]:
    """Pictures from the files that `vision.training.make` wrote."""
    found: list[Picture] = []
    for path in paths:
        found += pickle.loads(path.read_bytes())
    return found


def finder_batches(
    pictures: list[Picture], real: list[Picture], share: float, size: int, random: Random
) -> Iterator[tuple[Any, Any, Any]]:
    """Endless batches: pictures, heat, offset and size."""
    while True:
        frames, heats, rests = [], [], []
        for _ in range(size):
            pool = real if real and random.random() < share else pictures
            frame, dice = samples.patch(pool[int(random.integers(len(pool)))], random)
            heat, rest = samples.maps(dice)
            frames.append(frame)
            heats.append(heat)
            rests.append(rest)
        x = torch.from_numpy(np.stack(frames)).permute(0, 3, 1, 2).float() / 255.0 - 0.5
        yield x, torch.from_numpy(np.stack(heats)), torch.from_numpy(np.stack(rests))


def finder_loss(out: Any, heat: Any, rest: Any) -> Any:
    """Focal loss on the heat (penalty reduced round the middles), smooth L1 on offset and size."""
    logit = out[:, 0]
    p = torch.sigmoid(logit).clamp(1e-5, 1 - 1e-5)
    peak = (heat > 0.999).float()
    good = -((1 - p) ** 2) * torch.log(p) * peak
    bad = -((1 - heat) ** 4) * p**2 * torch.log(1 - p) * (1 - peak)
    count = peak.sum().clamp(min=1)
    known = ~torch.isnan(rest)
    fit = torch.nn.functional.smooth_l1_loss(out[:, 1:][known], rest[known], beta=0.1)
    return (good.sum() + bad.sum()) / count + 1.5 * fit


@dataclass(slots=True)
class Cuts:
    """Wide crops to draw from: pictures (B, G, R, pips), their classes and each one's share in what is drawn,
    summed up."""

    pictures: NDArray[np.uint8]
    values: NDArray[np.int64]
    sums: NDArray[np.float64]

    def draw(self, random: Random) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int]:
        """One of them, shaken and disguised, its pips, its class."""
        k = int(np.searchsorted(self.sums, random.random() * self.sums[-1], side="right"))
        value = int(self.values[k])
        piece = samples.shaken(self.pictures[k], value, random)
        return samples.disguised(piece[..., :3], random), piece[..., 3], value


PIPS = 2.0  # the weight of the pips' places in the reader's loss
NOTHINGS = 0.15  # the share of crops without a die


def gather(paths: list[Path]) -> Cuts | None:
    """The crops of some files of `vision.training.make crops`: each file weighs as the root of its number of
    crops (an author with many photos shall not drown the others), the seven faces alike, nothing little."""
    if not paths:
        return None
    parts = [np.load(path) for path in paths]
    values = np.concatenate([part["values"] for part in parts])
    weights = np.concatenate([np.full(len(part["values"]), len(part["values"]) ** -0.5) for part in parts])
    sums = np.bincount(values, weights, 8)
    weights /= np.sqrt(np.maximum(sums[values], 1e-9))
    nothing = values == samples.NOTHING
    if nothing.any():
        weights[nothing] *= NOTHINGS * weights[~nothing].sum() / weights[nothing].sum()
    return Cuts(np.concatenate([part["pictures"] for part in parts]), values, np.cumsum(weights))


def reader_batches(
    rendered: Cuts, real: Cuts | None, share: float, size: int, random: Random
) -> Iterator[tuple[Any, Any, Any]]:
    """Endless batches: crops, classes, how much of each pixel of a map of half the crop's size is pip (nan in
    photos, where nobody knows)."""
    while True:
        crops, classes, pips = [], [], []
        for _ in range(size):
            photo = real is not None and random.random() < share
            crop, marks, value = (real if real is not None and photo else rendered).draw(random)
            small = cv2.resize(marks, (CROP // 2, CROP // 2), interpolation=cv2.INTER_AREA)
            crops.append(crop)
            classes.append(value)
            pips.append(small.astype(np.float32) / (np.nan if photo else 255.0))
        yield (
            torch.from_numpy(normalise(np.stack(crops))),
            torch.tensor(classes),
            torch.from_numpy(np.stack(pips)),
        )


def reader_loss(out: Any, pips: Any, classes: Any, marks: Any) -> Any:
    """Cross entropy of the classes and, where they are known, of the pips."""
    known = ~torch.isnan(marks)
    where = torch.nn.functional.binary_cross_entropy_with_logits(pips[known], marks[known])
    return torch.nn.functional.cross_entropy(out, classes) + PIPS * where


def ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The same batches, the next four made on a thread of its own while the net learns."""
    made: queue.Queue[Any] = queue.Queue(4)

    def fill() -> None:
        for batch in batches:
            made.put(batch)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield made.get()


def averaged(mean: Any, net: Any, step: int, decay: float) -> None:
    """Moves the mean of the weights towards the net's; fast in the first steps."""
    now = min(decay, 1.0 - 1.0 / (step / 5.0 + 1.0))
    with torch.no_grad():
        for old, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            if old.dtype.is_floating_point:
                old.lerp_(new, 1.0 - now)
            else:
                old.copy_(new)


def restored(path: Path, net: Any, mean: Any, optimiser: Any) -> int:
    """Puts net, mean and optimiser back to where a run that was cut off left them; gives its next step."""
    step, *states = torch.load(path)
    for one, kept in zip((net, mean, optimiser), states, strict=True):
        one.load_state_dict(kept)
    return int(step)


def train(args: argparse.Namespace) -> None:
    """Trains from scratch, or onwards from `--start`, with a short warm-up and a cosine; what is written is
    the running mean of the weights."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    random = np.random.default_rng(args.seed)
    finder = args.net == "finder"
    net: Any = nets.Finder() if finder else nets.Reader()
    batches: Any
    if finder:
        batches = finder_batches(load(args.pictures), load(args.real), args.share, args.batch, random)
    else:
        rendered, real = gather(args.pictures), gather(args.real)
        if rendered is None:
            raise SystemExit("The reader needs crops in --pictures.")
        batches = reader_batches(rendered, real, args.share, args.batch, random)
    if args.start and args.start.suffix == ".onnx":
        nets.thaw(net, args.start, torch.cat([next(batches)[0] for _ in range(6)]))
    elif args.start:
        net.load_state_dict(torch.load(args.start))
    # Half the bits and channels last: 2.5 times as fast on a CPU that has instructions for it.
    last = torch.channels_last
    net.to(memory_format=last).train()
    mean = copy.deepcopy(net).eval()
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=args.decay)
    began, level = time.monotonic(), 0.0
    state, first = args.out.with_suffix(".state"), 0
    if args.resume and state.is_file():
        first = restored(state, net, mean, optimiser)
        random.bytes(first)  # other crops than those of the first steps
    for step, (x, *target) in enumerate(ahead(batches), first):
        done = max(step / args.steps, (time.monotonic() - began) / (60.0 * args.minutes))
        if done >= 1.0:
            print(f"{step} steps", file=sys.stderr)  # noqa: T201
            break
        rate = args.rate * min(1.0, (step + 1) / 60.0) * (0.5 + 0.5 * math.cos(math.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", dtype=torch.bfloat16):
            seen = x.contiguous(memory_format=last)
            outs = [net(seen)] if finder else net.shown(seen)
        outs = [out.float() for out in outs]
        loss = finder_loss(*outs, *target) if finder else reader_loss(*outs, *target)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        averaged(mean, net, step + 1, args.mean)
        now = float(loss.detach())
        level += 0.02 * (now - level) if step > first else now
        if step % 50 == 0:
            print(f"{step} loss {level:.4f} {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)  # noqa: T201
        if step % 100 == 99:
            kept = (step + 1, net.state_dict(), mean.state_dict(), optimiser.state_dict())
            torch.save(kept, state.with_suffix(".new"))
            state.with_suffix(".new").replace(state)
            torch.save(mean.state_dict(), args.out)
    torch.save(mean.state_dict(), args.out)
    shape = (1, 3, 384, 640) if finder else (1, 3, CROP, CROP)
    nets.export(mean.to(memory_format=torch.contiguous_format), shape, args.out.with_suffix(".onnx"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", choices=("finder", "reader"))
    parser.add_argument(
        "--pictures",
        type=Path,
        nargs="+",
        required=True,
        help="scenes; for the reader crops",
    )
    parser.add_argument("--real", type=Path, nargs="*", default=[], help="photos; likewise")
    parser.add_argument("--share", type=float, default=0.5, help="of real pictures in a batch")
    parser.add_argument("--start", type=Path, help="weights to go on from; .onnx: a reader's")
    parser.add_argument("--resume", action="store_true", help="go on where the same command was cut off")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--minutes", type=float, default=1e9, help="at most, by the clock")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=2e-3, help="of the weights")
    parser.add_argument("--mean", type=float, default=0.998, help="the running mean's memory a step")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
