"""One file per game. Each defines `game`, a class or function that makes the game from its parameters."""
