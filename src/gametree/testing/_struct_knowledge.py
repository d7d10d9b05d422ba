"""What the trial of a compiled game holds its knowledge to: estimates, orders, keys, notes, positions by number.

One function for each verb, `check_` and its name; `_struct_checks.py` gathers them.
"""

from __future__ import annotations

import math
from typing import Any

from gametree.kernels.transposition import MAX_VALUE
from gametree.testing._struct_place import (
    DRAWS,
    Asker,
    Place,
    check_among,
    check_by_seats,
    check_list,
    mover_of,
    moves_of,
    note_of,
    some_moves,
)

# Knowledge ------------------------------------------------------------------------------------------------------------


def check_evaluate(trial: Asker, place: Place) -> None:
    """Within the facts, in units."""
    low, high, unit = (trial.constants[name] for name in ("LOWEST", "HIGHEST", "UNIT"))
    guess = trial.ask("evaluate", s=place.struct, **note_of(trial, place, place.struct)).value
    if not place.over and not (low * unit <= guess <= high * unit and abs(guess) <= MAX_VALUE):
        trial.fail("evaluate", f"gives {guess}; the facts promise {low * unit} to {high * unit}, utility × UNIT")


def check_estimates(trial: Asker, place: Place) -> None:
    """Within the facts, in units, alike within a team."""
    values = trial.ask("estimates", s=place.struct, **note_of(trial, place, place.struct)).value
    if not place.over:
        check_by_seats(trial, "estimates", values, trial.constants["UNIT"])


def check_priors(trial: Asker, place: Place) -> None:
    """Finite numbers from 0 up, one for each move."""
    if not place.decides:
        return
    note = note_of(trial, place, place.struct)
    values = trial.ask("priors", s=place.struct, moves=place.moves, n=len(place.moves), **note).value
    wrong = next((value for value in values if not (math.isfinite(value) and value >= 0)), None)
    if wrong is not None:
        trial.fail("priors", f"gives {wrong}; expected finite numbers from 0 up")


def check_move_key(trial: Asker, place: Place) -> None:
    """Any number will do."""
    if place.decides:
        for move in some_moves(trial, place):
            trial.ask("move_key", s=place.struct, m=move, **note_of(trial, place, place.struct))


def check_child_key(trial: Asker, place: Place) -> None:
    """Any number will do."""
    if place.decides:
        for _, after in place.children:
            trial.ask("child_key", s=after)


def check_noisy_moves(trial: Asker, place: Place) -> None:
    """Legal moves, each once; noisy by `is_noisy`, too."""
    if not place.decides:
        return
    noisy = trial.ask("noisy_moves", s=place.struct).value
    check_among(trial, "noisy_moves", noisy, place.moves)
    if "is_noisy" in trial.verbs:
        for move in noisy:
            if not trial.ask("is_noisy", s=place.struct, m=move).value:
                trial.fail("is_noisy", f"is False for the move {move}, which noisy_moves() gives")


def check_forcing_moves(trial: Asker, place: Place) -> None:
    """Legal moves, each once, and quiet ones."""
    if not place.decides or ("is_urgent" in trial.verbs and trial.ask("is_urgent", s=place.struct).value):
        return
    forcing = trial.ask("forcing_moves", s=place.struct).value
    check_among(trial, "forcing_moves", forcing, place.moves)
    if "noisy_moves" in trial.verbs:
        noisy = trial.ask("noisy_moves", s=place.struct).value
        loud = next((move for move in forcing if move in noisy), None)
        if loud is not None:
            trial.fail("forcing_moves", f"gives the move {loud}, which noisy_moves() gives as well")


def check_is_noisy(trial: Asker, place: Place) -> None:
    """Asked of some moves here, and of all noisy ones by `check_noisy_moves`."""
    if place.decides:
        for move in some_moves(trial, place):
            trial.ask("is_noisy", s=place.struct, m=move)


