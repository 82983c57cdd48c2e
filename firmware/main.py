"""Starts the table's firmware at power-on. Send five Ctrl-C to come back to the REPL."""

import micropython
from app import App
from board import CONFIG_FILE, POWER_FILE, Board, UsbPort
from config import load


def main():
    micropython.kbd_intr(-1)  # a stray byte 3 on the line must not stop the table
    config, given = load(CONFIG_FILE)
    App(Board(config), UsbPort(), given, CONFIG_FILE, POWER_FILE).run()
    micropython.kbd_intr(3)


main()
