"""A click group that imports a subcommand's module when it runs, and lists commands by section."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from inspect import cleandoc
from typing import Any, NamedTuple, TextIO

import click
from click.shell_completion import CompletionItem


class CommandEntry(NamedTuple):
    """A line of `vola --help`. `module` is the file in `api/cli/commands`, where it differs."""

    section: str
    name: str
    summary: str
    module: str | None = None


class LazyGroup(click.Group):
    """Commands from a table; `vola --help` and shell completion import none of them."""

    def __init__(
        self, *args: Any, entries: Sequence[CommandEntry], aliases: Mapping[str, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.entries = {entry.name: entry for entry in entries}
        self.aliases = aliases

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = self.aliases.get(cmd_name, cmd_name)
        if name not in self.commands and name in self.entries:
            entry = self.entries[name]
            module = entry.module or name.replace("-", "_")
            command: click.Command = import_module(f"api.cli.commands.{module}").command
            command.help = "\n\n".join(filter(None, (entry.summary, cleandoc(command.help or ""))))
            self.add_command(command, name)
        return self.commands.get(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        entries = list(self.entries.values())
        for section in dict.fromkeys(entry.section for entry in entries):
            with formatter.section(section):
                formatter.write_dl([(e.name, e.summary) for e in entries if e.section == section])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        entries = [e for e in self.entries.values() if e.name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(e.name, help=e.summary) for e in entries), *options]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with exit_codes(ctx):  # `--help` prints here
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with exit_codes(ctx):
            return super().invoke(ctx)


class Command(click.Command):
    """A command whose help ends with the settings that the environment may hold."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from api import settings  # imported here because only the help needs it

        with formatter.section("Environment"):
            formatter.write_dl(list(settings.HELP.items()))


@contextmanager
def exit_codes(ctx: click.Context) -> Iterator[None]:
    """End with an exit code, and no error, on an interrupt or a closed pipe inside the `with`."""
    try:
        yield
    except KeyboardInterrupt:
        ctx.exit(130)
    except BrokenPipeError:  # the reader is gone, as in `vola export … | head`
        drop_output(sys.stdout)
        ctx.exit(141)


def drop_output(stream: TextIO) -> None:
    """Discard what is still buffered for this output, and everything printed later."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