def check_gains(trial: Asker, place: Place) -> None:
    """What wins much wins little."""
    if not place.decides:
        return
    unit = trial.constants["UNIT"]
    for move in some_moves(trial, place):
        answers = [
            trial.ask("gains", s=place.struct, m=move, units=units).value for units in (-unit, 0, 1, unit, 10 * unit)
        ]
        if answers != sorted(answers, reverse=True):
            trial.fail("gains", f"is True of more units and False of fewer for the move {move}")


def check_is_urgent(trial: Asker, place: Place) -> None:
    """A truth wherever a seat is to move."""
    if place.decides:
        trial.ask("is_urgent", s=place.struct)


def check_move_class(trial: Asker, place: Place) -> None:
    """A number below MOVE_CLASSES."""
    classes = trial.constants["MOVE_CLASSES"]
    if place.decides:
        for move in place.moves:
            found = trial.ask("move_class", m=move).value
            if not 0 <= found < classes:
                trial.fail("move_class", f"gives {found} for the move {move}; expected 0 to MOVE_CLASSES - 1")


def check_structure_key(trial: Asker, place: Place) -> None:
    """Any 64 bits will do."""
    if place.decides:
        trial.ask("structure_key", s=place.struct)


def check_pass_turn(trial: Asker, place: Place) -> None:
    """The turn passes, or nothing changes."""
    if not place.decides:
        return
    passed = trial.ask("pass_turn", s=place.struct)
    if not passed.value:
        if passed.s != place.struct:
            trial.fail("pass_turn", "returned False but changed the state")
    elif "player" in trial.verbs and mover_of(trial, passed.s) == place.seat:
        trial.fail("pass_turn", f"returned True but left seat {place.seat} to move")


def check_playout_move(trial: Asker, place: Place) -> None:
    """A legal move for any bits."""
    if not place.decides:
        return
    for _ in range(DRAWS):
        move = trial.ask("playout_move", s=place.struct, bits=trial.bits()).value
        if move not in place.moves:
            trial.fail("playout_move", f"picks the move {move}, which legal_moves() does not give")


# Equal positions ------------------------------------------------------------------------------------------------------


def _check_key(trial: Asker, verb: str, place: Place) -> None:
    """Two states with one key must at least agree in the mover and the moves, and in the points at the end."""
    signs: Any = (place.seat, place.moves if not place.unlisted else (), place.choices)
    if place.over and verb == "hash_state":
        points = "payoffs" if "payoffs" in trial.verbs else "utility"
        signs = (*signs, trial.ask(points, s=place.struct).value)
    key = trial.ask(verb, s=place.struct).value
    other, known = trial.by_hash.setdefault((verb, key), (place.struct, signs))
    if other != place.struct and known != signs:
        trial.fail(verb, "gives the same number for two states that differ in their moves or points")


def check_hash_state(trial: Asker, place: Place) -> None:
    """It tells states apart that differ in their moves."""
    _check_key(trial, "hash_state", place)


def check_mirror(trial: Asker, place: Place) -> None:
    """A symmetry changes neither the number of moves nor what an end is worth."""
    images = trial.constants["SYMMETRIES"]
    if images < 2 or place.seat < 0:
        return
    k = trial.rng.randrange(1, images)
    image = trial.ask("mirror", s=place.struct, k=k).s
    its_moves = moves_of(trial, image)
    if len(its_moves) != len(place.moves):
        trial.fail("mirror", f"turns a state with {len(place.moves)} moves into one with {len(its_moves)} for k = {k}")
    if place.over:
        points = "payoffs" if "payoffs" in trial.verbs else "utility"
        mine, its = (trial.ask(points, s=struct).value for struct in (place.struct, image))
        if mine != its:
            trial.fail("mirror", f"turns an end that is worth {mine} into one that is worth {its} for k = {k}")


def _hash(trial: Asker, struct: Any) -> Any:
    return trial.ask("hash_state", s=struct).value


