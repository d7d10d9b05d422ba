"""Go: surround more of the board than the other side; stones without liberties are captured.

Rules: area scoring (stones and the empty regions that only one colour touches), positional superko (no move may bring
back any board that the game has seen), no suicide; a pass is always allowed, two in a row end the game. A game that
goes on for `moves` plies ends there and is scored as it stands: by default four times the points of the board, at
least 128, more than random play ever needs.

    go                              9 × 9                     go:19         19 × 19
    go:size=3x4                     3 rows of 4 points        go:size=9,komi=7.5,score=win

X (Black) is seat 0 and begins. The utility is the difference in area after `komi` points for White; the half point of
a komi such as 7.5 is rounded away from zero, so that utilities are whole and nobody draws. With `score=win` it is 1 or
−1, which Monte Carlo search likes better. Its random games keep their own eyes (`playouts=eyes`) or draw every legal
move and the pass alike (`playouts=all`).

Moves are points such as `D4` (columns A–T without I, rows from the bottom), or `pass`. A position as text is the rows
from the top with X, O and `.`, then the side to move, and where they matter `pass` (twice if both have passed),
`move N` (N plies were played) and `seen H,H,…`: the earlier boards of the game as hashes, which superko needs:
`.X./XO./... O move 3 seen 6a09e667f3bcc908,…`. Text without them means a game that starts from this board.

Chains of stones are circular lists with their pseudo-liberties (a liberty counts once for every stone beside it) and
the xor of their Zobrist keys at the head, so that a move's legality, its captures and the hash of the board that it
leads to are known from its four neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.kernels import ONE, ZERO, CompiledGame, mix, mix_in, plain_at_first, struct, u64, zobrist_keys

__all__ = ["Go", "game"]

# A board of ROWS × COLUMNS lies row by row in one array with an edge around it; the right edge of a row is the left one
# of the next. A cell's number is its move's number; cell 0, a corner of the edge, is the pass.
ROWS = COLUMNS = 9
PASS = 0
EMPTY, BLACK, WHITE, EDGE = ZERO, ONE, u64(2), u64(3)
NOBODY = 20_000
"""Liberties of the chain that edge and empty cells belong to (head 0): counting them up and down does no harm."""


def cell_count(rows: int, columns: int) -> int:
    """Cells of the board with its edge."""
    return (rows + 2) * (columns + 1) + 1


def default_limit(rows: int, columns: int) -> int:
    """The longest game in plies where nothing else is asked for."""
    return max(128, 4 * rows * columns)


def state_type(rows: int, columns: int) -> Any:
    """The struct of a game on such a board."""
    cells = cell_count(rows, columns)
    return struct(
        hash="u8",  # of the stones alone
        chain_hash=("u8", cells),  # at the head of a chain: the xor of its stones' keys
        plies="i4",
        passes="u1",  # in a row, up to now
        seat="u1",
        board=("u1", cells),
        head=("u2", cells),  # the cell that names the chain; 0 for edge and empty cells
        link=("u2", cells),  # the next stone of the chain, in a circle
        stones=("u2", cells),  # at the head: the number of stones
        liberties=("u2", cells),  # at the head: pseudo-liberties
        ko="u2",  # the cell where a stone would bring back the board before the last move, if that is known; else 0
        empty_count="u2",
        empties=("u2", rows * columns),  # the empty cells in any order
        place=("u2", cells),  # where an empty cell stands in `empties`
    )


STRIDE = u64(COLUMNS + 1)
FIRST = COLUMNS + 2
END = (ROWS + 1) * (COLUMNS + 1)
CELLS = cell_count(ROWS, COLUMNS)
LIMIT = default_limit(ROWS, COLUMNS)
KEYS = zobrist_keys(3 * CELLS, seed=1907)
EMPTY_HASH = u64(0x6A09E667F3BCC908)
KOMI_TWICE = 0
WIN_ONLY = False
ALL_MOVES = False
DRAW = u64(0x9E3779B97F4A7C15)
REPETITION = "forbidden"
State = state_type(ROWS, COLUMNS)


# Chains ---------------------------------------------------------------------------------------------------------------


def key_of(color: Any, cell: Any) -> Any:
    """The Zobrist key of a stone."""
    return KEYS[color * u64(CELLS) + cell]


def take_liberty(s: Any, cell: Any) -> None:
    """The chains beside the cell lose a pseudo-liberty for every stone that touches it."""
    s.liberties[s.head[cell - STRIDE]] -= 1
    s.liberties[s.head[cell - ONE]] -= 1
    s.liberties[s.head[cell + ONE]] -= 1
    s.liberties[s.head[cell + STRIDE]] -= 1


def give_liberty(s: Any, cell: Any) -> None:
    """The reverse of `take_liberty`."""
    s.liberties[s.head[cell - STRIDE]] += 1
    s.liberties[s.head[cell - ONE]] += 1
    s.liberties[s.head[cell + ONE]] += 1
    s.liberties[s.head[cell + STRIDE]] += 1


def empty_beside(s: Any, cell: Any) -> Any:
    """The number of empty neighbours."""
    return (
        np.int64(s.board[cell - STRIDE] == EMPTY)
        + np.int64(s.board[cell - ONE] == EMPTY)
        + np.int64(s.board[cell + ONE] == EMPTY)
        + np.int64(s.board[cell + STRIDE] == EMPTY)
    )


def remove_chain(s: Any, head: Any) -> None:
    """Take a chain without liberties off the board."""
    s.hash ^= s.chain_hash[head]
    stone = head
    while True:
        s.board[stone] = EMPTY
        s.head[stone] = 0
        s.empties[s.empty_count] = stone
        s.place[stone] = s.empty_count
        s.empty_count += 1
        # Stones of this chain that are still to go get liberties too; nobody will read them.
        give_liberty(s, stone)
        stone = u64(s.link[stone])
        if stone == head:
            return


def join(s: Any, cell: Any, neighbour: Any, color: Any) -> None:
    """Make one chain of the cell's and the neighbour's if both have the colour; the smaller one is renamed."""
    if u64(s.board[neighbour]) != color:
        return
    small, large = u64(s.head[neighbour]), u64(s.head[cell])
    if small == large:
        return
    if s.stones[small] > s.stones[large]:
        small, large = large, small
    s.stones[large] += s.stones[small]
    s.liberties[large] += s.liberties[small]
    s.chain_hash[large] ^= s.chain_hash[small]
    stone = small
    while True:
        s.head[stone] = large
        stone = u64(s.link[stone])
        if stone == small:
            break
    after = s.link[small]
    s.link[small] = s.link[large]
    s.link[large] = after


def capture(s: Any, neighbour: Any, color: Any) -> None:
    """Remove the neighbour's chain if it has the colour and no liberty left."""
    if u64(s.board[neighbour]) == color and s.liberties[s.head[neighbour]] == 0:
        remove_chain(s, u64(s.head[neighbour]))


