"""The policy of one bundle: takes secrets out of everything that is written to it, and counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.plan import Plan, PlannedFile, Step
from slowlink.patterns import regex
from slowlink.redact.command_lines.command_words import secret_words
from slowlink.redact.environments.allowed import environment_for_bundle, is_allowed
from slowlink.redact.harmless import looks_secret
from slowlink.redact.learned import Learned
from slowlink.redact.names import MOST_CHARS, is_secret_name, kind_of, reading
from slowlink.redact.other_names.anonymize import Anonymizer
from slowlink.redact.replaced import REPLACED, replace_with
from slowlink.redact.stream import Redactor

_OPTION = regex(r"--?[\w.-]+")
_SETS_VARIABLE = frozenset({"-env", "-genv"})
"""Options of MPICH's and Intel MPI's launchers that take a name and a value, one word each."""


class Redaction:
    """Shared by everything that one bundle holds, so that names are replaced alike everywhere in it."""

    def __init__(self, anonymizer: Anonymizer | None = None) -> None:
        self.removed: Counter[str] = Counter()
        """Kind -> how many values were replaced by ``<redacted:kind>``."""
        self._anonymizer = anonymizer
        self._learned = Learned()

    @property
    def anonymizes(self) -> bool:
        """Are names replaced too?"""
        return self._anonymizer is not None

    def lines(self) -> Redactor:
        """A redactor for one more stream of text."""
        return Redactor(self.removed, self._anonymizer, learned=self._learned)

    def text(self, text: str) -> str:
        """A whole text, redacted."""
        lines = self.lines()
        return lines.feed(text) + lines.finish()

    def named(self, name: str, text: str) -> str:
        """A text that stands under a name, as in JSON."""
        return self._secret(name, text) if is_secret_name(name) else self.text(text)

    def name(self, name: str) -> str:
        """The name of a node or a capture: only anonymised."""
        return name if self._anonymizer is None else self._anonymizer.line(name)

    def file_name(self, name: str) -> str:
        """The name of a file that a program chose: anonymised, and without secrets."""
        return "/".join(self.text(part) for part in name.split("/"))

    def learn(self, nodes: Sequence[str]) -> None:
        """These are names of hosts: replace them from now on, where names are replaced."""
        if self._anonymizer is not None:
            self._anonymizer.learn_hosts(nodes)

    def argv(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A command line; ``--password`` takes the word behind it along."""
        for name, value in given_variables(argv):
            self._learned.learn(name, value)
        words: list[str] = []
        before = ""
        secret = secret_words(argv)
        for at, word in enumerate(argv):
            named = _names_secret(before, words[at - 2] if at > 1 else "", word)
            if at in secret:
                begin, end = secret[at]
                words.append(word[:begin] + self._secret("password", word[begin:end]) + word[end:])
            else:
                words.append(self._secret(before, word) if named and not word.startswith("-") else self._word(word))
            before = word
        return tuple(words)

    def argv_again(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The same command line with what was learned since; counted already."""
        again = Redaction(self._anonymizer)
        again._learned = self._learned
        return again.argv(argv)

    def _word(self, word: str) -> str:
        """One word of a command line: what stands behind ``NAME=`` belongs together, blanks and all."""
        name, equals, value = word.partition("=")
        if equals and is_secret_name(name):
            return f"{name}={self._secret(name, value)}"
        return self.text(word)

    def _secret(self, name: str, value: str) -> str:
        if not value or REPLACED.fullmatch(value):
            return value
        return replace_with(kind_of(name), self.removed)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The part of ``environ`` on the allow-list, values redacted; the others are counted as ``environment``."""
        kept = environment_for_bundle(environ)
        self.removed["environment"] += len(environ) - len(kept)
        self.removed += Counter()  # drops zeros
        return {name: self.text(value) for name, value in kept.items()}

    def plan(self, plan: Plan) -> Plan:
        """``plan`` without secrets. Its own variables keep their names: the user asked for them."""
        for name, value in plan.env.items():
            self._learned.learn(name, value)
        return replace(
            plan,
            argv=self.argv(plan.argv),
            env={name: self._value(name, value) for name, value in plan.env.items()},
            files=tuple(PlannedFile(self.name(f.path), self.text(f.content), f.mode) for f in plan.files),
            stdin=None if plan.stdin is None else self.text(plan.stdin),
            prepare=tuple(Step(self.argv(step.argv), step.timeout_s) for step in plan.prepare),
            cleanup=tuple(Step(self.argv(step.argv), step.timeout_s) for step in plan.cleanup),
            nodes=tuple(map(self.name, plan.nodes)),
            note=self.text(plan.note),
        )

    def _value(self, name: str, value: str) -> str:
        if not is_allowed(name):
            self.removed["environment"] += 1
            return "<redacted:environment>"
        return self.text(value)


def _names_secret(name: str, before: str, value: str) -> bool:
    """Is ``name`` an option that takes a secret, or a variable that an option ``before`` it sets, and ``value`` one?"""
    if _OPTION.fullmatch(name) is None and before not in _SETS_VARIABLE:
        return False
    surety = reading(name[-MOST_CHARS:].lstrip("-")).surety
    return surety == "sure" or (surety == "weak" and looks_secret(value))


def given_variables(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What ``--env NAME=VALUE`` on a command line of slowlink gives to ranks."""
    for before, word in zip(("", *argv), argv, strict=False):
        pair = word.removeprefix("--env=") if word.startswith("--env=") else word if before == "--env" else ""
        name, equals, value = pair.partition("=")
        if equals:
            yield name, value
