"""What the library's tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

# Programs that `test_programs.py` runs, each in a process of its own; they are no tests to import.
collect_ignore = ["programs"]

# A first example may compile a kernel; how long that takes says nothing about the law under test.
settings.register_profile("library", deadline=None)
settings.load_profile("library")


@pytest.fixture(scope="session")
def vector_code(torch):
    """Skips where PyTorch makes float32 normal numbers otherwise than with AVX2."""
    capability = torch.backends.cpu.get_cpu_capability()
    if capability not in ("AVX2", "AVX512"):
        pytest.skip(f"PyTorch runs its {capability} code here, whose float32 normals differ in the last bit")
