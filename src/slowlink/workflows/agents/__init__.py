"""What assistants ask over the Model Context Protocol: answers that are read-only, redacted and bounded."""
