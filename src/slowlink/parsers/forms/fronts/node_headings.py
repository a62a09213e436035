"""Headings that loops over nodes print above the output of tools, in no tool's own form.

``===== roce-a =====``, ``---- node3 ----``, ``## node3``, ``[node3]``, ``Node: node3``, ``>>> node3``, ``node3:``,
also with words behind the name (``== node3 before the run``) or with the tool that answers (``ibstat on node3:``,
``node3 | nvidia-smi -q``). One of them alone may be the heading of anything. So a name counts as a node's where
another of its *siblings* stands in a heading of the same form: a name that is the same but for its digits, or for one
letter (``roce-a``, ``roce-b``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from slowlink.patterns import regex

_NAME = r"(?P<name>[A-Za-z][\w.-]{1,80})"
_MARKED = regex(
    rf"\s{{0,8}}(?P<mark>={{1,60}}|-{{2,60}}|#{{1,60}}|\*{{2,60}}|>{{2,20}}|\+{{2,60}}|~{{2,60}}|_{{3,60}}|<{{2,20}})"
    r" {0,4}"
    rf"(?:(?:on |from )?(?i:host|hostname|node|server|machine)(?: name)?(?: ?[:=])? {{1,4}})?{_NAME}"
    r"(?: \([\w.:, -]{1,60}\))? ?:?(?: {0,4}[=\-#*<+~_>]{1,60})?\s{0,8}"
)
_BRACKETED = regex(rf"\s{{0,8}}(?P<mark>\[) ?{_NAME} ?\]:?\s{{0,8}}")
_KEYED = regex(
    r"\s{0,8}(?P<mark>(?i:host|hostname|node|server|machine)(?: name)?)(?: ?[:=] {0,4}| {1,4})"
    rf"{_NAME} ?:?\s{{0,8}}"
)
_WORDED = regex(
    rf"\s{{0,8}}(?P<mark>={{2,60}}|-{{2,60}}|#{{2,60}}|\*{{2,60}}|>{{2,20}}|\+{{2,60}}) {{0,4}}{_NAME}"
    r"(?:[:,]| {1,4}[|:-]?) {0,4}[A-Za-z(].{0,80}"
)
_PREPOSED = regex(rf"(?P<mark>(?i:on|from|at|auf|von|sur|de)) {{1,2}}{_NAME} ?:\s{{0,8}}")
_TOOLS = (
    *(
        "ibstat",
        "ibstatus",
        "ibv_devinfo",
        "ibdev2netdev",
        "show_gids",
        "perfquery",
        "mlxlink",
        "mlxconfig",
        "mlnx_qos",
    ),
    *(
        "nvidia-smi",
        "rocm-smi",
        "amd-smi",
        "mx-smi",
        "dcgmi",
        "lspci",
        "ethtool",
        "dmesg",
        "lscpu",
        "numactl",
        "sysctl",
    ),
    *("lsmod", "modinfo", "uname", "ulimit", "ip link", "ip addr", "rdma link", "ofed_info", "journalctl", "cpupower"),
    *(
        "ibdiagnet",
        "iblinkinfo",
        "sminfo",
        "lstopo",
        "fi_info",
        "ucx_info",
        "uptime",
        "ifconfig",
        "netstat",
        "mst status",
    ),
)
_TOOL = regex(r"(?:^|(?<=[\s(\[=#*|$:-]))(?:" + "|".join(map(re.escape, _TOOLS)) + r")(?=[\s):\],=*-]|$)")
_ASIDE = "[](){}<>=#*-+~_|:,.@'\"`$ \t"
_FILLERS = frozenset(
    (
        *("on", "from", "at", "of", "for", "output", "auf", "von", "sur", "de", "node", "host", "server", "machine"),
        *("ssh", "sudo", "the", "before", "after", "now"),
    )
)
_LONGEST_OF_TOOL = 100
_PLAIN = regex(rf"(?P<mark>){_NAME}:\s{{0,8}}")
_TRAILED = regex(rf"{_NAME} {{0,4}}(?P<mark><{{2,20}}|={{2,60}}|-{{3,60}}|#{{2,60}}|\*{{2,60}})\s{{0,8}}")
"""The front of ``>>> node3 <<<`` was taken for the mark of a quoted mail."""
ANSIBLE = regex(
    r"(?P<name>[A-Za-z][\w.-]{0,80}) \| (?:CHANGED|SUCCESS|FAILED|UNREACHABLE!?)"
    r"(?: \| rc=\d{1,3} (?:\(\w{1,10}\) )?>>| =>).{0,200}"
)
"""An ad-hoc command of Ansible answers so."""
_WORD = regex(r"\S{1,120}")
_NODE_NAME = regex(r"[A-Za-z][\w.-]{1,80}")
RULER = regex(r"-{15,16}")
"""``clush -b`` draws 15 dashes above and below the names of nodes that said the same, ``dshbak -c`` 16."""
HEADING_MARKS = (
    *("\n=", "\n--", "\n#", "\n**", "\n>>", "\n++", "\n~~", "\n___", "\n<<", "]\n", ":\n", "<<\n", "==\n", "---\n"),
    *_TOOLS,
    *("\non ", "\nfrom ", "\nat ", "\nauf ", "\nvon ", "\nsur ", "\nde "),
    *("##\n", "**\n", "\nhost", "\nnode", "\nserver", "\nmachine", " | changed", " | success", " | failed"),
    " | unreachable",
)
"""One of these literals stands in each heading, in small letters."""
LINES_OF_NODE = 60
"""Lines below the heading of a node that are compared with those of its peers."""
LEAST_COMPARED = 3
"""Nodes of which one can be told to be the odd one."""
_COMMON_FORM = 0.8
"""Share of the names that must be built alike: the same letters, digits in the same places."""
_DIGITS = regex(r"\d{1,12}")
_DIGIT = regex(r"\d")
_LETTER = regex(r"(?<![A-Za-z\d])[A-Za-z](?![A-Za-z\d])")
_DEVICE = regex(
    r"(?:mlx0|bnxt|irdma|hfi0|rdmap0|roce[ops]?0|ib[ps]?0|en[opsx]0|en[ps]\w0|eth0|bond0|br0|veth|team0|nvme0|card0|cuda0"
    r"|efa_0|lo0|wl[op]0|sd[a-z]0?$|mthca0|cxi0|hsn0|swp0|net0)[\w.@-]{0,40}"
)
_NO_NODE = regex(
    r"(?i:rank|local_?rank|ranks|cpu|core|numa|socket|port|link|lane|rail|nic|hca|switch|plane|device|dev|step|epoch"
    r"|iter(?:ation)?|run|try|trial|attempt|test|case|round|phase|part|section|table|figure|fig|layer|block|stage|job|task"
    r"|slot|pci|bus|gid|qp|channel|ring|tree|sample|log|dump|config|exp(?:eriment)?|scenario|option|v|ver(?:sion)?|size"
    r"|np|day|week|question|q|issue|chapter|appendix|note|item|thread|process|proc|pid|pass|loop|batch|nccl|numa_?node"
    r"|python|error|warning|fio|iperf|mpi|rocm|ofed|ubuntu|rhel|centos|sles|bios|uefi|grub|ipv|pcie|gen|mi|cx"
    r"|nvlink|disk|check|layers|u?int|float)"
    r"[_.-]?(?:0[_/.:-]?){1,4}(?:\.\w{1,5})?"
    r"|(?i:(?:[tpdec]p_?0[_-]?){1,6}|mi0x|sm_0|[bf][fp]0\w{0,6}|all0all|layers?[_.-]?0\.\w{1,40})"
)
"""Names, with digits as 0, of what is numbered and is no node: devices, ranks, types, runs, chapters. ``GPU0`` is one,
``gpu07`` is a host; that is asked apart."""
_GPU = regex(r"(?:GPU|gpu)[_-]?\d{1,2}")
_MODEL = regex(
    r"(?i:[habx])(?:[1-9]|10|16|20|30|40|80|86|100|200|264|265|300|800)(?:[_/.:-](?:[1-9]\d{0,5})?(?:\.\w{1,5})?)?"
)
"""H100, A10, B200, x86: what numbers behind one letter are sold or written of. ``h01`` and ``h12`` are none of them."""
_ENDS = frozenset(
    {
        *(
            "summary",
            "results",
            "result",
            "conclusion",
            "conclusions",
            "notes",
            "analysis",
            "total",
            "totals",
            "overall",
        ),
        *("comparison", "compare", "diff", "question", "questions", "end", "done", "nccl-tests", "all", "benchmark"),
    }
)
"""What stands above words about all nodes: the section of the last node ends there."""


class Heading(NamedTuple):
    """A line that may name the node of what follows."""

    form: str
    """How it is decorated, the same for headings of one loop."""
    name: str


def heading_of(text: str) -> Heading | None:
    """``text`` as a heading; None where it has none of the forms."""
    if len(text) > 200:
        return None
    if (of_tool := _with_its_tool(text)) is not None:
        return of_tool
    for pattern in (_MARKED, _BRACKETED, _KEYED, _PLAIN, _TRAILED, _PREPOSED):
        found = pattern.fullmatch(text)
        if found is not None:
            return Heading(found["mark"].lower()[:20], found["name"].rstrip(".-"))
    return _with_words(text)


def _with_its_tool(text: str) -> Heading | None:
    """A node and the tool that it answers to, with nothing else that says something."""
    tool = _TOOL.search(text) if len(text) <= _LONGEST_OF_TOOL else None
    if tool is None:
        return None
    names: list[tuple[int, str]] = []
    for word in _WORD.finditer(text):
        bare = word[0].strip(_ASIDE)
        if not bare or bare.lower() in _FILLERS or tool.start() <= word.start() < tool.end() or word[0][0] in "-/":
            continue
        if _NODE_NAME.fullmatch(bare) and kind_of_name(bare) is not None:
            names.append((word.start(), bare))
        elif word.start() < tool.start() or not is_part(bare):
            return None
    if len(names) != 1:
        return None
    at, name = names[0]
    return Heading(f"{'name' if at < tool.start() else 'tool'} {text.lstrip()[:1]}", name)


def _with_words(text: str) -> Heading | None:
    found = _WORDED.fullmatch(text)
    return Heading(f"{found['mark'][:20]} ...", found["name"].rstrip(".-")) if found is not None else None


def has_node_sections(lines: Iterable[str]) -> bool:
    """Do three nodes or more have headings among these lines?"""
    headings: set[Heading] = set()
    rulers = 0
    for line in lines:
        rulers += line[:1] == "-" and RULER.fullmatch(line) is not None
        heading = section_heading(line)
        if heading is not None:
            headings.add(heading)
    return rulers >= 2 * 2 or len(nodes_among(headings)) >= LEAST_COMPARED


def may_head(line: str) -> bool:
    """Does ``has_node_sections`` count this line?"""
    return section_heading(line) is not None or RULER.fullmatch(line) is not None


def section_heading(text: str) -> Heading | None:
    """The same, with those of Ansible, which need no siblings to be known."""
    found = ANSIBLE.fullmatch(text) if " | " in text else None
    return Heading("|", found["name"]) if found is not None else heading_of(text)


def ends_nodes(heading: Heading) -> bool:
    """Does this heading stand above what is of all nodes?"""
    return heading.name.lower() in _ENDS


def kind_of_name(name: str) -> str | None:
    """What siblings have in common: ``node-0`` of node-12, ``roce-?`` of roce-a. None for a name that cannot have any,
    and for one that is no node's."""
    form = zeroed(name)
    if is_part(name):
        return None
    if _LETTER.search(form[1:]):
        return form[0] + _LETTER.sub("?", form[1:])
    return form if "0" in form else None


