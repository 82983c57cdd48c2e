"""Runs the check functions of the files named, under MicroPython or CPython alike.

Prints `ok NAME` for each check that passed; exits 1 at the first that did not.
"""

import sys

HERE = __file__.rpartition("/")[0]
ROOT = HERE + "/../../.."
sys.path[:0] = [ROOT + "/firmware", ROOT + "/firmware/sim", HERE]

if sys.implementation.name == "cpython":
    import time
    import types

    micropython = types.ModuleType("micropython")
    micropython.const = lambda value: value
    micropython.kbd_intr = lambda character: None
    sys.modules["micropython"] = micropython
    time.ticks_us = lambda: time.monotonic_ns() // 1000
    time.ticks_ms = lambda: time.monotonic_ns() // 1000000
    time.ticks_diff = lambda end, start: end - start
    time.ticks_add = lambda ticks, delta: ticks + delta
    time.sleep_ms = lambda ms: time.sleep(ms / 1000)
    time.sleep_us = lambda us: time.sleep(us / 1000000)

for file in sys.argv[1:]:
    module = __import__(file)
    names = [name for name in dir(module) if name.startswith("check_")]
    if not names:
        raise SystemExit("no checks in " + file)
    for name in sorted(names):
        getattr(module, name)()
        print("ok", name)
