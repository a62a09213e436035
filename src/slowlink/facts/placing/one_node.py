"""Files that lie together and of which one names its node: what somebody saved from one machine, each tool in a file.

``kern.log`` says tok-3; ``nvidia-smi.txt`` and ``top.txt`` beside it say nothing. They are taken for tok-3's where no
other node is named in that folder, and where nothing that they say contradicts: a serial number, a version or a setting
that differs is another node's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slowlink.catalog.attributes import attribute
from slowlink.facts.placing.source_names import numbered_alike
from slowlink.model.state import Part, Reading, Value

_MAY_CHANGE = ("level", "counter")
_Told = dict[tuple[str, Part], Value]


def on_one_node(readings: Sequence[Reading], unnamed: Iterable[str], named: Mapping[str, set[str]]) -> dict[str, str]:
    """Source -> node, of sources in ``unnamed`` that are of the one node that its folder names. ``readings`` are
    placed: those of an unnamed source carry its name. ``named``: source -> nodes that its other records name."""
    nodes: dict[str, set[str]] = {}
    for source, hosts in named.items():
        nodes.setdefault(_folder(source), set()).update(hosts)
    waiting = [source for source in unnamed if len(nodes.get(_folder(source), ())) == 1]
    alike = numbered_alike([*unnamed, *named], whatever=True)
    waiting = [source for source in waiting if source not in alike]
    if not waiting:
        return {}
    told = _told(readings)
    joined: dict[str, str] = {}
    for source in sorted(waiting):
        (node,) = nodes[_folder(source)]
        known, own = told.setdefault(node, {}), told.get(source, {})
        if all(known.get(key, value) == value for key, value in own.items()):
            known.update(own)
            joined[source] = node
    return joined


def _told(readings: Iterable[Reading]) -> dict[str, _Told]:
    """Node -> what does not change from one look to the next."""
    found: dict[str, _Told] = {}
    for reading in readings:
        if reading.host is not None and attribute(reading.attribute).kind not in _MAY_CHANGE:
            found.setdefault(reading.host, {})[reading.attribute, reading.part] = reading.value
    return found


def _folder(source: str) -> str:
    return source.replace("!", "/").rpartition("/")[0]
