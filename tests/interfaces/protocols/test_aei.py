"""AEI both ways: the conversation of a controller with our engine, and our client with that engine as its program."""

from __future__ import annotations

import io
import sys

import pytest

from gametree.core.errors import BadInput
from gametree.core.registry import load_game
from gametree.games.arimaa import notation
from gametree.interfaces.protocols.aei import AeiEngine
from gametree.play.clocks import Turn
from gametree.play.players import PlayerFault, make_player

GOLD = "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Da2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Dh2"
BASIC = "g rrrrrrrr/dhcmechd/......../......../......../......../DHCMECHD/RRRRRRRR"
SILVER = "ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 da7 hb7 cc7 md7 ee7 cf7 hg7 dh7"


def talk(*lines):
    """What the engine says to these lines."""
    output = io.StringIO()
    AeiEngine(output, hash_mib=1).serve(lines)
    return output.getvalue().splitlines()


def test_a_game_as_a_controller_plays_it():
    said = talk(
        "aei", "isready", "newgame", "setoption name foo value 1", "setoption name tcmove value 2",
        "setoption name depth value 4", "go", f"makemove {GOLD}", "go", f"makemove {SILVER}", "go",
        "makemove Ee2n Ee3n", "quit", "isready",
    )  # fmt: skip
    assert said[0] == "protocol-version 1"
    assert said[1:4] == ["id name gametree", "id author gametree", said[3]]
    assert said[4:6] == ["aeiok", "readyok"]
    assert said[6] == "log Warning: Received unrecognized option, foo"
    moves = [line.removeprefix("bestmove ") for line in said if line.startswith("bestmove")]
    assert len(moves) == 3
    game = load_game("arimaa")
    state = game.initial()
    for text in moves[:2]:
        assert len(text.split()) == 16
        for action in notation.read_turn(game, state, text):
            state = game.result(state, action)
    assert game.player(state) == 0
    state = game.state_from_text(BASIC)
    assert 1 <= len(notation.read_turn(game, state, moves[2])) <= 4
    assert sum(line.startswith("info") for line in said) >= 4
    assert said[-1].startswith("bestmove")  # nothing is said after quit


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("makemove Ee2w", "log Error: 'Ee2w' is not a set-up here"),
        ("nonsense", "log Error: unknown message 'nonsense'"),
        ("setposition g [rrr]", "log Error: 'g rrr' is not a position"),
    ],
)
def test_what_is_wrong_is_said_and_ends_the_conversation(line, message):
    said = talk("aei", "newgame", line, "isready")
    assert said[-1].startswith(message)


def test_a_position_is_taken_and_a_goal_played():
    board = "[        R                                              r        ]"
    said = talk("isready", f"setposition g {board}", "go", "stop")
    assert said[-1] == "bestmove Ra7n"


PROGRAM = f"'{sys.executable} -c \"from gametree.interfaces.protocols.aei import AeiEngine; import sys; "
PROGRAM += "AeiEngine(sys.stdout, hash_mib=1).serve(sys.stdin)\"'"


def test_a_program_that_speaks_aei_is_a_player():
    game = load_game("arimaa")
    player = make_player(f"aei:{PROGRAM}?depth=2&time=5&start=120", game)
    state = game.initial()
    actions = []
    try:
        player.start(game, 0, 1)
        for _ in range(24):
            action = player.choose(game, state, game.player(state), Turn(game.initial(), tuple(actions))).action
            assert action in game.actions(state)
            actions.append(action)
            state = game.result(state, action)
        assert game.struct(state).placed == 16
        within = game.state_from_text(BASIC)
        within = game.result(within, game.action_from_text(within, "Ee2n"))
        with pytest.raises(PlayerFault, match="within a turn"):
            player.choose(game, within, 0, Turn(within, ()))
    finally:
        player.close()


def test_other_games_have_no_words():
    with pytest.raises(BadInput, match="AEI has no words for chess"):
        make_player(f"aei:{sys.executable}", load_game("chess"))
