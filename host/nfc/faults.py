"""What can go wrong between us and a reader or a tag, in the words that a person gets to see."""

from __future__ import annotations

import errno

from engine.errors import CrowntableError


class ReaderError(Exception):
    """The reader can't be used now. `what` happened and, for a person, the `cure`."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.what = what
        self.cure = cure

    def for_user(self) -> CrowntableError:
        """The same as the error that a command shows."""
        return CrowntableError(self.what[:1].upper() + self.what[1:] + ".", self.cure)


class ReaderSilentError(ReaderError):
    """No answer in time, or no frame that makes sense: worth another try."""

    def __init__(self, what: str = "the reader does not answer", cure: str = "") -> None:
        super().__init__(what, cure or "Check its cable and power; it is tried again by itself.")


class TagError(Exception):
    """A tag did not do what it was asked."""


class TagSilentError(TagError):
    """No answer: it left the field, or does not know the command."""


class TagRefusedError(TagError):
    """It answered NAK: a page that is protected, locked or not there."""


#: three causes that account for nearly every board that never answers (trace P10)
WIRING = (
    "Check that RX and TX are crossed, that the serial port is enabled and not a login console, "
    "and that the board's switches stand on UART (HSU)."
)


def port_fault(path: str, fault: OSError) -> ReaderError:
    """A port that can't be opened or has broken, by its errno.

    >>> port_fault("/dev/ttyAMA0", FileNotFoundError(2, "x")).what
    'there is no /dev/ttyAMA0'
    """
    code = fault.errno
    if code is None and fault.__cause__ is not None and isinstance(fault.__cause__, OSError):
        code = fault.__cause__.errno
    if code in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return ReaderError(f"there is no {path}", "Plug the reader in, or correct the path in the layout.")
    if code in (errno.EACCES, errno.EPERM):
        return ReaderError(
            f"this user may not open {path}",
            "Add the user to the group dialout (sudo adduser $USER dialout) and log in anew.",
        )
    if code in (errno.EBUSY, errno.EAGAIN):
        return ReaderError(f"another program uses {path}", "Stop the other program or a second Crowntable.")
    return ReaderError(f"the link to {path} is lost", "Check the cable; it is opened again by itself.")
