"""The one family of errors that a user of vision can cause."""


class VisionError(Exception):
    """Something the user can mend: one sentence on what happened, one on what to do next.

    >>> print(VisionError("hand.txt is not a picture.", "Give JPEG, PNG, BMP or WebP files."))
    hand.txt is not a picture.
    """

    def __init__(self, what: str, cure: str) -> None:
        """`what`: one sentence on what happened; `cure`: one on what to do next."""
        super().__init__(what)
        self.what = what
        self.cure = cure
