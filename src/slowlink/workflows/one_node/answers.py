"""The state of a few nodes, asked and kept in memory: for who wants one answer now and no bundle."""

from __future__ import annotations

import os
from collections.abc import Mapping

from slowlink.launch.fanout.ask import ask
from slowlink.redact import Redaction
from slowlink.workflows.snapshot import LOGIN_S, Question, script_of, transcript


def asked(question: Question) -> tuple[list[bytes], Mapping[str, str]]:
    """The transcript of each node, without secrets, and of those that did not answer in full why. Raises
    KeyboardInterrupt after all that was begun has ended."""
    mark = os.urandom(8).hex()
    answers = ask(
        question.allocation.nodes,
        script_of(question, mark),
        question.way,
        timeout_s=question.limit_s + LOGIN_S,
        fanout=question.fanout,
    )
    texts = [Redaction().text(transcript(answer, mark)).encode("utf-8", "replace") for answer in answers]
    return texts, {answer.node: answer.trouble for answer in answers if answer.trouble}