def place_stone(s: Any, cell: Any) -> None:
    """Put a stone of the side to move on an empty cell, join its chains and remove what it captures."""
    color = u64(s.seat) + ONE
    other = EDGE - color
    hole = s.place[cell]
    s.ko = 0
    s.empty_count -= 1
    last = s.empties[s.empty_count]
    s.empties[hole] = last
    s.place[last] = hole
    key = key_of(color, cell)
    s.hash ^= key
    s.board[cell] = color
    s.head[cell] = cell
    s.link[cell] = cell
    s.stones[cell] = 1
    s.liberties[cell] = empty_beside(s, cell)
    s.chain_hash[cell] = key
    take_liberty(s, cell)
    join(s, cell, cell - STRIDE, color)
    join(s, cell, cell - ONE, color)
    join(s, cell, cell + ONE, color)
    join(s, cell, cell + STRIDE, color)
    free = s.empty_count
    capture(s, cell - STRIDE, other)
    capture(s, cell - ONE, other)
    capture(s, cell + ONE, other)
    capture(s, cell + STRIDE, other)
    # One stone took one stone and stands alone with its place as the only liberty: taking back brings the board back.
    if s.empty_count == free + 1 and s.stones[s.head[cell]] == 1 and s.liberties[s.head[cell]] == 1:
        s.ko = s.empties[free]


# Superko --------------------------------------------------------------------------------------------------------------
# The struct knows nothing of earlier boards: whoever walks a line of play keeps their keys (`gametree.kernels.past`).
# Only the retaking of a single stone, which would be the most common repetition by far, is ruled out here.


def repetition_key(s: Any) -> Any:
    """The board; 0 after a pass, which is always allowed."""
    return s.hash if s.passes == 0 else ZERO


def reversible_plies(s: Any) -> Any:
    """Captures may bring back any board of the game."""
    return np.int64(s.plies)


