"""Programs that load GPUs on purpose: diagnostics and burn-in tests."""

from __future__ import annotations

STRESS_TESTS = ("nvvs", "eud", "gpu-burn", "gpu_burn", "gpu-fryer", "dcgmproftester", "mx-diag", "rvs", "agfhc")
"""What their names begin with. ``nvvs`` and ``eud`` are what ``dcgmi diag`` starts; ``rvs`` and ``agfhc`` are AMD's,
``mx-diag`` is MetaX's."""