def check_mirror_move(trial: Asker, place: Place) -> None:
    """A symmetry takes the legal moves to those of the image, each to another one, and playing commutes with it."""
    images = trial.constants["SYMMETRIES"]
    if images < 2 or place.seat < 0:
        return
    k = trial.rng.randrange(1, images)
    image = trial.ask("mirror", s=place.struct, k=k).s
    its_moves = moves_of(trial, image)
    to = [trial.ask("mirror_move", m=move, k=k).value for move in place.moves]
    for move, there in zip(place.moves, to, strict=True):
        if to.count(there) > 1 or there not in its_moves:
            trial.fail("mirror_move", f"takes the move {move} to no legal move of the image for k = {k}")
    for move, after in place.children:
        there = to[place.moves.index(move)]
        one, other = trial.ask("mirror", s=after, k=k).s, trial.ask("play", s=image, m=there).s
        # What lies differently in the struct (a list in another order) is the same state if its hash says so.
        if one != other and not ("hash_state" in trial.verbs and _hash(trial, one) == _hash(trial, other)):
            trial.fail("mirror", f"does not fit the move {move} for k = {k}: playing it and its image differ")


def check_repetition_key(trial: Asker, place: Place) -> None:
    """Positions that are drawn as the same offer the same moves; an end may have other reasons.

    Where repeating is forbidden the key may be less than the position: Go's is the board, whoever is to move.
    """
    if place.decides and not trial.constants["FORBIDS_REPETITION"]:
        _check_key(trial, "repetition_key", place)


def check_reversible_plies(trial: Asker, place: Place) -> None:
    """A position that stood so many plies ago is not out of reach."""
    plies = trial.ask("reversible_plies", s=place.struct).value
    if plies < 0:
        trial.fail("reversible_plies", f"gives {plies}; expected 0 or more")
    key = trial.ask("repetition_key", s=place.struct).value
    for back, earlier in enumerate(reversed(place.line), 1):
        if earlier == key != 0 and back > plies:
            trial.fail("reversible_plies", f"gives {plies}, but the position stood {back} plies ago")


def check_key_after(trial: Asker, place: Place) -> None:
    """The key of the position that the move leads to."""
    for move, after in place.children:
        if isinstance(move, tuple):
            continue
        told = trial.ask("key_after", s=place.struct, m=move).value
        if told != trial.ask("repetition_key", s=after).value:
            trial.fail("key_after", f"gives another key for the move {move} than repetition_key() after it")


# Exact solving --------------------------------------------------------------------------------------------------------


def check_solver_moves(trial: Asker, place: Place) -> None:
    """Some of the legal moves, or a value within the facts."""
    if place.seat < 0:
        return
    count, *found = trial.ask("solver_moves", s=place.struct).value
    low, high = trial.constants["LOWEST"], trial.constants["HIGHEST"]
    if count:
        check_among(trial, "solver_moves", found, place.moves)
    elif not low <= found[0] <= high:
        trial.fail("solver_moves", f"gives the value {found[0]} in out[0]; the facts promise {low} to {high}")
    elif place.over and "utility" in trial.verbs and found[0] != trial.ask("utility", s=place.struct).value:
        trial.fail("solver_moves", f"gives the value {found[0]} in out[0] at an end that utility() gives another one")


def check_solver_bounds(trial: Asker, place: Place) -> None:
    """A lowest value that is not above the highest."""
    if place.seat < 0 or ("solver_moves" in trial.verbs and not trial.ask("solver_moves", s=place.struct).value[0]):
        return
    least, most = trial.ask("solver_bounds", s=place.struct).value
    if least > most:
        trial.fail("solver_bounds", f"gives {least} to {most}; expected the lowest value first")


def check_plies_left(trial: Asker, place: Place) -> None:
    """A number from 0 up."""
    if place.seat >= 0 and (plies := trial.ask("plies_left", s=place.struct).value) < 0:
        trial.fail("plies_left", f"gives {plies}; expected 0 or more")