def key_after(s: Any, m: Any) -> Any:
    """The board after the move, found without playing it."""
    if m == PASS:
        return ZERO
    cell = u64(m)
    color = u64(s.seat) + ONE
    other = EDGE - color
    a, b = s.head[cell - STRIDE], s.head[cell - ONE]
    c, d = s.head[cell + ONE], s.head[cell + STRIDE]
    ab, ac, ad = np.int64(a == b), np.int64(a == c), np.int64(a == d)
    bc, bd, cd = np.int64(b == c), np.int64(b == d), np.int64(c == d)
    after = s.hash ^ key_of(color, cell)
    # A chain that touches the cell twice is captured once.
    if s.liberties[a] == 1 + ab + ac + ad and u64(s.board[cell - STRIDE]) == other:
        after ^= s.chain_hash[a]
    if s.liberties[b] == 1 + ab + bc + bd and u64(s.board[cell - ONE]) == other and ab == 0:
        after ^= s.chain_hash[b]
    if s.liberties[c] == 1 + ac + bc + cd and u64(s.board[cell + ONE]) == other and ac + bc == 0:
        after ^= s.chain_hash[c]
    if s.liberties[d] == 1 + ad + bd + cd and u64(s.board[cell + STRIDE]) == other and ad + bd + cd == 0:
        after ^= s.chain_hash[d]
    return after


def is_allowed(s: Any, cell: Any) -> Any:
    """Whether the side to move may play on the empty cell, but for superko: no suicide, no retaking of one stone."""
    if cell == s.ko:
        return False
    above, left, right, below = cell - STRIDE, cell - ONE, cell + ONE, cell + STRIDE
    first, second = u64(s.board[above]), u64(s.board[left])
    third, fourth = u64(s.board[right]), u64(s.board[below])
    if first == EMPTY or second == EMPTY or third == EMPTY or fourth == EMPTY:
        return True
    a, b, c, d = s.head[above], s.head[left], s.head[right], s.head[below]
    # A chain that touches the cell k times loses k pseudo-liberties; if it has no other, the stone takes its last one.
    ab, ac, ad = np.int64(a == b), np.int64(a == c), np.int64(a == d)
    bc, bd, cd = np.int64(b == c), np.int64(b == d), np.int64(c == d)
    last_a = s.liberties[a] == 1 + ab + ac + ad
    last_b = s.liberties[b] == 1 + ab + bc + bd
    last_c = s.liberties[c] == 1 + ac + bc + cd
    last_d = s.liberties[d] == 1 + ad + bd + cd
    # It takes a chain of its own that has another liberty, or an enemy's that has none and is captured.
    color = u64(s.seat) + ONE
    alive = (first != EDGE and (first == color) != last_a) or (second != EDGE and (second == color) != last_b)
    return alive or (third != EDGE and (third == color) != last_c) or (fourth != EDGE and (fourth == color) != last_d)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """An empty board."""
    for cell in range(CELLS):
        s.board[cell] = EDGE
    for cell in range(FIRST, END):
        if cell % (COLUMNS + 1) != 0:
            s.board[cell] = EMPTY
    tidy(s)


def tidy(s: Any) -> None:
    """Rebuild everything that follows from the stones in one fixed way, so that equal games are equal structs."""
    s.hash = EMPTY_HASH
    s.ko = 0
    s.empty_count = 0
    for at in range(CELLS):
        s.chain_hash[at] = ZERO
        s.liberties[at] = NOBODY if at == 0 else 0
        s.head[at] = s.link[at] = s.stones[at] = s.place[at] = 0
    for at in range(FIRST, END):
        if s.board[at] == EMPTY:
            s.empties[s.empty_count] = at
            s.place[at] = s.empty_count
            s.empty_count += 1
        elif u64(s.board[at]) != EDGE:
            s.head[at] = at
    for at in range(s.empty_count, ROWS * COLUMNS):
        s.empties[at] = 0
    # The head is the first cell of the chain: smaller numbers spread until nothing changes.
    changed = True
    while changed:
        changed = False
        for at in range(FIRST, END):
            cell = u64(at)
            for beside in (cell - STRIDE, cell - ONE, cell + ONE, cell + STRIDE):
                if s.head[cell] != 0 and s.board[beside] == s.board[cell] and s.head[beside] < s.head[cell]:
                    s.head[cell] = s.head[beside]
                    changed = True
    for at in range(FIRST, END):
        cell = u64(at)
        head = u64(s.head[cell])
        if head == ZERO:
            continue
        key = key_of(u64(s.board[cell]), cell)
        s.hash ^= key
        s.chain_hash[head] ^= key
        s.stones[head] += 1
        s.liberties[head] += empty_beside(s, cell)
        # `place` of the head serves as the last stone of the chain so far.
        s.link[cell] = head
        if cell != head:
            s.link[s.place[head]] = cell
        s.place[head] = cell
    for at in range(FIRST, END):
        if s.head[at] != 0:
            s.place[at] = 0


