"""The formal game, its facts, the registry, the result of a search and the tree record. Imports nothing heavy."""
