"""`gametree words`: lexicons are built, checked and asked; the worth of tiles that stay is learned."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gametree.core.errors import BadInput
from gametree.interfaces.cli.common import Json, console, print_json, progress_bar

if TYPE_CHECKING:
    from gametree.kernels.word_graph import WordGraph

__all__ = ["register"]

Lexicon = Annotated[
    str, typer.Option("--words", "-w", help="enable, a list with one word a line, or a file that build has written.")
]
Language = Annotated[str, typer.Option("--language", "-l", help="Whose letters: english, french or german.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Word lists: build, check and ask them; learn what tiles that stay are worth.")

    @group.callback(invoke_without_command=True)
    def _root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (build, check, anagrams, pattern, hooks, leaves):
        group.command(command.__name__)(command)
    app.add_typer(group, name="words")


def _open(words: str, language: str) -> WordGraph:
    from gametree.games.scrabble.lists import graph_of
    from gametree.games.scrabble.sets import tile_set

    return graph_of(words, tile_set(language).letters)


def build(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="One word a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    language: Language = "english",
    json: Json = False,
) -> None:
    """Build a word graph from any list: a file that is mapped into memory in a moment."""
    from gametree.games.scrabble.lists import read_list
    from gametree.games.scrabble.sets import tile_set
    from gametree.kernels.word_graph import build_graph, write_graph

    if not output.parent.is_dir():
        raise BadInput(f"'{output}' cannot be written: there is no folder '{output.parent}'.")
    letters = tile_set(language).letters
    started = time.process_time()
    graph = build_graph(read_list(file, letters), letters)
    write_graph(output, graph)
    seconds, size = time.process_time() - started, output.stat().st_size
    if json:
        print_json({"file": str(output), "words": graph.words, "bytes": size, "seconds": seconds})
        return
    console.print(
        f"{output}: {graph.words:,} words of 2 to 15 letters, {size / 1e6:.1f} MB, "
        f"built in {seconds:.1f} s of processor time.",
        markup=False,
        soft_wrap=True,
    )


def check(
    asked: Annotated[list[str], typer.Argument(metavar="WORD...", help="Words.")],
    words: Lexicon = "enable",
    language: Language = "english",
    json: Json = False,
) -> None:
    """Say of each word whether it is in the lexicon."""
    from gametree.knowledge.lexicon import read_letters

    graph = _open(words, language)
    found = {word: word in graph for word in (read_letters(text, graph, "") for text in asked)}
    if json:
        print_json(found)
        return
    for word, holds in found.items():
        console.print(f"{word}: {'yes' if holds else 'no'}", markup=False)


def anagrams(
    letters: Annotated[str, typer.Argument(metavar="LETTERS", help="Letters, ? for any.")],
    shortest: Annotated[
        int, typer.Option("--shortest", "-s", help="Words of at least this many of the letters; by default of all.")
    ] = 0,
    words: Lexicon = "enable",
    language: Language = "english",
    json: Json = False,
) -> None:
    """List the words that the letters make."""
    from gametree.knowledge import lexicon

    graph = _open(words, language)
    given = lexicon.read_letters(letters, graph)
    if not 2 <= len(given) <= 15:
        raise BadInput(f"'{letters[:40]}' has {len(given)} letters; expected 2 to 15.")
    if given.count("?") > 2:
        raise BadInput(f"'{letters[:40]}' has {given.count('?')} blanks; expected at most 2.")
    if shortest < 0:
        raise BadInput(f"--shortest {shortest} is not possible; expected 2 or more.")
    _say(lexicon.anagrams(graph, given, shortest=shortest), json)


def pattern(
    wanted: Annotated[str, typer.Argument(metavar="PATTERN", help="Letters, ? for any one, * for any number.")],
    words: Lexicon = "enable",
    language: Language = "english",
    json: Json = False,
) -> None:
    """List the words that fit a pattern."""
    from gametree.knowledge import lexicon

    graph = _open(words, language)
    _say(lexicon.matching(graph, lexicon.read_letters(wanted, graph, "?*")), json)


def hooks(
    word: Annotated[str, typer.Argument(metavar="WORD", help="What stands on the board.")],
    words: Lexicon = "enable",
    language: Language = "english",
    json: Json = False,
) -> None:
    """Tell the letters that may stand in front of a word, and behind it."""
    from gametree.knowledge import lexicon

    graph = _open(words, language)
    asked = lexicon.read_letters(word, graph, "")
    front, behind = lexicon.hooks(graph, asked)
    if json:
        print_json({"word": asked, "front": list(front), "behind": list(behind)})
        return
    console.print(f"{front.lower() or '–'} {asked} {behind.lower() or '–'}", markup=False)


def leaves(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    words: Lexicon = "enable",
    language: Language = "english",
    games: Annotated[int, typer.Option("--games", "-g", help="Games of each generation.")] = 3000,
    generations: Annotated[int, typer.Option("--generations", help="How often the values are learned anew.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Of the games.")] = 0,
) -> None:
    """Learn from self-play what tiles that stay on the rack are worth; players take the file as weights=FILE."""
    import json

    from gametree.core.files import write_atomically
    from gametree.games.scrabble.lists import graph_of
    from gametree.games.scrabble.sets import tile_set
    from gametree.interfaces.cli.common import open_game
    from gametree.learning.leaves import learn_leaves

    if games < 10 or generations < 1:
        raise BadInput(f"{games} games in {generations} generations are too few; expected at least 10 games in one.")
    if not output.parent.is_dir():
        raise BadInput(f"'{output}' cannot be written: there is no folder '{output.parent}'.")
    graph_of(words, tile_set(language).letters)  # what is wrong with a list is said before the work
    game = open_game(f"scrabble:words={words},language={language}")
    with progress_bar("playing", quiet=False) as progress:
        found = learn_leaves(
            game,
            games=games,
            generations=generations,
            seed=seed,
            progress=lambda done, turns: progress(done, generations) if progress else None,
        )
    write_atomically(output, json.dumps({language: found}) + "\n")
    console.print(
        f"{output}: leave values of the {language} tiles, from {games * generations:,} games.", soft_wrap=True
    )


def _say(found: list[str], json: bool) -> None:
    if json:
        print_json(found)
        return
    for word in found:
        console.print(word, markup=False)
