"""Compiled searches: one source each, instantiated for every game whose rules are verbs on a struct."""
