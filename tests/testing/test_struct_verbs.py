"""Every verb on structs: four small games that define them all, and one mistake for every promise of each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gametree import GameError, game_names, load_game
from gametree.core.verbs import STRUCT_VERBS, Verb
from gametree.testing._compiled_trial import Trial
from gametree.testing._struct_calls import RETURNS, ROWS, WRITES
from gametree.testing._struct_checks import CHECKS, checks_of
from gametree.testing.check_compiled import check_compiled

FOLDER = Path(__file__).parent / "struct_games"
GAMES = {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.py"))}


def test_every_verb_has_a_check_and_one_of_the_games_here_defines_it() -> None:
    names = {verb.name for verb in STRUCT_VERBS}
    assert set(CHECKS) == names
    assert set(RETURNS) == names
    assert set(WRITES) <= names
    defined = {name for source in GAMES.values() for name in re.findall(r"^def (\w+)\(", source, re.MULTILINE)}
    assert names <= defined
    assert set(ROWS) == names


def test_a_verb_without_a_check_is_refused() -> None:
    with pytest.raises(GameError, match=r"The verb shuffle has no check; expected a function check_shuffle"):
        checks_of((*STRUCT_VERBS, Verb("shuffle", "s bits", "a verb that somebody adds")))
    with pytest.raises(GameError, match="does not know what the verb list returns"):
        checks_of([Verb("list", "s", "the kit has a function check_list, which is for another purpose")])


@pytest.mark.parametrize("name", GAMES)
def test_the_games_that_define_every_verb_pass(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(GAMES[name], encoding="utf-8")
    report = check_compiled(str(file), positions=60)
    assert set(report.verbs) == set(re.findall(r"^def (\w+)\(", GAMES[name], re.MULTILINE)) & set(ROWS)
    assert report.answers > 100


# name → (game, change, the verb that the sentence names, words that it says)
MISTAKES: dict[str, tuple[str, tuple[str, str], str, str]] = {
    # The rules.
    "over at the start": ("heaps", ("    s.heaps[0] = 4\n    s.heaps[1] = 4\n", "    s.seat = 0\n"), "initial", "over"),
    "moves at a chance state": (
        "cards",
        ("if s.dealt == 0 or s.count == 3", "if s.count == 3"),
        "legal_moves",
        "2 moves at a chance state that are not its outcomes",
    ),
    "a move that is too large": ("heaps", ("out[n] = 2 * heap + take - 1", "out[n] = 1 << 40"), "legal_moves", "0 to"),
    "the turn does not pass": (
        "heaps",
        ("m % 2 + 1\n    s.seat = 1 - s.seat", "m % 2 + 1"),
        "play",
        "though ALTERNATE is True",
    ),
    "points beyond the facts": ("heaps", ("    return -1\n", "    return -7\n"), "utility", "-1 to 1"),
    "payoffs beyond the facts": ("cards", ("out[1] = -2 * points", "out[1] = 5"), "payoffs", "5 for seat 1"),
    "payoffs with a wrong sum": ("cards", ("out[1] = -2 * points", "out[1] = -points"), "payoffs", "sum to"),
    "payoffs that divide a team": (
        "cards",
        ("    out[2] = points", "    out[2] = points + 1"),
        "payoffs",
        "within the team (0, 2)",
    ),
    "payoffs that leave a seat out": ("cards", ("    out[2] = points\n", ""), "payoffs", "leaves out[2] unwritten"),
    "a seat too many": ("cards", ("s.count % 3 if", "s.count % 3 + 1 if"), "player", "expected 0 to 2, or -1"),
    "all at once without choices": ("heaps", ("return np.int64(s.seat)", "return -2"), "player", "gives the seat -2"),
    "an end that is none": ("heaps", ("s.heaps[1] == 0\n", "s.heaps[1] < 2\n"), "is_over", "where legal_moves()"),
    # Chance.
    "outcomes where a seat moves": (
        "cards",
        ("if s.dealt != 0:\n        return 0\n    for i", "for i"),
        "outcomes",
        "seat",
    ),
    "odds that sum to 2": ("cards", ("1.0 / 24", "1.0 / 12"), "outcomes", "add up to 2"),
    "an impossible outcome": (
        "cards",
        ("odds[i] = 1.0 / 24", "odds[i] = 1.0 / 23 if i < 23 else 0.0"),
        "outcomes",
        "probability 0",
    ),
    "unlisted against the facts": (
        "cards",
        ("    return 24\n", "    return -1\n"),
        "outcomes",
        "unlisted is False",
    ),
    "a roll beside the outcomes": ("cards", ("u64(24) >> u64(32))", "u64(90) >> u64(32))"), "roll", "does not give"),
    "a die that always shows the same": (
        "cards",
        ("np.int64((u64(bits) >> u64(32)) * u64(24) >> u64(32))", "np.int64(3)"),
        "roll",
        "whatever the bits are",
    ),
    # Several at once.
    "the same choice twice": ("fingers", ("    out[1] = 2\n", "    out[1] = 1\n"), "seat_moves", "the move 1 twice"),
    "a joint move that breaks the struct": (
        "fingers",
        ("s.lead += 1 if (moves[0]", "s.lead += 300 if (moves[0]"),
        "play_joint",
        "int8",
    ),
    # Who knows what.
    "hiding goes on": (
        "cards",
        ("            s.cards[other] = 0", "            s.cards[other] = s.cards[other] // 2"),
        "hide",
        "a second time",
    ),
    "spectators see more": (
        "cards",
        (
            "        if other != seat:\n            s.cards[other] = 0",
            "        if seat >= 0 and other != seat:\n            s.cards[other] = 0",
        ),
        "hide",
        "shows seat -1",
    ),
    "the view has other moves": (
        "cards",
        ("def hide(s, seat):\n", "def hide(s, seat):\n    if s.dealt != 0:\n        s.count = 3\n"),
        "hide",
        "seat 0",
    ),
    "a word that is not told apart": ("cards", ("    return m + 1\n", "    return 1\n"), "heard", "the same word"),
    "own moves that are not heard": ("cards", ("    return m + 1\n", "    return m\n"), "heard", "which it must hear"),
    "a word below 0": ("cards", ("    return m + 1\n", "    return -1 - m\n"), "heard", "expected 0 or more"),
    "a deal that is not heard": (
        "cards",
        ("return np.int64(t.cards[seat]) + 16 if seat >= 0 else np.int64(16)", "return 0"),
        "heard",
        "though hide() shows it the move",
    ),
    "a view that tells more than was heard": (
        "cards",
        ("return np.int64(t.cards[seat]) + 16 if seat >= 0 else np.int64(16)", "return np.int64(16)"),
        "hide",
        "after it has heard the same",
    ),
    "a redeal of one's own card": (
        "cards",
        ("        if other != seat:\n            card", "        if True:\n            card"),
        "redeal",
        "what it saw",
    ),
    "a redeal that passes the turn": (
        "cards",
        ("    if s.dealt == 0:\n        return\n    for other", "    s.calls[0] = 2\n    s.count = 1\n    for other"),
        "redeal",
        "seat",
    ),
    "a negative plausibility": ("cards", ("else 0.5", "else -0.5"), "plausibility", "gives -0.5"),
    "a plausibility that is none": (
        "cards",
        ("return 1.0 if s.count == 0 else 0.5", "return"),
        "plausibility",
        "nothing",
    ),
    "a key that leaks": ("cards", ("s.cards[seat] * 16", "s.cards[0] * 16"), "info_key", "hides from seat 1"),
    # Knowledge.
    "an estimate beyond the facts": ("heaps", ("return 10 if", "return 1000 if"), "evaluate", "-100 to 100"),
    "estimates beyond the facts": (
        "cards",
        ("+ w.bonus\n\n\ndef priors", "+ 50\n\n\ndef priors"),
        "estimates",
        "-40 to 40",
    ),
    "estimates that divide a team": ("cards", ("if seat != 1 else 2", "if seat == 0 else 2"), "estimates", "(0, 2)"),
    "a prior below 0": ("cards", ("1.0 + moves[i]", "0.0 - moves[i]"), "priors", "gives -1.0"),
    "a prior too few": (
        "cards",
        ("for i in range(n):\n        out[i] = 1.0", "for i in range(n - 1):\n        out[i] = 1.0"),
        "priors",
        "unwritten",
    ),
    "weights that are written to": (
        "cards",
        ("out[i] = 1.0 +", "w.bonus = 1\n        out[i] = 1.0 +"),
        "priors",
        "only to be read",
    ),
    "notes that are written to": (
        "cards",
        (
            "    for seat in range(3):\n        out[seat]",
            "    note.total = 1\n    for seat in range(3):\n        out[seat]",
        ),
        "estimates",
        "only to be read",
    ),
    "a float as a key": ("heaps", ("    return m\n", "    return m / 2\n"), "move_key", "returns the float"),
    "a child's key that is text": (
        "heaps",
        ("return -np.int64(s.heaps[0] + s.heaps[1])", "return 'high'"),
        "child_key",
        "'high'",
    ),
    "noise that is illegal": (
        "heaps",
        ("if s.heaps[heap] >= 2", "if s.heaps[heap] >= 0"),
        "noisy_moves",
        "does not give",
    ),
    "noise twice": (
        "heaps",
        (
            "        if s.heaps[heap] >= 2:\n            out[n] = 2 * heap + 1",
            "        if s.heaps[0] >= 2:\n            out[n] = 1",
        ),
        "noisy_moves",
        "twice",
    ),
    "noise that is called quiet": (
        "heaps",
        ("return m % 2 == 1", "return m == 1"),
        "is_noisy",
        "which noisy_moves() gives",
    ),
    "a forcing move that is illegal": (
        "heaps",
        ("    if s.heaps[0] == 0:\n        return 0\n", ""),
        "forcing_moves",
        "does not give",
    ),
    "a forcing move that is loud": (
        "heaps",
        ("    out[0] = 0\n    return 1", "    out[0] = 0 if s.heaps[0] < 2 else 1\n    return 1"),
        "forcing_moves",
        "as well",
    ),
    "gains that fall": ("heaps", ("m % 2 * 50 >= units", "m % 2 * 50 <= units"), "gains", "True of more units"),
    "urgent by number": (
        "heaps",
        ("return s.heaps[0] + s.heaps[1] == 1", "return 0.5"),
        "is_urgent",
        "returns the float",
    ),
    "a class too many": ("heaps", ("return m // 2\n", "return m\n"), "move_class", "MOVE_CLASSES - 1"),
    "a structure that is a float": (
        "heaps",
        ("return u64(s.heaps[0])\n", "return s.heaps[0] / 2\n"),
        "structure_key",
        "float",
    ),
    "a pass that is none": (
        "heaps",
        ("    s.seat = 1 - s.seat\n    return True", "    return True"),
        "pass_turn",
        "left seat",
    ),
    "a pass that is denied": (
        "heaps",
        (
            "    if s.heaps[0] < 2:\n        return False",
            "    if s.heaps[0] < 2:\n        s.seat = 1 - s.seat\n        return False",
        ),
        "pass_turn",
        "changed the state",
    ),
    "a playout that is illegal": (
        "heaps",
        ("    n = legal_moves(s, out)\n    return out[", "    n = 9\n    return 4 + 0 * out["),
        "playout_move",
        "out",
    ),
    "a playout beside the moves": (
        "heaps",
        ("    return out[np.int64((u64(bits) >> u64(32)) * u64(n) >> u64(32))]", "    return 3 - out[0]"),
        "playout_move",
        "does not give",
    ),
    # Equal positions.
    "a hash that forgets the mover": ("heaps", (" + u64(s.seat)", ""), "hash_state", "two states"),
    "an image with other moves": ("heaps", ("    s.heaps[1] = first\n", ""), "mirror", "does not fit the move"),
    "an image of moves that does not fit": ("heaps", ("(m + 2) % 4", "(m + 1) % 4"), "mirror", ""),
    "moves of the image that meet": ("heaps", ("(m + 2) % 4", "m % 2"), "mirror_move", "to no legal move"),
    "one key for two positions": (
        "ring",
        ("    if s.place == 0:", "    if s.place == 0 and s.plies < 4:"),
        "repetition_key",
        "two states",
    ),
    "too few plies": (
        "ring",
        ("return np.int64(s.plies)", "return min(np.int64(s.plies), 3)"),
        "reversible_plies",
        "plies ago",
    ),
    "plies below 0": ("ring", ("return np.int64(s.plies)", "return -1"), "reversible_plies", "expected 0 or more"),
    "another key after the move": (
        "ring",
        ("* 2 + 1 - s.seat)", "* 2 + s.seat)"),
        "key_after",
        "repetition_key() after it",
    ),
    # Exact solving.
    "a solver's move that is illegal": (
        "heaps",
        (
            "    if n == 0:\n        out[0] = -1",
            "    if n == 1:\n        out[0] = 3 - out[0]\n    if n == 0:\n        out[0] = -1",
        ),
        "solver_moves",
        "does not give",
    ),
    "a solver's value beyond the facts": (
        "heaps",
        ("        out[0] = -1\n", "        out[0] = -3\n"),
        "solver_moves",
        "the value -3",
    ),
    "a solver's value that is another": (
        "heaps",
        ("        out[0] = -1\n", "        out[0] = 1\n"),
        "solver_moves",
        "another one",
    ),
    "bounds upside down": ("heaps", ("return -1, 1", "return 1, -1"), "solver_bounds", "lowest value first"),
    "one bound": ("heaps", ("return -1, 1", "return 1, 2, 3"), "solver_bounds", "expected (lowest, highest)"),
    "plies that are gone": (
        "heaps",
        ("def plies_left(s):\n    return", "def plies_left(s):\n    return -1 -"),
        "plies_left",
        "0 or more",
    ),
    # Notes.
    "old notes that stay": ("cards", ("    note.total = 0\n", ""), "note_fresh", "was there before"),
    "notes that fall behind": (
        "cards",
        ("m == 1 and s.count != 1", "m == 1 and s.count == 0"),
        "note_move",
        "note_fresh()",
    ),
    "a note that has no such field": (
        "cards",
        ("    note.total = 0\n", "    note.sum = 0\n"),
        "note_fresh",
        "Note has no field 'sum'",
    ),
    # Positions by number.
    "a class below": (
        "heaps",
        ("def table_class(s):\n    return", "def table_class(s):\n    return -2 -"),
        "table_class",
        "or -1",
    ),
    "a class without numbers": ("heaps", ("return 2 * c + 2", "return 0"), "class_size", "which has positions"),
    "a number too large": (
        "heaps",
        ("return 2 * min(s.heaps[0], s.heaps[1]) + s.seat", "return 99"),
        "index_of",
        "0 to",
    ),
    "a number that makes no position": (
        "heaps",
        ("if first > c - first or", "if first >= c - first or"),
        "set_index",
        "which index_of() gives",
    ),
    "a number that makes another one": (
        "heaps",
        ("    s.seat = i % 2\n    return True", "    s.seat = 0\n    return True"),
        "set_index",
        "the number",
    ),
    "a position of another class": (
        "heaps",
        ("    s.heaps[1] = c - first\n    s.seat = i", "    s.heaps[1] = 4\n    s.seat = i"),
        "set_index",
        "",
    ),
    "a class that is left out": (
        "heaps",
        ("for less in range(1, 3):\n        if c", "for less in range(1, 2):\n        if c"),
        "class_after",
        "leaves out the class",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_broken_promise_is_one_sentence_that_names_verb_and_line(mistake: str, tmp_path: Path) -> None:
    name, (old, new), verb, words = MISTAKES[mistake]
    assert GAMES[name].count(old) == 1
    file = tmp_path / f"{name}.py"
    file.write_text(GAMES[name].replace(old, new), encoding="utf-8")
    trial = Trial(load_game(str(file)), seed=0, verb_seconds=5, progress=lambda stage, verb: None)
    trial.run_compiled = lambda: None  # type: ignore[method-assign]  # the mistake is found before anything is compiled
    with pytest.raises(GameError) as caught:
        trial.run(150, 60)
    sentence = str(caught.value)
    assert f": {verb}()" in sentence, sentence
    assert words in sentence, sentence
    assert re.search(r"line \d+", sentence)
    assert "\n" not in sentence


def test_every_check_has_a_mistake_that_it_finds() -> None:
    named = {verb for _, _, verb, _ in MISTAKES.values()}
    assert set(CHECKS) == named


@pytest.mark.parametrize("name", [name for name in game_names() if load_game(name).facts.compiled])
def test_every_verb_of_every_compiled_game_keeps_its_promise(name: str) -> None:
    """Uncompiled, with guards; bench/every_verb.py asks 10,000 positions, and compares with compiled code."""
    small = {"go": "go:size=5", "whist": "whist:cards=3"}.get(name, name)
    trial = Trial(load_game(small), seed=1, verb_seconds=10, progress=lambda stage, verb: None)
    trial.run_compiled = lambda: None  # type: ignore[method-assign]
    assert trial.run(60, 600) == 60
    # Sixty positions may be too few for the end of a game, and for positions that tables number.
    rare = {"utility", "payoffs", "class_size", "index_of", "set_index", "class_after"}
    assert {verb for verb, times in trial.asked.items() if not times} <= rare
