"""The printable parts, rendered and measured; and that each measure finds what it is for."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import pytest

import host.products.cli
from engine.errors import CrowntableError
from host.products import make, prints
from host.products.mesh import Mesh, gap, open_edges, read_stl, steepest_overhang, thinnest_wall
from host.products.preview import picture, png_note, write_png

PARTS = prints.printed_parts()


def box(x: float, y: float, z: float, at: tuple[float, float, float] = (0, 0, 0)) -> Mesh:
    """A closed box with a corner at `at`."""
    points = np.array([(i & 1, i >> 1 & 1, i >> 2) for i in range(8)], np.float64) * (x, y, z) + at
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
    return Mesh(points, np.array(faces, np.int64))


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_part_renders_closed_thick_enough_printable_and_fitting(name: str, tmp_path: Path) -> None:
    mesh = prints.render(PARTS[name], tmp_path / "part.stl")
    assert prints.judge(PARTS[name], mesh) == []
    x, y, z = mesh.size()
    assert max(x, y) <= 200, "does not fit a usual printer's bed"
    assert z <= 180


def test_the_previews_show_the_parts_as_they_are() -> None:
    assert prints.stale_pictures(make.pictures_folder()) == []


def test_a_preview_of_another_source_is_stale(tmp_path: Path) -> None:
    for name in prints.pictures():
        write_png(tmp_path / f"hardware-{name}.png", np.zeros((4, 4, 3), np.uint8), prints.sources_mark(name))
    assert prints.stale_pictures(tmp_path) == []
    write_png(tmp_path / "hardware-crown.png", np.zeros((4, 4, 3), np.uint8), "of another crown")
    assert prints.stale_pictures(tmp_path) == ["hardware-crown.png"]
    assert png_note(tmp_path / "hardware-crown.png") == "of another crown"


def test_a_box_measures_what_it_is() -> None:
    mesh = box(30, 20, 1.5)
    assert open_edges(mesh) == 0
    assert mesh.volume() == pytest.approx(900)
    assert thinnest_wall(mesh) == pytest.approx(1.5, abs=0.01)
    assert steepest_overhang(mesh) == 0
    assert gap(mesh, (-5, 10, 1), (1, 0, 0)) == pytest.approx(5)


def test_a_hole_in_the_skin_is_found() -> None:
    whole = box(10, 10, 10)
    assert open_edges(Mesh(whole.points, whole.faces[1:])) == 3


def test_a_face_turned_inside_out_is_found() -> None:
    whole = box(10, 10, 10)
    faces = whole.faces.copy()
    faces[0] = faces[0][::-1]
    assert open_edges(Mesh(whole.points, faces)) > 0


def test_a_ceiling_is_an_overhang_and_the_bed_is_none() -> None:
    low, high = box(10, 10, 2), box(30, 30, 2, (0, 0, 12))
    both = Mesh(np.concatenate([low.points, high.points]), np.concatenate([low.faces, high.faces + 8]))
    assert steepest_overhang(low) == 0
    assert steepest_overhang(both) == pytest.approx(90)


def test_every_fault_of_a_part_is_said() -> None:
    part = PARTS["arm-foot"]
    thin = box(70, 70, 0.4, (-35, -35, -1))
    said = " ".join(prints.judge(part, thin))
    for words in (
        "below the printer's bed",
        "its volume is",
        "0.40 mm thin; 2.0 mm are needed",
        "a rod of 12 mm",
    ):
        assert words in said


def test_a_source_that_openscad_cant_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crown.scad").write_text("cube([1, 2, 3);")
    monkeypatch.setattr(prints, "folder", lambda: tmp_path)
    with pytest.raises(CrowntableError, match="OpenSCAD can't render crown-cable"):
        prints.render(PARTS["crown-cable"], tmp_path / "crown.stl")


def test_a_file_that_is_no_stl_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(b"solid text")
    with pytest.raises(CrowntableError, match="not a binary STL"):
        read_stl(tmp_path / "a.stl")


def test_a_picture_shows_the_part_on_white() -> None:
    image = picture(box(30, 20, 10), (200, 150, 50), width=120)
    assert image.shape[1] == 120
    assert tuple(image[0, 0]) == (255, 255, 255)
    assert image[image.shape[0] // 2, 60].max() < 230


def test_a_folder_that_cant_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    parser = ArgumentParser()
    host.products.cli.register(parser.add_subparsers())
    args = parser.parse_args(["hardware", "parts", "-o", str(tmp_path / "file" / "stl")])
    with pytest.raises(CrowntableError, match="can't be written"):
        args.run(args)
