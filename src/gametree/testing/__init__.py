"""Public kits that hold games to their contract.

>>> from gametree.testing import check_game
>>> check_game("tictactoe").exhaustive
True
"""

from __future__ import annotations

from gametree.testing.check_game import Report, check_game

__all__ = ["Report", "check_game"]
