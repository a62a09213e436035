"""Machines in the JSON of others: ``terraform output -json``, ``kubectl get nodes -o json``, listings of clouds.

One mechanism for all: a machine is an object with a name that holds, somewhere inside, a private address. Listings that
it reads: ``aws ec2 describe-instances``, ``gcloud compute instances list --format json``, ``az vm list-ip-addresses``,
``oci compute instance list-vnics``, ``crusoe compute vms list --json``.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from slowlink.errors import SlowlinkError
from slowlink.model.plan import Allocation, Node
from slowlink.quoting import quote

_MAX_DEPTH = 24
_MOST_KINDS = 20
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
_ZONE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
"""Name or number of an interface behind an address; ``ipaddress`` takes any text for one."""
_NAME_KEYS = ("name", "displayname", "hostname", "hostnamelabel", "instanceid")
_ADDRESS_KEYS = {
    *("privateipaddress", "privateipaddresses", "privateip", "privateips", "networkip", "internalip", "privateipv4"),
    *("internalips", "privateaddress", "ipv4private"),
}
_TYPE_KEYS = {
    *("type", "instancetype", "machinetype", "vmsize", "shape", "size", "flavor", "servertype", "sku", "plan"),
    *("productname", "gputype", "hardwareprofile"),
}
_TYPE_LABELS = ("nvidia.com/gpu.product", "node.kubernetes.io/instance-type", "amd.com/gpu.product-name")
"""What Kubernetes' nodes say of themselves."""
_STATE_KEYS = ("state", "status", "lifecyclestate", "powerstate")
_RUNNING = {"running", "staterunning", "active", "available", "ready", "vmrunning", "started", "provisioned"}


class Found(Struct, frozen=True):
    """Machines of one document, and how many were left out because they are not running."""

    nodes: tuple[Node, ...]
    stopped: tuple[str, ...] = ()


class _Machine(Struct):
    name: str
    state: str | None
    kind: str = ""
    """Its type, in the words of its cloud."""
    addresses: list[str] = field(default_factory=list)


def parse_document(
    text: str, source: str, output: str | None = None, kinds: Sequence[str] = ()
) -> tuple[Allocation, tuple[str, ...]]:
    """Nodes of a JSON document, and the names of those that do not run. ``output`` names one output of Terraform;
    ``kinds``: only machines whose type holds one of these words.

    Raises SlowlinkError: ``bad-json``, ``no-nodes``, ``ambiguous-output``, ``unknown-output``.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SlowlinkError(
            f"{source} is not JSON: {str(error)[:120]}",
            hint="for instance: terraform output -json | slowlink nodes -",
            slug="bad-json",
        ) from error
    label = source
    if output is not None or _is_terraform(document):
        name, document = _terraform_output(document, source, output)
        label = f"output {name} of {source}"
    found = machines(document, kinds)
    if not found.nodes:
        stopped = f"; {len(found.stopped)} machines there do not run" if found.stopped else ""
        if kinds and machines(document).nodes:
            raise SlowlinkError(
                f"no machine of {label} is of type {' or '.join(kinds)}{stopped}",
                hint=f"there are: {', '.join(_kinds(document)) or 'machines that tell no type'}",
                slug="no-nodes",
            )
        raise SlowlinkError(
            f"{label} holds no machine with a private address{stopped}",
            hint="expected: terraform output -json, kubectl get nodes -o json, or a cloud's listing as JSON",
            slug="no-nodes",
        )
    return Allocation(_unique(found.nodes, label), basis=label), found.stopped


def machines(document: object, kinds: Sequence[str] = ()) -> Found:
    """Every machine of a document; with ``kinds`` those whose type holds one of these words.

    Total: any JSON value gives a result.
    """
    plain = _plain(document)
    if plain and not kinds:
        return Found(tuple(plain))
    running: list[Node] = []
    stopped: list[str] = []
    for machine in _known(document):
        if kinds and not any(kind.lower() in machine.kind.lower() for kind in kinds):
            continue
        if machine.state is not None and _squeezed(machine.state) not in _RUNNING:
            if machine.addresses or _squeezed(machine.state) in ("stopped", "terminated"):
                stopped.append(machine.name)
        elif machine.addresses:
            running.append(Node(machine.name, address=machine.addresses[0]))
    return Found(tuple(running), tuple(stopped))


def _known(document: object) -> list[_Machine]:
    known: list[_Machine] = []
    _walk(document, None, known, 0, locked=False)
    return known


def _kinds(document: object) -> list[str]:
    """Types of the machines, each once."""
    return sorted({machine.kind for machine in _known(document) if machine.kind and machine.addresses})[:_MOST_KINDS]


def _plain(document: object) -> list[Node]:
    """``["10.0.0.1", "node2"]`` and ``{"node1": "10.0.0.1"}``: all of it, or nothing."""
    if isinstance(document, list) and document and all(_is_host(item) for item in document):
        return [Node(item) for item in document]
    if isinstance(document, dict) and document and all(_is_address(item) for item in document.values()):
        return [Node(_host_name(key) or str(value), address=str(value)) for key, value in document.items()]
    return []


def _walk(value: object, machine: _Machine | None, known: list[_Machine], depth: int, *, locked: bool) -> None:
    """``locked``: below a machine's interfaces, whose own names are not names of machines."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            _walk(item, machine, known, depth + 1, locked=locked)
        return
    if not isinstance(value, dict):
        return
    if not locked:
        name = _name_of(value) or (_own_address(value) if machine is None else None)
        if name is not None:
            machine = _Machine(name, _state_of(value), _kind_of(value))
            known.append(machine)
    for key, item in value.items():
        squeezed = _squeezed(key)
        if machine is not None and squeezed in _ADDRESS_KEYS:
            machine.addresses += _addresses(item)
        elif machine is not None and squeezed == "addresses":
            machine.addresses += _typed_addresses(item)
        _walk(item, machine, known, depth + 1, locked=locked or "interface" in squeezed or squeezed == "status")


