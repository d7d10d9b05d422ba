"""`python -m gametree` is the command `gametree`."""

from gametree.interfaces.cli import main

main()
