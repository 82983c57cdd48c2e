"""The Flask dashboard: pages, API, live stream. See README.md."""
