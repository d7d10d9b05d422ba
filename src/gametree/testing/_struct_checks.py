"""One check for every verb on structs, found through the table `gametree.core.verbs.STRUCT_VERBS`.

A check is called in every position of the random games for a verb that the game defines, asks the verb where it may be
asked, and compares the answer with what other verbs say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gametree.core.errors import GameError
from gametree.core.verbs import STRUCT_VERBS, Verb
from gametree.testing import _struct_knowledge, _struct_rules
from gametree.testing._struct_calls import RETURNS
from gametree.testing._struct_place import Asker, Place

__all__ = ["CHECKS", "checks_of"]


def checks_of(verbs: Iterable[Verb]) -> dict[str, Callable[[Asker, Place], None]]:
    """Verb → its check. Raises GameError, naming a verb that has none, or whose answers nobody can read."""
    written = {**vars(_struct_rules), **vars(_struct_knowledge)}
    checks = {}
    for verb in verbs:
        if f"check_{verb.name}" not in written:
            raise GameError(f"The verb {verb.name} has no check; expected a function check_{verb.name} of the kit.")
        if verb.name not in RETURNS:
            raise GameError(f"The kit does not know what the verb {verb.name} returns; expected it in RETURNS.")
        checks[verb.name] = written[f"check_{verb.name}"]
    return checks


CHECKS = checks_of(STRUCT_VERBS)
"""Verb → its check."""
