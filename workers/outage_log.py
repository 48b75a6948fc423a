"""The log of a service that is out of reach: one line when it goes, one when it is back."""

from logging import Logger


class OutageLog:
    """Logs the outages of one service. While one lasts, the same reason is not logged again."""

    def __init__(self, log: Logger, service: str) -> None:
        self._log, self._service = log, service
        self._reason: str | None = None

    def note_failure(self, error: Exception) -> None:
        """Log the error's message unless it is the last reason."""
        # of a pipeline, redis-py quotes the command, in which the time differs at each try
        reason = str(error).rpartition(" caused error: ")[2].strip()
        if reason != self._reason:
            self._log.warning("%s is out of reach: %s", self._service, reason)
        self._reason = reason

    def note_answer(self) -> None:
        """Log that the service is back, if it was out of reach."""
        if self._reason is not None:
            self._log.warning("%s is back", self._service)
        self._reason = None
