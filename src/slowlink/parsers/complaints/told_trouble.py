"""What somebody says is wrong with a job, in a sentence around the output of tools::

    Our all_reduce is very slow since the update. nvidia-smi of both nodes:
    The training hangs after a few hundred steps.

It names no part and no cause, so it is no finding by itself. But sound parts that are shown below it do not make the
job healthy. A condition, a plan, a question whether something may be and the news of a repair say nothing.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.complaints.plans import is_about_other_things
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line
from slowlink.parsers.forms.observation_table import Fact, ObservationParser
from slowlink.patterns import regex

KIND = "trouble-told"
_WHAT = (
    r"\b(?P<subject>(?:pre-?|fine-?)?training|jobs?|runs?|all[_ -]?reduce|all[_ -]?gather|all[_ -]?to[_ -]?all"
    r"|reduce[_ -]?scatter|broadcast|[nr]ccl(?:[ -]tests?)?|collectives?|(?:bus ?)?bandwidth|busbw|through-?put"
    r"|performance|network|benchmarks?|steps?|iterations?|communication|inference|everything|speed|scaling|it)\b"
)
_SOME = r"(?:[ ,](?!(?:if|when|whether|unless|not|never|no|doesn.t|didn.t|isn.t|don.t|won.t)\b)[\w'()/.-]{1,24}){0,5}?"
_IS = r" (?:is|are|gets?|got|goes|went|runs?|ran|became|has become|feels?|looks?|seems?|stays?|remains?)"
_HOW = (
    r"(?: (?:still|now|always|suddenly|really|very|so|too|much|quite|extremely|far|about|only|just|ca\.?|up to|at"
    r"|all)){0,4}"
)
_SLOW = (
    r"(?:slow(?:er|ly)?|\d[\d.]{0,5} ?(?:x|times|%|percent) (?:slower|less|lower|worse)|half (?:of )?(?:what|the)|poor"
    r"|terrible|worse)\b"
)
_FELL = r" (?:dropped|fell|went down|collapsed|decreased) (?:to|from|by)\b"
_OFTEN = r" (?:(?:just|always|then|often|sometimes|still|randomly|now) ){0,2}"
_HANGS = _OFTEN + r"(?:hangs?|hung|(?:is|gets?|got) stuck|is hanging|freezes|froze|stalls)\b"
_CRASHES = _OFTEN + r"(?:crashes|crashed|is crashing|dies)\b"
_LEAD = regex(r"\s{0,40}(?:[\[\d{|#$%/=\\*~]|\S{0,80}[:=]\d|[\w.-]{1,80}\[\d)")
"""How lines of programs begin: a bracket, a number, a prompt, a place."""
_WORD = regex(r"(?<![\w/])[A-Za-z][a-z']+(?![\w/=])")
_FEWEST_WORDS = 4
_SENTENCE = regex(
    r"(?<=[.!?;]) |,? (?=(?:any (?:ideas?|hints?|thoughts?|clues?|help)|does any|has any|what|is (?:this|that)"
    r"|how (?:to|do|can)|help)\b)"
)
_REASON = regex(r"(?i)\b(?:why|what (?:is|could|can|might|may)|how come|reasons?|causes?)\b")
"""Who asks for the reason says that it is so."""
_MAY_BE = regex(
    r"(?i)\b(?:if|when(?:ever)?|whether|unless|until|once|in case|may|might|would|should(?! be)"
    r"|to (?:avoid|prevent|detect|see)|e\.g|example|how (?:to|do|can)|any|each|every|used to|can be|could be"
    r"|had been)\b"
)


def _fact(mark: str, pattern: str, value: str, *samples: str) -> Fact:
    return Fact(KIND, mark, rf"(?i){_WHAT}{pattern}", samples, value=value)


FACTS = (
    _fact("slow", _SOME + _IS + _HOW + " " + _SLOW, "slow", "our all_reduce between two nodes is very slow"),
    _fact("slow", r"(?:'s|’s)" + _HOW + " " + _SLOW, "slow", "and now it's too slow for us"),
    _fact("half", _SOME + _IS + _HOW + " " + _SLOW, "slow", "all_reduce is half of what it was this morning"),
    _fact("worse", _SOME + _IS + _HOW + " " + _SLOW, "slow", "our throughput is 30 % worse than last week"),
    Fact(
        KIND,
        "slow",
        r"(?i)\bwhy (?:is|are)(?: [\w'-]{1,20}){0,4} (?P<subject>[\w-]{2,24})(?: so| that| too| this| much){0,2}"
        r" slow(?:er)?\b",
        ("Why is my all_reduce so slow?",),
        value="slow",
    ),
    *(
        _fact(mark, _SOME + _FELL, "slow", sample)
        for mark, sample in (
            ("dropped", "our bandwidth dropped from 390 to 90 GB/s after the update"),
            ("fell", "the throughput fell by a third last week"),
            ("collapsed", "with four nodes the bandwidth collapsed to 2 GB/s"),
        )
    ),
    *(
        _fact(mark, _SOME + _HANGS, "hanging", sample)
        for mark, sample in (
            ("hang", "the training always hangs in the first all_reduce"),
            ("stuck", "my job gets stuck after some minutes"),
            ("hung", "our job hung twice this week"),
        )
    ),
    _fact("crash", _SOME + _CRASHES, "crashing", "our training then crashes with an NCCL error"),
)


class ToldTrouble(ObservationParser):
    """Observations of what a person says is wrong: the subject is what it is said of, the value is how it is."""

    kind: ClassVar[str] = "told-trouble"
    reads_beside: ClassVar[bool] = True
    """The sentence may hold more: hardware, a part that is down."""
    each_alone: ClassVar[bool] = True
    folds: ClassVar[bool] = True
    literals: ClassVar[Literals]
    facts: ClassVar[tuple[Fact, ...]] = FACTS

    @staticmethod
    def is_foreign(text: str) -> bool:
        """Lines of programs, and what is no sentence."""
        return is_library_line(text) or _LEAD.match(text) is not None or len(_WORD.findall(text)) < _FEWEST_WORDS

    def take(self, line: Line, text: str) -> Use:
        told = text.replace("`", "'")
        if is_about_other_things(told.lower()):
            return Use.NOT_MINE
        return super().take(line, " ".join(map(_blank_unless_told, _SENTENCE.split(told))))


def _blank_unless_told(sentence: str) -> str:
    """Blanks in place of a sentence that asks whether, and of what is said behind a condition: that something hangs
    *when* it is large is said, and that it would hang is not."""
    asks = sentence.rstrip().endswith("?") and _REASON.search(sentence) is None
    may_be = _MAY_BE.search(sentence)
    told = 0 if asks else may_be.start() if may_be is not None else len(sentence)
    return sentence[:told].ljust(len(sentence))


PARSER = ToldTrouble
