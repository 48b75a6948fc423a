"""A refusal by rule: a sentence with a stable code and its operands."""

import re
from typing import ClassVar


class RuleViolation(Exception):
    """The rules forbid it."""

    code: ClassVar[str] = "rule_violation"

    def __init_subclass__(cls) -> None:
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, **operands: object) -> None:
        super().__init__((type(self).__doc__ or "").format(**operands))
        self.operands = operands
