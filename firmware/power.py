"""Remembers power resets: a board that browns out whenever the ring is bright must become dimmer.

A power-on start counts as a brown-out when the host had a session open (it asks hello when it comes
and says bye when it goes). At the second in a row the brightness is halved, and halved again at each
further one, down to an eighth. A minute without a reset ends the row; the halving stays until the host
sends another configuration or asks for full brightness.
"""

from micropython import const

CALM_MS = const(60000)
MOST_HALVINGS = const(3)


class Power:
    """State in the file `path`: "session shorts halvings". `by_power`: this start is a power-on."""

    def __init__(self, path, by_power):
        self._path = path
        self._session, self.shorts, self.halvings = self._load()
        self._calm = False
        if by_power and self._session:
            self.shorts += 1
            if self.shorts >= 2:
                self.halvings = min(self.halvings + 1, MOST_HALVINGS)
            self._session = False
            self._save()

    def _load(self):
        try:
            with open(self._path) as stored:
                session, shorts, halvings = (int(part) for part in stored.read().split())
            return session == 1, max(shorts, 0), min(max(halvings, 0), MOST_HALVINGS)
        except (OSError, ValueError):
            return False, 0, 0

    def _save(self):
        try:
            with open(self._path, "w") as stored:
                stored.write("%d %d %d" % (self._session, self.shorts, self.halvings))
        except OSError:  # a full or worn flash must not stop the table
            pass

    def session(self, is_open):
        """The host has come (True) or gone of its own will (False)."""
        if is_open != self._session:
            self._session = is_open
            self._save()

    def tick(self, uptime_ms):
        if not self._calm and uptime_ms >= CALM_MS:
            self._calm = True
            if self.shorts:
                self.shorts = 0
                self._save()

    def forgive(self):
        """Full brightness again."""
        if self.shorts or self.halvings:
            self.shorts = self.halvings = 0
            self._save()
