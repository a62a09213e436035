"""Records of data sets in JSON: dialogues, questions and answers, articles. What they say of machines is prose::

    {"messages": [{"role": "user", "content": "My GPU fell off the bus. Why?"}]}
    {"instruction": "Explain the error", "input": "NCCL timeout", "output": "A rank has died."}

A record of a log says when, where or how bad; one of a data set says who speaks, or what is asked and answered.
"""

from __future__ import annotations

from slowlink.parsers.forms.json_blocks import TRUNCATED

_TURNS = frozenset({"role", "from", "speaker", "author_role"})
_TOLD = frozenset({"content", "value", "text", "utterance", "parts"})
"""A turn of a dialogue has a key of each."""
_ASKED = frozenset(
    {
        "instruction",
        "prompt",
        "question",
        "query",
        "input",
        "inputs",
        "source",
        "context",
        "premise",
        "passage",
        "problem",
    }
)
_ANSWERED = frozenset(
    {
        *(
            "output",
            "outputs",
            "completion",
            "response",
            "answer",
            "answers",
            "chosen",
            "rejected",
            "target",
            "summary",
        ),
        *("hypothesis", "label", "solution", "reference", "canonical_solution", "generation", "continuation"),
    }
)
"""A pair of question and answer has a key of each."""
_TEXTS = frozenset({"text", "content", "document", "article", "story", "passage", "raw_content", "tokens", "sentence"})
_OF_TEXTS = frozenset(
    {"meta", "metadata", "id", "url", "title", "label", "labels", "source", "lang", "language", "split"}
)
_OF_LOGS = frozenset(
    {
        *("level", "severity", "lvl", "host", "hostname", "node", "pid", "logger", "stream", "rank", "status", "state"),
        *("@timestamp", "kubernetes", "exit_code", "returncode", "check", "result", "error", "event", "check_name"),
    }
)
_SHORTEST = 200
"""Characters from which on a text without a question is an article; what tools say of one thing is shorter."""
_LOOKED_AT = 20
"""Values of a list by which all are known."""


def is_data_set(value: object) -> bool:
    """Is this JSON value a record of a data set, or a list of them?"""
    if isinstance(value, list):
        return bool(value) and all(_is_record(one) for one in value[:_LOOKED_AT])
    return _is_record(value)


def is_turn(value: object) -> bool:
    """What one speaker of a dialogue says?"""
    return isinstance(value, dict) and not value.keys().isdisjoint(_TURNS) and not value.keys().isdisjoint(_TOLD)


def _is_record(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys().isdisjoint(_OF_LOGS):
        return False
    keys = {str(key).lower() for key in value} - {TRUNCATED}
    if is_turn(value) or any(_is_dialogue(one) for one in value.values()):
        return True
    if _ASKED & keys and _ANSWERED & keys:
        return any(isinstance(one, str) for one in value.values())
    texts = [value[key] for key in value if str(key).lower() in _TEXTS]
    return bool(texts) and keys <= _TEXTS | _OF_TEXTS and all(isinstance(one, list) or _is_long(one) for one in texts)


def _is_dialogue(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(is_turn(turn) for turn in value[:_LOOKED_AT])


def _is_long(value: object) -> bool:
    return isinstance(value, str) and len(value) >= _SHORTEST
