"""Prompts of a node's short name alone::

    q7 $ ibv_devinfo -d mlx5_bond_0 | grep active_mtu
            active_mtu:             4096 (5)
    q8 $ ibv_devinfo -d mlx5_bond_0 | grep active_mtu
            active_mtu:             1024 (3)

One such line alone may be anything, so two or more must stand in a source.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.context.commands.typed_prompts import PROMPT, short_prompt
from slowlink.parsers.context.prompts import is_prompt
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals

MAX_PROMPTS = Limit(50_000, "short prompts")
_FEWEST = 2


class ShortPrompts:
    """Gives one ``Collected`` for each prompt: the node that the lines below it come from, and the command."""

    kind: ClassVar[str] = "prompts"
    literals: ClassVar[Literals] = Literals(("$ ", "# ", "% ", "> ", "❯ "))

    def __init__(self) -> None:
        self._found: list[Collected] = []
        self.place: str | None = None

    @staticmethod
    def gate() -> Gate:
        return ((at_start(PROMPT),),)

    @staticmethod
    def wants(text: str) -> bool:
        return short_prompt(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        prompt = short_prompt(line.text) if not is_prompt(line.text) else None
        if prompt is None or not MAX_PROMPTS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._found.append(Collected("prompt", "ran", prompt.command, line.ref(), prompt.name))
        if len(self._found) >= _FEWEST:  # before, nobody knows whether it is one
            self.place = prompt.name
        return Use.IGNORED

    def finish(self) -> Iterable[Collected]:
        return self._found if len(self._found) >= _FEWEST else ()


PARSER = ShortPrompts
