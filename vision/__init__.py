"""A frame in, dice out: detection, settling, calibration. See README.md."""
