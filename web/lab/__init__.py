"""The playtest lab's pages: what the designer asks, answered with pictures. Start at `pages.py`."""
