"""Addresses of this table for people: on this machine, on the LAN, as QR codes."""

from __future__ import annotations

import io
import ipaddress
import socket

import segno


def lan_address() -> str | None:
    """This machine's IPv4 address towards the LAN, None without a network. Sends nothing.

    The address and not `<name>.local`: phones often do not resolve that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # A datagram socket only picks a route when it connects; 192.0.2.1 is reserved for documents.
            probe.connect(("192.0.2.1", 9))
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if ipaddress.ip_address(address).is_loopback else address


def listens_on_lan(host: str) -> bool:
    """Can others reach a server bound to this host?

    >>> listens_on_lan("0.0.0.0"), listens_on_lan("127.0.0.1"), listens_on_lan("localhost")
    (True, False, False)
    """
    if host in ("", "*"):
        return True
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host != "localhost"


def lan_url(host: str, port: int) -> str | None:
    """The table's address for phones, None where it does not listen on the LAN."""
    if not listens_on_lan(host):
        return None
    try:
        bound = ipaddress.ip_address(host.strip("[]"))
        own = None if bound.is_unspecified else str(bound)
    except ValueError:
        own = host or None
    address = own or lan_address()
    if address is None:
        return None
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def qr_svg(text: str) -> str:
    """A QR code as an SVG element without style attributes, dark on light with its quiet zone."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", xmldecl=False, svgns=True, border=3, dark="#111", light="#fff", omitsize=True
    )
    return out.getvalue().decode()


def qr_terminal(text: str) -> str:
    """A QR code for a terminal, two modules a character."""
    out = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out, border=2, compact=True)
    return out.getvalue()
