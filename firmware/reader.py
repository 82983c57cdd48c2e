"""What every reader chip's driver is to the scanner: these results, this error, these calls.

start(), check(), field_on(), field_off(), request(), select(), read_pages(page), halt(), name(); the
tag in `uid[:uid_len]`, `sak`; what it sent in `frame[:frame_len]`. One driver a chip: mfrc522, pn532.
"""

from micropython import const

OK = const(0)
SILENT = const(1)  # nobody answered in time
NOISE = const(2)  # something answered, damaged
COLLISION = const(3)  # several answered differently


class ChipError(Exception):
    """The chip does not answer as it should: absent, unpowered, hung, or with its settings gone."""
