"""Layouts: scope, kind and name to a locator, and back."""

from quire.engine.layout.place import Layout, Place, Zone
from quire.engine.layout.root import RootLayout
from quire.engine.layout.vault import VaultLayout

LAYOUTS: dict[str, type[Layout]] = {"root": RootLayout, "vault": VaultLayout}

__all__ = ["LAYOUTS", "Layout", "Place", "RootLayout", "VaultLayout", "Zone"]
