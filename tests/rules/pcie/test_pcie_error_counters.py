from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "pcie-error-counters"
GPU = "17:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"


def twice(first: int, second: int, file: str = "aer_dev_correctable", total: str = "TOTAL_ERR_COR") -> str:
    path = f"/sys/bus/pci/devices/0000:17:00.0/{file}"
    return f"{path}:{total} {first}\n{path}:{total} {second}\n"


def test_growth_of_a_gpu_is_an_error() -> None:
    (found,) = findings_of(RULE, twice(180422, 181960) + GPU)
    assert (found.severity, found.confidence, found.message) == snapshot(
        ("error", "likely", "GPU 0000:17:00.0: corrected PCIe errors grew by 1538 between two readings")
    )


def test_a_little_growth_is_a_warning() -> None:
    assert said(RULE, twice(3, 5) + GPU) == snapshot(
        [("pcie-errors", "warning", "likely", "GPU 0000:17:00.0: corrected PCIe errors grew by 2 between two readings")]
    )


def test_what_is_not_corrected_is_an_error_and_an_unnamed_device_is_a_doubt() -> None:
    assert said(RULE, twice(0, 1, "aer_dev_fatal", "TOTAL_ERR_FATAL")) == snapshot(
        [
            (
                "pcie-errors",
                "error",
                "possible",
                "PCI device 0000:17:00.0: fatal PCIe errors grew by 1 between two readings",
            )
        ]
    )


def test_a_great_total_that_was_read_once_may_be_old() -> None:
    assert said(RULE, "/sys/bus/pci/devices/0000:17:00.0/aer_dev_correctable:TOTAL_ERR_COR 180422\n" + GPU) == (
        snapshot(
            [
                (
                    "pcie-errors",
                    "warning",
                    "possible",
                    "GPU 0000:17:00.0 counted 180422 corrected PCIe errors since the node started; whether they still come, a second reading shows",
                )
            ]
        )
    )


def test_silent_without_growth_and_on_small_totals() -> None:
    assert findings_of(RULE, twice(478687, 478687) + GPU) == ()
    assert findings_of(RULE, "/sys/bus/pci/devices/0000:17:00.0/aer_dev_correctable:TOTAL_ERR_COR 12\n") == ()


def test_who_reads_all_devices_reads_those_of_storage_too() -> None:
    every = "".join(twice(0, 900).replace("17:00.0", f"{bus:02x}:00.0") for bus in (0x17, 0x81, 0x82))
    assert [(severity, confidence) for _, severity, confidence, _ in said(RULE, every)] == [("warning", "possible")]


def test_what_a_device_noted_is_worth_a_second_look() -> None:
    flags = "\t\tCESta:\tRxErr- BadTLP+ BadDLLP+ Rollover- Timeout- AdvNonFatalErr+\n"
    assert said(RULE, GPU + flags) == snapshot(
        [
            (
                "pcie-errors",
                "info",
                "possible",
                "GPU 0000:17:00.0 noted packets that were sent again (BadTLP, BadDLLP); whether they still come, a second reading shows",
            )
        ]
    )
    harmless = "\t\tCESta:\tRxErr+ BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr+\n"
    assert said(RULE, GPU + harmless) == []


def test_a_fatal_error_of_some_time() -> None:
    sysfs = "/sys/bus/pci/devices/0000:17:00.0/aer_dev_fatal:TOTAL_ERR_FATAL {}\n"
    bits = GPU + "\t\tDevSta:\tCorrErr+ NonFatalErr+ {} UnsupReq+ AuxPwr- TransPend-\n"
    for text in (GPU + "\n" + sysfs.format(1), bits.format("FatalErr+")):
        assert said(RULE, text) == snapshot(
            [
                (
                    "pcie-errors",
                    "warning",
                    "possible",
                    "GPU 0000:17:00.0 had a fatal PCIe error at some time since the node started or it was cleared",
                )
            ]
        )
    for text in (GPU + "\n" + sysfs.format(0), bits.format("FatalErr-"), sysfs.format(1)):
        assert findings_of(RULE, text) == ()
