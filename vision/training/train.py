"""Trains the finder or the reader: `python -m vision.training.train --help`. See this folder's README."""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Iterator
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


def reader_batches(
    pictures: list[Picture], real: list[Picture], share: float, size: int, random: Random
) -> Iterator[tuple[Any, Any]]:
    """Endless batches of crops and classes, drawn from a pool that is refilled all the time."""
    pool: list[tuple[NDArray[np.uint8], int]] = []
    while True:
        while len(pool) < 12 * size:
            source = real if real and random.random() < share else pictures
            pool += samples.crops(source[int(random.integers(len(source)))], random)
        random.shuffle(pool)
        for _ in range(6):
            taken, pool = pool[:size], pool[size:]
            batch = np.stack([samples.recolour(_mirrored(one, random), random) for one, _ in taken])
            classes = torch.tensor([value for _, value in taken])
            yield torch.from_numpy(normalise(batch)), classes


def _mirrored(crop: NDArray[np.uint8], random: Random) -> NDArray[np.uint8]:
    return crop[:, ::-1] if random.random() < 0.5 else crop


def train(args: argparse.Namespace) -> None:
    """Trains from scratch, or onwards from `--start`, with a one-cycle learning rate; writes `--out`."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random = np.random.default_rng(args.seed)
    pictures, real = load(args.pictures), load(args.real)
    finder = args.net == "finder"
    net: Any = nets.Finder() if finder else nets.Reader()
    if args.start:
        net.load_state_dict(torch.load(args.start))
    # Half the bits and channels last: 2.5 times as fast on a CPU that has instructions for it.
    last = torch.channels_last
    net.to(memory_format=last).train()
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, args.rate, args.steps, pct_start=0.15)
    batches: Any = (finder_batches if finder else reader_batches)(
        pictures, real, args.share, args.batch, random
    )
    began, mean = time.monotonic(), 0.0
    for step, (x, *target) in enumerate(batches):
        if step >= args.steps:
            break
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.contiguous(memory_format=last))
        out = out.float()
        loss = finder_loss(out, *target) if finder else torch.nn.functional.cross_entropy(out, target[0])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        now = float(loss.detach())
        mean += 0.02 * (now - mean) if step else now
        if step % 100 == 0:
            print(f"{step} loss {mean:.4f} {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)  # noqa: T201
        if step % 500 == 499:
            torch.save(net.state_dict(), args.out)
    torch.save(net.state_dict(), args.out)
    shape = (1, 3, 384, 640) if finder else (1, 3, CROP, CROP)
    nets.export(net.to(memory_format=torch.contiguous_format), shape, args.out.with_suffix(".onnx"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", choices=("finder", "reader"))
    parser.add_argument("--pictures", type=Path, nargs="+", required=True, help="synthetic scenes")
    parser.add_argument("--real", type=Path, nargs="*", default=[], help="development photos")
    parser.add_argument("--share", type=float, default=0.5, help="of real pictures in a batch")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
