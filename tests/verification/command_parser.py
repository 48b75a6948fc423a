"""The command lines of the tools."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter


def command_parser(command: str, description: str | None) -> ArgumentParser:
    """Return a parser for `python -m tests.verification.{command}`, whose help has the description
    as it is written."""
    return ArgumentParser(
        prog=f"python -m tests.verification.{command}",
        description=description,
        formatter_class=RawDescriptionHelpFormatter,
    )


def read_arguments(command: str, description: str | None, **sizes: tuple[int, str]) -> Namespace:
    """Return the arguments of `python -m tests.verification.{command}`: its sizes, the seed and the
    number of workers. Each size has a default value and a help text."""
    parser = command_parser(command, description)
    for name, (default, help_text) in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{help_text} ({default})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()
