"""The one table of verbs: all that a game can say, what it is called with, and what happens if it does not say it.

`GAME_VERBS` are methods of `gametree.core.game.Game`; `STRUCT_VERBS` are functions on a struct, in the file of a
compiled game, from which those methods are derived. Lists of names, flags, stand-ins, the copying of `as_game` and the
conformance kit all come from here; a test fails if a verb has no default, no check or other parameters than its row.

Parameters of struct verbs: `s` a struct, `t` the struct after the move, `m` a move (a whole number from 0 up), `out` an
array to write into, `bits` 64 random bits (`more_bits(bits, i)` gives more), `k` a symmetry, `c` a class of positions.
Every struct verb that takes a struct may end its parameters with `w`, the game's weights; those with "note" in `extras`
may also take `note`, after `w`. They are recognised by these names.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ATTRIBUTES", "GAME_VERBS", "STRUCT_VERBS", "Verb"]


@dataclass(frozen=True)
class Verb:
    """A row of the table."""

    name: str
    parameters: str
    """Names, separated by blanks."""
    meaning: str
    required: bool = False
    extras: tuple[str, ...] = ()
    """Parameters that a game's own function may have behind these: "w" the weights, "note" the notes."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """All parameters, the extras included: how compiled searches call it."""
        return (*self.parameters.split(), *self.extras)


def _game(name: str, parameters: str, meaning: str, required: bool = False) -> Verb:
    return Verb(name, parameters, meaning, required)


def _struct(name: str, parameters: str, meaning: str, *, required: bool = False, note: bool = False) -> Verb:
    takes_struct = {"s", "c"} & set(parameters.split())
    return Verb(name, parameters, meaning, required, (*(("w",) if takes_struct else ()), *(("note",) if note else ())))


GAME_VERBS = (
    _game("initial", "", "how the game is set up at the start", required=True),
    _game("player", "state", "the seat to move, or CHANCE, or SIMULTANEOUS", required=True),
    _game("actions", "state", "the legal moves", required=True),
    _game("result", "state action", "the state that a legal action leads to", required=True),
    _game("is_terminal", "state", "whether the game is over", required=True),
    _game("utility", "state player", "what a terminal state is worth to a seat", required=True),
    _game("utilities", "state", "what a terminal state is worth to every seat"),
    _game("outcomes", "state", "chance outcomes with their probabilities"),
    _game("roll", "state rng", "one chance outcome, drawn"),
    _game("seat_actions", "state player", "what one seat may choose"),
    _game("view", "state player", "what a seat knows, as a state with blanks"),
    _game("hear", "state action after player", "what a seat hears of a move"),
    _game("hear_text", "state action after player", "the same for people"),
    _game("observation", "state player", "what a seat knows, its own past included"),
    _game("resample", "view player rng", "a view with its blanks filled at random"),
    _game("plausibility", "state player", "how well a state explains what the others did"),
    _game("worlds", "view player rng count", "likely positions that look like a view, each with a weight"),
    _game("info_key", "view player", "the key of an information set where forgetting is wanted"),
    _game("opened", "state", "the position face up, as a game of perfect information"),
    _game("closed", "state action", "the action that one of the face-up game means"),
    _game("solution", "state clock", "the exact value of every action, by a solver of the game's own"),
    _game("advice", "view player", "the action that the game's own knowledge would take, and why"),
    _game("evaluate", "state player", "an estimate of the utility"),
    _game("priors", "state", "how likely each action is to be good"),
    _game("noisy_actions", "state", "the actions that quiescence search follows"),
    _game("plausible_actions", "state", "the actions worth a look"),
    _game("symmetries", "state", "all equivalent states"),
    _game("canonical", "state", "the one that stands for them"),
    _game("action_text", "state action", "the move as people write it"),
    _game("action_from_text", "state text", "the move that a text means"),
    _game("action_cells", "state action", "the cells that one clicks to make the move"),
    _game("action_ways", "state action", "all ways to click a move of several steps"),
    _game("state_text", "state", "the position in one line"),
    _game("state_from_text", "text", "the position that a text describes"),
    _game("draw", "state", "the position as plain data"),
    _game("draw_for", "state player", "the position as a seat sees it"),
    _game("label", "state", "what a picture of the tree writes into the node"),
    _game("explain", "state", "the terms of the evaluation"),
    _game("explain_sides", "state", "the same with what each seat's share adds"),
    _game("explain_weights", "state", "what each term weighs, as text"),
    _game("explain_move", "state action", "what people want to know of a move before any search"),
    _game("phase_text", "state", "how far the game has gone, in a sentence"),
    _game("winning_chance", "value", "the expected share of the point at a value"),
    _game("lenient_actions", "state", "what may still be played where the rules call the game over"),
    _game("lenient_state", "state", "the state as one that goes on"),
    _game("tree_text", "", "the whole tree, where it is drawn"),
    _game("book_keys", "", "how books of other programs are keyed"),
    _game("tuning", "", "what a tuner needs"),
    _game("learning", "", "what a trainer needs"),
)
"""Methods of a `Game`; what they promise is in their docstrings."""

