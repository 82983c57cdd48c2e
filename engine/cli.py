"""The engine's commands: referee, replay and export, the lab, asking the rules."""

from __future__ import annotations

import argparse

import engine.ask.cli
import engine.lab.cli
import engine.records.cli
import engine.referee


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the engine's commands to the command line."""
    engine.referee.register(sub)
    engine.records.cli.register(sub)
    engine.lab.cli.register(sub)
    engine.ask.cli.register(sub)
