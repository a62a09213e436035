from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import remedies_of, said

LONG = " 10:11:12 up 41 days,  3:02,  2 users,  load average: 0.10, 0.22, 0.31"
SHORT = " 10:11:12 up 6 min,  1 user,  load average: 0.10, 0.22, 0.31"
BOOT = "/proc/sys/kernel/random/boot_id:3d0d6a5e-0000-4000-8000-00000000000"


def nodes(**lines: str) -> str:
    return "".join(f"{name}: {line}\n" for name, line in lines.items())


def test_one_node_started_long_after_its_peers() -> None:
    text = nodes(gpu01=LONG, gpu02=SHORT, gpu03=LONG, gpu04=LONG)
    assert said("rebooted", text) == snapshot(
        [
            (
                "rebooted",
                "info",
                "certain",
                "gpu02: started within the last 6 minutes, while the other nodes have run for 41 days",
            )
        ]
    )
    assert remedies_of("rebooted", text) == snapshot(
        [
            [
                (
                    "See who restarted it and how the boot before ended.",
                    "last -x reboot shutdown; journalctl -k -b -1 -n 100",
                ),
                ("Compare the settings of this node with another's.", "slowlink snapshot"),
            ]
        ]
    )


def test_a_cluster_that_was_started_as_a_whole_is_new() -> None:
    assert said("rebooted", nodes(gpu01=SHORT, gpu02=SHORT, gpu03=SHORT)) == []


def test_one_node_alone_may_be_a_new_machine() -> None:
    assert said("rebooted", nodes(gpu02=SHORT)) == []
    assert said("rebooted", nodes(gpu01=LONG, gpu02=SHORT)) == []


def test_the_boot_id_changed_between_two_readings() -> None:
    assert said("rebooted", nodes(gpu01=BOOT + "1") + nodes(gpu01=BOOT + "2")) == snapshot(
        [("rebooted", "info", "certain", "gpu01: restarted between two readings: the boot id changed")]
    )
    assert said("rebooted", nodes(gpu01=BOOT + "1") + nodes(gpu02=BOOT + "2")) == []


def test_a_job_that_does_not_go_on_has_lost_the_node_that_was_restarted() -> None:
    text = nodes(gpu01=LONG, gpu02=SHORT, gpu03=LONG, gpu04=LONG)
    told = ("job 7 on gpu[01-04] stands still since 10:05", "our training hangs again", "the job makes no progress now")
    assert [said("rebooted", text + words + "\n")[0][1:] for words in told] == [
        (
            "critical",
            "likely",
            "gpu02: started within the last 6 minutes, while the other nodes have run for 41 days; a job is said not to go on",
        )
    ] * len(told)
    slow = "our training is very slow today\n"
    assert said("rebooted", text + slow)[0][1:3] == ("info", "certain")
    assert said("rebooted", nodes(gpu01=LONG, gpu02=LONG, gpu03=LONG) + told[0] + "\n") == []
