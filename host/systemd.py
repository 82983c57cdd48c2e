"""Speaking to systemd: ready, alive, stopping. Without systemd (no NOTIFY_SOCKET) nothing happens."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> bool:
    """Sends one state (`READY=1`, `WATCHDOG=1`, `STATUS=…`, `STOPPING=1`); False where nobody listens.

    The protocol is sd_notify(3): a datagram to the socket named in the environment."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
        try:
            line.sendto(state.encode(), address)
        except OSError:
            return False
    return True
