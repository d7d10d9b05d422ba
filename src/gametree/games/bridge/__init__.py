"""Bridge: four players, two sides; bid for tricks and take them, with dummy's cards on the table.

    bridge                a deal scored as duplicate          bridge:imp            the same in IMPs
    bridge:rubber         deals until a side has two games    bridge:double-dummy   all cards face up

Calls are `P`, `X`, `XX` and `1C` to `7NT`, cards a suit and a rank: `SQ`, `HT`. A position as text is the deal as PBN
writes it, dealer and vulnerability, the calls and the cards (`text`). North and South are seats 0 and 2.

The folder: `cards`, `text` and `drawing` (what people read), `table` (the struct and what happens to it), `redealing`,
`scoring`, `rules` (the verbs and the formal game), `solver` (double dummy), `par`, `bidding` and `systems` (what calls
mean), `playing` (what a program does). Files of deals are read in the room `gametree.formats`.
"""

from gametree.games.bridge.rules import Bridge

__all__ = ["Bridge", "game"]

game = Bridge
