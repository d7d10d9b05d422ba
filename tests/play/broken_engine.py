"""A tic-tac-toe program for UCI, XBoard or GTP that fails on purpose: `broken_engine.py PROTOCOL FAULT`.

Faults: none, crash, crash-at-start, hang, hang-at-start, slow-start, late, illegal, nonsense, flood, no-newline, deaf,
children, no-move, resign, refuse, wrong-number, old, gnu. The last two are how old programs and GNU Chess 6.2.7 speak
XBoard's protocol.
"""

import os
import subprocess
import sys
import time

PROTOCOL, FAULT = sys.argv[1:3]
SQUARES = [column + row for row in "321" for column in "abc"]
played = []


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def misbehave(answer):
    """Fail when asked to move, or answer."""
    if FAULT == "crash" and len(played) >= 2:
        os._exit(3)
    if FAULT == "hang":
        while True:
            time.sleep(60)
    if FAULT == "late":
        time.sleep(0.6)
    if FAULT == "flood":
        while True:
            sys.stdout.write("info string and so on\n" * 1000)
    if FAULT == "no-newline":
        while True:
            sys.stdout.write("x" * 10000)
            sys.stdout.flush()
    if FAULT == "deaf":
        while True:
            time.sleep(60)
    move = next(square for square in SQUARES if square not in played)
    if FAULT == "illegal" and played:
        move = played[0]
    if FAULT == "nonsense":
        move = "\x00ÿ???"
    answer(move)


def answer_uci(move):
    say("info depth 3 score cp 12 nodes 99 pv " + move)
    say("bestmove" if FAULT == "no-move" else "bestmove " + move + " ponder zz")


def uci(line):
    words = line.split()
    if words[0] == "uci":
        say("id name broken")
        say("option name Skill Level type spin default 20 min 0 max 20")
        say("option name Style type combo default Solid var Solid var Very Risky")
        say("option name Ponder type check default false")
        say("option name Clear type button")
        say("uciok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "position":
        played[:] = words[words.index("moves") + 1 :] if "moves" in words else []
    elif words[0] == "go":
        misbehave(answer_uci)


def xboard(line):
    words = line.split()
    if words[0] == "protover":
        if FAULT != "old":
            say('feature usermove=1 ping=1 setboard=0 option="Style -spin 3 0 9"')
            say('feature option="Mode -combo fast /// *slow" option="Learn -check 1" done=1')
    elif words[0] == "ping":
        say("pong " + words[1])
        if FAULT == "gnu":
            say("pong " + words[1])
    elif words[0] == "new":
        played.clear()
        xboard.forced = False
    elif words[0] == "force":
        xboard.forced = True
    elif words[0] == "usermove" or (FAULT == "old" and words[0] in SQUARES):
        played.append(words[-1])
        if FAULT == "gnu":
            say(f"{len(played)}. {words[-1]}")
        if FAULT == "refuse":
            say("Illegal move: " + words[1])
        if not xboard.forced:
            misbehave(answer_xboard)
    elif words[0] == "go":
        xboard.forced = False
        misbehave(answer_xboard)


def answer_xboard(move):
    if FAULT == "resign":
        return say("resign")
    say("4 15 10 200 " + move)
    played.append(move)
    say("1. ... " + move if FAULT in ("old", "gnu") else "move " + move)
    if FAULT == "gnu":
        say("My move is : " + move)


def gtp(line):
    number, command, *rest = line.split()
    if FAULT == "wrong-number":
        number = str(int(number) + 7)

    def answer(text):
        say("=" + number + " " + text + "\n")

    if FAULT == "refuse" and command == "play":
        say("?" + number + " illegal move\n")
    elif command == "list_commands":
        answer("\n".join(["boardsize", "clear_board", "play", "genmove", "komi"]))
    elif command == "clear_board":
        played.clear()
        answer("")
    elif command == "play":
        played.append(rest[1])
        answer("")
    elif command == "genmove":
        if FAULT == "resign":
            answer("resign")
        else:
            misbehave(lambda move: (played.append(move), answer(move)))
    else:
        answer("")


if FAULT == "crash-at-start":
    sys.exit(1)
if FAULT == "hang-at-start":
    time.sleep(600)
if FAULT == "slow-start":
    time.sleep(0.7)
if FAULT == "children":
    child = subprocess.Popen(["sleep", "600"])
    with open(os.environ["CHILDREN"], "a") as file:
        file.write(f"{os.getpid()} {child.pid}\n")
if FAULT == "gnu":  # what has come by now is lost, and the first answer stands behind a prompt for people
    time.sleep(0.1)
    os.read(0, 1 << 16)
    sys.stdout.write("White (1) : ")
for line in sys.stdin:
    if line.strip() == "quit" or line.strip().endswith(" quit"):
        break
    if line.strip():
        {"uci": uci, "xboard": xboard, "gtp": gtp}[PROTOCOL](line)
