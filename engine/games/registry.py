"""The games. A new one is a package and a line here; README.md lists the other files to touch."""

from typing import Any

from engine.games.game import Game
from engine.games.knektpass import decider as knektpass
from engine.games.polskpas import decider as polskpas
from engine.games.polskt_pass import decider as polskt_pass
from engine.games.spader import decider as spader

GAMES: dict[str, Game[Any, Any]] = {
    game.key: game for game in (polskt_pass.GAME, polskpas.GAME, spader.GAME, knektpass.GAME)
}
