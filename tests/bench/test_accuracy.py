"""The scorer against a made-up corpus and a made-up slowlink."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from msgspec import Struct, field

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import accuracy
from accuracy_field import score_article
from accuracy_keys import paths
from accuracy_labels import Block, Sample, pairs, read_samples
from accuracy_score import score, score_facts
from accuracy_values import Reading, confirms, same_number

HEADER = "path\tdecidable\tverdict\tcauses\tmust_not\tfacts\tnote\n"


class Diagnosis(Struct):
    cause: str
    severity: str = "error"
    explains: tuple[str, ...] = ()


class Report(Struct):
    verdict: str = "healthy"
    diagnoses: tuple[Diagnosis, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)


def corpus(tmp_path: Path, *rows: str) -> Path:
    place = tmp_path / "corpus"
    place.mkdir()
    (place / "expected.tsv").write_text(HEADER + "".join(row + "\n" for row in rows), encoding="utf-8")
    return place


def sample(**changed: object) -> Sample:
    values: dict[str, object] = {
        "path": "nccl-tests/a.txt",
        "decidable": "yes",
        "verdicts": ("degraded",),
        "first_causes": (),
        "further_causes": (),
        "must_not": (),
        "cause_ok": (),
        "facts": (),
    }
    return Sample(**{**values, **changed})  # type: ignore[arg-type]


def test_a_row_is_read_with_its_alternatives(tmp_path: Path) -> None:
    place = corpus(
        tmp_path,
        "mixed/x/\tpartly\tbroken\trank-stuck|rank-lost,time-limit\tone-rank\trows=3;words only;nccl=2.19\t"
        "verdict_alt=degraded|healthy; cause_ok=gpu-busy,one-rank; words",
    )
    [row] = read_samples(place)
    assert row.kind == "mixed"
    assert row.verdicts == ("broken", "degraded", "healthy")
    assert row.first_causes == ("rank-stuck", "rank-lost")
    assert row.further_causes == ("time-limit",)
    assert row.must_not == ("one-rank",)
    assert row.cause_ok == ("gpu-busy", "one-rank")
    assert row.facts == (("rows", "3"), ("nccl", "2.19"))


def test_the_first_cause_counts_and_the_same_further_down_is_told_apart() -> None:
    labelled = sample(first_causes=("gdr-disabled", "peer-memory-missing"))
    second = Report("degraded", (Diagnosis("gpu-busy"), Diagnosis("gdr-disabled")))
    assert score(labelled, second, 0.0).first_cause is False
    assert score(labelled, second, 0.0).cause_anywhere is True
    first = Report("degraded", (Diagnosis("peer-memory-missing"),))
    assert score(labelled, first, 0.0).first_cause is True
    assert score(labelled, Report("degraded"), 0.0).first_cause is False


@pytest.mark.parametrize(("decidable", "causes"), [("no", ("gpu-busy",)), ("yes", ())])
def test_what_cannot_be_decided_is_not_counted(decidable: str, causes: tuple[str, ...]) -> None:
    assert score(sample(decidable=decidable, first_causes=causes), Report(), 0.0).first_cause is None


def test_false_alarms_are_errors_on_healthy_samples_unless_allowed() -> None:
    found = (Diagnosis("acs-enabled"), Diagnosis("one-rank", "critical"), Diagnosis("gpu-busy", "warning"))
    healthy = sample(verdicts=("healthy",), cause_ok=("one-rank",), must_not=("gpu-busy",))
    result = score(healthy, Report("degraded", found), 0.0)
    assert result.false_alarms == ("acs-enabled",)
    assert result.must_not == ("gpu-busy",)
    assert not result.verdict_right
    assert score(sample(), Report("degraded", found), 0.0).false_alarms == ()


@pytest.mark.parametrize(
    ("label", "value", "same"),
    [
        ("13.64", 13.64, True),
        ("13.64", 13.644, True),
        ("13.64", 13.66, False),
        ("29", 29, True),
        ("29", 29.4, False),
        ("1e3", 1000, True),
        ("0x81", 129, True),
        ("17_179", 17179, True),
        ("fast", 1, False),
    ],
)
def test_numbers_are_compared_to_the_printed_digits(label: str, value: float, same: bool) -> None:
    assert same_number(label, value) is same


def test_lists_are_compared_in_order_and_names_in_any() -> None:
    assert confirms("1.5,2.5", [1.5, 2.5])
    assert not confirms("2.5,1.5", [1.5, 2.5])
    assert not confirms("1.5,2.5", [1.5, 2.5, 3.5])
    assert confirms("b,a", ["a", "b"])
    assert confirms("59-61,63", [59, 60, 61, 63])
    assert confirms("10,0", [10, 0])
    assert confirms("59-63", [[1, 2], [59, 61, 63]])
    assert not confirms("59-63", [59, 61])


def test_one_number_for_many_tables_must_hold_for_each() -> None:
    per_table = Reading(every=True)
    assert confirms("10", [10, 10], per_table)
    assert confirms("10", [10, None], per_table)
    assert not confirms("10", [10, 11], per_table)
    assert confirms("10", [10, 11])


def test_names_are_counted_only_where_that_is_meant() -> None:
    assert confirms("2", ["n1", "n2"], Reading(counted=True))
    assert not confirms("2", ["n1", "n2"])
    assert not confirms("1", ["12"])


@pytest.mark.parametrize(
    ("label", "value", "right"),
    [
        ("none", None, True),
        ("none printed", [None], True),
        ("XXX.XX", [None], True),
        ("none", [12.5], False),
        ("off", False, True),
        ("yes", True, True),
        ("yes", False, False),
        ("all_reduce (line 98)", ["all_reduce"], True),
        ("redacted", "::ffff:<leg A>", True),
        ("redacted", "::ffff:10.0.0.1", False),
        ("12", "IBV_WC_RETRY_EXC_ERR(12)", True),
        ("NVIDIA H100", "nvidia h100", True),
    ],
)
def test_words_of_labels(label: str, value: object, right: bool) -> None:
    assert confirms(label, value) is right


def test_running_text_must_contain_the_words_and_never_a_bare_number() -> None:
    text = Reading(contains=True)
    assert confirms("unhandled system error", ["Test NCCL failure: unhandled system error / "], text)
    assert not confirms("12", ["error 12 on rank 3"], text)


def test_keys_name_sizes_and_variables() -> None:
    assert "time_us_by_size.4" in paths("time_4B")
    assert "busbw_gbs_by_size.8388608" in paths("busbw_at_8M")
    assert "environment.NCCL_SHM_DISABLE" in paths("SHM_DISABLE")
    assert "warning_details.gid_index" in paths("gid_index")


def test_facts_are_looked_up_by_synonym_and_misses_say_what_was_there() -> None:
    facts: dict[str, object] = {"peak_busbw_gbs": [13.6, 7.0], "environment": {"NCCL_ALGO": ["Ring"]}}
    labels = pairs("peak_busbw=13.60,7.00;NCCL_ALGO=Ring;NCCL_PROTO=LL;avg_busbw=1.0")
    right, missed = score_facts(labels, facts)
    assert right == 2
    assert missed == ["NCCL_PROTO=LL  <- no such fact", "avg_busbw=1.0  <- no such fact"]
    _, wrong = score_facts(pairs("peak_busbw=9.9"), facts)
    assert wrong == ["peak_busbw=9.9  <- peak_busbw_gbs=[13.6, 7.0]"]


def test_blocks_of_a_field_report_are_found_anywhere() -> None:
    blocks = [
        Block("a.txt", "57", "table", (("rows", "4"), ("units", "58")), ""),
        Block("a.txt", "9", "nhc", (("gpu_count", "8"),), ""),
        Block("a.txt", "-", "conclusion", pairs("verdict=degraded;causes=gpu-busy;symptoms=latency-high"), ""),
    ]
    report = Report("degraded", (Diagnosis("gpu-busy", explains=("latency-high",)),), {"rows": [3, 4]})
    result = score_article("a.txt", blocks, report)
    assert (result.verdict_right, result.first_cause) == (True, True)
    assert (result.facts_right, result.facts_total) == (1, 1)
    assert (result.state_right, result.state_total) == (0, 1)
    assert result.symptoms_found == ("latency-high",)


def test_the_whole_way_with_a_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = corpus(
        tmp_path,
        "nccl-tests/good.txt\tyes\thealthy\t\t\trows=2\t",
        "nccl-tests/bad.txt\tyes\tbroken\trank-lost\t\trows=2\t",
        "ibsim/other.txt\tyes\thealthy\t\t\tswitches=2\t",
    )

    def analyze(path: Path) -> Report:
        if path.name == "bad.txt":
            raise ValueError("torn")
        return Report(facts={"rows": [2]})

    assert accuracy.main(["--corpus", str(place), "--verbose"], analyze) == 0
    printed = capsys.readouterr().out
    assert "CRASH: ValueError: torn" in printed
    assert "other.txt" not in printed
    assert accuracy.main(["--corpus", str(place), "--json", "--kinds", "all"], analyze) == 0
    scores = json.loads(capsys.readouterr().out)["samples"]
    assert [one["facts_right"] for one in scores] == [1, 0, 0]
    assert scores[1]["first_cause"] is False


def test_without_a_corpus_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["--corpus", str(tmp_path)]) == 0
    assert "skipped" in capsys.readouterr().out
