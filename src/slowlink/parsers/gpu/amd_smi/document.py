"""JSON of amd-smi: a list of GPUs, each with sections; numbers as ``{"value": 140, "unit": "W"}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.json_blocks import is_cut
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.amd_smi.fields import field_of

_SECTIONS = frozenset(
    {"asic", "bus", "bdf", "driver", "vbios", "ifwi", "usage", "power", "pcie", "ecc", "mem_usage", "temperature",
     "process_list", "vram", "numa", "partition"}
)  # fmt: skip
_DEEPEST = 4
MAX_GPUS = Limit(4096, "GPUs")
MAX_PROCESSES = Limit(4096, "processes of one GPU")
MAX_FIELDS = Limit(1000, "fields of one block")


class AmdSmiDocument:
    """Reads ``list``, ``static``, ``metric`` and ``process`` with ``--json``."""

    kind: ClassVar[str] = "amd-smi"

    @staticmethod
    def wants_document(value: object) -> bool:
        return any(_number(gpu) is not None and _SECTIONS & set(map(str, gpu)) for gpu in _gpus(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        at = Line(source, line, "")
        gpus = [(number, gpu) for gpu in _gpus(value) if (number := _number(gpu)) is not None]
        is_all = bool(gpus) and _is_list(gpus) and not is_cut(value)
        found = [reading("gpu-count", NODE, len({number for number, _ in gpus}), at)] if is_all else []
        for number, gpu in gpus:
            part = Part("gpu", number)
            for path, text in islice(_leaves(gpu, (), 0), 5000):
                known = field_of(path, text)
                if known is not None:
                    about = NODE if known[0] == "driver-version" else part
                    found.append(reading(known[0], about, known[1], at))
            found += _processes(gpu, number, at)
        return MAX_READINGS.first(found)


def _is_list(gpus: list[tuple[str, Mapping[str, object]]]) -> bool:
    """Is this ``amd-smi list`` or ``static``, and of all GPUs (they count up from 0)?"""
    numbers = sorted({int(number) for number, _ in gpus})
    return numbers == list(range(len(numbers))) and all("bdf" in gpu or "bus" in gpu for _, gpu in gpus)


def _gpus(value: object) -> list[Mapping[str, object]]:
    if isinstance(value, Mapping):
        value = value.get("gpu_data", [value])
    return [gpu for gpu in MAX_GPUS.first(value) if isinstance(gpu, Mapping)] if isinstance(value, list) else []


def _number(gpu: Mapping[str, object]) -> str | None:
    number = gpu.get("gpu")
    return str(number) if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 4096 else None


def _leaves(value: Mapping[str, object], path: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, below in MAX_FIELDS.first(value.items()):
        here = (*path, str(key).lower())
        if isinstance(below, Mapping) and "value" in below:
            below = below["value"] if "unit" not in below else f"{below['value']} {below['unit']}"
        if isinstance(below, Mapping):
            if depth < _DEEPEST:
                yield from _leaves(below, here, depth + 1)
        elif isinstance(below, str | int | float) and not isinstance(below, bool):
            yield here, str(below)


def _processes(gpu: Mapping[str, object], number: str, at: Line) -> Iterator[Reading]:
    listed = gpu.get("process_list", gpu.get("process_info"))
    for entry in MAX_PROCESSES.first(listed) if isinstance(listed, list) else []:
        info = entry.get("process_info", entry) if isinstance(entry, Mapping) else None
        if not isinstance(info, Mapping) or not isinstance(info.get("pid"), int):
            continue
        part = Part("process", str(info["pid"]))
        yield reading("process-gpu", part, number, at)
        if isinstance(info.get("name"), str):
            yield reading("process-name", part, str(info["name"]).rsplit("/", 1)[-1][:120], at)
