"""Arimaa against a slow oracle that moves whole pushes and pulls on a dictionary, and against known counts."""

from __future__ import annotations

import random

import pytest

from gametree.core.errors import BadInput, IllegalMove
from gametree.core.registry import load_game
from gametree.formats import recognise, record_format, split
from gametree.games.arimaa import notation
from gametree.games.arimaa.goals import goal_within
from gametree.kernels import compiler
from gametree.kernels.perft import perft
from gametree.kernels.turns import distinct_turns

GAME = load_game("arimaa")
BASIC = "g rrrrrrrr/dhcemchd/......../......../......../......../DHCMECHD/RRRRRRRR"
ORDER = "rcdhme"
TRAPS = {(2, 2), (5, 2), (2, 5), (5, 5)}  # file, rank from 0
WAYS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}

# What it tests, the position, single steps and first halves of pushes at its beginning, different turns.
COUNTS = [
    ("basic set-up", BASIC, 8, 3353),
    ("the same for Silver", "s" + BASIC[1:], 8, 3353),
    ("rabbits never step back", "g r......./......../......../...R..../......../......../......../........", 3, 21),
    ("frozen cat", "g r......./......../......../...d..../...C..../......../......../.......R", 2, 14),
    ("a friend unfreezes", "g r......./......../......../...d..../...C..../...R..../......../........", 4, 111),
    ("equal rank", "g r......./......../......../...d..../...D..../......../......../.......R", 5, 125),
    ("frozen on the way", "g r......./......../......../...d..../...C..../......../......e./.......R", 2, 2),
    ("push and pull", "g r......./......../......../...c..../...E..../......../......../.......R", 8, 261),
    ("push into a trap", "g r......./......../......../..r...../..E...../......../......../.......R", 8, 242),
    ("guard pushed away", "g r......./......../..r...../..c...../..E...../......../......../.......R", 7, 223),
    ("own cat, one guard", "g r......./......../......../......../......../..CD..../......../.......R", 8, 562),
    ("own cat, two guards", "g r......./......../......../......../......../.DCD..../......../.......R", 10, 1672),
    ("pull into a trap", "g r......./......../......../..Ec..../......../......../......../.......R", 8, 217),
    ("only the dog may push", "g r......./......../...e..../...H..../..Dr..../......../......../.......R", 7, 285),
    ("chains of pushes", "g r......./......../......../.cM.c.../..d...../......../......../.......R", 10, 292),
    ("enemy rabbit near home", "g ......../......../......../......../......../...E..../...r..../.......R", 8, 219),
    ("goal in one", "g ......../R......./......../......../......../......../.......r/........", 2, 8),
    ("only a push", "g r......./......../......../......../......../......../cd....../EcR.....", 1, 7),
    ("frozen all", "g r......./......../......../......../......../......../e......./R.......", 0, 0),
    ("blocked", "g r......./......../......../......../......../......../hh....../RRc.....", 0, 0),
    ("blocked and frozen", "g cd....../R......./......../......../......../......../.......r/........", 0, 0),
    ("after 10", "g .rer.rrr/rrh.r.mh/.d....../.......d/.D....../..CME..D/H.R.C.HR/R.RRRRR.", 25, 28748),
    ("after 16", "g rrcrrr.r/d......r/...rmchd/.DMe..../....H.../H..ERCRD/RCR...../.RR..R.R", None, 42456),
    ("after 10 more", "g .r.rrr.r/r.rec.h./.d.....r/......../h...M..d/D......D/R.RRERH./RH.R..RR", None, 18031),
    ("after 34", "g ....r.../.r.r..rr/drr.R.D./..eE..rd/.c....../..RR...R/H.hR..../.DR..R..", None, 17628),
    ("after 44", "g r..c..../rh..rr../.d.....d/...r..hH/..Emre.D/DRHMRCR./C...RR../.R....R.", None, 13293),
]
TEXTS = [position for _, position, _, _ in COUNTS]


