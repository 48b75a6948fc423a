"""The form's modules in a JavaScript engine without a browser: V8, which comes with Playwright.

A task is an exported function of a script that imports the form's own modules. Its arguments are
`ask`, a function that asks Python a question, and its argument. Both directions use JSON lines.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import playwright

from tests.support.browser.form_sources import FORM, read_modules

NODE = Path(playwright.__file__).parent / "driver" / "node"
RUNNER = """
import { createInterface } from 'node:readline';
import * as tasks from './tasks.js';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const receive = async () => JSON.parse((await lines.next()).value);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\\n`);
const ask = (question) => {
  send({ question });
  return receive();
};

for (;;) {
  const { task, argument } = await receive();
  send({ result: await tasks[task](ask, argument) ?? null });
}
"""

Answer = Callable[[Any], Any]


class TaskFailed(Exception):
    """The engine ended; its message is on the error output."""


class JavaScriptEngine:
    """A process that runs one task after another."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def run(self, task: str, argument: Any = None, answer: Answer | None = None) -> Any:
        """Return what the task resolves to; `answer` answers its questions. TaskFailed."""
        message = self._exchange({"task": task, "argument": argument})
        while "question" in message:
            assert answer is not None, "this task asks for something"
            message = self._exchange(answer(message["question"]))
        return message["result"]

    def _exchange(self, message: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise TaskFailed
        received: dict[str, Any] = json.loads(line)
        return received


@contextmanager
def run_engine(tasks: Path) -> Iterator[JavaScriptEngine]:
    """Run an engine for the tasks of this script, which lies beside the form's `static` folder."""
    with TemporaryDirectory(prefix="vola-engine-") as folder:
        files = read_modules() | {"tasks.js": tasks.read_text("utf-8"), "runner.js": RUNNER}
        files["package.json"] = '{"type": "module"}'
        sentences = FORM / "translations" / "sv.json"
        files["translations/sv.json"] = sentences.read_text("utf-8")
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        with subprocess.Popen(
            [NODE, Path(folder, "runner.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        ) as process:
            try:
                yield JavaScriptEngine(process)
            finally:
                process.terminate()
