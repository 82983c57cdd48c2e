"""`crowntable bench tap` measures what it says: every tap is an entry, and the figures are in order."""

from __future__ import annotations

import pytest

from host import bench_tap
from host.bench import methods


@pytest.mark.timeout(600)
def test_a_short_measurement_of_a_tap(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TAPS", 12), ("PUSHED", 12), ("RATE", 20), ("SECONDS", 2.0)):
        monkeypatch.setattr(bench_tap, name, value)
    figures = bench_tap.measure()
    assert (figures["taps"], figures["pushes"]) == (12, 12)
    assert 0 < figures["commit_p50_ms"] <= figures["commit_p99_ms"]
    assert figures["commit_p50_ms"] < figures["view_p50_ms"]
    assert 0 < figures["push_p50_ms"] <= figures["push_p99_ms"]
    assert 1 < figures["sustained_per_second"] < 60
    assert "last byte" in methods()["tap"]