class Oracle:
    """men maps (file, rank) to a letter; a turn is a series of steps, whole pushes and whole pulls."""

    def __init__(self, text):
        side, rows = text.split()[:2]
        self.gold = side == "g"
        self.men = {
            (file, 7 - row): mark
            for row, marks in enumerate(rows.split("/"))
            for file, mark in enumerate(marks)
            if mark != "."
        }

    def mine(self, mark):
        return mark.isupper() == self.gold

    @staticmethod
    def rank(mark):
        return ORDER.index(mark.lower())

    @staticmethod
    def around(place):
        file, rank = place
        return [(file + x, rank + y) for x, y in WAYS.values() if 0 <= file + x < 8 and 0 <= rank + y < 8]

    def is_frozen(self, men, place):
        mark = men[place]
        near = [men[other] for other in self.around(place) if other in men]
        friend = any(other.isupper() == mark.isupper() for other in near)
        stronger = any(other.isupper() != mark.isupper() and self.rank(other) > self.rank(mark) for other in near)
        return stronger and not friend

    def moved(self, men, start, target):
        men = dict(men)
        mark = men.pop(start)
        men[target] = mark
        for trap in TRAPS & {target, *self.around(start)}:
            fallen = men.get(trap)
            friends = [men[near] for near in self.around(trap) if near in men and men[near].isupper() == mark.isupper()]
            if fallen and fallen.isupper() == mark.isupper() and not friends:
                del men[trap]
        return men

    def acts(self, men, left):
        """(men after it, steps) for every step, push and pull of the side to move."""
        for place, mark in list(men.items()):
            if not self.mine(mark) or self.is_frozen(men, place):
                continue
            back = (place[0], place[1] + (-1 if self.gold else 1))
            for target in self.around(place):
                if target in men:
                    enemy = men[target]
                    if left >= 2 and not self.mine(enemy) and self.rank(enemy) < self.rank(mark):
                        for way in self.around(target):
                            if way not in men:
                                half = self.moved(men, target, way)
                                yield self.moved(half, place, target), 2
                    continue
                if mark in "Rr" and target == back:
                    continue
                after = self.moved(men, place, target)
                yield after, 1
                if left >= 2:
                    for other in self.around(place):
                        enemy = after.get(other)
                        if enemy and not self.mine(enemy) and self.rank(enemy) < self.rank(mark):
                            yield self.moved(after, other, place), 2

    def turns(self):
        """All boards that a turn can end in, as frozen sets."""
        first = frozenset(self.men.items())
        reached = {(first, 4)}
        front = [(self.men, 4)]
        while front:
            men, left = front.pop()
            for after, steps in self.acts(men, left):
                key = (frozenset(after.items()), left - steps)
                if key not in reached:
                    reached.add(key)
                    if left > steps:
                        front.append((after, left - steps))
        return {board for board, _ in reached} - {first}

    @staticmethod
    def winner(men, gold_moved):
        """Gold, Silver or None after a turn, and whether it must still be asked who can move."""
        for gold in (gold_moved, not gold_moved):
            if any(mark == ("R" if gold else "r") and rank == (7 if gold else 0) for (_, rank), mark in men.items()):
                return gold
        for gold in (not gold_moved, gold_moved):
            if ("R" if gold else "r") not in men.values():
                return not gold
        return None


def board(game, state):
    """The pieces as the oracle has them."""
    rows = notation.rows_of(game.struct(state))
    return frozenset(
        ((file, 7 - row), mark) for row, marks in enumerate(rows) for file, mark in enumerate(marks) if mark != "."
    )


def ends_of_turns(game, state):
    """All states that turns lead to, by plain walking."""
    seat, seen, front, ends = game.player(state), set(), [state], {}
    while front:
        now = front.pop()
        for action in game.actions(now):
            after = game.result(now, action)
            if game.player(after) != seat or game.is_terminal(after):
                ends[board(game, after)] = after
            elif after not in seen:
                seen.add(after)
                front.append(after)
    return ends


def random_turn(game, state, rng):
    """A state after one random turn."""
    seat = game.player(state)
    while not game.is_terminal(state) and game.player(state) == seat:
        state = game.result(state, rng.choice(game.actions(state)))
    return state


@pytest.mark.parametrize(("position", "steps", "turns"), [case[1:] for case in COUNTS], ids=[c[0] for c in COUNTS])
def test_steps_and_turns_of_known_positions(position, steps, turns):
    state = GAME.state_from_text(position)
    assert distinct_turns(GAME, state) == turns
    assert GAME.is_terminal(state) == (turns == 0)
    if steps is not None:
        assert len(GAME.actions(state)) == steps
    if turns == 0:
        assert GAME.utility(state, 0) == -100


@pytest.mark.parametrize("position", TEXTS[2:18])
def test_turns_lead_to_the_boards_of_the_oracle(position):
    state = GAME.state_from_text(position)
    assert set(ends_of_turns(GAME, state)) == Oracle(position).turns()


