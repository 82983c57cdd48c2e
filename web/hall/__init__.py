"""The hall's pages: many tables on one screen, from the broker alone (docs/hall.md)."""
