"""libfabric's log (``FI_LOG_LEVEL``) and the errors of its cxi and efa providers.

Two warnings::

    libfabric:4711:1700000000::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so
    libfabric:4711:1700000000::cxi:mr:cxip_do_map():61<warn> node7: cxi_map failed: -12:Cannot allocate memory

Source: libfabric 1.15 to 1.22: ``libfabric:pid:time:provider:subsystem:function():line<level> text``. It warns of much
that is normal (a provider without its hardware). All other warnings stand in ``vocabulary/network/libfabric.toml``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

MESSAGES = (
    EventPattern(
        "libfabric-hmem-missing",
        "Failed to dlopen libcu",
        r"Failed to dlopen (?P<library>libcud(?:a|art)\.so[\w.]{0,12})",
        ("libfabric:4711:1700000000::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so",),
    ),
    EventPattern(
        "libfabric-hmem-missing",
        "Failed to initialize hmem iface FI_HMEM_",
        r"Failed to initialize hmem iface (?P<interface>FI_HMEM_CUDA)(?:: (?P<error>.{1,80}))?",
        (
            "libfabric:4711:1700000000::core:core:ofi_hmem_init():339<warn> Failed to initialize hmem"
            " iface FI_HMEM_CUDA: No data available",
        ),
    ),
    EventPattern(
        "libfabric-mr-failed",
        "libfabric:",
        r"libfabric:\S{1,200}<(?:warn|critical)> .{0,120}?\b(?P<call>(?:fi_|ofi_|cxi[pl]?_|efa_|ibv_)"
        r"(?:reg_mr|mr_reg|map\b|mr_regattr)\w{0,20})"
        r".{0,60}?(?:fail|unable|error)",
        ("libfabric:4711:1700000000::cxi:mr:cxip_do_map():61<warn> node7: cxi_map failed: -12:Cannot allocate memory",),
    ),
    EventPattern(
        "libfabric-mr-failed",
        "fi_mr_reg",
        r"fi_mr_reg\w{0,8}\b.{0,60}?(?:failed|error|returned -\d+)",
        ("fi_mr_regattr failed: -12 Cannot allocate memory",),
    ),
    EventPattern(
        "libfabric-no-provider",
        "fi_getinfo",
        r"^(?!\s*libfabric:).{0,200}?fi_getinfo\b.{0,60}?(?:failed|error|returned|No data available)",
        ("fi_getinfo() failed: -61 No data available",),
    ),
)

NOISE = (
    NoisePattern(
        "libfabric:",
        r"libfabric:\d+:(?!.{0,200}<(?:warn|critical)>)",
        ("libfabric:4711:1700000000::core:core:fi_param_get_():279<info> variable x=<not set>",),
    ),
)


class Libfabric(MessageParser):
    """Events of libfabric and its providers: memory that was not registered, providers that are not there."""

    kind: ClassVar[str] = "libfabric"
    origin: ClassVar[str] = "libfabric"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Libfabric
