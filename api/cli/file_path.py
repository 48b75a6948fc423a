"""The path of a file or folder among the arguments of a command."""

from typing import Any

import click

from api.cli.refusal import Refusal


class FilePath(click.Path):
    """A path that is not empty: an unset variable would name the current folder. Nor is it a dash,
    which would be a file of that name, and not the standard output. Otherwise raise
    Refusal."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            raise Refusal("An empty path names no folder and no file.")
        if value == "-":
            raise Refusal("A dash is no path: write ./- for a file with that name.")
        return super().convert(value, param, ctx)
