"""How each game's hidden cards move: a module a game, named as the game is, with a class `Dealer`."""
