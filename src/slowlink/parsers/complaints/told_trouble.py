"""What somebody says is wrong with a job, in a sentence around the output of tools::

    Our all_reduce is very slow since the update. nvidia-smi of both nodes:
    The training hangs after a few hundred steps.

It names no part and no cause, so it is no finding by itself. But sound parts that are shown below it do not make the
job healthy. A condition, a plan, a question whether something may be and the news of a repair say nothing.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.catalog.words.languages import any_language
from slowlink.model.source import Line
from slowlink.parsers.complaints import told_in_languages
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
_SOME = (
    r"(?:[ ,](?!(?:if|when|whether|unless|not|never|no|doesn.t|didn.t|isn.t|don.t|won.t)\b)[\w'()/.\[\]-]{1,24}){0,5}?"
)
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
_HANGS = _OFTEN + (
    r"(?:hangs?|hung|(?:is|are|gets?|got|looks?|seems?|appears?|stays?) (?:to be )?(?:stuck|hung|hanging|frozen)"
    r"|freezes|froze|stalls|st(?:ands?|ood) still|ma(?:kes?|de) no progress"
    r"|(?:does|do|did) not (?:progress|move|advance))\b"
)
_CRASHES = _OFTEN + r"(?:crashes|crashed|is crashing|dies)\b"
_COUNTED = r"\d(?!\d{0,3} ?[x×]? ?(?!\d)[a-zA-Z][\w-]{0,20} [A-Za-z])"
_LEAD = regex(rf"\s{{0,40}}(?:[\[{{|#$%/=\\*~]|{_COUNTED}|\S{{0,80}}[:=]\d|[\w.-]{{1,80}}\[\d)")
"""How lines of programs begin: a bracket, a number, a prompt, a place. ``4x A100 behind a switch`` is a sentence."""
_WORD = regex(r"(?<![\w/])[^\W\d_](?:[^\W\d_]|['’-])+(?![\w/=])")
_HAN = regex(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
"""Characters of Chinese, Japanese and Korean, which stand for a syllable or more."""
_FEWEST_WORDS, _FEWEST_HAN = 4, 6
_SENTENCE = regex(
    r"(?<=[.!?;]) |(?<=[。！？；])"
    r"|,? (?=(?:any (?:ideas?|hints?|thoughts?|clues?|help)|does any|has any|what|is (?:this|that)"
    r"|how (?:to|do|can)|help)\b)"
)
_REASON = regex(
    rf"(?i)为什么|为何|原因|怎么回事|怎么办|{any_language('reason')}"
    r"|\b(?:why|what (?:is|could|can|might|may)|how come|reasons?|causes?)\b"
)
"""Who asks for the reason says that it is so."""
_MAY_BE = regex(
    rf"(?i)如果|假如|若|是否|会不会|可能|万一|避免|防止|能否"
    rf"|(?<!\w)(?:{any_language('may_be')})(?!\w)"
    r"|\b(?:if|when(?! (?:we|I|our|my|running)\b)|whenever(?! (?:we|I)\b)|whether|unless|until|once"
    r"|in case|may|might|would|should(?! be)"
    r"|to (?:avoid|prevent|detect|see)|e\.g|example|how (?:to|do|can)|any|each|used to|can be|could be"
    r"|every(?! (?:\w+ )?(?:job|run|training|time|attempt)\b)"
    r"|had been)\b"
)

_MAY_BE_BEHIND = regex(any_language("may_be_behind"))


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
            (" still", "job 44120 on gpu[01-06] stands still since 14:08"),
            ("progress", "the training makes no progress since this morning"),
        )
    ),
    _fact("crash", _SOME + _CRASHES, "crashing", "our training then crashes with an NCCL error"),
)


_JOB_HAN = r"(?P<subject>训练|任务|作业|程序|进程|推理|测试|(?i:all[_ -]?reduce|all[_ -]?gather|[nrm]ccl|通信))"
_SPEED_HAN = r"(?P<subject>带宽|吞吐|性能|速度|速率|网络|通信)"
_BETWEEN_HAN = r"[^。！？；\n]{0,30}"
_NOT_HAN = r"(?<!不)(?<!没有)(?<!没)(?<!未)(?<!不会)(?<!不再)(?<!不是很)(?<!不太)"
_MENDED = regex(rf"(?i)已经?解决|解决了|恢复正常|已经?修复|修好了|{any_language('mended')}")
"""Who runs MCCL writes Chinese more often than English."""
FACTS_HAN = (
    *(
        Fact(KIND, "慢", rf"{what}{_BETWEEN_HAN}{_NOT_HAN}慢", (sample,), value="slow")
        for what, sample in ((_SPEED_HAN, "两台机器之间的通信速度很慢"), (_JOB_HAN, "升级驱动以后训练变慢了"))
    ),
    *(
        Fact(KIND, mark, rf"{_SPEED_HAN}{_BETWEEN_HAN}{_NOT_HAN}{mark}", (sample,), value="slow")
        for mark, sample in (
            ("低", "四台节点的带宽比预期低很多"),
            ("下降", "换了交换机以后带宽下降一半"),
            ("上不去", "多机训练的吞吐一直上不去"),
        )
    ),
    *(
        Fact(KIND, mark, rf"{_JOB_HAN}{_BETWEEN_HAN}{_NOT_HAN}{mark}", (sample,), value="hanging")
        for mark, sample in (
            ("卡住", "训练到第三步就卡住了"),
            ("卡死", "任务启动以后总是卡死"),
            ("挂起", "多机任务一直挂起没有输出"),
        )
    ),
    *(
        Fact(KIND, mark, rf"{_JOB_HAN}{_BETWEEN_HAN}{_NOT_HAN}{mark}", (sample,), value="crashing")
        for mark, sample in (("崩溃", "训练几分钟以后程序崩溃"), ("异常退出", "运行十分钟以后进程异常退出"))
    ),
)


class ToldTrouble(ObservationParser):
    """Observations of what a person says is wrong: the subject is what it is said of, the value is how it is."""

    kind: ClassVar[str] = "told-trouble"
    reads_beside: ClassVar[bool] = True
    """The sentence may hold more: hardware, a part that is down."""
    each_alone: ClassVar[bool] = True
    folds: ClassVar[bool] = True
    literals: ClassVar[Literals]
    facts: ClassVar[tuple[Fact, ...]] = (*FACTS, *FACTS_HAN, *told_in_languages.facts(KIND))

    @staticmethod
    def is_foreign(text: str) -> bool:
        """Lines of programs, and what is no sentence."""
        words = len(_WORD.findall(text)) >= _FEWEST_WORDS or len(_HAN.findall(text)) >= _FEWEST_HAN
        return is_library_line(text) or _LEAD.match(text) is not None or not words

    def take(self, line: Line, text: str) -> Use:
        told = text.replace("`", "'")
        if is_about_other_things(told.lower()) or _MENDED.search(told):
            return Use.NOT_MINE
        return super().take(line, " ".join(map(_blank_unless_told, _SENTENCE.split(told))))


def _blank_unless_told(sentence: str) -> str:
    """Blanks in place of a sentence that asks whether, and of what is said behind a condition: that something hangs
    *when* it is large is said, and that it would hang is not."""
    asks = sentence.rstrip().endswith(("?", "？")) and _REASON.search(sentence) is None
    may_be = _MAY_BE.search(sentence)
    told = 0 if asks or _MAY_BE_BEHIND.search(sentence) else may_be.start() if may_be is not None else len(sentence)
    return sentence[:told].ljust(len(sentence))


PARSER = ToldTrouble
