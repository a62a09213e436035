"""``python -m slowlink``."""

from slowlink.cli.main import main

main()
