"""The table: devices, tracking, interpretation, journal, crown, the virtual table. See README.md."""
