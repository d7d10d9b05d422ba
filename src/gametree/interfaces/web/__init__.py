"""The workbench in the browser: a small server on this machine, and pages that know no rules.

The server's own process never runs a game's code: rules and searches run in worker processes (`work`, `worker`), so
that nothing a game does can stop the pages or be left running. The browser draws what `boards` says about a position
and sends the text of a move. Only the command `gametree web` imports this folder.
"""
