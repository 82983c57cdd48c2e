"""The whole firmware under events without a pause: `events.py COUNT FLASH FIRMWARE`.

The air takes no time and the host reads at once, so that a day's worth of tags coming and going fits into
minutes. Prints the heap in use after each tenth; exits 1 where it grew.
"""

import gc
import os
import sys

sys.path[:0] = [sys.argv[3], sys.argv[3] + "/sim"]

import app  # noqa: E402
import mfrc522_chip  # noqa: E402
from board import Board  # noqa: E402
from config import checked  # noqa: E402
from link import frame  # noqa: E402
from type2 import Tag  # noqa: E402
from world import WORLD  # noqa: E402

os.chdir(sys.argv[2])
COUNT = int(sys.argv[1])
ANTENNAS = 8
TAGS = 16
TENTHS = 10

mfrc522_chip.REAL_TIME = False


class Host:
    """Reads all that it is sent, and sends a scene now and then."""

    def __init__(self):
        self.arrivals = 0
        self.departures = 0
        self.pending = b""
        self.line_start = True
        self.verb = 0

    def read(self):
        if not self.pending:
            return -1
        byte = self.pending[0]
        self.pending = self.pending[1:]
        return byte

    def write(self, data):
        for byte in data:
            if self.line_start:
                self.verb = byte
                self.second = 0
                self.line_start = False
            elif not self.second:
                self.second = byte
                if self.verb == 0x74 and byte == 0x61:  # ta(g)
                    self.arrivals += 1
                elif self.verb == 0x67:  # g(one)
                    self.departures += 1
            if byte == 0x0A:
                self.line_start = True
        return len(data)


def memory_of(uid):
    message = bytes((0x03, 0x30)) + bytes(0x30) + b"\xfe"
    head = uid[:3] + b"\0" + uid[3:7] + bytes(4) + b"\xe1\x10\x12\0"
    return head + message + bytes(1)


host = Host()
config = checked({"antennas": str(ANTENNAS), "round": "0"})
firmware = app.App(Board(config), host, None, "config.txt", "power.txt")
firmware.wait = lambda ms: None
firmware.scanner._idle = firmware.wait
firmware.lights.start(firmware.uptime.now())
tags = []
for number in range(TAGS):
    uid = bytes((4, number, 0xA1, 0xB2, number ^ 0x55, 0xC3, 0xD4))
    tags.append(Tag(uid, 0, memory_of(uid)))

scenes = [frame("led at=ring c=%06X p=breathe r=700" % (shade * 0x010203)) for shade in range(16)]
used = []
turn = 0
told = 0
while host.arrivals + host.departures < COUNT:
    chip = WORLD.chips[turn % ANTENNAS]
    chip.tags = [] if chip.tags else [tags[turn % TAGS]]
    if turn % 32 == 0:
        host.pending = scenes[turn // 32 % 16]
    for _ in range(ANTENNAS if turn % ANTENNAS == 0 else 1):
        firmware.chores()
        firmware.scanner.step()
    turn += 1
    if (host.arrivals + host.departures) * TENTHS >= COUNT * (told + 1):
        told += 1
        gc.collect()
        used.append(gc.mem_alloc())
        print(host.arrivals, host.departures, gc.mem_alloc(), gc.mem_free())

print("lost", firmware.link.lost, "heap", gc.mem_alloc() + gc.mem_free())
if max(used[TENTHS // 2 :]) > max(used[: TENTHS // 2]) + 512:
    print("it grew:", used)
    sys.exit(1)
