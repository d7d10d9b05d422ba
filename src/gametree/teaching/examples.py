"""The examples that lectures on adversarial search draw, as trees and positions with their answers.

>>> example("textbook").value
3
>>> result, record = example("textbook").search()
>>> [record.value[row] for row in record.skipped_leaves()]
[4, 6]

`sizes()` has the numbers by which lectures measure games. Where the slides show a figure that their text does not
carry, the tree is drawn anew so that everything which the text says of it holds; `source` tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput, UnknownName, suggest
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm, load_game
from gametree.core.result import SearchResult
from gametree.games.tree import parse_tree

__all__ = [
    "Example",
    "Size",
    "example",
    "examples",
    "leaf_name",
    "minimal_leaves",
    "plies_within",
    "sizes",
    "tree_nodes",
]


@dataclass(frozen=True, kw_only=True)
class Example:
    """One worked example: what is searched, how, and what must come out."""

    name: str
    title: str
    source: str
    """Where the example comes from, in words."""
    tree: str = ""
    """The drawn tree as text; empty if the example is a position of a game."""
    game_name: str = ""
    position: str = ""
    algorithm: str = "alphabeta"
    depth: int | None = None
    value: float
    """The root's value for MAX (the first player where there are more)."""
    values: tuple[float, ...] | None = None
    """The root's value for every player, where there are more than two."""
    move: str = ""
    """The best move at the root; empty at chance nodes and where nothing is searched."""
    skipped: tuple[str, ...] = ()
    """Leaves that the search never looks at: their labels, or the way to them such as 2.3."""
    question: str
    explanation: str

    def game(self) -> Game[Any, Any]:
        """The game to search, made anew."""
        return parse_tree(self.tree, name=self.name) if self.tree else load_game(self.game_name)

    def state(self) -> Any:
        """The state to search from."""
        game = self.game()
        return game.state_from_text(self.position) if self.position else game.initial()

    def search(self, algorithm: str | None = None) -> tuple[SearchResult, TreeRecord]:
        """Search it with its own algorithm or another; the record has the leaves below pruned nodes too.

        Raises UnknownName or UnfitGame.
        """
        game = self.game()
        record = TreeRecord(game)
        run = load_algorithm(algorithm or self.algorithm)[1]
        result: SearchResult = run(game, self.state(), depth=self.depth, record=record)
        if self.tree:
            record.expand_unvisited()
        return result, record


def leaf_name(record: TreeRecord, row: int) -> str:
    """What `skipped` calls a leaf of a drawn tree: its label, or the way to it."""
    return record.label[row] or ".".join(record.path(row))


_ITALIAN = "Italian lectures on games, after Ginsberg, Essentials of Artificial Intelligence, chapter 6"
_AACHEN = "Introduction to Artificial Intelligence, Aachen, slides on games"
_CHAPTER = "lecture on Russell and Norvig, chapter 5, Adversarial Search"

# All leaves differ where alpha-beta would treat equal ones as no better, so that the counts are those of the theory.
_BEST = "(((25 11 3) (35 12 8) (38 36 28)) ((24 22 4) (29 26 9) (40 37 34)) ((18 15 5) (32 16 6) (39 33 7)))"
_WORST = "(((7 33 39) (6 16 32) (5 15 18)) ((34 37 40) (9 26 29) (4 22 24)) ((28 36 38) (8 12 35) (3 11 25)))"

# MAX is to lose a rook (5) whatever happens. Two delaying moves give a pawn each (1) and push the loss beyond ply 3.
_HORIZON = (
    "R(delay=-1(answer=-1(again=-2(!rook=-7 wait=-2)))"
    " accept=0(!capture=-5(develop=-5(castle=-5 retreat=-4)) ignore=0(save=0(late=0 push=1))))"
)
# Taking the defended pawn wins it on the board, until the recapture is seen.
_EXCHANGE = "R(take=1(!recapture=-8 decline=1) calm=0(trade=0 attack=1))"