# Notes ----------------------------------------------------------------------------------------------------------------


def check_note_fresh(trial: Asker, place: Place) -> None:
    """The same notes whatever was in them before."""
    fresh = trial.ask("note_fresh", s=place.struct, note=trial.blank).note
    if trial.ask("note_fresh", s=place.struct, note=b"\x5e" * len(trial.blank)).note != fresh:
        trial.fail("note_fresh", "leaves in the notes something that was there before")


def check_note_move(trial: Asker, place: Place) -> None:
    """The notes that are brought up to date are those of the state that the move led to."""
    followed = [(move, after) for move, after in place.children if not isinstance(move, tuple)]
    if "pass_turn" in trial.verbs and place.decides and (passed := trial.ask("pass_turn", s=place.struct)).value:
        followed.append((-1, passed.s))
    old = note_of(trial, place, place.struct)["note"]
    for move, after in followed:
        found = trial.ask("note_move", s=place.struct, m=move, t=after, old=old, new=b"\x5e" * len(trial.blank)).note
        if found != trial.ask("note_fresh", s=after, note=trial.blank).note:
            trial.fail("note_move", f"gives other notes after the move {move} than note_fresh() of the state after it")


# Positions by number --------------------------------------------------------------------------------------------------


def _class(trial: Asker, struct: bytes) -> int:
    return int(trial.ask("table_class", s=struct).value)


def check_table_class(trial: Asker, place: Place) -> None:
    """A number from 0 up, or −1."""
    if (found := _class(trial, place.struct)) < -1:
        trial.fail("table_class", f"gives {found}; expected a number from 0 up, or -1")


def check_class_size(trial: Asker, place: Place) -> None:
    """A class that has a position has numbers."""
    found = _class(trial, place.struct)
    if found >= 0 and (size := trial.ask("class_size", c=found).value) < 1:
        trial.fail("class_size", f"gives {size} for the class {found}, which has positions")


def check_index_of(trial: Asker, place: Place) -> None:
    """A number of the class, which stands for the position."""
    found = _class(trial, place.struct)
    if found < 0:
        return
    size, index = (trial.ask("class_size", c=found).value, trial.ask("index_of", s=place.struct, c=found).value)
    if not 0 <= index < size:
        trial.fail("index_of", f"gives {index} in the class {found}; expected 0 to {size - 1}")
    back = trial.ask("set_index", s=place.struct, c=found, i=index)
    if not back.value:
        trial.fail("set_index", f"returns False for {index}, which index_of() gives a position of the class {found}")
    if place.seat >= 0 and len(moves_of(trial, back.s)) != len(place.moves):
        trial.fail("set_index", f"makes a position with another number of moves than the one that has {index}")


def check_set_index(trial: Asker, place: Place) -> None:
    """Whatever number makes a position is the number of that position."""
    found = _class(trial, place.struct)
    if found < 0:
        return
    size = trial.ask("class_size", c=found).value
    for index in {0, size - 1, *(trial.rng.randrange(size) for _ in range(DRAWS))}:
        made = trial.ask("set_index", s=place.struct, c=found, i=index)
        if not made.value:
            continue
        if _class(trial, made.s) != found:
            trial.fail("set_index", f"makes of {index} a position that is not of the class {found}")
        back = trial.ask("index_of", s=made.s, c=found).value
        if back != index:
            trial.fail("set_index", f"makes of {index} a position that index_of() gives the number {back}")


def check_class_after(trial: Asker, place: Place) -> None:
    """No move leads to a class that is not listed."""
    found = _class(trial, place.struct)
    if found < 0:
        return
    after = trial.ask("class_after", c=found).value
    check_list(trial, "class_after", after)
    for move, child in place.children:
        its = _class(trial, child)
        if its >= 0 and its != found and its not in after:
            trial.fail("class_after", f"leaves out the class {its}, which the move {move} leads to from {found}")
