"""Options of commands that read inputs: who reads them, and where they lie."""
