"""How long a campaign runs: quick inside `make test`, in full in `make torture`."""

import os


def budget(quick: int, full: int) -> int:
    """The number of trials, by `QUIRE_TORTURE`."""
    return full if os.environ.get("QUIRE_TORTURE") == "full" else quick
