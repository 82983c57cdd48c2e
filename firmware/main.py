"""Starts the table's firmware at power-on.

To come back to MicroPython's prompt: `ask what=repl` on the link, or five Ctrl-C with nothing between.
Both start the board anew without the firmware, because its watchdog can't be stopped. After a crash
Ctrl-C works for three seconds, then the board starts anew by itself.
"""

import os
import time

import machine
import micropython
from app import App
from board import CONFIG_FILE, POWER_FILE, STAY_FILE, Board
from config import load

OOPS_FILE = "oops.txt"
BAD_CONFIG_FILE = "config.bad"
MOST_WORDS = 80


def last_words():
    """What the last run died of, once; None where it did not."""
    try:
        with open(OOPS_FILE) as stored:
            words = stored.read()
        os.remove(OOPS_FILE)
    except OSError:
        return None
    return words


def keep(error):
    """Notes in flash what happened, as one word for the link."""
    words = "%s:%s" % (type(error).__name__, error)
    plain = "".join(c if "!" <= c <= "~" and c != "*" else "_" for c in words)
    try:
        with open(OOPS_FILE, "w") as stored:
            stored.write(plain[:MOST_WORDS])
    except OSError:  # a full or worn flash must not keep the board from starting anew
        pass


def asked_to_stay():
    """Was this start asked for to get at the prompt? Once: the next one runs the firmware again."""
    try:
        os.remove(STAY_FILE)
    except OSError:
        return False
    return True


def main():
    micropython.kbd_intr(-1)  # a stray byte 3 on the line must not stop the table
    config, given = load(CONFIG_FILE)
    board = app = None
    try:
        board = Board(config)
        app = App(board, board.port(), given, CONFIG_FILE, POWER_FILE)
        app.run(last_words())
    except Exception as error:  # noqa: BLE001 - whatever it is, a table's board must start anew
        keep(error)
        if app is None and given is not None:
            os.rename(CONFIG_FILE, BAD_CONFIG_FILE)  # it names parts that this board has not
    micropython.kbd_intr(3)
    try:
        time.sleep_ms(3000)
    except KeyboardInterrupt:
        if board is not None:
            board.restart_to_prompt()
        return  # no watchdog yet
    machine.reset()


if not asked_to_stay():
    main()
