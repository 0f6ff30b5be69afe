"""The exams: one test class for each port, shipped, so that a stranger's backend sits the same one as ours.

Needs the `testing` extra.
"""

import pytest

# A failed question shows its values; pytest does so unasked only for the files it collects itself.
pytest.register_assert_rewrite("quire.testing.storage", "quire.testing.embedder", "quire.testing.index")

from quire.testing.index import IndexTests  # noqa: E402 - only what is imported after it is rewritten
from quire.testing.storage import StorageBackendTests  # noqa: E402 - only what is imported after it is rewritten

__all__ = ["IndexTests", "StorageBackendTests"]
