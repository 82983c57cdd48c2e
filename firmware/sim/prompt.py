"""MicroPython's prompt as far as mpremote speaks with it: the raw mode (MicroPython's reference, "The
MicroPython Interactive Interpreter Mode"). The unix port has none on its standard input.
"""

import select
import sys

from world import WORLD

_RAW = b"raw REPL; CTRL-B to exit\r\n>"
_FRIENDLY = b"\r\nMicroPython on a simulated board\r\n>>> "


def _byte(poll, one):
    """The next byte from the line; the world goes on meanwhile."""
    while True:
        WORLD.poll()
        for _, event in poll.ipoll(20):
            if event & select.POLLIN:
                try:
                    if sys.stdin.buffer.readinto(one):
                        return one[0]
                except OSError:  # nobody has the port open
                    pass


def _write(data):
    sys.stdout.buffer.write(data)


def _run(source, scope):
    _write(b"OK")
    try:
        exec(source, scope)
        _write(b"\x04")
    except Exception as error:  # noqa: BLE001 - it is told to whoever sent the code
        _write(b"\x04")
        sys.print_exception(error)
    _write(b"\x04>")


def serve():
    """For ever, until the code that is sent resets the board."""
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    one = bytearray(1)
    raw = False
    source = bytearray()
    scope = {"__name__": "__main__"}
    _write(_FRIENDLY)
    while True:
        byte = _byte(poll, one)
        if byte == 0x01:
            raw = True
            source = bytearray()
            _write(_RAW)
        elif byte == 0x02:
            raw = False
            _write(_FRIENDLY)
        elif byte == 0x03:
            source = bytearray()
            if not raw:
                _write(b"\r\n>>> ")
        elif not raw:
            _write(b"\r\n>>> " if byte == 0x0D else bytes(one))
        elif byte == 0x05 and not source:
            # Asks for the quicker way to send code ("A", Ctrl-A follow): there is none here.
            _byte(poll, one)
            _byte(poll, one)
            _write(b"R\x00")
        elif byte == 0x04:
            if source:
                _run(bytes(source).decode(), scope)
            else:
                scope = {"__name__": "__main__"}
                _write(b"OK\r\nMPY: soft reboot\r\n" + _RAW)
            source = bytearray()
        else:
            source.append(byte)
