"""The link to our firmware on a Pico: the line protocol, the serial device, the ring."""