def _name_of(value: Mapping[str, object]) -> str | None:
    tags = value.get("Tags")
    tagged = [
        tag.get("Value")
        for tag in (tags if isinstance(tags, list) else ())
        if isinstance(tag, dict) and tag.get("Key") == "Name"
    ]
    by_key = {_squeezed(key): item for key, item in value.items()}
    metadata = value.get("metadata")
    inner = metadata.get("name") if isinstance(metadata, dict) else None
    for candidate in (*tagged, inner, *(by_key.get(key) for key in _NAME_KEYS)):
        name = _host_name(candidate)
        if name is not None:
            return name
    return None


def _own_address(value: Mapping[str, object]) -> str | None:
    """A machine that has an address and no name is called by its address."""
    found = [address for key, item in value.items() if _squeezed(key) in _ADDRESS_KEYS for address in _addresses(item)]
    return found[0] if found else None


def _kind_of(value: Mapping[str, object]) -> str:
    """``p5.48xlarge``; of a node of Kubernetes also the product of its GPUs. "" where it tells none."""
    metadata = value.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    said = [labels.get(name) for name in _TYPE_LABELS] if isinstance(labels, dict) else []
    said += [item for key, item in value.items() if _squeezed(key) in _TYPE_KEYS]
    inner = value.get("hardwareProfile")
    said += [inner.get("vmSize")] if isinstance(inner, dict) else []
    # Google's are addresses: .../machineTypes/a3-highgpu-8g
    return " ".join(item.rpartition("/")[2][:100] for item in said if isinstance(item, str))


def _state_of(value: Mapping[str, object]) -> str | None:
    status = value.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == "Ready":
            return "ready" if condition.get("status") == "True" else "not ready"
    for key, item in value.items():
        if _squeezed(key) in _STATE_KEYS:
            if isinstance(item, dict):
                item = item.get("Name")
            if isinstance(item, str):
                return item
    return None


def _addresses(item: object) -> list[str]:
    if isinstance(item, str):
        return [item] if _is_address(item) else []
    if isinstance(item, list):
        return [address for each in item for address in _addresses(each)]
    if isinstance(item, dict):
        return [address for key in ("address", "PrivateIpAddress") for address in _addresses(item.get(key))]
    return []


def _typed_addresses(item: object) -> list[str]:
    """``[{"type": "InternalIP", "address": ...}]`` of Kubernetes."""
    entries = item if isinstance(item, list) else []
    return [
        address
        for entry in entries
        if isinstance(entry, dict) and entry.get("type") == "InternalIP"
        for address in _addresses(entry.get("address"))
    ]


def _is_terraform(document: object) -> bool:
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(item, dict) and "value" in item and "type" in item for item in document.values())
    )


def _terraform_output(document: object, source: str, wanted: str | None) -> tuple[str, object]:
    outputs = {name: item["value"] for name, item in _outputs(document) if not item.get("sensitive")}
    if wanted is not None:
        if wanted not in outputs:
            raise SlowlinkError(
                f"{source} has no output {wanted!r}",
                hint=f"it has: {', '.join(outputs) or 'none'}",
                slug="unknown-output",
            )
        return wanted, outputs[wanted]
    usable = [name for name, value in outputs.items() if machines(value).nodes]
    private = [name for name in usable if "private" in name.lower() or "internal" in name.lower()]
    for candidates in (private, usable):
        if len(candidates) == 1:
            return candidates[0], outputs[candidates[0]]
    if usable:
        raise SlowlinkError(
            f"several outputs of {source} hold machines: {', '.join(usable)}",
            hint=f"say which: --output {quote([usable[0]])}",
            slug="ambiguous-output",
        )
    raise SlowlinkError(
        f"no output of {source} holds machines (it has: {', '.join(outputs) or 'none'})",
        hint="an output with a list of private addresses is needed",
        slug="no-nodes",
    )


def _outputs(document: object) -> Iterator[tuple[str, dict[str, object]]]:
    for name, item in document.items() if isinstance(document, dict) else ():
        if isinstance(item, dict) and "value" in item:
            yield name, item


def _unique(nodes: tuple[Node, ...], source: str) -> tuple[Node, ...]:
    """Each address once; machines that share a name are told apart by their address."""
    by_address = {node.address or node.name: node for node in nodes}
    if len(by_address) < len(nodes):
        raise SlowlinkError(
            f"{source} names {len(nodes) - len(by_address)} addresses twice",
            hint="each node once: is the same listing in there two times?",
            slug="duplicate-node",
        )
    times = Counter(node.name for node in nodes)
    return tuple(
        Node(node.address or node.name, address=node.address) if times[node.name] > 1 else node for node in nodes
    )


def _host_name(value: object) -> str | None:
    """A machine's name as one word that a host can have; None when nothing of it is left."""
    if not isinstance(value, str):
        return None
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", value[:253]).strip("-.")
    return name if _HOST.fullmatch(name) else None


def _is_host(value: object) -> bool:
    return isinstance(value, str) and (_HOST.fullmatch(value) is not None or _is_address(value))


def _is_address(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    zone = getattr(address, "scope_id", None)
    return zone is None or _ZONE.fullmatch(zone) is not None


def _squeezed(key: object) -> str:
    """``PrivateIpAddress``, ``private-ip-address``, ``private_ip_address``: one key."""
    return re.sub(r"[^a-z0-9]", "", str(key)[:100].lower())
