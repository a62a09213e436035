"""How the lines of NVIDIA's drivers, services and containers look.

Their logs hold errors on healthy machines, too, so no line is one by its level.
"""

from __future__ import annotations

from slowlink.parsers.forms.program_form import ProgramLines

_KLOG = (
    r"\b(?P<level>[IEWF])\d{4} [\d:.]{8,15} +\d+ (?:nvidia|nvml|rm|health|server|main|mig|vgpu|manager|devices|resource"
    r"|imex|watch|plugin|strategy|tegra|wsl|factory|labeler|version|info|mps|cdi|allocate)\w{0,30}\.go:\d+\] "
)
"""A line of klog, from a file of the device plugin: E1119 06:07:08.123456       1 server.go:12]"""

NVIDIA_LINES: tuple[ProgramLines, ...] = (
    ProgramLines(  # NVRM: GPU 0000:3b:00.0: text; the resource manager: NVRM: GPU0 knvlinkFunction_GH100: text
        "nvrm",
        ("NVRM: ",),
        r"NVRM: +(?:NVRM: +)?(?:GPU +(?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?): +"
        r"|GPU\d{1,3} +)?_{0,3}(?P<text>.*)",
        chatty=True,
    ),
    ProgramLines(  # 2031-04-05 06:07:08.123 ERROR [4711:4712] text [/dcgm/file.cpp:12] [Class::Function]
        "dcgm",
        ("ERROR [", "WARN  [", "WARN [", "FATAL [", "CRITICAL ["),
        r"(?:^|[\d.] )(?P<level>ERROR|WARN|FATAL|CRITICAL) +\[\d{1,9}:\d{1,9}\] +"
        r"(?P<text>.*?)(?: \[[\w./+-]{1,200}:\d{1,6}\](?: \[.{1,200}\])?)?$",
        chatty=True,
        also=("dcgm-log",),
    ),
    ProgramLines(  # Error: text, of dcgmi and of many others
        "dcgm",
        ("Error: ", "Warning: "),
        r"^\s{0,4}(?:Error|Warning): (?P<text>\S.*)",
        also=("dcgm",),
    ),
    ProgramLines(  # nvidia-smi's and others' "Failed to initialize NVML: text", NVML_ERROR: [text] of nvbandwidth
        "nvml",
        ("NVML: ", "NVML_ERROR", "nvml error: ", "device handle for "),
        r"(?:NVML: +|NVML_ERROR: +\[|nvml error: +|NVML_(?=ERROR_)|device handle for GPU[\w: .]{1,40}: )(?P<text>\S.*)",
        also=("nvml",),
    ),
    ProgramLines(  # ERR:  text; gdrdrv:function:text
        "gdrcopy",
        ("ERR: ", "gdrdrv:"),
        r"(?:(?:^|\s)ERR: {1,3}|\bgdrdrv:\w{1,60}:)(?P<text>\S.*)",
        chatty=True,
    ),
    ProgramLines(  # nvidia-container-cli: text, also inside what Docker and containerd say
        "nvidia-container",
        ("nvidia-container-", "nvidia-ctk", "nvidia-cdi-hook"),
        r"(?:nvidia-container-(?:cli|runtime(?:-hook|\.\w{3,6})?|toolkit)|nvidia-ctk|nvidia-cdi-hook): (?P<text>\S.*)",
        chatty=True,
    ),
    ProgramLines(  # klog of the device plugin, logrus of the operator's validator, where they speak of GPUs
        "nvidia-container",
        (".go:", "level="),
        r"(?:" + _KLOG + r"|\blevel=(?P<word>fatal|error|warning) msg=\"?)"
        r"(?=.{0,200}(?:nvidia|NVIDIA|NVML|nvml|[Dd]river|GPU|[Xx]id|mofed|Mellanox|toolkit|plugin"
        r"|cuda|CUDA|unhealthy|unknown device|validat|cluster config|status file|symlink))"
        r"(?P<text>\S.*)",
        also=("nvidia-kubernetes",),
    ),
    ProgramLines(  # the same, where many other programs print such lines, too
        "nvidia-kubernetes",
        (".go:", "level="),
        r"(?:" + _KLOG + r"|\blevel=(?P<word>fatal|error|warning) msg=\"?)(?P<text>\S.*)",
    ),
    ProgramLines(
        "nvidia-persistenced",
        ("nvidia-persistenced",),
        r"nvidia-persistenced(?:\[\d{1,9}\])?: (?:device (?P<pci>[\da-f:.]{7,20}) - )?(?P<text>\S.*)",
        chatty=True,
    ),
    ProgramLines(
        "nvidia-peermem",
        ("nvidia-peermem", "nvidia_peermem", "nv_mem"),
        r"nvidia[-_]peermem \w{1,60}:\d{1,5} ERROR +(?P<text>(?P<error>.{1,120}).*)",
        chatty=True,
    ),
    ProgramLines(  # nvidia-uvm: file.c:123 function[pid:4711] text
        "nvidia-uvm",
        ("nvidia-uvm: ",),
        r"nvidia-uvm: +(?:[\w.]{1,60}:\d{1,6} +)?(?:\w{1,80}\[pid:(?P<pid>\d{1,9})\] +)?(?P<text>.*)",
        chatty=True,
    ),
    ProgramLines(
        "nvidia-nvswitch",
        ("nvidia-nvswitch",),
        r"nvidia-nvswitch(?P<switch>\d{0,3}): +(?P<text>.*)",
        chatty=True,
    ),
)