_EXAMPLES = (
    Example(
        name="labelling",
        title="Labelling a tree with +1 and −1",
        source=f"{_ITALIAN}; redrawn to fit what the text says of the nodes o, k and i",
        tree="a(b(e(i(s=1 t=-1) j=-1) f=1) c(g(k(o(p=-1 q=1 r=-1) n=1) l=-1) h=1) d(m=-1 u(v=1 w=-1)))",
        algorithm="minimax-labelling",
        value=1,
        move="c",
        question="The leaves are won (+1) or lost (−1) for MAX. What are o, k, i and the root worth?",
        explanation=(
            "At o MAX is to move: p and r lose, but q wins, so o is +1. At k MIN is to move and whatever MIN does "
            "leads to +1, so k is +1. At i MIN has a winning move, so i is −1. A MAX node gets the greatest label of "
            "its children and a MIN node the least; the root is +1 by way of c."
        ),
    ),
    Example(
        name="winning-move",
        title="A winning move makes the other moves uninteresting",
        source=f"{_ITALIAN}; the tree of the labelling, with the winning move first",
        tree="a(c(g(k(o(p=-1 q=1 r=-1) n=1) l=-1) h=1) b(e(i(s=1 t=-1) j=-1) f=1) d(m=-1 u(v=1 w=-1)))",
        value=1,
        move="c",
        skipped=("t", "f", "v", "w"),
        question="MAX has found out that c wins. What is left to look at below b and d?",
        explanation=(
            "No more than a proof that b and d are no better than the +1 that c is sure to give, and one reply at each "
            "of them is proof enough: e cannot be worth more than +1, and m is −1. So f, u and the rest are "
            "cut. A search that is told that +1 is the most there can be need not look at b and d at all."
        ),
    ),
    Example(
        name="shallow-cut",
        title="max(0.3, min(−0.5, g))",
        source=_ITALIAN,
        tree="A(B=0.3 C(F=-0.5 G))",
        value=0.3,
        move="B",
        skipped=("G",),
        question="B is worth 0.3 and F −0.5. Does the value of A depend on G?",
        explanation=(
            "C = min(−0.5, g) is at most −0.5 whatever g is, so A = max(0.3, C) = 0.3. A does not depend on G, and the "
            "tree below G need not be looked at."
        ),
    ),
    Example(
        name="deep-cut",
        title="A deep cut-off at −0.1",
        source=f"{_ITALIAN}; the nodes below C other than E, F and G are added",
        tree="A(B=0.3 C(D(E(F=-0.1 G) H=0.5) I=0.1))",
        value=0.3,
        move="B",
        skipped=("G",),
        question="Is G on the line of play that will come about?",
        explanation=(
            "If G is, so is E. But at E MIN can always have −0.1, which is worse for MAX than the 0.3 that MAX could "
            "have had at A, three moves earlier. So G cannot be on the line. The bound does not come from the parent "
            "D, which has no value yet, but from an ancestor further up: a deep cut-off."
        ),
    ),
    Example(
        name="max-cut",
        title="Max(3, Min(2, x, y)) is 3 without knowing x and y",
        source=_CHAPTER,
        tree="max(3 min(2 x y))",
        value=3,
        move="1",
        skipped=("x", "y"),
        question="What is the value if nobody knows x and y?",
        explanation="Min(2, x, y) is at most 2, so Max(3, Min(2, x, y)) is 3 whatever x and y are.",
    ),
    Example(
        name="min-cut",
        title="Min(2, Max(3, x, y)) is 2 without knowing x and y",
        source=_CHAPTER,
        tree="min(2 max(3 x y))",
        value=2,
        move="1",
        skipped=("x", "y"),
        question="What is the value if nobody knows x and y?",
        explanation="Max(3, x, y) is at least 3, so Min(2, Max(3, x, y)) is 2 whatever x and y are.",
    ),
    Example(
        name="textbook",
        title="The two-ply tree 3 12 8 / 2 4 6 / 14 5 2",
        source=f"{_CHAPTER}; also in the Italian and the Aachen slides",
        tree="((3 12 8) (2 4 6) (14 5 2))",
        value=3,
        move="1",
        skipped=("2.2", "2.3"),
        question="What is the root worth, and which leaves does alpha-beta skip?",
        explanation=(
            "The three MIN nodes are worth 3, 2 and 2, so the root is worth 3. After the first one MAX has 3. The leaf "
            "2 shows that the second MIN node is worth at most 2, so its leaves 4 and 6 are skipped. The third MIN "
            "node begins with 14 and 5, which prove nothing, so all of it is looked at."
        ),
    ),
    Example(
        name="exercise",
        title="The exercise 5 0 6 1 3 2 4 7",
        source=f"{_CHAPTER}, Another Example",
        tree="(((5 0) (6 1)) ((3 2) (4 7)))",
        value=5,
        move="1",
        skipped=("1.2.2", "2.2.1", "2.2.2"),
        question="MAX, MIN and MAX move in turn. What is the root worth, and where may alpha-beta stop looking?",
        explanation=(
            "The four lower MAX nodes are worth 5, 6, 3 and 7, the MIN nodes 5 and 3, the root 5. Once the first lower "
            "node gives 5, the leaf 6 shows that the second is too good for MIN to allow: 1 is skipped (a beta cut). "
            "Then MAX has 5, the third lower node gives 3, and MIN can hold MAX to it: 4 and 7 are skipped (an alpha "
            "cut)."
        ),
    ),
    Example(
        name="ideal",
        title="The ideal tree: the best move is always the left-most",
        source=f"{_AACHEN}, Alpha-Beta: the Ideal Case, after Winston; leaf values of our own",
        tree=_BEST,
        value=25,
        move="1",
        skipped=(
            *("1.2.2", "1.2.3", "1.3.2", "1.3.3"),
            *("2.2.1", "2.2.2", "2.2.3", "2.3.1", "2.3.2", "2.3.3"),
            *("3.2.1", "3.2.2", "3.2.3", "3.3.1", "3.3.2", "3.3.3"),
        ),
        question="Three moves everywhere, three plies, 27 leaves. How few of them can alpha-beta do with?",
        explanation=(
            "b^⌈d/2⌉ + b^⌊d/2⌋ − 1 leaves: here 9 + 3 − 1 = 11 of 27. Knuth and Moore proved in 1975 that no search "
            "can do with fewer, and with the best move first alpha-beta needs no more. So it looks twice as deep as "
            "minimax in the same time."
        ),
    ),
    Example(
        name="worst-order",
        title="The same leaves in the worst order",
        source=f"{_ITALIAN}, on how much the cut-offs save",
        tree=_WORST,
        value=25,
        move="3",
        question="The tree of the ideal case with the best move always last. How many leaves are skipped?",
        explanation=(
            "None: every move turns out better than the ones before it, so no value ever leaves its window, and "
            "alpha-beta looks at all 27 leaves like minimax. Order is everything."
        ),
    ),
    Example(
        name="open-lines",
        title="Tic-tac-toe judged by open lines",
        source=f"{_CHAPTER}, evaluation after Jones, Artificial Intelligence: A Systems Approach",
        game_name="tictactoe",
        position=".../.X./O..",
        depth=0,
        value=1 / 9,
        question="X holds the centre, O a corner. How many lines can each still fill, and what does EVAL say?",
        explanation=(
            "O blocks three of the eight lines, so five are open for X. X blocks the four through the centre, so four "
            "are open for O. EVAL is the difference, 5 − 4 = 1, over 9 so that no estimate reaches the value of a win."
        ),
    ),
    Example(
        name="open-lines-search",
        title="The first move in tic-tac-toe, two plies ahead",
        source=f"{_CHAPTER}, minimax with open lines",
        game_name="tictactoe",
        position=".../.../...",
        algorithm="minimax",
        depth=2,
        value=1 / 9,
        move="b2",
        question="Look two plies ahead and judge by open lines. Where should X begin?",
        explanation=(
            "Against the centre the best reply is a corner: 5 − 4 = 1. Against a corner it is the centre: 4 − 5 = −1. "
            "Against an edge it is the centre as well: 4 − 6 = −2. So X begins in the centre, with 1 over 9."
        ),
    ),
    Example(
        name="final-stage",
        title="Tic-tac-toe near the end, search depth 2",
        source=f"{_AACHEN}, Tic-Tac-Toe (2); a position of our own",
        game_name="tictactoe",
        position="XOX/.OO/.X.",
        depth=2,
        value=0,
        move="a2",
        question="X is to move. What do two plies show?",
        explanation=(
            "O threatens to fill the middle row. Any move but a2 loses at once, worth −1. After a2 both replies leave "
            "X no worse than level by open lines, so X blocks, worth 0."
        ),
    ),
    Example(
        name="category",
        title="An expected value of 0.76",
        source=f"{_CHAPTER}, evaluation functions",
        tree="[0.72:win=1 0.20:loss=0 0.08:draw=0.5]",
        algorithm="expectiminimax",
        value=0.76,
        question="Of all positions with two pawns against one, 72 % were won, 20 % lost and 8 % drawn. What is EVAL?",
        explanation="Positions with the same features are one category, worth 0.72 · 1 + 0.20 · 0 + 0.08 · ½ = 0.76.",
    ),
    Example(
        name="chance",
        title="Coins between the moves: expectiminimax",
        source=f"{_CHAPTER}, Nondeterministic Games; leaf values as in Russell and Norvig's coin-flipping tree",
        tree="(L[0.5:min(2 4) 0.5:min(7 4)] R[0.5:min(6 0) 0.5:min(5 -2)])",
        algorithm="expectiminimax",
        value=3,
        move="L",
        question="MAX moves, a coin falls, MIN moves. What is the root worth?",
        explanation=(
            "The MIN nodes are worth 2, 4, 0 and −2. A chance node is worth the average of its children: 3 and −1. MAX "
            "takes 3."
        ),
    ),
    Example(
        name="exchange",
        title="Stopping in the middle of an exchange",
        source=f"{_AACHEN}, When to Cut Off Search; a tree in place of the chess positions",
        tree=_EXCHANGE,
        depth=1,
        value=1,
        move="take",
        question="One ply deep, taking the pawn is worth +1. Is it?",
        explanation=(
            "The search stops where MIN is about to recapture, and EVAL counts only what stands on the board. A "
            "position that is not quiescent must not be judged like this; see exchange-cured."
        ),
    ),
    Example(
        name="exchange-cured",
        title="The same exchange, followed until it is quiet",
        source=f"{_AACHEN}, When to Cut Off Search",
        tree=_EXCHANGE,
        algorithm="quiescence",
        depth=1,
        value=0,
        move="calm",
        question="The same tree, but captures are followed before EVAL is asked. Which move is best?",
        explanation=(
            "Quiescence search sees the recapture, which makes taking worth −8. The calm move is worth 0 and is chosen."
        ),
    ),
    Example(
        name="horizon",
        title="The horizon effect",
        source=f"{_AACHEN}, Horizon Problem, and {_ITALIAN}; a tree in place of the chess position",
        tree=_HORIZON,
        depth=3,
        value=-2,
        move="delay",
        skipped=("late", "push"),
        question="MAX is about to lose a rook. Three plies deep, two delaying moves look better. Are they?",
        explanation=(
            "Each delaying move gives up a pawn (−1) and forces an answer, so that the loss of the rook (−5) falls "
            "beyond the third ply. The search takes −2 for the better outcome. In truth delaying loses the pawns and "
            "then the rook as well, −7, and accepting the loss at once is worth −5."
        ),
    ),
    Example(
        name="horizon-cured",
        title="The horizon effect, cured by quiescence search",
        source=f"{_AACHEN}, Horizon Problem, and {_ITALIAN}",
        tree=_HORIZON,
        algorithm="quiescence",
        depth=3,
        value=-5,
        move="accept",
        question="The same tree, but captures are followed beyond the third ply. Which move is best?",
        explanation=(
            "Where the delaying moves end, MIN can take the rook, and quiescence search looks at that: −7. Accepting "
            "the loss at once is worth −5, as a search of the whole tree says too."
        ),
    ),
    Example(
        name="three-players",
        title="Three players: every node has a value for each",
        source=f"{_CHAPTER}; utilities as in Russell and Norvig's tree for three players",
        tree="(((1/2/6 4/2/3) (6/1/2 7/4/1)) ((5/1/1 1/5/2) (7/7/1 5/4/5)))",
        algorithm="maxn",
        value=1,
        values=(1, 2, 6),
        move="1",
        question="Each player wants the most for themselves. What vector reaches the root?",
        explanation=(
            "The third player picks the leaf with the greatest third number: (1, 2, 6), (6, 1, 2), (1, 5, 2) and "
            "(5, 4, 5). The second then prefers (1, 2, 6) on the left and (1, 5, 2) on the right. For the first both "
            "are worth 1, and the first of them stands."
        ),
    ),
)


