"""The engine's commands: referee, replay and export, the lab."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec

import engine.referee


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the engine's commands to the command line."""
    engine.referee.register(sub)
    for part in ("engine.records", "engine.lab"):
        if find_spec(f"{part}.cli"):
            import_module(f"{part}.cli").register(sub)
