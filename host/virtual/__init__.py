"""Stand-ins at the wire: devices that speak their real protocol, without the hardware."""