def test_random_positions_agree_with_the_oracle():
    rng = random.Random(3)
    for number in range(4):
        state = GAME.state_from_text(BASIC)
        for _ in range(2 + 8 * number):
            after = random_turn(GAME, state, rng)
            if GAME.is_terminal(after):
                break
            state = after
        oracle = Oracle(GAME.state_text(state))
        found = oracle.turns()
        assert distinct_turns(GAME, state) == len(found)
        for _ in range(20):
            after = random_turn(GAME, state, rng)
            assert board(GAME, after) in found


def test_ends_are_those_of_the_oracle():
    rng = random.Random(8)
    ends = 0
    for number in range(12):
        state = GAME.state_from_text(TEXTS[21 + number % 5])
        for _ in range(60):
            gold_moved = GAME.player(state) == 0
            state = random_turn(GAME, state, rng)
            winner = Oracle.winner(dict(board(GAME, state)), gold_moved)
            if winner is None and GAME.is_terminal(state):
                assert GAME.struct(state).reason == 3
                assert not Oracle(GAME.state_text(state)).turns()
                winner = gold_moved
            assert GAME.is_terminal(state) == (winner is not None)
            if winner is not None:
                ends += 1
                assert GAME.utility(state, 0) == (100 if winner else -100) == -GAME.utility(state, 1)
                break
    assert ends >= 4


@pytest.mark.parametrize(
    ("position", "turn", "winner", "reason"),
    [
        (TEXTS[16], "Ra7n", 0, "goal"),
        (TEXTS[15], "rd2s Ed3s", 1, "goal"),
        ("g ......../......../......../......../......../......../..Er..../.......R", "rd2s Ec2e Ed2n rd1n", 0,
         "immobilisation"),
        ("g ......../R......./......../......../......../...E..../...r..../........", "rd2s Ed3s Ra7n", 0, "goal"),
        ("g ......../......../......../..r...../..E...../......../......../.......R", "rc5n rc6x Ec4n", 0,
         "elimination"),
        ("g ......../......../......../..r...../..E...../......../..R...../........",
         "rc5n rc6x Ec4n Rc2n Rc3x", 0, "elimination"),
        ("g r......./......../......../......../...E..../......../..R...../........", "Rc2n Rc3x", 1, "elimination"),
        ("g .......r/......../......E./......../......../......../R......./........", "Eg6e Eh6n", 0,
         "immobilisation"),
    ],
)  # fmt: skip
def test_how_games_end(position, turn, winner, reason):
    state = GAME.state_from_text(position)
    actions = notation.read_turn(GAME, state, turn)
    assert notation.turn_text(GAME, state, actions) == turn
    for action in actions:
        assert not GAME.is_terminal(state)
        state = GAME.result(state, action)
    assert GAME.is_terminal(state)
    assert GAME.utility(state, winner) == 100
    assert reason in GAME.draw(state).caption
    assert GAME.state_from_text(GAME.state_text(state))[: len(state)] == state


@pytest.mark.parametrize(
    ("position", "turn", "message"),
    [
        (TEXTS[3], "Cd4w", "frozen"),
        (TEXTS[2], "Rd5s", "rabbits never step back"),
        (TEXTS[7], "Rh1n Rh2n Rh3n cd5n", "not a legal move"),
        (TEXTS[7], "Rh1n Rh2n Rh3n Rh4n Rh5n", "after its end"),
        (TEXTS[7], "cd5n", "push is not finished"),
        (TEXTS[7], "cd5n Rh1n", "must be finished first"),
        (TEXTS[7], "Ed4s Ed3n", "stood before"),
        (TEXTS[7], "Ed4s Ed3n Rh1n Rh2s", "rabbits never"),
        (TEXTS[7], "Ed4s Ed3e Ee3w Ed3n", "not a legal move"),
        (TEXTS[15], "rd2s Ed3s Ed2n rd1n", "not a legal move"),
        (TEXTS[7], "Ra1s", "a1 holds nothing"),
        (TEXTS[7], "", "without a step"),
        (TEXTS[7], "hello", "expected a step such as Ee2n"),
    ],
)
def test_turns_that_are_not_legal(position, turn, message):
    with pytest.raises(IllegalMove, match=message):
        notation.read_turn(GAME, GAME.state_from_text(position), turn)


def test_a_push_that_could_only_undo_the_turn_is_not_begun():
    state = GAME.state_from_text("g r......./......../......../...c..../...E..../......../......../.......R")
    for text in ("Ed4s", "cd5s"):  # a pull
        state = GAME.result(state, GAME.action_from_text(state, text))
    texts = {GAME.action_text(state, action) for action in GAME.actions(state)}
    assert "cd4n" not in texts
    assert {"cd4w", "cd4e", "pass"} <= texts


