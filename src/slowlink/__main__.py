"""``slowlink`` and ``python -m slowlink``."""

import sys


def main() -> None:
    """Start the command line. ``--version`` alone is answered at once: scripts ask it often, and click is slow."""
    if sys.argv[1:] == ["--version"]:
        from slowlink import __version__
        from slowlink.cli.pipes import drop_what_cannot_be_written, hold_standard_streams, say

        hold_standard_streams()
        status = say(f"slowlink {__version__}")
        drop_what_cannot_be_written()
        sys.exit(status)
    try:
        from slowlink.cli.lack_of_memory.numpy_import import watch_numpy

        watch_numpy()
        from slowlink.cli.main import main as run
    except KeyboardInterrupt:  # so early that nothing has begun
        from slowlink import exits

        print("slowlink: interrupted", file=sys.stderr)
        sys.exit(exits.INTERRUPTED)
    except (MemoryError, ImportError) as error:
        from slowlink import exits
        from slowlink.cli.lack_of_memory import lacks_memory, out_of_memory

        if not lacks_memory(error):
            raise
        print(f"slowlink: {out_of_memory().message}", file=sys.stderr)
        sys.exit(exits.USAGE)
    run()


if __name__ == "__main__":
    main()
