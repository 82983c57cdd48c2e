"""Where the tests find the shared rules, cases and data: `../shared` beside the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
