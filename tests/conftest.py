"""Puts the project's root first on the path, so that `from tests.… import …` works everywhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