def player(s: Any) -> Any:
    """Black is seat 0."""
    return np.int64(s.seat)


def is_over(s: Any, out: Any) -> Any:
    """Both have passed, or the game has reached its limit."""
    return s.passes >= 2 or s.plies >= LIMIT


def legal_moves(s: Any, out: Any) -> Any:
    """The allowed cells row by row from the top, then the pass."""
    if is_over(s, out):
        return 0
    n = 0
    for cell in range(FIRST, END):
        if s.board[cell] == EMPTY and is_allowed(s, u64(cell)):
            out[n] = cell
            n += 1
    out[n] = PASS
    return n + 1


def play(s: Any, m: Any) -> None:
    """Play a stone or pass."""
    s.plies += 1
    if m == PASS:
        s.passes += 1
        s.ko = 0
    else:
        s.passes = 0
        place_stone(s, u64(m))
    s.seat = 1 - s.seat


def area(s: Any) -> Any:
    """Black's area minus White's: stones, and empty regions that touch one colour only."""
    balance = 0
    regions = False
    for cell in range(FIRST, END):
        color = u64(s.board[cell])
        if color == BLACK:
            balance += 1
        elif color == WHITE:
            balance -= 1
        elif color == EMPTY:
            # A single empty point, by far the most common region at the end of a random game, needs no flood.
            if empty_beside(s, u64(cell)) > 0:
                regions = True
            else:
                balance += owner(touched(s, u64(cell)))
    return balance + area_of_regions(s) if regions else balance


def touched(s: Any, cell: Any) -> Any:
    """The colours beside a cell: 1 Black, 2 White, 3 both; 4 is added if the edge is there."""
    colors = 1 << s.board[cell - STRIDE] | 1 << s.board[cell - ONE]
    colors |= 1 << s.board[cell + ONE] | 1 << s.board[cell + STRIDE]
    return np.int64(colors >> 1)


def owner(colors: Any) -> Any:
    """1 if only Black touches, −1 if only White, else 0."""
    colors &= 3
    return 1 if colors == 1 else -1 if colors == 2 else 0


def area_of_regions(s: Any) -> Any:
    """What the empty regions of two points and more add to Black's area minus White's."""
    balance = 0
    done = np.zeros(CELLS, np.uint8)
    stack = np.zeros(CELLS, np.uint64)
    for start in range(FIRST, END):
        if s.board[start] != EMPTY or done[start] != 0 or empty_beside(s, u64(start)) == 0:
            continue
        done[start] = 1
        stack[0] = start
        height, size, colors = 1, 0, 0
        while height > 0:
            height -= 1
            cell = u64(stack[height])
            size += 1
            colors |= touched(s, cell)
            for beside in (cell - STRIDE, cell - ONE, cell + ONE, cell + STRIDE):
                if s.board[beside] == EMPTY and done[beside] == 0:
                    done[beside] = 1
                    stack[height] = beside
                    height += 1
        balance += size * owner(colors)
    return balance


def points(balance: Any) -> Any:
    """Black's utility for an area difference: komi off, a half point rounded away from zero, or only who won."""
    twice = 2 * balance - KOMI_TWICE
    if WIN_ONLY:
        return 1 if twice > 0 else -1 if twice < 0 else 0
    return (twice + 1) // 2 if twice > 0 else twice // 2


def utility(s: Any) -> Any:
    """Area minus komi for the side to move."""
    value = points(area(s))
    return value if s.seat == 0 else -value


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any) -> Any:
    """Stones, and empty points that only one colour touches; komi off."""
    balance = 0
    for cell in range(FIRST, END):
        color = u64(s.board[cell])
        if color == BLACK:
            balance += 1
        elif color == WHITE:
            balance -= 1
        elif color == EMPTY:
            balance += owner(touched(s, u64(cell)))
    value = points(balance)
    return value if s.seat == 0 else -value


