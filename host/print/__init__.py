"""What a table needs on paper, as PDF to scale: `crowntable print`."""
