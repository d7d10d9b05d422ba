"""Endgame tables of any game whose positions have numbers: `retrograde` builds them, `coding` says what their bytes
mean, `store` how they lie in files, `folder` where, and `audit` whether they are right and what is in them."""

from gametree.knowledge.tables.folder import Found, TableFolder, classes_of

__all__ = ["Found", "TableFolder", "classes_of"]
