"""Complaints in other languages: what is said of (a job or a collective; a link: network and bandwidth), then what is
said, in one sentence. A word that denies it between the two or close behind, or one of the past, takes it back.

The words stand in ``catalog/words/languages.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.words.languages import Language, languages
from slowlink.parsers.forms.observation_table import Fact

_SHARED = (
    r"all[_ -]?(?:reduce|gather|to[_ -]?all)|reduce[_ -]?scatter|broadcast|[nrm]ccl(?:[ -]tests?)?|trainings?|jobs?"
    r"|finetuning|fine-tuning|benchmarks?|llm|ddp|fsdp|megatron|deepspeed"
)
"""What is called alike everywhere."""


def facts(kind: str) -> Iterator[Fact]:
    """One fact for each mark, and what it is said of."""
    for language in languages().values():
        jobs, links = rf"{_SHARED}|{language.job}", language.link
        for value, words, subjects in (
            ("slow", language.slow, {"job": jobs, "bandwidth": links}),
            ("slow", language.low, {"bandwidth": links}),
            ("hanging", language.hanging, {"job": jobs}),
            ("crashing", language.crashing, {"job": jobs}),
        ):
            for mark, word in words.items():
                for subject, of in subjects.items():
                    yield Fact(kind, mark, _pattern(language, of, word), (), subject=subject, value=value)


def _pattern(language: Language, of: str, word: str) -> str:
    """Of, up to 70 characters of the same sentence without a word that denies, the word; or the word, and what it is
    said of close behind."""
    if language.spaced:
        denies = rf"(?<!\w)(?:{language.denies})(?!\w)"
        said = rf"(?<!\w)(?:{of})(?!\w)(?:(?!{denies})[^.!?;:|]){{1,70}}?(?<!\w)(?:{word})(?!\w)"
        start = rf"(?:^|[.!?;:|])(?:(?!{denies})[^.!?;:|]){{0,60}}?"
        behind = rf"{start}(?<!\w)(?:{word}) (?:(?!{denies})[\w'’]{{1,14}} ){{0,4}}(?:{of})(?!\w)"
        said = rf"(?:{said}|{behind})"
    else:
        denies = rf"(?:{language.denies})"
        said = rf"(?:{_SHARED}|{of})[^.!?;:|。！？]{{1,50}}?(?:{word})"
    return rf"(?i){said}(?![^.!?;:|,。！？、]{{0,24}}?{denies})"
