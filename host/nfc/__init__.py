"""NFC readers on PN53x chips, driven through nfcpy."""
