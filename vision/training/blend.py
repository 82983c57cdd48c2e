"""The mean of several readers' weights, as one: `python -m vision.training.blend --help`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from vision.crops import CROP
from vision.training import nets

torch = nets.torch


def blended(parts: list[tuple[Path, float]]) -> Any:
    """A reader whose weights are the mean of some that `vision.training.train` wrote (`.pt`), each counting
    by its share. They must come of one run or start from one base: else their mean says nothing."""
    states = [(torch.load(path), share) for path, share in parts]
    whole = sum(share for _, share in parts)
    mean = {
        name: sum(state[name] * (share / whole) for state, share in states)
        if first.dtype.is_floating_point
        else first
        for name, first in states[0][0].items()
    }
    net = nets.Reader()
    net.load_state_dict(mean)
    return net


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", nargs=2, action="append", required=True, metavar=("WEIGHTS", "SHARE"))
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file")
    args = parser.parse_args()
    net = blended([(Path(path), float(share)) for path, share in args.part])
    nets.export(net, (1, 3, CROP, CROP), args.out)


if __name__ == "__main__":
    main()
