"""Lines in and out, with a port that balks."""

from link import FORGET_MS, OUT_ROOM, STREAK_TO_REPL, Link, crc16, frame, unframe, words

from rig import Clock


class Port:
    """`incoming` is read byte by byte; `taken` is what was written, at most `room` bytes of it."""

    def __init__(self, incoming=b"", room=1000000):
        self.incoming = bytearray(incoming)
        self.taken = bytearray()
        self.room = room

    def read(self):
        if not self.incoming:
            return -1
        byte = self.incoming[0]
        self.incoming = self.incoming[1:]
        return byte

    def write(self, data):
        size = min(len(data), self.room)
        self.taken.extend(data[:size])
        self.room -= size
        return size


def check_crc_of_the_standard_text():
    assert crc16(b"123456789") == 0x29B1
    assert crc16(b"") == 0xFFFF


def check_a_line_comes_out_as_it_went_in():
    line = frame("led at=ring c=FF0000 p=blink r=1000")
    assert unframe(line[:-1]) == "led at=ring c=FF0000 p=blink r=1000"
    assert words("led at=ring c=FF0000 odd") == ("led", {"at": "ring", "c": "FF0000"})


def check_any_single_damage_is_noticed():
    line = frame("ask what=hello k=12")[:-1]
    for at in range(len(line)):
        for bit in range(8):
            damaged = bytearray(line)
            damaged[at] ^= 1 << bit
            if bytes(damaged).upper() != line.upper() or at < len(line) - 4:
                assert unframe(bytes(damaged)) is None, (at, bit)
    for cut in range(len(line)):
        assert unframe(line[:cut]) is None


def check_rubbish_costs_at_most_its_own_line():
    good = frame("ask what=hello")
    for rubbish in (b"AT\r\n", b"\n\n", b"\xff\xfe\x00\n", b"x" * 5000 + b"\n", b"ask what=hello*0000\n"):
        link = Link(Port(rubbish + good), Clock())
        found = None
        for _ in range(10):
            found = found or link.receive()
        assert found == "ask what=hello", rubbish
        assert link.bad <= 1


def check_a_line_in_pieces_is_one_line():
    port = Port()
    link = Link(port, Clock())
    for byte in frame("ask what=time k=7"):
        assert link.receive() is None
        port.incoming.append(byte)
    assert link.receive() == "ask what=time k=7"


def check_lines_carry_number_and_time():
    clock = Clock()
    port = Port()
    link = Link(port, clock)
    link.send("beat")
    clock.ms = 1500
    link.send("beat")
    link.flush()
    lines = bytes(port.taken).split(b"\n")
    assert unframe(lines[0]) == "beat n=0 t=0"
    assert unframe(lines[1]) == "beat n=1 t=1500"


def check_a_host_that_does_not_read_blocks_nothing_and_gets_fresh_lines():
    clock = Clock()
    port = Port(room=70)
    link = Link(port, clock)
    for number in range(400):
        clock.ms += 10
        link.send("inv ant=%d tags=- ok=1" % (number % 8))
        link.flush()
    assert len(port.taken) == 70
    assert link.lost > 100
    before = link.number
    clock.ms += FORGET_MS + 1
    link.flush()
    port.room = 1000000
    link.send("beat")
    link.flush()
    lines = bytes(port.taken).split(b"\n")
    good = [unframe(line) for line in lines if unframe(line)]
    assert good[-1] == "beat n=%d t=%d" % (before, clock.ms), good
    assert len(lines) - 1 - len(good) <= 1, "at most one torn line"
    assert len(good) < 8, "what had waited too long was dropped"


def check_a_full_buffer_loses_whole_lines_only():
    port = Port(room=0)
    link = Link(port, Clock())
    sent = 0
    while link.send("tag ant=0 uid=04A1B2C3D4E5F6 sak=00 data=" + "00" * 60):
        sent += 1
    assert sent > 10
    assert sent * 150 < OUT_ROOM
    port.room = 1000000
    link.flush()
    lines = [line for line in bytes(port.taken).split(b"\n") if line]
    assert len(lines) == sent
    assert all(unframe(line) for line in lines)


def check_only_an_unbroken_row_of_ctrl_c_asks_for_the_prompt():
    link = Link(Port(b"\x03" * (STREAK_TO_REPL - 1) + b"a" + b"\x03"), Clock())
    link.receive()
    assert not link.wants_repl
    link = Link(Port(b"\x03" * STREAK_TO_REPL), Clock())
    link.receive()
    assert link.wants_repl