def hash_state(s: Any) -> Any:
    """The stones and the turn; not the earlier boards, which the struct does not know."""
    turn = u64(s.ko) << u64(40) | u64(s.plies) << u64(4) | u64(s.passes) << ONE | u64(s.seat)
    return mix_in(s.hash, turn)


def is_eye(s: Any, cell: Any, color: Any) -> Any:
    """Whether filling the empty cell would kill an eye of the colour.

    Its neighbours are all of the colour, and of its diagonals at most one is hostile, none at the edge of the board.
    """
    foe = EDGE - color
    if touched(s, cell) & np.int64(foe) != 0 or empty_beside(s, cell) > 0:
        return False
    hostile, at_edge = 0, 0
    for corner in (cell - STRIDE - ONE, cell - STRIDE + ONE, cell + STRIDE - ONE, cell + STRIDE + ONE):
        there = u64(s.board[corner])
        if there == foe:
            hostile += 1
        elif there == EDGE:
            at_edge = 1
    return hostile + at_edge < 2


def playout_move(s: Any, bits: Any, out: Any) -> Any:
    """A random move for Monte Carlo search: one that fills no eye of its own side, or any legal one (ALL_MOVES)."""
    count = np.int64(s.empty_count)
    if ALL_MOVES:
        # Empty cells and the pass are drawn until one is allowed: every legal move is equally likely.
        word = u64(bits)
        while True:
            at = np.int64((word >> u64(32)) * u64(count + 1) >> u64(32))
            if at == count:
                return np.int64(PASS)
            cell = u64(s.empties[at])
            if is_allowed(s, cell):
                return np.int64(cell)
            word = mix(word + DRAW)
    # The first fitting one from a random empty cell on; the pass only if there is none.
    color = u64(s.seat) + ONE
    start = np.int64((u64(bits) >> u64(32)) * u64(count) >> u64(32))
    for i in range(count):
        at = start + i
        if at >= count:
            at -= count
        cell = u64(s.empties[at])
        if not is_eye(s, cell, color) and is_allowed(s, cell):
            return np.int64(cell)
    return np.int64(PASS)


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def move_and_tidy(states: Any, move: Any, weights: Any) -> None:
    """One move in the first struct of an array, which is then rebuilt in the one fixed way."""
    play(states[0], move)
    tidy(states[0])


@plain_at_first
def tidy_first(states: Any) -> None:
    """Rebuild the first struct of an array."""
    tidy(states[0])


COLUMN_NAMES = "ABCDEFGHJKLMNOPQRST"
TEXT = re.compile(
    r"([XO./]+) ([XO])((?: PASS){0,2})(?: MOVE (\d{1,6}))?(?: SEEN ([0-9A-F]{16}(?:,[0-9A-F]{16})*))?", re.IGNORECASE
)


def read_size(size: int | str) -> tuple[int, int]:
    """Rows and columns from 9, "9" or "3x4". Raises BadInput."""
    found = re.fullmatch(r"(\d{1,2})(?:[x×](\d{1,2}))?", str(size).strip().lower())
    if found:
        rows = int(found[1])
        columns = int(found[2] or rows)
        # One point in a row has no inside: boards of a single row or column are left out.
        if 2 <= rows <= 19 and 2 <= columns <= 19:
            return rows, columns
    raise BadInput(f"go:size={size} is not possible; expected 2 to 19, or rows x columns such as 3x4.")


