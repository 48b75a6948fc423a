"""A refusal by rule: a sentence with a stable code and its operands."""

from typing import ClassVar

from engine.events import snake_case


class RuleViolation(Exception):
    """The rules forbid it."""

    code: ClassVar[str] = "rule_violation"

    def __init_subclass__(cls) -> None:
        cls.code = snake_case(cls.__name__)

    def __init__(self, **operands: object) -> None:
        super().__init__((type(self).__doc__ or "").format(**operands))
        self.operands = operands
