"""States and rates of ports that ``uniq -c`` counted; and pipelines that leave ports out, which prove nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slowlink
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

ALL = "ibstat | grep -E 'State|Rate' | sort | uniq -c"
SOUND = "      8 \t\tPhysical state: LinkUp\n      8 \t\tRate: 400\n      8 \t\tState: Active\n"
SICK = (
    "      1 \t\tPhysical state: Disabled\n      7 \t\tPhysical state: LinkUp\n      7 \t\tRate: 400\n"
    "      1 \t\tRate: 40\n      7 \t\tState: Active\n      1 \t\tState: Down\n"
)


def asked(command: str, answer: str, lead: str = "[a@n1 ~]$ ") -> str:
    return f"{lead}{command}\n{answer}"


def ports(text: str) -> dict[str, dict[str, object]]:
    """Attribute -> port -> value."""
    found: dict[str, dict[str, object]] = {}
    for each in read([Input("ports.txt", None, [text.encode("utf-8", "replace")])], workers=1).readings:
        if each.part.kind == "port":
            found.setdefault(each.attribute, {})[each.part.name] = each.value
    return found


def verdict(text: str) -> tuple[str, list[str]]:
    report = slowlink.analyze(text.encode())
    return str(report.verdict), [each.cause for each in report.diagnoses]


def test_what_is_bad_stands_together() -> None:
    found = ports(asked(ALL, SICK))
    bad = {attribute: values["#8"] for attribute, values in found.items()}
    assert bad == {"port-state": "Down", "port-rate": 40.0, "port-physical-state": "Disabled"}
    assert [len(values) for values in found.values()] == [8, 8, 8]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (ALL, SOUND),
        ("sudo ibstat 2>/dev/null | egrep 'State|Physical state|Rate' | sort | uniq -c | sort -rn", SOUND),
        ('ibstat | grep -i "state" | uniq -c', "      8 \t\tPhysical state: LinkUp\n      8 \t\tState: Active\n"),
        (
            "ibstatus | grep -E 'state|rate' | sort | uniq -c",
            "  8 \tstate:\t\t 4: ACTIVE\n  8 \trate:\t\t 400 Gb/sec (4X NDR)\n",
        ),
        (r"ibstat | grep -E '^\s+(State|Rate)' | sort | uniq -c | sort -rn", SOUND),
        ("ibv_devinfo | grep state | sort | uniq -c", "      8 \t\t\tstate:\t\t\tPORT_ACTIVE (4)\n"),
        ("ibdev2netdev | awk '{print $NF}' | sort | uniq -c", "      8 (Up)\n"),
        ("cat /sys/class/infiniband/*/ports/1/state | sort | uniq -c", "      8 4: ACTIVE\n"),
    ],
)
def test_all_ports_of_a_node_are_up(command: str, answer: str) -> None:
    assert ports(asked(command, answer))["port-state"] == {f"#{number}": "Active" for number in range(1, 9)}
    assert verdict(asked(command, answer)) == ("healthy", [])


@pytest.mark.parametrize(
    "command",
    [
        "ibstat | grep Active | sort | uniq -c",
        "ibstat | grep 'State: Active' | sort | uniq -c",
        "ibstat | grep State | head -3 | sort | uniq -c",
        "ibstat | grep -v Down | sort | uniq -c",
        "ibstat mlx5_0 | grep State | sort | uniq -c",
        "cat /sys/class/infiniband/mlx5_[0-3]/ports/1/state | sort | uniq -c",
        "ibdev2netdev | grep Up | awk '{print $NF}' | sort | uniq -c",
        f"{ALL}\n{SOUND}[a@n1 ~]$ ibstat | grep Active | uniq -c",
        "cat states.txt",
    ],
)
def test_a_pipeline_that_leaves_ports_out_proves_nothing(command: str) -> None:
    assert len(ports(asked(command, "      7 \t\tState: Active\n")).get("port-state", ())) in (0, 8)
    if not command.startswith(ALL):
        assert verdict(asked(command, "      7 \t\tState: Active\n"))[0] == "inconclusive"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (SICK, "port-down"),
        (SOUND.replace("8 \t\tRate: 400", "7 \t\tRate: 400\n      1 \t\tRate: 200"), "port-rate-low"),
        ("      7 \t\tState: Active\n      1 \t\tState: Initializing\n", "subnet-manager-missing"),
    ],
    ids=["down", "slow", "init"],
)
def test_one_sick_port_among_them(answer: str, cause: str) -> None:
    assert verdict(asked(ALL, answer)) == ("degraded", [cause])


def test_a_port_that_is_not_among_them() -> None:
    gpus = asked("nvidia-smi -L | wc -l", "8\n")
    assert verdict(gpus + asked(ALL, SOUND)) == ("healthy", [])
    assert verdict(gpus + asked(ALL, SOUND.replace("8 ", "7 "))) == ("inconclusive", ["port-down"])


def test_many_nodes_under_their_names() -> None:
    lead, ruler = "$ clush -bw cn[1-2] ", "---------------\n"
    text = asked(f'"{ALL}"', f"{ruler}cn1\n{ruler}{SOUND}{ruler}cn2\n{ruler}{SICK}", lead)
    report = slowlink.analyze(text.encode())
    assert report.headline.startswith("cn2: #8 is down (Disabled) while")


@given(
    st.lists(
        st.sampled_from([f"$ {ALL}", "  8 State: Active", " 1 (Up)", "  2 400 Gb/sec (4X NDR)"]) | st.text(max_size=40)
    )
)
def test_any_text_gives_a_result(lines: list[str]) -> None:
    ports("\n".join(lines))


def test_a_column_of_one_number_above_ends_at_the_next_prompt() -> None:
    above = asked("nvidia-smi --query-gpu=count --format=csv,noheader | head -1", "8\n")
    assert ports(above + asked(ALL, SOUND))["port-rate"] == {f"#{number}": 400.0 for number in range(1, 9)}