def play_turns(game, state, *turns):
    """The state after these turns."""
    for turn in turns:
        for action in notation.read_turn(game, state, turn):
            state = game.result(state, action)
    return state


def sparse_position(rng):
    """A random text with a few animals, Gold's rabbits near their goal."""
    squares = [(file, rank) for rank in range(3, 8) for file in range(8)]
    rng.shuffle(squares)
    men = dict(zip(squares, "RRED" + rng.choice("HC") + "ehhdc", strict=False))
    men = {place: mark for place, mark in men.items() if mark != "R" or place[1] < 7}
    men |= {(file, 0): "r" for file in ()} | {(7, 1): "r"}
    return "g " + "/".join("".join(men.get((file, rank), ".") for file in range(8)) for rank in range(7, -1, -1))


def test_goals_that_are_seen_can_be_played():
    rng, seen, there = random.Random(4), 0, 0
    for _ in range(60):
        text = sparse_position(rng)
        s = GAME.struct(GAME.state_from_text(text))
        if s.winner:
            continue
        played = any(mark == "R" and rank == 7 for turn in Oracle(text).turns() for (_, rank), mark in turn)
        found = goal_within(s, 0, 4)
        assert played or not found, text
        seen, there = seen + bool(found), there + played
    assert there >= seen >= 10


@pytest.mark.parametrize(
    ("position", "steps"),
    [
        ("......../R......./......../......../......../......../.......r/........", 1),
        ("......../......../R......./......../......../......../.......r/........", 2),
        ("cr....../R......./D......./......../......../......../.......r/........", 3),
        ("rcr...../.R....../.C....../......../......../......../.......r/........", 3),
        ("......../......../......../......../R......./......../.......r/........", 4),
        ("rc....../E......./R......./......../......../......../.......r/........", 4),
        ("......../......../......../......../......../R......./.......r/........", None),
        ("rdr...../hRh...../.M....../......../......../......../.......r/........", None),
        ("......../e......./R......./......../......../......../.......r/........", None),
        ("......../e......./RD....../......../......../......../.......r/........", None),
        ("rrr...../rRr...../.E....../......../......../......../.......r/........", None),
        ("......../.e....../.R....../..C...../......../......../.......r/........", None),
    ],
)
def test_steps_to_goal(position, steps):
    s = GAME.struct(GAME.state_from_text("g " + position))
    seen = [count for count in range(1, 5) if goal_within(s, 0, count)]
    # What is seen is never sooner than what full search finds, and in simple cases it is the same.
    assert not seen or (steps is not None and seen[0] >= steps)
    if steps in (1, 2):
        assert seen[0] == steps


def test_a_position_may_not_stand_a_third_time():
    state = GAME.state_from_text("g r......./......../......../......../......../......../......R./E.......")
    once = play_turns(GAME, state, "Ea1n", "ra8e", "Ea2s", "rb8w")
    assert board(GAME, once) == board(GAME, state)
    assert (GAME.repetitions(state), GAME.repetitions(once)) == (1, 2)
    twice = play_turns(GAME, once, "Ea1n", "ra8e", "Ea2s")
    with pytest.raises(IllegalMove, match="stood before"):
        notation.read_turn(GAME, twice, "rb8w")
    again = GAME.state_from_text(GAME.state_text(twice))  # the text carries the past
    assert again == twice
    assert notation.read_turn(GAME, again, "rb8s")
    # A capture cannot be undone, so the past goes with it.
    lost = play_turns(
        GAME,
        GAME.state_from_text("g r......./......../......../......../......../......../..R...R./E......."),
        "Ea1n",
        "ra8e",
        "Rc2n Rc3x",
    )
    assert GAME.past(lost) == []


def test_the_uncompiled_rules_are_the_same():
    expected = [len(GAME.actions(GAME.state_from_text(text))) for text in TEXTS]
    with compiler(jit=False):
        plain = load_game("arimaa")
        assert [len(plain.actions(plain.state_from_text(text))) for text in TEXTS] == expected
        assert perft(plain, plain.state_from_text(TEXTS[7]), depth=3) == perft(
            GAME, GAME.state_from_text(TEXTS[7]), depth=3
        )