class Go(CompiledGame):
    """Go on a board of 2 × 2 to 19 × 19 points."""

    seat_names = ("Black", "White")
    mcts_parameters: ClassVar[Mapping[str, Any]] = {"rave": 1000.0}

    def __init__(
        self,
        size: int | str = 9,
        komi: float = 0.0,
        moves: int = 0,
        score: str = "area",
        playouts: str = "eyes",
    ) -> None:
        self.rows, self.columns = read_size(size)
        cells = self.rows * self.columns
        if not (abs(komi) <= 1000 and float(2 * komi).is_integer()):
            raise BadInput(f"go:komi={komi} is not possible; expected whole or half points.")
        if not 0 <= moves <= 20_000:
            raise BadInput(f"go:moves={moves} is not possible; expected 1 to 20000, or 0 for the default.")
        if score not in ("area", "win"):
            raise BadInput(f"go:score={score} is not possible; expected area or win.")
        if playouts not in ("eyes", "all"):
            raise BadInput(f"go:playouts={playouts} is not possible; expected eyes or all.")
        limit = moves or default_limit(self.rows, self.columns)
        most = 1 if score == "win" else cells + int(abs(komi) + 0.5)
        self.facts = Facts(most_moves=cells + 1, longest_game=limit, min_utility=-most, max_utility=most)
        self.komi = komi
        stride = self.columns + 1
        self._cells = [(row + 1) * stride + column + 1 for row in range(self.rows) for column in range(self.columns)]
        self._names = {
            cell: COLUMN_NAMES[place % self.columns] + str(self.rows - place // self.columns)
            for place, cell in enumerate(self._cells)
        }
        self._names[PASS] = "pass"
        super().__init__(
            ROWS=self.rows,
            COLUMNS=self.columns,
            STRIDE=u64(stride),
            FIRST=stride + 1,
            END=(self.rows + 1) * stride,
            CELLS=cell_count(self.rows, self.columns),
            LIMIT=limit,
            KEYS=zobrist_keys(3 * cell_count(self.rows, self.columns), seed=1907),
            KOMI_TWICE=int(2 * komi),
            WIN_ONLY=score == "win",
            ALL_MOVES=playouts == "all",
            State=state_type(self.rows, self.columns),
        )
        self._make_move = self.rules.kernel(move_and_tidy)
        self.formats = {"sgf": shared_format(self, "sgf", number=1)}

    def action_text(self, state: bytes, action: int) -> str:
        """The point's name, or `pass`."""
        return self._names[action]

    def _rows(self, state: bytes) -> list[str]:
        board = self.struct(state).board
        marks = "".join(".XO"[board[cell]] for cell in self._cells)
        return [marks[start : start + self.columns] for start in range(0, len(marks), self.columns)]

    def state_text(self, state: bytes) -> str:
        """The rows from the top, the side to move and, where they matter, a pass, the plies and the boards seen."""
        s = self.struct(state)
        text = "/".join(self._rows(state)) + " " + "XO"[s.seat]
        text += " pass" * int(s.passes)
        if s.plies:
            text += f" move {s.plies}"
        earlier = [board for board in self.past(state) if board != int(s.hash)]
        if earlier:
            text += " seen " + ",".join(f"{board:016x}" for board in earlier)
        return text

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes; all behind the side to move may be left out. Raises BadInput."""
        expected = f"{self.rows} rows of {self.columns} with X, O and '.', separated by '/', then X or O to move"
        found = TEXT.fullmatch(" ".join(text.split()))
        rows = found[1].upper().split("/") if found else []
        if found is None or len(rows) != self.rows or any(len(row) != self.columns for row in rows):
            raise BadInput(f"'{text}' is not a position of {self.name}; expected {expected}.")
        structs = self.structs(self.initial())
        s = structs[0]
        for cell, mark in zip(self._cells, "".join(rows), strict=True):
            s.board[cell] = ".XO".index(mark)
        self.rules.kernel(tidy_first)(structs)
        for cell in self._cells:
            if s.head[cell] == cell and s.liberties[cell] == 0:
                raise BadInput(f"'{text}' cannot come about: the stones at {self._names[cell]} have no liberty.")
        s.seat = "XO".index(found[2].upper())
        s.passes = passes = found[3].upper().count("PASS")
        earlier = [int(word, 16) for word in found[5].split(",")] if found[5] else []
        s.plies = int(found[4]) if found[4] else passes + len(earlier)
        limit = self.facts.longest_game or 0
        if len(earlier) + passes > s.plies or s.plies > limit:
            raise BadInput(
                f"'{text}' cannot come about: {s.plies} plies do not fit its passes, boards seen and the limit {limit}."
            )
        boards = [*earlier, int(s.hash)]
        if len(set(boards)) != len(boards):
            raise BadInput(f"'{text}' cannot come about: a board is seen twice.")
        return self.with_past(self.pack(structs), boards if passes else earlier)

    def draw(self, state: bytes) -> Drawing:
        """Stones on the crossings of lines."""
        pieces = tuple(
            Piece(row, column, mark, "XO".index(mark))
            for row, marks in enumerate(self._rows(state))
            for column, mark in enumerate(marks)
            if mark != "."
        )
        cells = tuple(self._names[cell] for cell in self._cells)
        return Drawing(layout="points", rows=self.rows, columns=self.columns, pieces=pieces, cells=cells, stones=True)


game = Go
