"""Settings to backends to engine: the only wiring."""

from __future__ import annotations

from quire.ports.registry import BackendRegistry

registry = BackendRegistry(
    {
        "device-local": "quire.backends.local:DeviceLocalBackend",
        "postgres": "quire.backends.postgres:PostgresBackend",
        "ram": "quire.backends.ram:RamBackend",
        "s3": "quire.backends.s3:S3Backend",
        "vault": "quire.backends.vault:VaultBackend",
    }
)
