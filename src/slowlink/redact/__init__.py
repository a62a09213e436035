"""What must not reach a bundle: secrets always, names of hosts and people with ``--anonymize``."""

from __future__ import annotations

from slowlink.redact.environments.allowed import environment_for_bundle
from slowlink.redact.other_names.anonymize import Anonymizer
from slowlink.redact.redaction import Redaction
from slowlink.redact.stream import Redactor

__all__ = ["Anonymizer", "Redaction", "Redactor", "environment_for_bundle"]
