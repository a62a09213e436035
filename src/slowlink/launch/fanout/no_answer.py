"""Why a node gave no answer, in words that are the same for every node with the same trouble: answers are folded."""

from __future__ import annotations

from slowlink.launch.refusals import refusal

_KNOWN = (
    ("Connection timed out", "no answer on the ssh port"),
    ("Operation timed out", "no answer on the ssh port"),
    ("No route to host", "no route to it"),
    ("Network is unreachable", "no route to it"),
    ("Connection refused", "no ssh server there"),
    ("Connection closed", "the ssh server closed the connection"),
    ("Connection reset", "the connection was lost"),
    ("closed by remote host", "the connection was lost"),
    ("Broken pipe", "the connection was lost"),
    ("not responding", "the connection was lost"),
)
_MOST = 200


def words_of(stderr: str, status: int | None) -> str:
    """What the words of ssh, srun or kubectl mean; their own last line where we do not know it."""
    for pattern, words in _KNOWN:
        if pattern in stderr:
            return words
    known = refusal(stderr)
    if known is not None:
        return known.message.partition(":")[0]
    lines = stderr.strip().splitlines()
    if lines:
        return lines[-1][:_MOST]
    return "no answer" if status is None else f"the login ended with {status} and printed nothing"