def examples() -> tuple[Example, ...]:
    """All examples, in the order in which a course would take them."""
    return _EXAMPLES


def example(name: str) -> Example:
    """The example called `name`. Raises UnknownName with the closest name."""
    for known in _EXAMPLES:
        if known.name == name.strip().lower():
            return known
    names = [known.name for known in _EXAMPLES]
    raise UnknownName(
        f"There is no example called '{name}'.{suggest(name, names)} `gametree tree --example list` shows them all."
    )


# How large games are --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """A number by which lectures show how large a game is."""

    name: str
    formula: str
    value: int
    explanation: str

    @property
    def power_of_ten(self) -> int:
        """The order of magnitude: the greatest k with 10^k ≤ value."""
        return len(str(self.value)) - 1


def sizes() -> tuple[Size, ...]:
    """The sizes that the lectures quote, computed from their formulas."""
    factorial = math.factorial
    return (
        Size("tic-tac-toe", "9!", factorial(9), "Ways to fill the board; real games end earlier, there are 255,168."),
        Size("chess, one ply", "20", 20, "First moves of White: sixteen by pawns and four by knights."),
        Size("chess, two plies", "20 · 20", 20 * 20, "Black has as many replies to each."),
        Size(
            "chess, four plies",
            "counted",
            197_281,
            "Ways to play two moves each; lectures say more than 144,000, about 400 · 19 · 19.",
        ),
        Size("chess, game tree", "35^100", 35**100, "About 35 moves in a position and 50 moves for each player."),
        Size(
            "chess, Shannon's number",
            "(10^3)^40",
            10**120,
            "About 10^3 ways to play a move and a reply (30 · 30), and 40 such pairs in a game.",
        ),
        Size(
            "chess, Shannon's positions",
            "64! / (32! · 8!² · 2!⁶)",
            factorial(64) // (factorial(32) * factorial(8) ** 2 * factorial(2) ** 6),
            "Ways to put the 32 men on 64 squares: 8 pawns of each colour, and six pairs of alike pieces.",
        ),
        Size("chess, legal positions", "10^40", 10**40, "The lectures' estimate of those that can come about."),
        Size("atoms in the known universe", "10^80", 10**80, "What the lectures compare with."),
        Size("nodes in 100 seconds", "100 · 10^4", 100 * 10**4, "At 10,000 nodes a second: the budget of one move."),
        Size(
            "positions in 150 seconds", "150 · 1000", 150 * 1000, "At 1000 positions a second, 3 to 4 plies of chess."
        ),
    )


def tree_nodes(branching: int, depth: int) -> int:
    """Nodes of a tree that branches evenly: 1 + b + b² + … + b^d."""
    return sum(int(branching**level) for level in range(depth + 1))


def minimal_leaves(branching: int, depth: int) -> int:
    """Leaves that alpha-beta cannot do without: b^⌈d/2⌉ + b^⌊d/2⌋ − 1 (Knuth and Moore, 1975)."""
    return int(branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1)


def plies_within(leaves: int, branching: int, *, alphabeta: bool = False) -> int:
    """The deepest even tree whose leaves a budget covers, for minimax or for alpha-beta with the best order.

    Raises BadInput if `branching` is below 2, when the budget covers any depth.
    """
    if branching < 2:
        raise BadInput(f"branching={branching} is too little; expected at least 2.")
    depth = 0
    while (minimal_leaves(branching, depth + 1) if alphabeta else branching ** (depth + 1)) <= leaves:
        depth += 1
    return depth
