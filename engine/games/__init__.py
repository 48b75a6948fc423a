"""The games we keep. A new one is a file and a line."""

from typing import Any

from engine.game import Game
from engine.games import knektpass, polskpas, polskt_pass, spader

GAMES: dict[str, Game[Any, Any]] = {
    game.key: game
    for game in (
        polskt_pass.GAME,
        polskpas.GAME,
        spader.GAME,
        knektpass.GAME,
    )
}