def may_have_kind(name: str) -> bool:
    """Could a name of this shape have siblings? Blind to which digits stand in it."""
    return kind_of_name(_DIGIT.sub("0", name)) is not None


def zeroed(name: str) -> str:
    """A name with each run of digits as one 0: node0 for node7 and node12."""
    return _DIGITS.sub("0", name)


def is_part(name: str) -> bool:
    """Does this name look like that of a device, a rank or another numbered thing that is no node?"""
    form = zeroed(name)
    numbered_gpu = _GPU.fullmatch(name) and (name.isupper() or not name[-2:].isdecimal())
    return bool(numbered_gpu or _MODEL.fullmatch(name) or _DEVICE.fullmatch(form) or _NO_NODE.fullmatch(form))


def are_parts(names: Sequence[str]) -> bool:
    """Do these look like parts, asked of names that are built alike? ``a10`` is a GPU, but not beside ``a09``."""
    return 2 * sum(map(is_part, names)) > len(names)


def are_alike(names: Sequence[str]) -> bool:
    """Are most of the names built alike?"""
    return Counter(map(form_of_name, names)).most_common(1)[0][1] >= _COMMON_FORM * len(names)


def form_of_name(name: str) -> str:
    """Its letters, with each run of digits as one mark."""
    return zeroed(name.partition(".")[0])


def nodes_among(headings: Iterable[Heading]) -> frozenset[Heading]:
    """Those that have a sibling in a heading of the same form."""
    kinds: dict[tuple[str, str], set[Heading]] = {}
    for heading in headings:
        kind = kind_of_name(heading.name)
        if kind is not None:
            kinds.setdefault((heading.form, kind), set()).add(heading)
    return frozenset(each for found in kinds.values() if len(found) > 1 for each in found)
