"""The exams: one test class for each port, shipped, so that a stranger's backend sits the same one as ours.

Needs the `testing` extra.
"""

from quire.testing.storage import StorageBackendTests

__all__ = ["StorageBackendTests"]
