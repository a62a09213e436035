"""Memory ran out, or a limit leaves too little of it (``ulimit -v``, a container's): the machine's fault, no defect."""

from __future__ import annotations

import errno

from slowlink.errors import SlowlinkError

_LOADER_SAYS = ("failed to map segment", "cannot allocate memory", "cannot create shared object", "cannot map")
"""What the loader of shared libraries gives as its reason, which Python passes on as an ImportError."""


def lacks_memory(error: BaseException) -> bool:
    """Is this what an allocation leaves that was refused, in Python, in a library or by the operating system?"""
    seen: BaseException | None = error
    while seen is not None:
        loading = isinstance(seen, ImportError) and any(words in str(seen).lower() for words in _LOADER_SAYS)
        refused = isinstance(seen, OSError) and seen.errno == errno.ENOMEM
        if isinstance(seen, MemoryError) or loading or refused:
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def out_of_memory() -> SlowlinkError:
    """What happened and what to try."""
    return SlowlinkError(
        "there is not enough memory for this",
        hint="see the limits (ulimit -v, those of the container), give it more, or give it less to read",
        slug="out-of-memory",
    )
