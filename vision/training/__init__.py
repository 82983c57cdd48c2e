"""How the network's weights were made: renderer, data, training. Not imported by the product."""
