"""What is taken out of one line by its own words, and what it opens for the lines to come: all its readers in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from slowlink.redact.cells import redact_cells
from slowlink.redact.command_lines.arguments import redact_arguments
from slowlink.redact.command_lines.asked import redact_asked
from slowlink.redact.encoded import EncodedTexts
from slowlink.redact.environments.dumps import HIDDEN_VARIABLE, EnvironmentDumps
from slowlink.redact.environments.inline_dumps import redact_inline_dumps
from slowlink.redact.escapes import ends_as_blanks, ends_as_written, holds_ends, redact_escaped
from slowlink.redact.headers import redact_headers
from slowlink.redact.learned import Learned
from slowlink.redact.markup import Markup
from slowlink.redact.names import SECRET_NAME
from slowlink.redact.over_lines.answers import Answers
from slowlink.redact.over_lines.columns import Columns
from slowlink.redact.over_lines.following import FollowingValues
from slowlink.redact.over_lines.kubernetes import KubernetesSecrets
from slowlink.redact.over_lines.leads import split_lead
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.listed import ListedArguments
from slowlink.redact.over_lines.openings import Openings
from slowlink.redact.over_lines.traced import TracedValues
from slowlink.redact.reading.held import held, held_after
from slowlink.redact.shapes import redact_shapes
from slowlink.redact.values import redact_named


class TakenOut(NamedTuple):
    """What is left of a line."""

    text: str
    lefts: tuple[Left, ...]
    """What it opens."""
    has_blanks: bool = False
    """Do blanks stand in ``text`` for the ends of lines that rsyslogd wrote?"""

    @property
    def as_written(self) -> str:
        """The line as it is put out."""
        return ends_as_written(self.text) if self.has_blanks else self.text


class LineReaders:
    """The readers of one stream, which count what they take out in ``counted``."""

    def __init__(
        self,
        counted: Counter[str],
        learned: Learned,
        inner: Callable[[str, Counter[str]], str],
    ) -> None:
        """``inner``: takes the secrets out of a text that stood in a line in other letters, and counts them."""
        self._counted = counted
        self._learned = learned
        self._inner = inner
        self.dumps = EnvironmentDumps(counted)
        self._kubernetes = KubernetesSecrets(counted)
        self._values = FollowingValues(counted)
        self._listed = ListedArguments(counted)
        self._answers = Answers(counted)
        self._traced = TracedValues(counted)
        self._columns = Columns(counted)
        self._markup = Markup(counted)
        self._encoded = EncodedTexts(counted, self._holds_secret)
        self.openings = Openings(
            self.dumps.ways,
            self._kubernetes.pair_ways,
            self._kubernetes.data_ways,
            self._values.ways,
            self._listed.ways,
            self._answers.ways,
            self._traced.ways,
            self._columns.ways,
            self._columns.ways_behind,
            self._markup.ways,
            self._encoded.ways,
        )

    def taken_out(self, text: str) -> TakenOut:
        """``text`` without what its own words say is secret, and what it opens. What stands in the place of a secret
        has words, too: after each change they are looked for anew."""
        words = held(text)
        clean, dump = self.dumps.line(text, words)
        if clean[-1:] == ">" and HIDDEN_VARIABLE.fullmatch(clean) is not None:
            return TakenOut(clean, (dump,))  # most lines of a dump: nothing is left to be found in them
        clean, objects = self._kubernetes.line(clean, held_after(clean, words) if clean != text else words)
        clean = self._learned.redact(clean, self._counted)
        clean = redact_escaped(clean, lambda inner: self._inner(inner, self._counted))
        has_ends = holds_ends(clean)
        clean = ends_as_blanks(clean) if has_ends else clean
        words = held(clean) if clean != text else words
        clean, lefts = self._as_blanks(clean, words)
        return TakenOut(clean, (dump, *objects, *lefts), has_ends)

    def _as_blanks(self, text: str, words: int) -> tuple[str, tuple[Left, ...]]:
        """The same of a line in which each blank is one. ``words``: what ``held`` says of it."""
        clean, element = self._markup.line(text, words)
        clean = redact_arguments(clean, self._counted, words)  # before the name of the program goes with a variable
        clean = redact_inline_dumps(clean, self._counted, words)
        clean = redact_headers(clean, self._counted, words)
        words = held_after(clean, words) if clean != text else words
        lead, said = split_lead(clean)
        said, left = redact_named(said, self._counted) if words & SECRET_NAME else (said, NOTHING_LEFT)
        before = clean
        clean = lead + redact_cells(said, self._counted, words)
        words = held_after(clean, words) if clean != before else words
        before = clean
        clean = redact_asked(redact_shapes(clean, self._counted, words), self._counted, words)
        clean, encoded = self._encoded.line(clean, words)
        words = held_after(clean, words) if clean != before else words
        form, listed = self._values.opening(clean, words), self._listed.opening(clean, words)
        value = form if form.way in ("accounts", "send", "answer") or not left.way else left.behind(lead, form)
        answer, traced = self._answers.opening(clean, words), self._traced.opening(clean, words)
        return clean, (value, listed, answer, traced, *self._columns.openings(clean, words), element, encoded)

    def _holds_secret(self, text: str) -> bool:
        """Is anything taken out of ``text``, which was Base64 in the text of this stream?"""
        return self._inner(text, Counter()) != text
