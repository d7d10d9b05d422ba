"""Rule sheets: reading, checks, and positions against a plain prover and against the same games written by hand."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gametree import SIMULTANEOUS, load_game
from gametree.core.errors import BadInput, GameError, IllegalMove, UnknownName
from gametree.games.ggp import SHEETS, SheetGame, open_sheet, sheet_names
from gametree.games.ggp._joins import Budget
from gametree.games.ggp._kif import read_forms
from gametree.games.ggp._network import Network
from gametree.games.ggp._rules import read_sheet
from gametree.interfaces.cli import run
from gametree.interfaces.web.games import check_name

Term = Any
Substitution = dict[str, Term]

CHOICE = """
(role a) (role b)
(init (round 1))
(step 1 2) (step 2 3)
(choice c) (choice d)
(<= (legal ?r ?c) (role ?r) (choice ?c))
(<= (next (round ?m)) (true (round ?n)) (step ?n ?m))
(<= (next (points ?r 1)) (does ?r d))
(<= (next (points ?r ?n)) (true (points ?r ?n)))
(<= terminal (true (round 3)))
(<= (goal ?r 70) (true (points ?r 1)))
(<= (goal ?r 20) (role ?r) (not (true (points ?r 1))))
"""
"""Two roles choose at once, twice; goals have no constant sum."""

GRAPH = """
(role walker)
(init (at a)) (init (edge (pair a b))) (init (edge (pair b c))) (init (edge (pair c a)))
(<= (linked ?x ?y) (true (edge (pair ?x ?y))))
(<= (reach ?x ?y) (linked ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))
(<= (legal walker (cut ?e)) (true (edge ?e)))
(<= (legal walker stay) (not (true (edge (pair a b)))))
(<= (next (edge ?e)) (true (edge ?e)) (not (does walker (cut ?e))))
(<= (next ?f) (true ?f) (distinct ?f (edge (pair a b))) (not (edge-fact ?f)))
(<= (edge-fact (edge ?e)) (true (edge ?e)))
(<= terminal (not (reach a a)))
(<= (goal walker 100) (not (reach a b)))
(<= (goal walker 40) (reach a b))
"""
"""Relations that depend on themselves, facts as variables, functions in functions, negation below negation."""


# The oracle: rules as they stand, tried until nothing new follows ----------------------------------------------------


class Plain:
    """A prover that keeps all facts in one set and tries every rule with every fact; `not` by strata of relations."""

    def __init__(self, text: str) -> None:
        self.rules: list[tuple[Term, tuple[Term, ...]]] = []
        for form in read_forms(text, "the sheet"):
            rule = isinstance(form.term, tuple) and form.term[0] == "<="
            self.rules.append((form.term[1], form.term[2:]) if rule else (form.term, ()))  # type: ignore[misc]
        names = [self.name(head) for head, _ in self.rules]
        self.level = dict.fromkeys(names, 0)
        for _ in names:
            for head, body in self.rules:
                for name, negated in self.asked(("and", *body)):
                    least = self.level.get(name, 0) + negated
                    self.level[self.name(head)] = max(self.level[self.name(head)], least)

    def name(self, term: Term) -> str:
        """The relation; goals by their value, since one may be what no other is."""
        word = term if isinstance(term, str) else term[0]
        return f"goal {term[2]}" if word == "goal" else str(word)

    def asked(self, term: Term, negated: bool = False) -> Iterator[tuple[str, bool]]:
        if isinstance(term, tuple) and term[0] in ("and", "or", "not"):
            for part in term[1:]:
                yield from self.asked(part, negated != (term[0] == "not"))
        else:
            yield self.name(term), negated

    def holds(self, given: set[Term]) -> set[Term]:
        facts = set(given)
        for level in sorted(set(self.level.values())):
            rules = [rule for rule in self.rules if self.level[self.name(rule[0])] == level]
            while True:
                new = {put(head, at) for head, body in rules for at in self.all(body, {}, facts)}
                if new <= facts:
                    break
                facts |= new
        return facts

    def all(self, body: tuple[Term, ...], at: Substitution, facts: set[Term]) -> list[Substitution]:
        """Conditions that hold come first, so that `not` and `distinct` meet no free variable."""
        found = [at]
        for term in sorted(body, key=lambda term: self.late(term)):
            found = [more for one in found for more in self.one(term, one, facts)]
        return found

    def late(self, term: Term) -> int:
        word = term if isinstance(term, str) else term[0]
        return 2 if word in ("not", "distinct") else word == "or"

    def one(self, term: Term, at: Substitution, facts: set[Term]) -> list[Substitution]:
        word = term if isinstance(term, str) else term[0]
        if word == "and":
            return self.all(term[1:], at, facts)
        if word == "or":
            return [more for part in term[1:] for more in self.one(part, at, facts)]
        if word == "not":
            return [] if self.one(term[1], at, facts) else [at]
        if word == "distinct":
            return [at] if put(term[1], at) != put(term[2], at) else []
        return [more for fact in facts if (more := fit(term, fact, at)) is not None]

    def start(self) -> frozenset[Term]:
        return frozenset(fact[1] for fact in self.holds(set()) if fact[0] == "init")

    def position(self, state: frozenset[Term]) -> set[Term]:
        return self.holds({("true", fact) for fact in state})

    def after(self, state: frozenset[Term], done: set[Term]) -> frozenset[Term]:
        facts = self.holds({("true", fact) for fact in state} | done)
        return frozenset(fact[1] for fact in facts if fact[0] == "next")


def put(term: Term, at: Substitution) -> Term:
    if isinstance(term, tuple):
        return tuple(put(part, at) for part in term)
    return at.get(term, term)


def fit(pattern: Term, fact: Term, at: Substitution) -> Substitution | None:
    if isinstance(pattern, tuple):
        if not isinstance(fact, tuple) or len(fact) != len(pattern):
            return None
        found: Substitution | None = at
        for part, piece in zip(pattern, fact, strict=True):
            found = None if found is None else fit(part, piece, found)
        return found
    if pattern.startswith("?"):
        return at | {pattern: fact} if at.get(pattern, fact) == fact else None
    return at if pattern == fact else None


def terms(game: SheetGame, state: Any) -> frozenset[Term]:
    return frozenset(form.term for form in read_forms(game.state_text(state), "a state"))


def move_text(term: Term) -> str:
    return term if isinstance(term, str) else f"{term[0]}({','.join(map(move_text, term[1:]))})"


SMALL = {
    "nim": (SHEETS / "nim.kif").read_text(encoding="utf-8"),
    "tic-tac-toe": (SHEETS / "tic-tac-toe.kif").read_text(encoding="utf-8"),
    "choice": CHOICE,
    "graph": GRAPH,
}


@pytest.mark.parametrize("name", SMALL)
def test_positions_moves_and_goals_as_a_plain_prover_has_them(name: str) -> None:
    game, plain, rng = SheetGame(SMALL[name], name), Plain(SMALL[name]), random.Random(name)
    checked = 0
    for _ in range(3):
        state, expected = game.initial(), plain.start()
        for _ in range(8):
            assert terms(game, state) == expected
            facts = plain.position(expected)
            checked += 1
            assert game.is_terminal(state) == ("terminal" in facts or ("terminal",) in facts)
            if game.is_terminal(state):
                goals = {fact[1]: int(fact[2]) for fact in facts if fact[0] == "goal"}
                assert dict(zip(game.roles, game.utilities(state), strict=True)) == goals
                break
            legal = {role: [fact[2] for fact in facts if fact[:2] == ("legal", role)] for role in game.roles}
            several = sum(len(moves) > 1 for moves in legal.values()) > 1
            assert (game.player(state) == SIMULTANEOUS) == several
            for seat, role in enumerate(game.roles):
                if len(legal[role]) > 1:
                    assert set(game.seat_actions(state, seat)) == set(map(move_text, legal[role]))
            joint = {role: rng.choice(sorted(moves, key=str)) for role, moves in legal.items()}
            expected = plain.after(expected, {("does", role, move) for role, move in joint.items()})
            if several:
                action: Any = tuple(move_text(joint[role]) if len(legal[role]) > 1 else None for role in game.roles)
            else:
                action = move_text(joint[game.roles[game.player(state)]])
            state = game.result(state, action)
    assert checked > 5


def test_the_plain_prover_and_the_network_have_the_same_larger_positions() -> None:
    for name in ("connect-four", "breakthrough"):
        game, plain = load_game(f"ggp:{name}"), Plain((SHEETS / f"{name}.kif").read_text(encoding="utf-8"))
        state, rng = game.initial(), random.Random(name)
        for _ in range(6):
            state = game.result(state, rng.choice(game.actions(state)))
        facts = plain.position(terms(game, state))  # type: ignore[arg-type]
        mover = game.seat_names[game.player(state)]
        assert set(game.actions(state)) == {move_text(fact[2]) for fact in facts if fact[:2] == ("legal", mover)}


# Known numbers --------------------------------------------------------------------------------------------------------


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def perft(game: Any, state: Any, depth: int) -> int:
    if game.is_terminal(state):
        return 0
    after = (game.result(state, action) for action in game.actions(state))
    return len(game.actions(state)) if depth == 1 else sum(perft(game, child, depth - 1) for child in after)


def reachable(game: Any) -> tuple[int, int, int]:
    """Positions, those at the end, and moves between them."""
    states, ends, edges = {game.initial(): None}, 0, 0
    left = list(states)
    for state in left:
        ends += game.is_terminal(state)
        for action in game.actions(state):
            edges += 1
            child = game.result(state, action)
            if child not in states:
                states[child] = None
                left.append(child)
    return len(states), ends, edges


def test_tic_tac_toe_as_a_sheet_is_the_game_written_by_hand() -> None:
    sheet, hand = load_game("ggp"), load_game("tictactoe")
    assert reachable(sheet) == reachable(hand) == (5478, 958, 16167)
    assert [perft(sheet, sheet.initial(), n) for n in range(1, 6)] == [9, 72, 504, 3024, 15120]
    assert sheet.facts.longest_game == 9
    assert sheet.facts.utility_sum == 100
    assert not sheet.facts.simultaneous


def test_connect_four_as_a_sheet_is_the_game_written_by_hand() -> None:
    sheet, hand = load_game("ggp:connect-four"), load_game("connect4")
    assert [perft(sheet, sheet.initial(), n) for n in range(1, 5)] == [7, 49, 343, 2401]
    rng = random.Random(4)
    ended = 0
    for _ in range(25):  # whole games, so that lines and full columns are met
        one, other = sheet.initial(), hand.initial()
        while not hand.is_terminal(other):
            columns = sorted(hand.action_text(other, action) for action in hand.actions(other))
            assert sorted(action[len("drop(") : -1] for action in sheet.actions(one)) == columns
            column = rng.choice(columns)
            one = sheet.result(one, f"drop({column})")
            other = hand.result(other, hand.action_from_text(other, column))
        assert sheet.is_terminal(one)
        assert [goal - 50 for goal in sheet.utilities(one)] == [50 * sign(value) for value in hand.utilities(other)]
        ended += 1
    assert ended == 25


def test_nim_as_a_sheet_is_the_game_written_by_hand() -> None:
    sheet, hand = load_game("ggp:nim"), load_game("nim")
    counts = [12, 115, 866, 5082]
    assert [perft(sheet, sheet.initial(), n) for n in range(1, 5)] == counts
    assert [perft(hand, hand.initial(), n) for n in range(1, 5)] == counts
    assert reachable(sheet) == (344, 2, 2000)


def test_roles_that_choose_at_once() -> None:
    game = SheetGame(CHOICE, "choice")
    start = game.initial()
    assert game.facts.simultaneous
    assert game.facts.utility_sum is None
    assert game.facts.longest_game == 2
    assert list(game.actions(start)) == list(itertools.product("cd", repeat=2))
    assert game.action_from_text(start, "c+d") == ("c", "d")
    end = game.result(game.result(start, ("c", "d")), ("c", "c"))
    assert game.utilities(end) == (20, 70)


def test_joint_moves_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "choice.kif").write_text(CHOICE, encoding="utf-8")
    for name, depth, lines in ((str(tmp_path / "choice.kif"), 2, 16), ("goofspiel:cards=3,prizes=up", 2, 36)):
        assert run(["perft", name, str(depth), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["nodes"] == lines


def test_the_same_in_every_order_of_positions_asked() -> None:
    game = load_game("ggp:breakthrough")
    twin = game.twin()
    states, rng = [game.initial()], random.Random(1)
    while not game.is_terminal(states[-1]):
        states.append(game.result(states[-1], rng.choice(game.actions(states[-1]))))
    for state in reversed(states):
        assert list(twin.actions(state)) == list(game.actions(state))


# Text and drawing -----------------------------------------------------------------------------------------------------


def test_moves_and_positions_as_text() -> None:
    game = load_game("ggp")
    start = game.initial()
    move = game.action_from_text(start, "mark(2,2)")
    assert game.action_from_text(start, "MARK 2 2") == game.action_from_text(start, "(mark 2 2)") == move
    after = game.result(start, move)
    assert "(cell 2 2 x)" in game.state_text(after)
    assert game.state_from_text(game.state_text(after)) == after
    with pytest.raises(IllegalMove, match="not a legal move"):
        game.action_from_text(after, "mark 2 2")
    with pytest.raises(BadInput, match=r"\(cell 9 9 x\) cannot be true"):
        game.state_from_text("(cell 9 9 x)")
    with pytest.raises(BadInput, match=r"the goals at .* sum to 0"):
        load_game("ggp:nim").state_from_text("(control first) (control second)")
    with pytest.raises(BadInput, match="never closed"):
        game.state_from_text("(cell 1 1 b")


def test_a_board_is_recognised() -> None:
    game = load_game("ggp")
    drawing = game.draw(game.result(game.initial(), "mark(1,3)"))
    assert (drawing.layout, drawing.rows, drawing.columns, drawing.caption) == ("square", 3, 3, "control oplayer")
    assert [(piece.row, piece.column, piece.text, piece.player) for piece in drawing.pieces] == [(0, 0, "x", 0)]
    assert game.action_cells(game.initial(), "mark(1,3)") == ["1 3"]
    four = load_game("ggp:connect-four")
    assert four.action_cells(four.initial(), "drop(3)") == ["3 1"]
    pawns = load_game("ggp:breakthrough")
    assert pawns.action_cells(pawns.initial(), "move(1,2,2,3)") == ["1 2", "2 3"]
    assert load_game("ggp:nim").draw(load_game("ggp:nim").initial()).layout == "text"


# What is refused ------------------------------------------------------------------------------------------------------

REST = "(<= (legal a go) (true on)) (init on) (<= (goal a 0) (true on)) (<= terminal (not (true on)))"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(role a", r"line 1, column 1: this '\(' is never closed"),
        ("; a comment (\n (role a))", r"line 2, column 10: this '\)' closes no"),
        ("(role a) ()", r"column 10: '\(\)' is empty"),
        ("(" * 100_000, "more than 60 lists are nested"),
        ("", "has 0 roles"),
        ("(role a)", "has no rule for 'legal'"),
        (" ".join(f"(role r{n})" for n in range(9)), "has 9 roles; expected 1 to 8"),
        ("(<= (role a) (true b))", "a role must be a fact"),
        ("(role a b)", "2 arguments; expected 1"),
        ("(role a) (true x)", "'true' cannot be what a rule derives"),
        ("(role random)", "GDL-II"),
        ("(role a) (<= (sees a x) (does a x))", "GDL-II"),
        ("(role a) (<=)", "has no head"),
        ("(role a) (<= p (not))", "'not' has 0 conditions"),
        ("(role a) (<= p (or))", "'or' has no conditions"),
        ("(role a) (<= p (next q))", "'next' cannot be a condition"),
        ("(role a) (<= (p ?x) q)", r"variable \?x of the head \(p \?x\) is bound by no condition"),
        ("(role a) (<= p (not (q ?x)))", r"variable \?x of 'not'"),
        ("(role a) (<= p (distinct ?x a))", r"variable \?x of 'distinct'"),
        ("(role a) (<= (p ?x) (or (q ?x) (r a)))", r"variable \?x of the head"),
        ("(role a) (p ?x)", r"variable \?x"),
        ("(role a) (<= p (not q)) (<= q p)", "own negation .* not stratified"),
        ("(role a) (<= (legal a x) (does a x))", "'legal' depends on 'does'"),
        ("(role a) (<= (init x) (true x))", "'init' depends on 'true'"),
        ("(role a) (?x b)", "not the name of a relation"),
        ("(role a) (p (?f b))", "not the name of a function"),
        ("(role a) (<= p " + "(or b c)" * 12 + ")", "more than 500 combinations"),
        ("(role a) (n 0) (<= (n (s ?x)) (n ?x)) (<= (legal a ?x) (n ?x)) (goal a 0) terminal", "grow without end"),
    ],
)
def test_a_bad_sheet_gets_a_sentence_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        SheetGame(text, "bad.kif")


def test_a_sheet_that_would_be_too_large_is_refused_before_it_is() -> None:
    numbers = " ".join(f"(number {n})" for n in range(60))
    text = f"(role a) {numbers} {REST}\n(<= (legal a (go ?x ?y ?z ?u)) (number ?x) (number ?y) (number ?z) (number ?u))"
    with pytest.raises(BadInput, match=r"large.kif, line 2, column 1: .* expected rules whose variables take fewer"):
        SheetGame(text, "large.kif")
    with pytest.raises(BadInput, match="too many facts"):
        Network(read_sheet(CHOICE, "choice"), Budget(facts=10))
    with pytest.raises(BadInput, match="too many steps"):
        Network(read_sheet(CHOICE, "choice"), Budget(steps=10))


def test_goals_and_moves_that_a_position_lacks() -> None:
    with pytest.raises(GameError, match="a has no legal move"):
        SheetGame("(role a) (init x) (<= (legal a go) (true y)) (goal a 0) (<= terminal (true z))", "stuck")
    with pytest.raises(GameError, match="goal of a is 0 and 50"):
        SheetGame("(role a) (legal a go) (goal a 0) (goal a 50) terminal", "double")
    for value in ("101", "x", "-5"):
        with pytest.raises(GameError, match="expected a number from 0 to 100"):
            SheetGame(f"(role a) (legal a go) (goal a {value}) terminal", "wrong")
    with pytest.raises(GameError, match="goal of a is none"):
        SheetGame("(role a) (legal a go) (<= (goal a 0) (true x)) terminal", "none")


def test_what_is_said_of_nobody_is_left_out() -> None:
    text = "(role a) (legal a go) (legal b go) (init x) (goal b 100) (goal a 40) (<= terminal (not (true x)))"
    game = SheetGame(text, "nobody")
    assert list(game.actions(game.initial())) == ["go"]
    assert game.utilities(game.result(game.initial(), "go")) == (40,)


def test_capital_letters_comments_and_single_words() -> None:
    text = "(ROLE A) ; (role b)\n(init ON)(<= (Legal a Stop))(<= (goal a 30)) (<= terminal (not (true on)))"
    game = SheetGame(text, "case")
    assert (game.roles, game.facts.longest_game) == (("a",), 1)
    after = game.result(game.initial(), "stop")
    assert game.state_text(after) == "-"
    assert game.state_from_text("-") == after
    assert game.utilities(after) == (30,)


def test_a_file_is_a_game(tmp_path: Path) -> None:
    file = tmp_path / "mine.kif"
    file.write_bytes(b"; caf\xe9\n" + CHOICE.encode())
    game = load_game(str(file))
    assert (game.name, game.facts.players) == (str(file), 2)
    with pytest.raises(BadInput, match="takes no parameters"):
        load_game(f"{file}:size=3")
    with pytest.raises(BadInput, match="There is no file"):
        open_sheet(str(tmp_path / "other.kif"))
    with pytest.raises(UnknownName, match=r"no sheet called '../mine'"):
        load_game("ggp:../mine")


@pytest.mark.parametrize("name", ["/tmp/mine.kif", "mine.kif", "../mine.kif", "ggp:/tmp/mine", "ggp:sheet=../mine"])
def test_a_page_cannot_name_a_file(name: str) -> None:
    with pytest.raises((UnknownName, BadInput)):
        check_name(name)


def test_sheets_that_come_with_gametree() -> None:
    assert sheet_names() == ["breakthrough", "connect-four", "nim", "tic-tac-toe"]
