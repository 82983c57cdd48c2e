"""A hall of tables over MQTT 5: what a table publishes, and what a hall makes of it (docs/hall.md)."""
