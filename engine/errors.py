"""The one family of errors that a user of Crowntable can cause."""


class CrowntableError(Exception):
    """Something the user can mend: one sentence on what happened, one on what to do next.

    >>> print(CrowntableError("Port 8000 is in use.", "Try --port 0, which takes a free one."))
    Port 8000 is in use.
    """

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.what = what
        self.cure = cure


class UsageError(CrowntableError):
    """A command was asked for something that does not exist: exit status 2 instead of 1."""
