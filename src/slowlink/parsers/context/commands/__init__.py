"""Commands that people typed or scripts ran, and the settings that they carry."""

from slowlink.parsers.context.commands.reader import Commands

PARSER = Commands

__all__ = ["PARSER"]
