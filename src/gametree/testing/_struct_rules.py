"""What the trial of a compiled game holds the rules to: moves, ends, chance, choices at once, and who knows what.

One function for each verb, `check_` and its name; `_struct_checks.py` gathers them.
"""

from __future__ import annotations

import math
from typing import Any

from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.kernels.verbs import UNLISTED
from gametree.testing._struct_place import (
    DRAWS,
    SAMPLED_MOVES,
    Asker,
    Place,
    check_by_seats,
    check_list,
    mover_of,
    moves_of,
    view_of,
)

ROLLS = 64
"""So often chance is asked in one position."""
MOST_OUTCOME = (1 << 63) - 1

# The rules ------------------------------------------------------------------------------------------------------------


def check_initial(trial: Asker, place: Place) -> None:
    """The first position is what `initial` makes of zeros; there is something to do in it."""
    if place.first and place.over:
        trial.fail("initial", "makes a position in which the game is over")


def check_legal_moves(trial: Asker, place: Place) -> None:
    """Whole numbers in range, each once; where chance decides, none or the outcomes."""
    if place.seat == CHANCE:
        moves = moves_of(trial, place.struct)
        if moves and (place.unlisted or moves != place.moves):
            trial.fail(
                "legal_moves", f"gives {len(moves)} moves at a chance state that are not its outcomes; expected 0"
            )
        return
    if place.seat >= 0:
        check_list(trial, "legal_moves", place.moves)


def check_play(trial: Asker, place: Place) -> None:
    """Playing was asked for `children`; where the seats take turns, the turn passes."""
    if not trial.constants["ALTERNATE"] or "player" not in trial.verbs or not place.decides:
        return
    for move, after in place.children:
        if mover_of(trial, after) == place.seat:
            trial.fail("play", f"leaves seat {place.seat} to move after the move {move}, though ALTERNATE is True")


def check_utility(trial: Asker, place: Place) -> None:
    """At the end: within the facts."""
    if place.over:
        value = trial.ask("utility", s=place.struct).value
        low, high = trial.constants["LOWEST"], trial.constants["HIGHEST"]
        if not low <= value <= high:
            trial.fail("utility", f"gives {value}; the facts promise {low} to {high}")


def check_payoffs(trial: Asker, place: Place) -> None:
    """At the end: within the facts, with the right sum, alike within a team."""
    if place.over:
        values = trial.ask("payoffs", s=place.struct).value
        check_by_seats(trial, "payoffs", values, 1)
        total = trial.facts.utility_sum
        if total is not None and abs(sum(values) - total) > 1e-9:
            trial.fail("payoffs", f"gives points that sum to {sum(values)}; the facts promise {total:g}")


def check_player(trial: Asker, place: Place) -> None:
    """A seat of the game, or chance or all at once where verbs for that are there."""
    seats = trial.facts.players
    seat = place.seat
    if (
        0 <= seat < seats
        or (seat == CHANCE and {"outcomes", "roll"} & trial.verbs.keys())
        or (seat == SIMULTANEOUS and "seat_moves" in trial.verbs)
    ):
        return
    expected = "0 or 1" if seats == 2 else f"0 to {seats - 1}"
    joint = ", or -2 with seat_moves() where several choose at once" if "seat_moves" in trial.verbs else ""
    trial.fail("player", f"gives the seat {seat}; expected {expected}, or -1 at a chance state{joint}")


def check_is_over(trial: Asker, place: Place) -> None:
    """True exactly where there is no move."""
    if place.seat >= 0 and trial.ask("is_over", s=place.struct).value != place.over:
        trial.fail("is_over", f"is {not place.over} where legal_moves() gives {len(place.moves)} moves")


# Chance ---------------------------------------------------------------------------------------------------------------


def check_outcomes(trial: Asker, place: Place) -> None:
    """Moves with odds that sum to 1 at chance states, none elsewhere."""
    if place.seat != CHANCE:
        found = trial.ask("outcomes", s=place.struct).value
        if found == UNLISTED or found[0]:
            trial.fail("outcomes", "gives outcomes where a seat is to move; expected 0")
        return
    if place.unlisted:
        if not trial.facts.unlisted:
            trial.fail("outcomes", f"returns {UNLISTED}, though facts.unlisted is False")
        return
    check_list(trial, "outcomes", place.moves)
    if not place.moves or abs(math.fsum(place.odds) - 1) > 1e-9:
        trial.fail("outcomes", f"gives probabilities that add up to {sum(place.odds):g} instead of 1")
    if min(place.odds) <= 0:
        trial.fail("outcomes", f"gives the probability {min(place.odds):g}; expected more than 0")


