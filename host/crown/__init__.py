"""LED crowns on the Pi's own pins. The ring on a Pico is host.link's; the screen always shows it too."""
