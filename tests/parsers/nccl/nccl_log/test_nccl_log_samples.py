"""Every sample of every message is recognised as that message, and by no other."""

from __future__ import annotations

import pytest
from nccl_log_reading import fold_of, read_message

from slowlink.parsers.forms.interface import Use
from slowlink.parsers.nccl.nccl_log import registry
from slowlink.parsers.nccl.nccl_log.message import NcclMessage, Sample

SAMPLES = [(message, sample) for message in registry.messages() for sample in message.samples]


def _level(message: NcclMessage) -> str:
    return "WARN" if message.id and "INFO" not in message.levels else "INFO"


@pytest.mark.parametrize(("message", "sample"), SAMPLES, ids=lambda value: getattr(value, "text", "")[:60])
def test_sample_is_its_message(message: NcclMessage, sample: Sample) -> None:
    found = registry.find(_level(message), sample.text)
    assert found is not None
    assert found[0] is message
    log = read_message(sample.text, _level(message))
    assert log.lines == 1
    assert log.unknown == 0
    assert not [warning for warning in log.warnings if warning.message == "unknown"]


@pytest.mark.parametrize("message", registry.warnings(), ids=lambda message: message.id)
def test_catalogue_entry_says_what_it_means(message: NcclMessage) -> None:
    assert message.meaning.endswith(".")
    for sample in message.samples:
        (warning,) = read_message(sample.text, message.levels[0], "transport/net.cc:12").warnings
        assert warning.message == message.id
        assert warning.level == message.levels[0]
        assert warning.secondary is message.secondary
        assert warning.text == sample.text
        assert warning.location == "transport/net.cc:12"


def test_ids_are_unique() -> None:
    ids = [message.id for message in registry.warnings()]
    assert len(ids) == len(set(ids))


def test_quiet_lines_are_ignored_and_unknown_ones_are_not_claimed() -> None:
    _, uses = fold_of(
        [
            "node1:10:11 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1",
            "node1:10:11 [0] NCCL INFO a message of a version to come",
        ]
    )
    assert uses == [Use.IGNORED, Use.NOT_MINE]