def check_roll(trial: Asker, place: Place) -> None:
    """One of the outcomes, not always the same; anything that can be played where they are not listed."""
    if place.seat != CHANCE:
        return
    drawn = [trial.ask("roll", s=place.struct, bits=trial.bits()).value for _ in range(ROLLS)]
    if place.unlisted:
        check_list(trial, "roll", sorted(set(drawn)), MOST_OUTCOME)
        if len(set(drawn)) == 1:
            trial.fail("roll", f"draws {drawn[0]} whatever the bits are")
        return
    stranger = next((move for move in drawn if move not in place.moves), None)
    if stranger is not None:
        trial.fail("roll", f"draws {stranger}, which outcomes() does not give")
    if len(set(drawn)) == 1 and max(place.odds) < 0.6:  # by accident once in 10^14 positions
        trial.fail("roll", f"draws {drawn[0]} whatever the bits are, though its probability is {max(place.odds):g}")


# Several at once ------------------------------------------------------------------------------------------------------


def check_seat_moves(trial: Asker, place: Place) -> None:
    """Each seat's choices are numbers in range, each once."""
    for moves in place.choices:
        check_list(trial, "seat_moves", moves)


def check_play_joint(trial: Asker, place: Place) -> None:
    """Joint moves were played for `children`; every choice of every seat can be part of one."""
    if place.seat != SIMULTANEOUS or place.over:
        return
    for seat, moves in enumerate(place.choices):
        for move in moves[:SAMPLED_MOVES]:
            joint = [trial.rng.choice(others) if others else -1 for others in place.choices]
            joint[seat] = move
            trial.ask("play_joint", s=place.struct, moves=tuple(joint))


# Who knows what -------------------------------------------------------------------------------------------------------


def check_hide(trial: Asker, place: Place) -> None:
    """Hiding twice is hiding once; spectators know no more than any seat; own moves follow from the view."""
    watched = view_of(trial, place, place.struct, -1)
    for seat in range(-1, trial.facts.players):
        view = view_of(trial, place, place.struct, seat)
        if view_of(trial, place, view, seat) != view:
            trial.fail("hide", f"changes more when it hides from seat {seat} a second time")
        if view_of(trial, place, view, -1) != watched:
            trial.fail("hide", f"shows seat -1, who sees what everyone sees, something that it hides from seat {seat}")
        if seat == place.seat and place.decides:
            if mover_of(trial, view) != seat:
                trial.fail("hide", f"hides from seat {seat} that it is to move")
            if moves_of(trial, view) != place.moves:
                trial.fail("hide", f"leaves seat {seat} with other moves, or another order of them, than it has")
        if place.seat == SIMULTANEOUS and seat >= 0:
            own = tuple(trial.ask("seat_moves", s=view, seat=seat).value)
            if own != place.choices[seat]:
                trial.fail("hide", f"leaves seat {seat} with other moves, or another order of them, than it has")


def check_redeal(trial: Asker, place: Place) -> None:
    """What is dealt anew looks to the seat like what it saw, to the byte."""
    if place.over or place.seat == CHANCE:
        return
    for seat in range(trial.facts.players):
        view = view_of(trial, place, place.struct, seat)
        for _ in range(DRAWS):
            dealt = trial.ask("redeal", s=view, seat=seat, bits=trial.bits()).s
            if trial.ask("hide", s=dealt, seat=seat).s != view:
                trial.fail("redeal", f"gives seat {seat} a state that hide() does not turn back into what it saw")
            if mover_of(trial, dealt) != place.seat:
                trial.fail("redeal", f"gives seat {seat} a state in which another seat is to move")


def check_heard(trial: Asker, place: Place) -> None:
    """Own moves are heard and told apart; who hears nothing sees nothing new."""
    for seat in range(trial.facts.players):
        words: dict[int, Any] = {}
        for move, after in place.children:
            if isinstance(move, tuple):
                continue
            word = trial.ask("heard", s=place.struct, m=move, t=after, seat=seat).value
            if word < 0:
                trial.fail("heard", f"gives {word}; expected 0 or more")
            if seat == place.seat or not trial.facts.hidden:
                if word == 0:
                    trial.fail("heard", f"gives 0 to seat {seat} for the move {move}, which it must hear")
                if word in words:
                    trial.fail("heard", f"gives seat {seat} the same word for the moves {words[word]} and {move}")
                words[word] = move
            elif (
                word == 0
                and "hide" in trial.verbs
                and view_of(trial, place, place.struct, seat) != view_of(trial, place, after, seat)
            ):
                trial.fail("heard", f"gives 0 to seat {seat} for the move {move}, though hide() shows it the move")


def check_plausibility(trial: Asker, place: Place) -> None:
    """A finite number from 0 up."""
    for seat in range(trial.facts.players):
        value = trial.ask("plausibility", s=place.struct, seat=seat).value
        if not (math.isfinite(value) and value >= 0):
            trial.fail("plausibility", f"gives {value}; expected a finite number from 0 up")


def check_info_key(trial: Asker, place: Place) -> None:
    """It reads nothing that the seat does not know."""
    for seat in range(trial.facts.players):
        key = trial.ask("info_key", s=place.struct, seat=seat).value
        if "hide" in trial.verbs:
            known = trial.ask("info_key", s=view_of(trial, place, place.struct, seat), seat=seat).value
            if known != key:
                trial.fail("info_key", f"depends on what hide() hides from seat {seat}")
