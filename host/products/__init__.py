"""From one description of a table to all that building it takes: wiring, parts, power, guide, prints."""
