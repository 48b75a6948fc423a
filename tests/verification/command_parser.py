"""The command-line arguments that the attack commands share."""

from argparse import ArgumentParser, Namespace


def read_arguments(command: str, description: str, **sizes: tuple[int, str]) -> Namespace:
    """Return the arguments of `python -m tests.verification.{command}`: its sizes, the seed and the
    number of workers. Each size has a default value and a help text."""
    parser = ArgumentParser(prog=f"python -m tests.verification.{command}", description=description)
    for name, (default, help_text) in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{help_text} ({default})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()