def test_setting_up():
    state = GAME.initial()
    assert len(GAME.actions(state)) == 16
    first = "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Da2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Dh2"
    second = "ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 da7 hb7 cc7 md7 ee7 cf7 hg7 dh7"
    actions = notation.read_turn(GAME, state, first)
    assert len(actions) == 8
    assert sorted(notation.turn_text(GAME, state, actions).split()) == sorted(first.split())
    state = play_turns(GAME, state, first, second)
    assert GAME.state_text(state) == "g rrrrrrrr/dhcmechd/......../......../......../......../DHCMECHD/RRRRRRRR"
    assert distinct_turns(GAME, state) == 3353
    with pytest.raises(IllegalMove, match="not a set-up"):
        notation.read_turn(GAME, GAME.initial(), first.replace("Md2", "Rd2"))
    with pytest.raises(IllegalMove, match="elephant is set up now"):
        GAME.action_from_text(GAME.initial(), "Ra1")
    for count in (0, 3, 8, 11):
        state = GAME.initial()
        for _ in range(count):
            state = GAME.result(state, GAME.actions(state)[-1])
        assert GAME.state_from_text(GAME.state_text(state)) == state


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "eight ranks"),
        ("g rrrr/RRRR", "eight ranks"),
        (BASIC.replace("DHCMECHD", "DHCEECHD"), "2 of E"),
        (BASIC + " setup", "nobody is setting up"),
        ("s ......../......../......../......../......../......../......../E....... setup", "g is setting up"),
        ("g ......../......../......../......../......../E......./......../........ setup", "in this order"),
        (BASIC + " push d3>d4", "belong to a turn"),
        (BASIC + " step 1 push a1>c4", "no such pieces"),
    ],
)
def test_bad_positions(text, message):
    with pytest.raises(BadInput, match=message):
        GAME.state_from_text(text)


def test_the_short_form_of_other_programs_is_read():
    state = GAME.state_from_text(BASIC)
    short = notation.short_board(GAME.struct(state))
    assert len(short) == 66
    assert GAME.state_from_text(f"g {short}") == GAME.state_from_text(f"w {short}") == state


FILE = """[White "anna"]
[Black "ben"]
[ResultCode "r"]
[Result "1-0"]

1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Da2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Dh2
1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 da7 hb7 cc7 md7 ee7 cf7 hg7 dh7
2g Ee2n Ee3n Ee4n Ee5n
2s ed7s
2s takeback
2s hb7s
3g Cc2n Cc3x
3s resigns
"""


def test_game_files():
    assert recognise(FILE, GAME) == recognise("1g Ra1") == "arimaa"
    (unread,) = split("arimaa", FILE.splitlines(keepends=True))
    assert unread.title == "anna – ben, 1-0"
    record = unread.record(GAME)
    # The second ed7s is not legal: md7 stands there.
    assert "Turn 2s: 'ed7s' is not a legal move here: d7 holds m" in record.error
    record = next(record_format(GAME, "arimaa").read(FILE.replace("ed7s", "md7s")))
    assert not record.error
    assert (record.utilities, record.reason) == ((100.0, -100.0), "resigned")
    assert record.moves[16:] == ("Ee2n", "Ee3n", "Ee4n", "Ee5n", "hb7s", "pass", "Cc2n", "pass")
    written = record_format(GAME, "arimaa").write(record)
    again = next(record_format(GAME, "arimaa").read(written))
    assert (again.moves, again.players, again.utilities) == (record.moves, record.players, record.utilities)
    assert written.splitlines()[-1] == "3g Cc2n Cc3x"
    two = list(split("arimaa", (written + written).splitlines()))
    assert len(two) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1g Ra1\n", "not a set-up"),
        ("nonsense\n", "no line of an Arimaa game"),
        ('[Position "g 8"]\n2g Ee2n\n', "not a position"),
        (f'[Position "{BASIC}"]\n2s ee7s\n', "it is Gold's turn"),
        (f'[Position "{BASIC}"]\n2g takeback\n', "no turn to take back"),
    ],
)
def test_bad_game_files(text, message):
    assert message in next(record_format(GAME, "arimaa").read(text)).error


def test_clicks_name_the_squares():
    state = GAME.state_from_text(TEXTS[7])
    cells = {GAME.action_text(state, action): GAME.action_cells(state, action) for action in GAME.actions(state)}
    assert cells["Ed4n" if "Ed4n" in cells else "cd5n"] in (("d4", "d5"), ("d5", "d6"))
    assert GAME.action_cells(GAME.initial(), GAME.actions(GAME.initial())[0]) == ("a1",)
    assert GAME.draw(state).places[0].name == "a8"
