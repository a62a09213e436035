"""Whole environments in other writings than that of ``env``: nothing but the variables on the allow-list stays."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from slowlink.redact import Redaction, Redactor

VALUE = "Quartz7Velvet9Harbor2Lantern"
ENVIRONMENT = {
    "SSL_CERT": "/etc/x.pem",
    "SHELL": "/bin/bash",
    "OPS_BLOB": VALUE,
    "HOME": "/home/ops",
    "USER": "ops",
    "NCCL_DEBUG": "INFO",
    "LAST_BLOB": VALUE,
}
STRINGS = [f"{name}={value}" for name, value in ENVIRONMENT.items()]


def each(line: Callable[[str, str], str]) -> str:
    return "".join(line(name, value) + "\n" for name, value in ENVIRONMENT.items())


WRITTEN = {
    "strings, one a line": "".join(f'        "{string}",\n' for string in STRINGS),
    "strings of pprint": "[" + ",\n ".join(map(repr, STRINGS)) + "]\n",
    "units": each(lambda name, value: f"Environment={name}={value}"),
    "units, quoted": each(lambda name, value: f'Environment="{name}={value}"'),
    "Dockerfile": each(lambda name, value: f"ENV {name}={value}"),
    "items of YAML": each(lambda name, value: f"      - {name}={value}"),
    "mapping of YAML": "env:\n" + each(lambda name, value: f"  {name}: {value}"),
    "mapping of YAML, quoted": each(lambda name, value: f'      {name}: "{value}"'),
    "pairs": each(lambda name, value: f"{name} = {value}"),
    "arrows": each(lambda name, value: f"{name} -> {value}"),
    "table": each(lambda name, value: f"| {name:12} | {value:30} |"),
    "behind ranks": each(lambda name, value: f"[1,3]<stdout>:{name}: {value}"),
    "stern": each(lambda name, value: f"train-0 main {name}={value}"),
    "unit on one line": "Environment=" + " ".join(f'"{string}"' for string in STRINGS) + "\n",
    "list": json.dumps(STRINGS) + "\n",
    "list of Python": f"{STRINGS}\n",
    "list of Go": "[" + " ".join(f'"{string}"' for string in STRINGS) + "]\n",
    "commas": "--export=" + ",".join(STRINGS) + "\n",
    "commas and quotes": "environment=" + ",".join(f'{name}="{value}"' for name, value in ENVIRONMENT.items()) + "\n",
    "map of Go": "env map[" + " ".join(f"{name}:{value}" for name, value in ENVIRONMENT.items()) + "]\n",
    "hash of Ruby": "{" + ", ".join(f'"{name}"=>"{value}"' for name, value in ENVIRONMENT.items()) + "}\n",
    "tuples": f"{list(ENVIRONMENT.items())}\n",
    "objects": json.dumps([{"key": name, "value": value} for name, value in ENVIRONMENT.items()]) + "\n",
}


@pytest.mark.parametrize("way", sorted(WRITTEN))
def test_only_the_allow_list_stays(way: str) -> None:
    text = "before 1\n" + WRITTEN[way] + "WARNING: after 2\n"
    out = Redaction().text(text)
    assert (VALUE in out, "/etc/x.pem" in out) == (False, False)
    assert (out.startswith("before 1\n"), out.endswith("WARNING: after 2\n")) == (True, True)
    assert "INFO" in out.replace("WARNING", "")
    assert Redaction().text(out) == out


BANNERS = (
    "HOST: gpu07\nGPUS: 8\nPWD: /work/run\nNODES: 4\n",
    "HOME page of the run: http://x/y\nGPU: H100\n",
    "- NCCL_IB_HCA=mlx5_0\n- UCX_TLS=rc\n",
    "ENV NCCL_DEBUG=INFO\nENV PATH=/usr/bin\n",
    "WARNING: SHELL is not set\nBUSBW: 380.1\n",
    "LAYOUT = ring\nHOSTS = gpu[01-04]\n",
    "| NAME | VALUE |\n| LINK | up |\n",
    "SHELL: dash\nMTU: 4096\n",
)


@pytest.mark.parametrize("text", BANNERS)
def test_what_a_job_says_of_itself_stays(text: str) -> None:
    assert Redaction().text(text) == text


def test_a_variable_without_a_value_is_one_of_the_dump() -> None:
    text = 'declare -x HOME="/root"\ndeclare -x OLDPWD\nexport ALSO\ndeclare -x VENDOR_ID="q7Zt0PbM2x"\n\nq7Zt1PbM2x\n'
    redactor = Redactor()
    assert redactor.feed(text) + redactor.finish() == (
        "declare -x HOME=<redacted:environment>\ndeclare -x OLDPWD\nexport ALSO\n"
        "declare -x VENDOR_ID=<redacted:environment>\n\nq7Zt1PbM2x\n"
    )
