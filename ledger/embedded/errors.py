"""The error of an embedded server that cannot run."""


class ServerFailed(Exception):
    """A sentence that says what is wrong with an embedded server, and what to do."""