ATTRIBUTES: tuple[str, ...] = ("seat_names", "formats", "komi", "board_size")
"""Attributes of a `Game` beside `facts` and `name`."""

STRUCT_VERBS = (
    # The rules.
    _struct("initial", "s", "turn a zeroed struct into the start position", required=True),
    _struct("legal_moves", "s out", "write the legal moves, whole numbers from 0 up, into out[0:n] and return n; "
            "0: the game is over, or chance is to move", required=True),
    _struct("play", "s m", "change s by the legal move m (or chance outcome), and pass the turn", required=True),
    _struct("utility", "s", "where the game is over: points for the side whose turn it would be, an integer. For two "
            "sides; a game defines either this or payoffs"),
    _struct("payoffs", "s out", "where the game is over: write the points of every seat, integers, into out[0:seats]"),
    _struct("player", "s", "the seat to move, also where the game is over; −1 at chance states, −2 where several "
            "choose at once. Leave it out if two seats strictly take turns: then the derived Game counts the turns"),
    _struct("is_over", "s out", "whether legal_moves would give none, if that can be told faster; `out` is scratch"),
    # Chance.
    _struct("outcomes", "s out odds", "at chance states: write the outcomes into `out` and their probabilities "
            "(float64) into `odds` and return how many, or UNLISTED (−1) if they are too many for a list; 0 where a "
            "seat is to move. `play` takes an outcome as a move"),
    _struct("roll", "s bits", "at chance states: one outcome, drawn by 64 random bits. By default it follows outcomes; "
            "where those are unlisted it is bits >> 1, which `play` expands"),
    # Several at once.
    _struct("seat_moves", "s seat out", "where player is −2: write what the seat may choose and return how many"),
    _struct("play_joint", "s moves", "change s by moves[0:seats], one for every seat, −1 for one that does not choose"),
    # Who knows what.
    _struct("hide", "s seat", "set all that the seat does not know to one fixed blank, hashes included; seat −1: all "
            "that not everybody knows. Hiding twice changes nothing more"),
    _struct("redeal", "s seat bits", "fill the blanks of what hide(s, seat) has left, with the odds of chance given "
            "all that the seat knows; nothing but s is read"),
    _struct("heard", "s m t seat", "a number from 0 up: what the seat hears of move m that led from s to t; 0: nothing "
            "at all. Its own moves are always told apart. By default m + 1 in an open game; in a hidden one the hash "
            "of the seat's new view if it changed, together with the move if it is the seat's own"),
    _struct("plausibility", "s seat", "float64 ≥ 0: how well the state explains what the others did; default 1"),
    _struct("info_key", "s seat", "64 bits: stands for the information set where forgetting is wanted"),
    # Knowledge.
    _struct("evaluate", "s", "an estimate of utility × UNIT for the side to move (side 0 at chance), an integer",
            note=True),
    _struct("estimates", "s out", "an estimate of payoffs × UNIT for every seat; by default from evaluate", note=True),
    _struct("priors", "s moves n out", "how likely each of moves[0:n] is to be good, float64 ≥ 0 into out[0:n]",
            note=True),
    _struct("move_key", "s m", "how promising the move looks: higher is searched first", note=True),
    _struct("child_key", "s", "how promising a move looks by the state that it led to: higher is searched first"),
    _struct("noisy_moves", "s out", "the moves that quiescence search follows (captures), but for those that do not "
            "gain"),
    _struct("forcing_moves", "s out", "quiet moves that leave the other side threatened (see is_urgent), as many as "
            "are found easily; quiescence search follows them in its first plies where nobody is threatened"),
    _struct("is_noisy", "s m", "whether a legal move is noisy: it is searched early, and never left out as a quiet "
            "one"),
    _struct("gains", "s m units", "whether the trade that the move begins wins at least this many units, as far as can "
            "be told without search; 0: it loses nothing"),
    _struct("is_urgent", "s", "whether the mover is under a threat that must be answered (check): then the state is "
            "not estimated, no move is left out, and quiescence search follows all moves"),
    _struct("move_class", "m", "a number below MOVE_CLASSES that moves share which are alike (the same piece to the "
            "same square): what did well after a move of one class is tried first after the next of it"),
    _struct("structure_key", "s", "64 bits that states share whose estimates are likely to err alike (the same pawns): "
            "the engine corrects estimates by what its searches of such states have found"),
    _struct("pass_turn", "s", "let the mover pass, for the null-move test; False, leaving s alone, where that is "
            "unsound"),
    _struct("playout_move", "s bits out", "for Monte Carlo search: a legal move picked by 64 random bits where the "
            "game is not over and no chance is at work; without it all legal moves are equally likely"),
    # Equal positions.
    _struct("hash_state", "s", "64 bits that tell states apart; by default all fields are mixed"),
    _struct("mirror", "s k", "turn s into its k-th symmetric image, 1 ≤ k < SYMMETRIES; the value must be the same"),
    _struct("mirror_move", "m k", "where move m of s goes in the k-th image"),
    _struct("repetition_key", "s", "64 bits that are equal where a rule on repetition (see REPETITION) calls two "
            "positions the same; 0 where the position does not count (in the middle of a turn, after a pass). The "
            "struct knows nothing of earlier positions: derived states carry their keys, compiled searches a Past"),
    _struct("reversible_plies", "s", "with repetition_key: so many plies back a position like this one could have "
            "stood"),
    _struct("key_after", "s m", "the repetition key after a move, if that can be told without playing it"),
    # Exact solving.
    _struct("solver_moves", "s out", "the moves that can matter; where there are none, out[0] is the value"),
    _struct("solver_bounds", "s", "(lowest, highest) value that s can have if solver_moves gave some"),
    _struct("plies_left", "s", "about how many plies can follow; the solver is lean near the end"),
    # Notes: what a search keeps beside the state and brings up to date move by move.
    _struct("note_fresh", "s note", "write the notes of s, whatever was in them"),
    _struct("note_move", "s m t old new", "write the notes of t, which move m led to from s, whose notes are `old`; "
            "m is −1 where the turn was passed"),
    # Positions by number.
    _struct("table_class", "s", "the class of positions (such as the men on the board) that s belongs to; −1: none"),
    _struct("class_size", "c", "how many numbers the positions of class c take"),
    _struct("index_of", "s c", "the number of s in class c, 0 ≤ number < class_size"),
    _struct("set_index", "s c i", "turn s into position number i of class c; False if there is none, or another one "
            "stands for it"),
    _struct("class_after", "c out", "write the other classes that a move can lead to from class c; return how many"),
)  # fmt: skip
"""Functions on structs that a compiled game's file may define."""
