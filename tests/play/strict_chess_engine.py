"""A chess program for UCI that castles as soon as it may and ends at the first word that is not right.

`strict_chess_engine.py [classical]`; a classical one has no option UCI_Chess960. What it was told is judged by
python-chess, so that it takes castling as the king takes the rook in Chess960, and in no other game.
"""

import sys

import chess

chess960 = False
board = chess.Board()
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        if "classical" not in sys.argv:
            print("option name UCI_Chess960 type check default false")
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "setoption":
        assert words[:4] == ["setoption", "name", "UCI_Chess960", "value"], line
        chess960 = {"true": True, "false": False}[words[4]]
    elif words[0] == "position":
        split = words.index("moves") if "moves" in words else len(words)
        fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:split])
        board = chess.Board(fen, chess960=chess960)
        assert board.is_valid(), line
        for word in words[split + 1 :]:
            move = chess.Move.from_uci(word)
            assert move in board.legal_moves, line
            assert word == board.uci(move), line
            board.push(move)
    elif words[0] == "go":
        moves = sorted(board.legal_moves, key=lambda move: (not board.is_castling(move), move.uci()))
        print("bestmove", board.uci(moves[0]), flush=True)
    elif words[0] == "quit":
        break
