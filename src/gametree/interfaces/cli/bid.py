"""`gametree bid`: the auction of a bridge deal by a bidding system, with what every call means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput
from gametree.core.format import Record
from gametree.interfaces.cli.common import Json, console, open_game, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bid")(bid)


def bid(
    deal: Annotated[
        str, typer.Argument(metavar="DEAL", help="A deal as PBN writes it, a position, or a PBN or LIN file.")
    ],
    system: Annotated[str, typer.Option("--system", help="What all four bid by: a name, or a file.")] = "sayc",
    against: Annotated[str, typer.Option("--against", help="What East and West bid by, if it is another.")] = "",
    dealer: Annotated[str, typer.Option("--dealer", help="Who speaks first, if the deal does not say it.")] = "N",
    vulnerable: Annotated[str, typer.Option("--vulnerable", help="none, NS, EW or both.")] = "none",
    json: Json = False,
) -> None:
    """Bid a deal of bridge by a system, and say what each call means.

    Calls that the position has already are kept.
    """
    from gametree.games.bridge.bidding import Auction, load_system
    from gametree.games.bridge.cards import SEAT_NAMES, call_text
    from gametree.games.bridge.text import dealt_hands

    game: Any = open_game("bridge", plain=True)
    systems = (load_system(system), load_system(against or system))
    boards = []
    for position in _positions(game, deal, dealer, vulnerable):
        s = game.struct(game.state_from_text(position))
        if not all(int(hand) for hand in s.hands) and s.phase == 1:
            raise BadInput(f"'{deal}' does not show all four hands; expected a whole deal.")
        hands = [hand or 0 for hand in dealt_hands(s)]
        auction = Auction(systems, int(s.dealer))
        given = [int(number) for number in s.calls[: s.call_count]]
        calls = []
        while not _is_over(auction.calls):
            place = len(auction.calls)
            call = given[place] if place < len(given) else auction.choose(hands[auction.seat])[0]
            meaning = auction.add(call)
            calls.append(
                {
                    "seat": SEAT_NAMES[meaning.seat],
                    "call": call_text(call),
                    "meaning": meaning.sentence or "not in the system",
                }
            )
        line = " ".join(str(call["call"]) for call in calls)
        end = game.state_from_text(f"{position.partition(' | ')[0]} | {position.split(' | ')[1]} | {line}")
        boards.append(
            {"system": systems[0].title, "deal": game.state_text(end), "auction": [call["call"] for call in calls],
             "calls": calls, "contract": game.label(end) or "passed out"}
        )  # fmt: skip
    if json:
        for board in boards:
            print_json(board)
        return
    for board in boards:
        console.print(board["deal"], markup=False, soft_wrap=True)
        for call in board["calls"]:
            console.print(f"  {call['seat']:<5}  {call['call']:<4} {call['meaning']}", markup=False)
        console.print(f"{board['contract']}\n", markup=False)


def _positions(game: Any, deal: str, dealer: str, vulnerable: str) -> list[str]:
    """The deals that a text or a file holds, each with its dealer and vulnerability. Raises BadInput."""
    file = Path(deal)
    if file.suffix.lower() in (".pbn", ".lin"):
        if not file.is_file():
            raise BadInput(f"There is no file '{deal}'; expected a PBN or LIN file, or a deal.")
        from gametree.formats import record_format

        records: list[Record] = list(
            record_format(game, file.suffix[1:].lower()).read(file.read_text("utf-8", "replace"))
        )
        for record in records:
            if record.error:
                raise BadInput(f"'{deal}', line {record.line}: {record.error}")
        return [str(record.position) for record in records]
    text = deal if "|" in deal else f"{deal} | {dealer.upper()} {vulnerable}"
    state = game.state_from_text(text)
    if game.player(state) < 0:
        raise BadInput(f"'{deal}' has no cards; expected a deal such as N:… … … ….")
    return [game.state_text(state)]


def _is_over(calls: list[int]) -> bool:
    return len(calls) >= 4 and not any(calls[-3:])
