"""The two networks, in PyTorch: the finder (where may dice lie?) and the reader (which face is on top?)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

torch: Any = importlib.import_module("torch")  # not among the product's dependencies
nn: Any = importlib.import_module("torch.nn")

FINDER_CHANNELS = (12, 16, 32, 64, 96)
READER_CHANNELS = (16, 32, 48, 96)
CLASSES = 8  # nothing, 1 to 6, cocked


def _layer(into: int, out: int, stride: int = 1) -> Any:
    return nn.Sequential(
        nn.Conv2d(into, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)
    )


def _stage(into: int, out: int) -> Any:
    return nn.Sequential(_layer(into, out, 2), _layer(out, out))


class Finder(nn.Module):  # type: ignore[misc]
    """Picture (n, 3, h, w; h and w multiples of 32) to maps of a quarter of the size, 5 channels: heat
    (logit), the middle's offset x and y (cells), the logarithm of width and height (cells)."""

    def __init__(self, channels: tuple[int, ...] = FINDER_CHANNELS) -> None:
        """`channels`: of the five levels, each half as wide as the one before."""
        super().__init__()
        c = channels
        self.first = _layer(3, c[0], 2)
        self.down = nn.ModuleList([_stage(c[k], c[k + 1]) for k in range(4)])
        self.across = nn.ModuleList([nn.Conv2d(c[k + 1], c[k], 1) for k in (3, 2, 1)])
        self.up = nn.ModuleList([_layer(c[k], c[k]) for k in (3, 2, 1)])
        self.head = nn.Conv2d(c[1], 5, 1)
        self.wider = nn.Upsample(scale_factor=2, mode="nearest")
        nn.init.constant_(self.head.bias[0:1], -4.0)

    def forward(self, picture: Any) -> Any:
        """See the class."""
        levels = []
        x = self.first(picture)
        for stage in self.down:
            x = stage(x)
            levels.append(x)
        for across, merge, level in zip(self.across, self.up, levels[-2::-1], strict=True):
            x = merge(level + self.wider(across(x)))
        return self.head(x)


class Residual(nn.Module):  # type: ignore[misc]
    """Two layers whose output is added to their input: at first they change nothing."""

    def __init__(self, channels: int) -> None:
        """`channels`: in and out."""
        super().__init__()
        self.first = _layer(channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        nn.init.zeros_(self.norm.weight)

    def forward(self, x: Any) -> Any:
        """See the class."""
        return torch.relu(x + self.norm(self.second(self.first(x))))


class Reader(nn.Module):  # type: ignore[misc]
    """Crops (n, 3, 48, 48), each with zero mean and unit spread, to 8 logits: nothing, 1 to 6, cocked. In
    training it also says where the top face's pips are, so that it learns what the number is made of."""

    def __init__(self, channels: tuple[int, ...] = READER_CHANNELS) -> None:
        """`channels`: of the four levels, each half as wide as the one before."""
        super().__init__()
        c = channels
        self.body = nn.Sequential(
            _layer(3, c[0]),
            _stage(c[0], c[1]),
            nn.Sequential(_stage(c[1], c[2]), Residual(c[2])),
            nn.Sequential(_stage(c[2], c[3]), Residual(c[3])),
        )
        self.spare = nn.Dropout(0.2)
        self.head = nn.Linear(c[3], CLASSES)
        self.pips = nn.Sequential(nn.Conv2d(c[2], 4, 1), nn.PixelShuffle(2))  # not in what is exported

    def forward(self, crops: Any) -> Any:
        """See the class."""
        return self._name(self.body(crops))

    def shown(self, crops: Any) -> tuple[Any, Any]:
        """The 8 logits, and those of there being a pip of the top face, (n, 24, 24)."""
        x = self.body[:3](crops)
        return self._name(self.body[3](x)), self.pips(x)[:, 0]

    def _name(self, x: Any) -> Any:
        return self.head(self.spare(x.mean((2, 3)) + x.amax((2, 3))))


def thaw(net: Any, path: Path, crops: Any) -> None:
    """Takes a reader from ONNX, where batch norm is folded in and the pips' places are left out: the norm's
    statistics are had anew from some crops, so that the net does at first just what the file does."""
    onnx: Any = importlib.import_module("onnx")
    graph = onnx.load(str(path)).graph
    known = {one.name: torch.tensor(onnx.numpy_helper.to_array(one)) for one in graph.initializer}
    convs = iter([[known[name] for name in node.input[1:3]] for node in graph.node if node.op_type == "Conv"])
    (head,) = [node for node in graph.node if node.op_type == "Gemm"]
    net.head.weight.data, net.head.bias.data = known[head.input[1]], known[head.input[2]]

    def fill(conv: Any, norm: Any, x: Any) -> Any:
        conv.weight.data, bias = next(convs)
        x = conv(x)
        norm.running_mean.copy_(x.mean((0, 2, 3)))
        norm.running_var.copy_(x.var((0, 2, 3)))
        norm.weight.data = torch.sqrt(norm.running_var + norm.eps)
        norm.bias.data = norm.running_mean + bias
        return x + bias[None, :, None, None]

    with torch.no_grad():
        for part in (
            net.body[0],
            *net.body[1],
            *net.body[2][0],
            net.body[2][1],
            *net.body[3][0],
            net.body[3][1],
        ):
            if isinstance(part, Residual):
                inner = torch.relu(fill(part.first[0], part.first[1], crops))
                more = fill(part.second, part.norm, inner)
                crops = torch.relu(crops + more)
            else:
                crops = torch.relu(fill(part[0], part[1], crops))


def export(net: Any, example: tuple[int, ...], path: Path) -> None:
    """Writes the net as ONNX, batch norm folded in; free in the first axis, for the finder in all."""
    net.eval()
    axes = {0: "n"} if example[-1] == example[-2] else {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        net,
        torch.zeros(example),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": axes, "y": {0: "n"}},
    )
