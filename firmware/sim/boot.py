"""What the simulated board does at power-on: main.py, and behind it MicroPython's prompt."""

import os
import sys

_FIRMWARE = os.getenv("CROWNTABLE_SIM_FIRMWARE")
if _FIRMWARE:
    # The board runs what is in its flash; the simulation around it needs the program's own files.
    sys.path.append(_FIRMWARE)

import prompt  # noqa: E402

if _FIRMWARE:
    sys.path.remove(_FIRMWARE)
    for name in ("config", "link"):
        del sys.modules[name]

try:
    import main  # noqa: F401 - it runs
except ImportError as error:
    if "main" not in str(error):
        sys.print_exception(error)
prompt.serve()
