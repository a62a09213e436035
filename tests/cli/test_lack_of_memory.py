"""numpy is imported with one thread of BLAS, leaves the environment as it is, and says where memory lacks."""

from __future__ import annotations

import subprocess
import sys

import pytest

_WATCHED = "from slowlink.cli.lack_of_memory.numpy_import import watch_numpy\nwatch_numpy()\n"


def _said(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_threads_and_the_same_environment() -> None:
    code = (
        "import os, sys\nbefore = dict(os.environ)\nimport numpy\n"
        "print(len(os.listdir('/proc/self/task')), dict(os.environ) == before, numpy.linalg.inv([[2.0]])[0][0],"
        " type(numpy.__spec__.loader) is type(os.__spec__.loader) or 'SourceFileLoader' in repr(numpy.__spec__.loader),"
        " len([each for each in sys.meta_path if 'OneThread' in repr(each)]))"
    )
    assert _said(_WATCHED + code) == "1 True 0.5 True 0"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_the_user_set_stays() -> None:
    code = (
        "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '2'\nimport numpy\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'], 'MKL_NUM_THREADS' in os.environ)"
    )
    assert _said("import os\nos.environ.pop('MKL_NUM_THREADS', None)\n" + _WATCHED + code) == "2 False"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_limit_that_leaves_too_little_is_said_and_ends_nothing() -> None:
    code = (
        "import resource\n"
        "mapped = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (mapped + (90 << 20), resource.RLIM_INFINITY))\n"
        "from slowlink.cli.lack_of_memory import lacks_memory\n"
        "try:\n    import numpy\nexcept BaseException as error:\n    print(type(error).__name__, lacks_memory(error))"
    )
    assert _said(_WATCHED + code) == "MemoryError True"
