"""What Vola says when one of its own servers will not run."""


class ServerFailed(Exception):
    """One clear sentence for a person: what is wrong with an embedded server, and what to do."""
